/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/natnet.h - networks that the host does not have
 */
#ifndef FW_HOST_NATNET_H
#define FW_HOST_NATNET_H

#include "conf/conf.h"

#include <stdbool.h>
#include <stdio.h>

#define NATNET_MAX 1024

/* What the host knows: its addresses with their networks, routes, gateways. */
struct natnet {
	unsigned n;
	struct cidr net[NATNET_MAX];
};

/** natnet_read() - Of the caller's network namespace. */
void natnet_read(struct natnet *n);

/** natnet_add() - One more. Those beyond NATNET_MAX are left out. */
void natnet_add(struct natnet *n, const struct cidr *c);

/** natnet_routes4() / natnet_routes6() - Add those of /proc/net/route and
 * /proc/net/ipv6_route */
void natnet_routes4(struct natnet *n, FILE *from);
void natnet_routes6(struct natnet *n, FILE *from);

/** natnet_has() - Is there a network, but for a default route, that shares an address
 * with @c? Return: it, or NULL. */
const struct cidr *natnet_has(const struct natnet *n, const struct cidr *c);

/** natnet_is_default() - Is there a default route? */
bool natnet_is_default(const struct natnet *n, int family);

/**
 * natnet_pick() - 10.71.N.2/24 and fd71:N::2/64 with the first N that the host does not
 * have
 * @c4, @c6: the usual ones; filled
 *
 * A network of the host that holds all of them does not count, but for the host's own
 * address and its neighbours' in it. Return: false where there is none.
 */
bool natnet_pick(const struct natnet *n, struct cidr *c4, struct cidr *c6);

#endif
