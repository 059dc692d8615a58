/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/quiet.c - a device whose kernel sends nothing unasked
 *
 * Theory of operation
 *   A link that nobody uses carries no frame, so that a seed meets the user's frames
 *   only and the first of them costs one round trip. Three things would send some:
 *     - neighbour discovery. The neighbours are given, for good.
 *     - an IPv6 address: the kernel looks for another who has it, joins a multicast
 *       group for it and reports that. It does neither while the device has no ARP. So
 *       addresses are given in that state, and taken into use in it: that happens on a
 *       thread of the kernel's, and is waited for. Leaving the state would begin all
 *       of it anew, but not while the device is dormant. It empties the table of
 *       neighbours, which is why they come last.
 *     - a link-local address: with it comes a solicitation of routers. There is none.
 */
#include "config.h"

#include "host/quiet.h"

#include <linux/if.h>
#include <sys/socket.h>

#include "host/addr.h"
#include "host/link.h"

/* As for the loopback: a full ring drops before the engine sees the frame. */
#define TXQLEN_FRAMES 10000

static int up(
	struct nl_sock *sk, const struct plan_end *end, bool no_arp, struct err *e)
{
	const struct link_want want = {
		.up = true,
		.mac = end->mac,
		.mtu_bytes = end->mtu_bytes,
		.txqlen_frames = TXQLEN_FRAMES,
		.no_addr_gen = true,
		.no_arp = no_arp,
		/* It would be "unknown". */
		.operstate = no_arp ? 0 : IF_OPER_UP,
	};

	return link_set(sk, end->dev, &want, e);
}

int quiet_up(struct nl_sock *sk, const struct plan_end *end, struct err *e)
{
	return up(sk, end, true, e);
}

int quiet_not(struct nl_sock *sk, int index, const struct plan_end *end, struct err *e)
{
	unsigned i;
	int r = up(sk, end, false, e);

	for (i = 0; i < end->n_addrs && !r; i++)
		r = addr_add_now(sk, index, end->dev, &end->addr[i], e);
	return r;
}

/* Addresses while it is quiet, then all that needs it not to be. */
int quiet_settle(struct nl_sock *sk, int index, const struct plan_end *end,
	const struct plan_end *other, struct err *e)
{
	static const struct link_want steps[] = {{.operstate = IF_OPER_DORMANT},
		{.arp = true}, {.operstate = IF_OPER_UP}};
	bool has_inet6 = false;
	unsigned i;
	int r = 0;

	for (i = 0; i < end->n_addrs && !r; i++) {
		r = addr_add(sk, index, end->dev, &end->addr[i], e);
		has_inet6 |= end->addr[i].family == AF_INET6;
	}
	if (!r && has_inet6)
		r = addr_settled(index, end->dev, e);
	for (i = 0; i < sizeof(steps) / sizeof(steps[0]) && !r; i++)
		r = link_set(sk, end->dev, &steps[i], e);
	for (i = 0; i < other->n_addrs && !r; i++)
		r = addr_neigh(sk, index, end->dev, &other->addr[i], other->mac, e);
	return r;
}
