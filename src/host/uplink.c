/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/uplink.c - the two ends of `uplink none`
 *
 * Why nothing is sent over an idle link: host/quiet.c.
 */
#include "config.h"

#include "host/uplink.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "base/fd.h"
#include "host/addr.h"
#include "host/link.h"
#include "host/quiet.h"
#include "host/tap.h"

/* Of a namespace that is ours. */
static int both_up(struct nl_sock *sk, const struct plan_end *end, struct err *e)
{
	const struct link_want lo = {.up = true};
	const struct link_want own = {.no_forward = true};
	int r = link_set(sk, "lo", &lo, e);

	if (!r)
		r = link_set(sk, end->dev, &own, e);
	return r < 0 ? r : quiet_up(sk, end, e);
}

static struct cidr alone(const struct cidr *c)
{
	struct cidr one = *c;

	one.prefix = c->family == AF_INET ? 32 : 128;
	return one;
}

static int routes_far(
	struct nl_sock *sk, int index, const struct plan *p, struct err *e)
{
	struct cidr to;
	unsigned i;
	int r = 0;

	for (i = 0; i < p->near.n_addrs && !r; i++) {
		if (!p->apart[i])
			continue;
		to = alone(&p->near.addr[i]);
		r = addr_route(sk, index, p->far.dev, &to, NULL, e);
	}
	return r;
}

static int routes_near(
	struct nl_sock *sk, int index, const struct plan *p, struct err *e)
{
	bool has4 = false, has6 = false, *has;
	const struct cidr *via;
	struct cidr to;
	unsigned i;
	int r = 0;

	for (i = 0; i < p->near.n_addrs && !r; i++) {
		via = &p->far.addr[p->across[i]];
		to = alone(via);
		if (p->apart[i])
			r = addr_route(sk, index, p->near.dev, &to, NULL, e);
		has = via->family == AF_INET ? &has4 : &has6;
		to = (struct cidr){.family = via->family};
		if (!r && !*has)
			r = addr_route(sk, index, p->near.dev, &to, via, e);
		*has = true;
	}
	return r;
}

static int make_end(const struct plan *p, const struct plan_end *end, bool ours,
	struct host_port *t, const struct fail_ctx *ctx, struct err *e)
{
	const struct plan_end *other = end == &p->far ? &p->near : &p->far;
	struct host_port tap = {.role = end == &p->far ? PORT_FAR : PORT_NEAR,
		.fd = -1,
		.stats_fd = -1};
	struct nl_sock *sk;
	int r, index;

	r = tap_open(end->dev, &tap, ctx, e);
	if (r < 0)
		return r;
	memcpy(tap.mac, end->mac, sizeof(tap.mac));
	sk = link_open(e);
	r = !sk ? e->code : ours ? both_up(sk, end, e) : quiet_up(sk, end, e);
	index = r < 0 ? r : link_index(end->dev, e);
	r = index < 0 ? index : quiet_settle(sk, index, end, other, e);
	if (!r)
		r = end == &p->far ? routes_far(sk, index, p, e)
				   : routes_near(sk, index, p, e);
	/* Netlink refused in our own namespace has a cause of its own. */
	if (r == -EPERM)
		fail_say(e, FAIL_INSIDE, -r, ctx, "netlink");
	link_close(&sk);
	if (r < 0) {
		fd_close(&tap.fd);
		return r;
	}
	*t = tap;
	return 0;
}

int uplink_far(const struct plan *p, struct host_port *t, const struct fail_ctx *ctx,
	struct err *e)
{
	return make_end(p, &p->far, true, t, ctx, e);
}

int uplink_out(const struct plan *p, struct host_port *t, const struct fail_ctx *ctx,
	struct err *e)
{
	return make_end(p, &p->far, false, t, ctx, e);
}

int uplink_near(const struct plan *p, struct host_port *t, const struct fail_ctx *ctx,
	struct err *e)
{
	return make_end(p, &p->near, true, t, ctx, e);
}
