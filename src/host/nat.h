/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/nat.h - the way out over the kernel's own address translation
 */
#ifndef FW_HOST_NAT_H
#define FW_HOST_NAT_H

#include "base/err.h"

struct wayout;
struct wayout_start;

/* What has been changed and must be put back; all 0: nothing. */
struct nat {
	int unused;
};

/**
 * nat_start() - A TAP in the caller's network namespace, its addresses translated
 * @w: way, plan, far and dns are filled on success
 *
 * Return: 0 or -errno; then nothing is left.
 */
int nat_start(const struct wayout_start *s, struct wayout *w, struct err *e);

/** nat_undo() - Put everything back; idempotent, and by any process of the run. */
void nat_undo(struct wayout *w);

/** nat_forget() - In the child: close what it has no use for. */
void nat_forget(struct wayout *w);

/** nat_keep() - Files that a guard needs for nat_undo(). Return: how many, at most 3. */
int nat_keep(const struct wayout *w, int *fds);

#endif
