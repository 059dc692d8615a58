/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/slirp.h - the way out over slirp4netns
 */
#ifndef FW_HOST_SLIRP_H
#define FW_HOST_SLIRP_H

#include "base/err.h"

struct wayout;
struct wayout_start;

/** slirp_start() - As nat_start() */
int slirp_start(const struct wayout_start *s, struct wayout *w, struct err *e);

#endif
