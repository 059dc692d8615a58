/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/plan.h - who has which address on a link that farwire makes both ends of
 *
 * Pure: words in, addresses out.
 */
#ifndef FW_HOST_PLAN_H
#define FW_HOST_PLAN_H

#include "conf/conf.h"

#include <stdbool.h>
#include <stdint.h>

/* RFC 8200: with less a device has no IPv6. */
#define PLAN_IPV6_MTU_BYTES 1280

/* What an end has when the user names no address: 10.71.0.2/24, fd71::2/64. */
extern const struct cidr plan_usual4, plan_usual6;

struct plan_end {
	const char *dev;
	unsigned mtu_bytes;
	uint8_t mac[6];
	unsigned n_addrs;
	struct cidr addr[END_ADDRS_MAX];
};

struct plan {
	struct plan_end near, far;
	/* Of each address of the near end: the far end's that stands across from it, and
	 * whether the two share no network, so that each needs a route to the other. */
	unsigned across[END_ADDRS_MAX];
	bool apart[END_ADDRS_MAX];
};

/**
 * plan_make() - Fill @p from what the user said of the near end
 * @ipv6: whether the kernel has it
 *
 * Without an address near has 10.71.0.2/24 and, with @ipv6 and an MTU it can live with,
 * fd71::2/64. In each network of near the far
 * end has the first address that near does not have: the usual ones give 10.71.0.1 and
 * fd71::1. A network of one address has none to give; then the far end has the usual one
 * and both have a route.
 */
void plan_make(struct plan *p, const struct link_end *near, bool ipv6);

#endif
