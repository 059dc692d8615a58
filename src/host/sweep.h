/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/sweep.h - find and end every process in a network namespace
 */
#ifndef FW_HOST_SWEEP_H
#define FW_HOST_SWEEP_H

#include "base/clock.h"

#include <stddef.h>
#include <sys/types.h>

/* Names a namespace. Both numbers are good only while something holds it open. */
/* What a guard calls itself; never told of as left behind. */
#define GUARD_COMM "farwire-guard"
/* And a relay. */
#define RELAY_COMM "farwire-relay"

struct sweep_ns {
	ino_t net;     /* of /proc/PID/ns/net */
	ino_t net_dev; /* of /proc/PID/net/dev: readable where the first is not; 0: none
			*/
};

/**
 * sweep_end() - End every process in a network namespace
 * @ns:       which; the caller holds it open, so that its inode is not taken again
 * @grace_ns: time between TERM and KILL, 0 kills at once
 * @limit_ns: after this time what cannot be killed is left alone
 * @names:    filled with what was ended: "sleep, python3 (2)", cut at @size
 * @size:     of @names, at least 1
 *
 * Never ends the caller, and does nothing for the namespace the caller stands in.
 * Processes that are started meanwhile are found by looking until nobody is left.
 * Blocks. Return: how many processes were ended.
 */
unsigned sweep_end(const struct sweep_ns *ns, nsec_t grace_ns, nsec_t limit_ns,
	char *names, size_t size);

#endif
