/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/slirp.c - the way out over slirp
 */
#include "config.h"

#include "host/slirp.h"

#include <errno.h>

#include "host/wayout.h"

int slirp_start(const struct wayout_start *s, struct wayout *w, struct err *e)
{
	(void)s;
	(void)w;
	return err_set(e, -ENOENT, "uplink slirp: not in this farwire yet");
}
