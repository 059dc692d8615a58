/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/passt.h - the way out over passt
 */
#ifndef FW_HOST_PASST_H
#define FW_HOST_PASST_H

#include "base/err.h"

struct wayout;
struct wayout_start;

/** passt_start() - As nat_start() */
int passt_start(const struct wayout_start *s, struct wayout *w, struct err *e);

#endif
