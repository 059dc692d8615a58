/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/wayout.c - the way out: which one, its start, its undoing
 */
#include "config.h"

#include "host/wayout.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "base/fd.h"
#include "host/netns.h"
#include "host/passt.h"
#include "host/route.h"
#include "host/slirp.h"

static const struct way {
	enum far far;
	const char *name;
	const char *limit; /* for the start line */
	int (*start)(const struct wayout_start *s, struct wayout *w, struct err *e);
} ways[] = {
	{FAR_UPLINK_NAT, "nat", "", nat_start},
	/* Their windows: measured, in the manual. */
	{FAR_UPLINK_PASST, "passt", "one TCP flow: 240 KB to 1 MB a round trip",
		passt_start},
	{FAR_UPLINK_SLIRP, "slirp", "one TCP flow: about 64 KB a round trip",
		slirp_start},
};
#define N_WAYS (sizeof(ways) / sizeof(ways[0]))

const char *wayout_name(enum far way)
{
	for (size_t i = 0; i < N_WAYS; i++)
		if (ways[i].far == way)
			return ways[i].name;
	return "";
}

const char *wayout_limit(enum far way)
{
	for (size_t i = 0; i < N_WAYS; i++)
		if (ways[i].far == way)
			return ways[i].limit;
	return "";
}

void wayout_init(struct wayout *w)
{
	memset(w, 0, sizeof(*w));
	w->far = (struct host_port){.role = PORT_FAR, .fd = -1, .stats_fd = -1};
	w->helper = HELPER_NONE;
	w->nat = NAT_NONE;
}

static void forget(struct wayout *w)
{
	struct resolv resolv = w->resolv;

	wayout_init(w);
	w->resolv = resolv;
}

/*
 * The first that stands. The first refusal is told, which is that of the best one; -ENOENT
 * means a program that is not installed, of which one line tells for all.
 */
static int start_any(const struct wayout_start *s, struct wayout *w, struct err *e)
{
	struct err why, first = {0};

	for (size_t i = 0; i < N_WAYS; i++) {
		if (ways[i].far == FAR_UPLINK_NAT && s->rootless)
			continue;
		forget(w);
		if (ways[i].start(s, w, &why) == 0) {
			w->way = ways[i].far;
			return 0;
		}
		if (!first.code && why.code != -ENOENT)
			first = why;
	}
	if (!first.code)
		return err_set(e, -ENOENT,
			"uplink: neither passt nor slirp4netns is installed%s; install "
			"passt, or write uplink none for a private far end",
			s->rootless ? ", and nat needs root" : "");
	*e = first;
	return e->code;
}

static int start_one(const struct wayout_start *s, struct wayout *w, struct err *e)
{
	const struct way *way = ways;
	int r;

	while (way->far != s->conf->far)
		way++;
	if (way->far == FAR_UPLINK_NAT && s->rootless)
		return err_set(e, -EPERM,
			"uplink nat: needs CAP_NET_ADMIN and CAP_SYS_ADMIN; run as "
			"root, "
			"or write uplink passt");
	forget(w);
	r = way->start(s, w, e);
	if (!r)
		w->way = way->far;
	return r;
}

int wayout_start(struct wayout_start *s, struct wayout *w, struct err *e)
{
	char said[8];
	int r;

	wayout_init(w);
	s->ipv4 = route_is_out(AF_INET);
	s->ipv6 = route_is_out(AF_INET6) && netns_has_ipv6();
	if (!s->ipv4 && !s->ipv6)
		return err_set(e, -ENETUNREACH,
			"uplink: this host has no route to anywhere; connect it, or "
			"write uplink none for a private far end");
	r = resolv_read(&w->resolv, RESOLV_PATH, e);
	if (r < 0)
		return r;
	r = s->conf->far == FAR_UPLINK_AUTO ? start_any(s, w, e) : start_one(s, w, e);
	if (r < 0)
		wayout_undo(w);
	/* What it said so far is no reason for what comes. */
	else
		helper_last_line(w->helper.err_fd, said, sizeof(said));
	return r;
}

void wayout_undo(struct wayout *w)
{
	fd_close(&w->far.fd);
	fd_close(&w->far.stats_fd);
	helper_stop(&w->helper);
	if (w->way == FAR_UPLINK_NAT)
		nat_undo(w);
}

void wayout_guarded(struct wayout *w)
{
	nat_guarded(&w->nat);
}

void wayout_forget(struct wayout *w)
{
	fd_close(&w->far.fd);
	fd_close(&w->far.stats_fd);
	fd_close(&w->helper.pidfd);
	fd_close(&w->helper.err_fd);
	fd_close(&w->helper.life_fd);
	if (w->way == FAR_UPLINK_NAT)
		nat_forget(w);
}

int wayout_keep(const struct wayout *w, int fds[WAYOUT_KEEP_MAX])
{
	int n = 0;

	if (w->helper.pidfd >= 0)
		fds[n++] = w->helper.pidfd;
	if (w->way == FAR_UPLINK_NAT)
		n += nat_keep(w, fds + n);
	return n;
}

struct link_end wayout_near(
	const struct conf *c, const struct cidr *usual4, const struct cidr *usual6)
{
	/* What is said of lo is not said of the device beside it. */
	static const struct link_end none;
	struct link_end near = c->near_lo ? none : c->near;

	if (near.n_addrs)
		return near;
	if (usual4)
		near.addr[near.n_addrs++] = *usual4;
	if (usual6 && (!near.mtu_bytes || near.mtu_bytes >= PLAN_IPV6_MTU_BYTES))
		near.addr[near.n_addrs++] = *usual6;
	return near;
}
