/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/guard.h - the processes that leave nothing behind
 *
 * Protocol, over a SOCK_SEQPACKET between the forwarder and each guard:
 *
 *   GUARD_END            end what the command left in the namespace: TERM, after 2 s
 *                        KILL. One answer when nobody is left: a line of text with its
 *                        terminating NUL, "" when there was nobody, else for example
 *                        "2 processes left by the command were ended: sleep, python3"
 *   GUARD_SIGNAL, SIGNO  two bytes; send SIGNO to the command: its parent has no
 *                        privileges and may not when the command changed its user. No
 *                        answer.
 *   end of file          the forwarder is gone: KILL at once, close the TAP, exit
 *
 * A guard that is gone shows as end of file; then the other one is to be asked.
 */
#ifndef FW_HOST_GUARD_H
#define FW_HOST_GUARD_H

#include "base/err.h"
#include "host/host.h"
#include "host/sweep.h"

#define GUARD_END 'E'
#define GUARD_SIGNAL 'S'
#define GUARD_TEXT_BYTES 256

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
