/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/quiet.h - a device whose kernel sends nothing unasked
 *
 * All return 0 or -errno with @e.
 */
#ifndef FW_HOST_QUIET_H
#define FW_HOST_QUIET_H

#include "base/err.h"
#include "host/plan.h"

#include <netlink/netlink.h>

/**
 * quiet_up() - Give the device its MAC, MTU and queue, and set it up, still deaf
 *
 * Nothing is asked and no group joined before quiet_settle().
 */
int quiet_up(struct nl_sock *sk, const struct plan_end *end, struct err *e);

/**
 * quiet_settle() - Give the addresses, then let the device speak
 * @other: who is at the other end, as permanent neighbours
 *
 * No group is joined for an IPv6 address: who is no permanent neighbour over there does
 * not find it. Waits until the addresses are in use, some milliseconds.
 */
int quiet_settle(struct nl_sock *sk, int index, const struct plan_end *end,
	const struct plan_end *other, struct err *e);

/**
 * quiet_not() - Both for an end whose neighbours are not known
 *
 * The device speaks from the start: the kernel joins the groups of the addresses and
 * says so in some frames.
 */
int quiet_not(struct nl_sock *sk, int index, const struct plan_end *end, struct err *e);

#endif
