/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/fail.h - what the machine refused, said in one line with the fix
 *
 * The one table that both `run` and `doctor` speak from. The mapping is a pure function
 * of where it failed, the errno and what is known of the machine, so that every row is
 * tested without a machine that has the fault.
 */
#ifndef FW_HOST_FAIL_H
#define FW_HOST_FAIL_H

#include "base/err.h"

#include <stdbool.h>

enum fail_at {
	FAIL_TUN,    /* open or set up /dev/net/tun */
	FAIL_USERNS, /* unshare(CLONE_NEWUSER) */
	FAIL_NETNS,  /* unshare(CLONE_NEWNET | CLONE_NEWNS) */
	FAIL_INSIDE, /* a step that the fresh namespaces should have allowed */
};

/* What of the machine decides between two causes of one errno. */
struct fail_ctx {
	bool rootless;     /* in a user namespace of our own making */
	bool apparmor;     /* kernel.apparmor_restrict_unprivileged_userns is 1 */
	bool userns_clone; /* kernel.unprivileged_userns_clone exists and is 0 (Debian)
			    */
	bool root;         /* the caller's uid is 0 */
};

/** fail_look() - Read from /proc/sys what fail_say() wants to know of this machine. */
void fail_look(struct fail_ctx *ctx, bool rootless);

/**
 * fail_say() - Fill @e for a refusal
 * @at:   where
 * @code: positive errno
 * @ctx:  the machine
 * @what: the step; NULL takes the usual name of @at
 *
 * The line is "WHAT: REASON[: CAUSE]; FIX". Return: -@code.
 */
int fail_say(struct err *e, enum fail_at at, int code, const struct fail_ctx *ctx,
	const char *what);

#endif
