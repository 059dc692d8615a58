/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/guard.h - the processes that leave nothing behind
 *
 * Two of them wait on a socket each for what conf/guard_msg.h says. A guard that is gone
 * shows as the end of its socket; then the other one is to be asked.
 */
#ifndef FW_HOST_GUARD_H
#define FW_HOST_GUARD_H

#include "base/err.h"
#include "host/host.h"
#include "host/sweep.h"
#include "host/wayout.h"

/* What a guard watches over. It holds the files, and the TAPs of the run. */
struct guard_watch {
	struct sweep_ns near, far; /* far.net is 0: none */
	int pidfd;                 /* of the command, or -1 */
	struct wayout *wayout;
	int far_ns_fd; /* or -1; others find it by the guard's /proc/PID/fd */
};

/**
 * guard_start() - Fork one guard
 * @w: what it watches over
 * @h: holds the TAPs, the socket's place and the command's process id
 * @i: guard_sock[i] and guard_pid[i] are filled
 *
 * The guard keeps the caller's privileges, a session of its own, and no file of the
 * caller but those. All signals are blocked by the caller and stay so in the guard.
 * Return: 0 or -errno.
 */
int guard_start(const struct guard_watch *w, struct host_run *h, int i, struct err *e);

#endif
