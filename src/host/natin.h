/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/natin.h - does the host's firewall let the relays' flows pass?
 */
#ifndef FW_HOST_NATIN_H
#define FW_HOST_NATIN_H

#include "base/err.h"
#include "conf/conf.h"
#include "host/rules.h"
#include "host/wayout.h"

/**
 * natin_check() - Try what the relays of `uplink nat` will do
 * @w:   the device is up and has its addresses, and nobody reads it yet
 * @dns: whether names are asked for at the far end's first address
 *
 * Blocks for no time where all of it passes, else for some tenths of a second.
 * Return: 0, or -EHOSTUNREACH and @e says which does not and what to do.
 */
int natin_check(struct rules *r, const struct wayout *w, const struct conf *c, bool dns,
	struct err *e);

#endif
