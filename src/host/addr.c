/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/addr.c - addresses, neighbours and routes over rtnetlink
 */
#include "config.h"

#include "host/addr.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_addr.h>
#include <linux/neighbour.h>
#include <linux/rtnetlink.h>
#include <poll.h>
#include <stdio.h>

#include <netlink/route/addr.h>
#include <netlink/route/neighbour.h>
#include <netlink/route/nexthop.h>
#include <netlink/route/route.h>

#include "host/link.h"

/* Of 1 ms; the kernel does it at once, on a thread of its own. */
#define SETTLE_TRIES 2000

void addr_text(const struct cidr *c, char to[ADDR_TEXT_BYTES])
{
	char text[INET6_ADDRSTRLEN] = "?";

	inet_ntop(c->family, c->bytes, text, sizeof(text));
	snprintf(to, ADDR_TEXT_BYTES, "%s/%u", text, c->prefix);
}

static struct nl_addr *build(const struct cidr *c, unsigned prefix)
{
	struct nl_addr *a =
		nl_addr_build(c->family, c->bytes, c->family == AF_INET ? 4 : 16);

	if (a)
		nl_addr_set_prefixlen(a, (int)prefix);
	return a;
}

static unsigned all_bits(const struct cidr *c)
{
	return c->family == AF_INET ? 32 : 128;
}

static int said(
	int nle, struct err *e, const char *dev, const char *what, const struct cidr *c)
{
	char text[ADDR_TEXT_BYTES], where[96];

	if (nle >= 0)
		return 0;
	addr_text(c, text);
	snprintf(where, sizeof(where), "%s: %s", dev, what);
	return link_code(nle, e, where, text);
}

static int add(struct nl_sock *sk, int index, const char *dev, const struct cidr *c,
	unsigned flags, struct err *e)
{
	struct rtnl_addr *a = rtnl_addr_alloc();
	struct nl_addr *local = build(c, c->prefix);
	int r = a && local ? 0 : -NLE_NOMEM;

	if (!r) {
		rtnl_addr_set_ifindex(a, index);
		if (flags)
			rtnl_addr_set_flags(a, flags);
		r = rtnl_addr_set_local(a, local);
	}
	if (!r)
		r = rtnl_addr_add(sk, a, 0);
	nl_addr_put(local);
	rtnl_addr_put(a);
	return said(r, e, dev, "address", c);
}

int addr_add(struct nl_sock *sk, int index, const char *dev, const struct cidr *c,
	struct err *e)
{
	return add(sk, index, dev, c, 0, e);
}

int addr_add_now(struct nl_sock *sk, int index, const char *dev, const struct cidr *c,
	struct err *e)
{
	return add(sk, index, dev, c, c->family == AF_INET6 ? IFA_F_NODAD : 0, e);
}

/* Whether an address of device @index is not in use yet; -1: unknown. */
static int is_tentative(int index)
{
	FILE *f = fopen("/proc/self/net/if_inet6", "re");
	unsigned on, flags;
	char line[128];
	int n = 0;

	if (!f)
		return errno == ENOENT ? 0 : -1;
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "%*s %x %*x %*x %x", &on, &flags) == 2 &&
			on == (unsigned)index && (flags & IFA_F_TENTATIVE))
			n++;
	fclose(f);
	return n > 0;
}

int addr_settled(int index, const char *dev, struct err *e)
{
	int tries, r;

	for (tries = 0; tries < SETTLE_TRIES; tries++) {
		r = is_tentative(index);
		if (r == 0)
			return 0;
		if (r < 0)
			return err_sys(e, "%s: /proc/net/if_inet6", dev);
		poll(NULL, 0, 1);
	}
	return err_set(e, -ETIMEDOUT, "%s: IPv6 addresses did not come up", dev);
}

int addr_neigh(struct nl_sock *sk, int index, const char *dev, const struct cidr *c,
	const uint8_t mac[6], struct err *e)
{
	struct rtnl_neigh *n = rtnl_neigh_alloc();
	struct nl_addr *dst = build(c, all_bits(c));
	struct nl_addr *ll = nl_addr_build(AF_LLC, mac, 6);
	int r = n && dst && ll ? 0 : -NLE_NOMEM;

	if (!r) {
		rtnl_neigh_set_ifindex(n, index);
		rtnl_neigh_set_lladdr(n, ll);
		rtnl_neigh_set_state(n, NUD_PERMANENT);
		r = rtnl_neigh_set_dst(n, dst);
	}
	if (!r)
		r = rtnl_neigh_add(sk, n, NLM_F_CREATE | NLM_F_REPLACE);
	nl_addr_put(ll);
	nl_addr_put(dst);
	rtnl_neigh_put(n);
	return said(r, e, dev, "neighbour", c);
}

int addr_route(struct nl_sock *sk, int index, const char *dev, const struct cidr *to,
	const struct cidr *via, struct err *e)
{
	struct rtnl_route *route = rtnl_route_alloc();
	struct rtnl_nexthop *hop = rtnl_route_nh_alloc();
	struct nl_addr *dst = build(to, to->prefix);
	struct nl_addr *gate = via ? build(via, all_bits(via)) : NULL;
	int r = route && hop && dst && (gate || !via) ? 0 : -NLE_NOMEM;

	if (!r) {
		rtnl_route_set_family(route, (uint8_t)to->family);
		rtnl_route_set_table(route, RT_TABLE_MAIN);
		rtnl_route_set_protocol(route, RTPROT_STATIC);
		rtnl_route_set_scope(route, via || to->family == AF_INET6
						    ? RT_SCOPE_UNIVERSE
						    : RT_SCOPE_LINK);
		rtnl_route_nh_set_ifindex(hop, index);
		if (gate)
			rtnl_route_nh_set_gateway(hop, gate);
		rtnl_route_add_nexthop(route, hop);
		hop = NULL; /* the route's */
		r = rtnl_route_set_dst(route, dst);
	}
	if (!r)
		r = rtnl_route_add(sk, route, NLM_F_CREATE | NLM_F_REPLACE);
	if (hop)
		rtnl_route_nh_free(hop);
	nl_addr_put(gate);
	nl_addr_put(dst);
	rtnl_route_put(route);
	return said(r, e, dev, via ? "route" : "route to", to);
}
