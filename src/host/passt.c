/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/passt.c - the way out over passt
 */
#include "config.h"

#include "host/passt.h"

#include <errno.h>

#include "host/wayout.h"

int passt_start(const struct wayout_start *s, struct wayout *w, struct err *e)
{
	(void)s;
	(void)w;
	return err_set(e, -ENOENT, "uplink passt: not in this farwire yet");
}
