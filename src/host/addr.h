/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/addr.h - addresses, neighbours and routes over rtnetlink
 *
 * All return 0 or -errno with @e; @dev is for the message alone.
 */
#ifndef FW_HOST_ADDR_H
#define FW_HOST_ADDR_H

#include "base/err.h"
#include "conf/conf.h"

#include <netlink/netlink.h>

#define ADDR_TEXT_BYTES 64

/** addr_text() - "10.71.0.1/24" into @to. */
void addr_text(const struct cidr *c, char to[ADDR_TEXT_BYTES]);

/** addr_add() - Give device @index the address @c. */
int addr_add(struct nl_sock *sk, int index, const char *dev, const struct cidr *c,
	struct err *e);

/**
 * addr_add_now() - The same, in use at once: the kernel does not look for another who
 * has it, which takes two seconds on a device that can ask
 */
int addr_add_now(struct nl_sock *sk, int index, const char *dev, const struct cidr *c,
	struct err *e);

/**
 * addr_settled() - Wait until the kernel has taken all IPv6 addresses into use
 *
 * It does so some moment after addr_add(). Blocks at most 2 s.
 */
int addr_settled(int index, const char *dev, struct err *e);

/** addr_neigh() - A permanent entry: @c (its address) is at @mac. */
int addr_neigh(struct nl_sock *sk, int index, const char *dev, const struct cidr *c,
	const uint8_t mac[6], struct err *e);

/**
 * addr_route() - A route through device @index
 * @to:  the network; prefix 0 is the default route
 * @via: the next hop, reached through the device, or NULL
 */
int addr_route(struct nl_sock *sk, int index, const char *dev, const struct cidr *to,
	const struct cidr *via, struct err *e);

#endif
