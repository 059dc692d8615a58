/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/nat.h - the way out over the kernel's own address translation
 */
#ifndef FW_HOST_NAT_H
#define FW_HOST_NAT_H

#include "base/err.h"
#include "host/forward.h"

#include <net/if.h>
#include <stdbool.h>
#include <sys/types.h>

struct wayout;
struct wayout_start;

struct nat {
	bool stands;
	char dev[IFNAMSIZ];     /* the TAP's name, and the table's */
	int rules_fd;           /* the table stands as long as a copy of it is open */
	bool *is_undone;        /* by one of the processes that share it */
	struct forward forward; /* what was changed */
	pid_t keeper_of;        /* the caller */
	pid_t keeper_pid; /* undoes until the guards can, when the caller is killed */
	int keeper_fd;
};

#define NAT_NONE ((struct nat){.rules_fd = -1, .keeper_fd = -1})

/**
 * nat_start() - A TAP in the caller's network namespace, its addresses translated
 * @w: way, plan, far and dns are filled on success
 *
 * Return: 0 or -errno; then nothing is left.
 */
int nat_start(const struct wayout_start *s, struct wayout *w, struct err *e);

/** nat_guarded() - In the caller: the guards stand, who undo it from now on. */
void nat_guarded(struct nat *n);

/** nat_undo() - Put everything back; idempotent, and by any process of the run. */
void nat_undo(struct wayout *w);

/** nat_forget() - In the child: close what it has no use for. */
void nat_forget(struct wayout *w);

/** nat_keep() - Files that a guard needs for nat_undo(). Return: how many, at most 3. */
int nat_keep(const struct wayout *w, int *fds);

#endif
