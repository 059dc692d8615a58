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

/**
 * guard_start() - Fork one guard
 * @ns:    what it watches over
 * @h:     holds the TAP and the command's process id
 * @i:     guard_sock[i] and guard_pid[i] are filled
 * @pidfd: of the command, or -1
 *
 * The guard keeps the caller's privileges, a session of its own, and no file of the
 * caller but the TAP. All signals are blocked by the caller and stay so in the guard.
 * Return: 0 or -errno.
 */
int guard_start(
	const struct sweep_ns *ns, struct host_run *h, int i, int pidfd, struct err *e);

#endif
