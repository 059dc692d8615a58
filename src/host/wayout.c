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

#include "base/clock.h"
#include "base/fd.h"
#include "base/log.h"
#include "host/knock.h"
#include "host/netns.h"
#include "host/passt.h"
#include "host/route.h"
#include "host/slirp.h"

static const struct way {
	enum far far;
	const char *name;
	const char *needs; /* what -ENOENT says is not installed */
	const char *limit; /* for the start line */
	int (*start)(const struct wayout_start *s, struct wayout *w, struct err *e);
} ways[] = {
	{FAR_UPLINK_NAT, "nat", "libnftables", "", nat_start},
	/* Their windows: measured, in the manual. */
	{FAR_UPLINK_PASST, "passt", "passt",
		"one TCP flow: 240 KB to 1 MB a round trip", passt_start},
	{FAR_UPLINK_SLIRP, "slirp", "slirp4netns",
		"one TCP flow: about 64 KB a round trip", slirp_start},
};
#define N_WAYS (sizeof(ways) / sizeof(ways[0]))

/* Where another is tried after it: two that hang cost no more than one. */
#define AUTO_NS (KNOCK_NS / 2)

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

/* One that was asked, and did not stand. */
struct refusal {
	const char *name;
	const char *needs;
	struct err why;
};

/* -ENOENT is a program or library that is not installed: nobody needs to be told where
 * another stands. */
static bool is_absent(const struct refusal *r)
{
	return r->why.code == -ENOENT;
}

/* The reason alone: who said it is known, and the advice is for `uplink NAME`. */
static void put_reason(const struct refusal *r, char to[ERR_TEXT_BYTES])
{
	const char *text = r->why.text;
	char head[32], *advice;
	size_t n = (size_t)snprintf(head, sizeof(head), "uplink %s: ", r->name);

	snprintf(to, ERR_TEXT_BYTES, "%s",
		strncmp(text, head, n) == 0 ? text + n : text);
	advice = strrchr(to, ';');
	if (advice)
		*advice = '\0';
}

static void tell_passed_over(const struct refusal *r, unsigned n, const char *taken)
{
	char reason[ERR_TEXT_BYTES];

	for (; n; n--, r++) {
		/* Told of once, for whichever is taken: warn_neighbours(). */
		if (is_absent(r) || r->why.code == -ENETUNREACH)
			continue;
		put_reason(r, reason);
		log_warn("uplink auto: %s instead of %s: %s", taken, r->name, reason);
	}
}

/* All reasons, and what to do. */
static int say_none(const struct refusal *r, unsigned n, bool rootless, struct err *e)
{
	char reasons[ERR_TEXT_BYTES] = "", reason[ERR_TEXT_BYTES];
	const char *absent = NULL;
	bool all_absent = true;
	size_t at = 0;

	for (unsigned i = 0; i < n; i++) {
		all_absent &= is_absent(&r[i]);
		if (is_absent(&r[i]) && !absent)
			absent = r[i].needs;
		put_reason(&r[i], reason);
		/* A hint must still fit in. */
		snprintf(reasons + at, sizeof(reasons) - at, "%s%s: %.110s",
			i ? "; " : "", r[i].name, reason);
		at = strlen(reasons);
	}
	if (all_absent)
		return err_set(e, -ENOENT,
			"uplink: neither passt nor slirp4netns is installed%s; install "
			"passt, or write uplink none for a private far end",
			rootless ? ", and nat needs root"
				 : ", and nat needs libnftables");
	return err_set(e, r->why.code,
		"uplink auto: none stands: %s; %s%s%s, or write uplink none for a "
		"private far end",
		reasons, absent ? "install " : "mend one of them", absent ? absent : "",
		rootless ? ", run as root" : "");
}

/* The first that stands. */
static int start_any(struct wayout_start *s, struct wayout *w, struct err *e)
{
	struct refusal refusal[N_WAYS];
	unsigned n = 0;

	for (size_t i = 0; i < N_WAYS; i++) {
		if (ways[i].far == FAR_UPLINK_NAT && s->rootless)
			continue;
		forget(w);
		s->until_ns = clock_now_ns() + AUTO_NS;
		refusal[n].name = ways[i].name;
		refusal[n].needs = ways[i].needs;
		if (ways[i].start(s, w, &refusal[n].why) == 0) {
			w->way = ways[i].far;
			tell_passed_over(refusal, n, ways[i].name);
			return 0;
		}
		n++;
	}
	return say_none(refusal, n, s->rootless, e);
}

static int start_one(struct wayout_start *s, struct wayout *w, struct err *e)
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
	s->until_ns = clock_now_ns() + KNOCK_NS;
	r = way->start(s, w, e);
	if (!r)
		w->way = way->far;
	return r;
}

/* It stands, and yet the command will get "Network is unreachable" from most hosts. */
static void warn_neighbours(const struct wayout_start *s, const struct wayout *w)
{
	if (!s->leads_far)
		log_warn("uplink %s: the host has no default route, so the command "
			 "reaches the host's own networks and nothing beyond",
			wayout_name(w->way));
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
	s->leads_far = s->ipv6 || route_is_far(AF_INET) || route_is_far(AF_INET6);
	r = resolv_read(&w->resolv, RESOLV_PATH, e);
	if (r < 0)
		return r;
	r = s->conf->far == FAR_UPLINK_AUTO ? start_any(s, w, e) : start_one(s, w, e);
	if (r < 0) {
		wayout_undo(w);
		return r;
	}
	/* What it said so far is no reason for what comes. */
	helper_last_line(w->helper.err_fd, said, sizeof(said));
	warn_neighbours(s, w);
	return 0;
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
