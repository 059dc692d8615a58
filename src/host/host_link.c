/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/host_link.c - what main.c asks of the privileged room for a link that stays
 */
#include "config.h"

#include "host/host_link.h"

#include <ctype.h>
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "base/fd.h"
#include "host/addr.h"
#include "host/end.h"
#include "host/filter.h"
#include "host/link.h"
#include "host/plan.h"
#include "host/privs.h"
#include "host/rank.h"
#include "host/tap.h"

/* While it is made. */
struct making {
	const struct conf *conf;
	struct host_link *link;
	struct nsref ns[N_LINK_ENDS];
	struct plan_end plan[N_LINK_ENDS];
	bool scratch; /* our own network namespace is nobody else's */
};

static const struct link_end bridge_end = {0};

static const struct link_end *end_of(const struct conf *c, int i)
{
	if (i == LINK_NEAR)
		return &c->near;
	return c->far == FAR_PEER ? &c->peer : &bridge_end;
}

static bool is_dev_name(const char *s)
{
	size_t i, n = strlen(s);

	if (n == 0 || n >= IFNAMSIZ || !strcmp(s, ".") || !strcmp(s, ".."))
		return false;
	for (i = 0; i < n; i++)
		if (isspace((unsigned char)s[i]) || strchr("/:%", s[i]))
			return false;
	return true;
}

static int check_dev(const char *word, const char *dev, struct err *e)
{
	if (!is_dev_name(dev))
		return err_set(e, -EINVAL,
			"%s '%s': a device name has 1 to %d bytes, no space, and none "
			"of / : %%",
			word, dev, IFNAMSIZ - 1);
	return 0;
}

static bool same_address(const struct cidr *a, const struct cidr *b)
{
	return a->family == b->family &&
	       memcmp(a->bytes, b->bytes, a->family == AF_INET ? 4 : 16) == 0;
}

/* Whether @a has any of the first @n addresses of @end. */
static bool has(const struct link_end *end, unsigned n, const struct cidr *a)
{
	unsigned i;

	for (i = 0; i < n; i++)
		if (same_address(&end->addr[i], a))
			return true;
	return false;
}

static int check_addrs(const struct conf *c, struct err *e)
{
	const struct link_end *near = end_of(c, LINK_NEAR);
	const struct link_end *far = end_of(c, LINK_FAR);
	char text[ADDR_TEXT_BYTES];
	const struct link_end *end;
	unsigned i, j;

	for (j = 0; j < N_LINK_ENDS; j++) {
		end = j == LINK_NEAR ? near : far;
		for (i = 0; i < end->n_addrs; i++) {
			addr_text(&end->addr[i], text);
			if (has(end, i, &end->addr[i]))
				return err_set(
					e, -EINVAL, "addr '%s': given twice", text);
			if (end == far && has(near, near->n_addrs, &end->addr[i]))
				return err_set(e, -EINVAL,
					"addr '%s': both ends cannot have it", text);
		}
	}
	return 0;
}

int host_link_check(const struct conf *c, struct err *e)
{
	const struct link_end *near = end_of(c, LINK_NEAR);
	const struct link_end *far = end_of(c, LINK_FAR);
	int r = 0;

	if (near->dev)
		r = check_dev("dev", near->dev, e);
	if (!r && far->dev)
		r = check_dev("dev", far->dev, e);
	if (!r && c->far == FAR_BRIDGE)
		r = check_dev("bridge", c->bridge, e);
	if (!r && near->has_mac && far->has_mac && !memcmp(near->mac, far->mac, 6))
		r = err_set(e, -EINVAL, "mac: both ends cannot have the same");
	return r ? r : check_addrs(c, e);
}

static int open_spaces(struct making *m, struct err *e)
{
	const struct conf *c = m->conf;
	int i, r = 0;

	for (i = 0; i < N_LINK_ENDS && !r; i++)
		r = nsref_open(&m->ns[i], end_of(c, i)->netns, e);
	if (r < 0)
		return r;
	if (c->far == FAR_PEER && c->near.dev && c->peer.dev &&
		strcmp(c->near.dev, c->peer.dev) == 0 &&
		nsref_same(&m->ns[LINK_NEAR], &m->ns[LINK_FAR]))
		return err_set(e, -EINVAL,
			"dev '%s': both ends are to be one device of one namespace; "
			"name another dev or netns for the peer",
			c->near.dev);
	return 0;
}

/*
 * Random, as the kernel's own would be: constant ones would clash on a bridge. A bridge
 * takes the lowest address of its ports for its own, and 0xfe is above what others have.
 */
static int draw_mac(uint8_t mac[6], bool port, struct err *e)
{
	if (getrandom(mac, 6, 0) != 6)
		return err_sys(e, "mac");
	mac[0] = port ? 0xfe : (uint8_t)((mac[0] & 0xfc) | 0x02);
	return 0;
}

static int make_plan(struct making *m, struct err *e)
{
	const struct conf *c = m->conf;
	const struct link_end *end;
	struct plan_end *p;
	unsigned a;
	int i, r = 0;

	for (i = 0; i < N_LINK_ENDS && !r; i++) {
		end = end_of(c, i);
		p = &m->plan[i];
		p->mtu_bytes =
			end->mtu_bytes ? end->mtu_bytes : end_of(c, !i)->mtu_bytes;
		for (a = 0; a < end->n_addrs; a++)
			p->addr[p->n_addrs++] = end->addr[a];
		if (end->has_mac)
			memcpy(p->mac, end->mac, sizeof(p->mac));
		else
			r = draw_mac(p->mac, c->far == FAR_BRIDGE && i == LINK_FAR, e);
	}
	return r;
}

/* Whether @a is in the network of @of. */
static bool is_in(const struct cidr *a, const struct cidr *of)
{
	unsigned bytes = of->prefix / 8, bits = of->prefix % 8;

	if (a->family != of->family || memcmp(a->bytes, of->bytes, bytes) != 0)
		return false;
	return !bits || !((a->bytes[bytes] ^ of->bytes[bytes]) & (0xff00U >> bits));
}

static bool meets(const struct plan_end *end, const struct cidr *a)
{
	unsigned i;

	for (i = 0; i < end->n_addrs; i++)
		if (is_in(a, &end->addr[i]))
			return true;
	return false;
}

/*
 * Whom end @i has as neighbours. Return: whether each of its IPv6 addresses is known at
 * the other end in turn, so that nobody will ever ask for it.
 */
static bool neighbours(const struct making *m, int i, struct plan_end *to)
{
	const struct plan_end *self = &m->plan[i], *other = &m->plan[!i];
	bool known = m->conf->far == FAR_PEER;
	unsigned a;

	*to = *other;
	to->n_addrs = 0;
	for (a = 0; a < other->n_addrs; a++)
		if (meets(self, &other->addr[a]))
			to->addr[to->n_addrs++] = other->addr[a];
	for (a = 0; a < self->n_addrs; a++)
		if (self->addr[a].family == AF_INET6 && !meets(other, &self->addr[a]))
			known = false;
	return known;
}

static int make_end(struct making *m, int i, struct err *e)
{
	const struct conf *c = m->conf;
	struct end_want w = {
		.role = i == LINK_NEAR ? PORT_NEAR : PORT_FAR,
		.ns = &m->ns[i],
		.scratch = m->scratch && m->ns[i].user_fd < 0,
		.dev = end_of(c, i)->dev,
		.bridge = c->far == FAR_BRIDGE && i == LINK_FAR ? c->bridge : NULL,
		.link = m->link->name,
		.self = m->plan[i],
	};
	struct host_link *h = m->link;
	struct end_made made;
	int r;

	/* Without an address there is nothing to be quiet about. */
	w.quiet = neighbours(m, i, &w.other) && m->plan[i].n_addrs;
	if (nsref_same(&m->ns[LINK_NEAR], &m->ns[LINK_FAR]))
		w.avoid = end_of(c, !i)->dev;
	r = end_make(&w, &made, e);
	if (r < 0)
		return r;
	tap_offload(made.port.fd, c->gso);
	h->port[i] = made.port;
	if (w.bridge)
		h->member = made.member;
	snprintf(h->end[i], sizeof(h->end[i]), "%s/%s", m->ns[i].text, made.port.dev);
	/* The near end lives with what the bridge has. */
	if (!m->plan[!i].mtu_bytes)
		m->plan[!i].mtu_bytes = made.mtu_bytes;
	return 0;
}

static int make_ends(struct making *m, struct err *e)
{
	int first = m->conf->far == FAR_BRIDGE ? LINK_FAR : LINK_NEAR, r;

	r = make_end(m, first, e);
	return r < 0 ? r : make_end(m, !first, e);
}

static void __attribute__((format(printf, 2, 3)))
say(struct host_link *h, const char *fmt, ...)
{
	size_t at = strlen(h->words);
	va_list ap;

	if (at) {
		snprintf(h->words + at, sizeof(h->words) - at, " ");
		at = strlen(h->words);
	}
	va_start(ap, fmt);
	vsnprintf(h->words + at, sizeof(h->words) - at, fmt, ap);
	va_end(ap);
}

static void say_end(const struct making *m, int i)
{
	const struct link_end *end = end_of(m->conf, i);
	const uint8_t *b = end->mac;
	struct host_link *h = m->link;
	char text[ADDR_TEXT_BYTES];
	unsigned a;

	if (strcmp(m->ns[i].text, ".") != 0)
		say(h, "netns %s", m->ns[i].text);
	say(h, "dev %s", h->port[i].dev);
	for (a = 0; a < end->n_addrs; a++) {
		addr_text(&end->addr[a], text);
		say(h, "addr %s", text);
	}
	if (end->has_mac)
		say(h, "mac %02x:%02x:%02x:%02x:%02x:%02x", b[0], b[1], b[2], b[3],
			b[4], b[5]);
	if (end->mtu_bytes)
		say(h, "mtu %u", end->mtu_bytes);
}

static void say_words(const struct making *m)
{
	say_end(m, LINK_NEAR);
	if (m->conf->far == FAR_BRIDGE) {
		say(m->link, "bridge %s", m->conf->bridge);
		return;
	}
	say(m->link, "peer");
	say_end(m, LINK_FAR);
}

static void forget(struct host_link *h)
{
	int i;

	memset(h, 0, sizeof(*h));
	h->place = PLACE_SOCKET_NONE;
	h->member = MEMBER_NONE;
	for (i = 0; i < N_LINK_ENDS; i++) {
		h->port[i].fd = h->port[i].stats_fd = -1;
		h->ns_name[i] = NSNAME_NONE;
		h->pid_fd[i] = -1;
	}
}

/* A socket keeps its namespace too: ours are made in a new one. */
static bool leave_own(const struct making *m)
{
	bool stay =
		m->ns[LINK_NEAR].stays && m->ns[LINK_FAR].stays && nsref_own_stays();

	return !stay && privs_can_setup() && unshare(CLONE_NEWNET) == 0;
}

/* From now on the link's own. */
static void take_names(struct making *m)
{
	struct host_link *h = m->link;
	int i;

	for (i = 0; i < N_LINK_ENDS; i++) {
		h->ns_name[i] = m->ns[i].name;
		m->ns[i].name = NSNAME_NONE;
		h->stays[i] = m->ns[i].stays;
		h->pid[i] = m->ns[i].pid;
		h->pid_fd[i] = m->ns[i].pid_fd;
		m->ns[i].pid_fd = -1;
	}
}

static int start(struct making *m, int (*turn)(void *ctx), void *ctx, struct err *e)
{
	struct place place;
	int r = host_link_check(m->conf, e);

	if (!r)
		r = make_plan(m, e);
	if (!r)
		r = open_spaces(m, e);
	if (r < 0)
		return r;
	m->scratch = leave_own(m);
	if (turn && turn(ctx) < 0)
		return err_set(e, -ECANCELED, "not begun");
	place_usual(&place);
	/* Of two who want one name, one fails here, before it made anything. */
	r = place_listen(&place, m->conf->link_name, &m->link->place, e);
	if (r < 0)
		return r;
	snprintf(m->link->name, sizeof(m->link->name), "%s", m->conf->link_name);
	r = make_ends(m, e);
	if (r < 0)
		return r;
	take_names(m);
	say_words(m);
	return 0;
}

void host_link_prepare(const struct conf *c)
{
	static bool is_tidy;
	struct place place;
	unsigned use = 0;

	if (c->io != IO_PLAIN)
		use |= FILTER_RING;
	if (c->rank == RANK_AUTO && rank_may_climb())
		use |= FILTER_RANK;
	filter_prepare(use);
	if (is_tidy)
		return;
	is_tidy = true;
	place_usual(&place);
	place_tidy(&place);
	link_warm();
}

int host_link_start(const struct conf *c, int (*turn)(void *ctx), void *ctx,
	struct host_link *h, struct err *e)
{
	struct making m = {
		.conf = c, .link = h, .ns = {NSREF_NONE, NSREF_NONE}, .scratch = false};
	sigset_t all, mask;
	int i, r;

	forget(h);
	/* Nothing half-made may be left by a Ctrl-C; the children inherit the block. */
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &mask);
	r = host_check_files(e);
	if (!r)
		r = start(&m, turn, ctx, e);
	for (i = 0; i < N_LINK_ENDS; i++)
		nsref_close(&m.ns[i]);
	if (r < 0)
		host_link_abort(h);
	sigaddset(&mask, SIGIO);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	return r;
}

static const char *const at_end[] = {
	[LINK_NEAR] = "at the near end", [LINK_FAR] = "at the far end"};

/* A process leaves its namespace some moments before its pidfd says that it has ended. */
#define ENDS_MS 50

bool host_link_lost(const struct host_link *h, int i, char why[ERR_TEXT_BYTES])
{
	struct pollfd p = {.fd = h->pid_fd[i], .events = POLLIN};

	if (h->stays[i])
		return false;
	if (p.fd < 0)
		snprintf(why, ERR_TEXT_BYTES,
			"the link broke: its device is gone, or the namespace, in "
			"which "
			"nobody is left, %s",
			at_end[i]);
	else if (poll(&p, 1, ENDS_MS) > 0)
		snprintf(why, ERR_TEXT_BYTES,
			"the link broke: process %d has ended, and its namespace is "
			"gone %s",
			(int)h->pid[i], at_end[i]);
	else
		return false;
	return true;
}

bool host_link_stands(const struct host_link *h, char why[ERR_TEXT_BYTES])
{
	int i;

	for (i = 0; i < N_LINK_ENDS; i++)
		if (nsname_gone(&h->ns_name[i])) {
			snprintf(why, ERR_TEXT_BYTES,
				"the link broke: the namespace is gone %s", at_end[i]);
			return false;
		}
	if (!member_left(&h->member))
		return true;
	snprintf(why, ERR_TEXT_BYTES, "the link broke: its device left the bridge %s",
		at_end[LINK_FAR]);
	return false;
}

void host_link_abort(struct host_link *h)
{
	int i;

	for (i = 0; i < N_LINK_ENDS; i++) {
		fd_close(&h->port[i].fd);
		fd_close(&h->port[i].stats_fd);
		fd_close(&h->pid_fd[i]);
		nsname_close(&h->ns_name[i]);
	}
	member_close(&h->member);
	/* The name last: who gets it finds the devices gone. */
	place_unlink(&h->place);
	place_close(&h->place);
	forget(h);
}

int host_link_drop(const struct host_link *h, struct err *e)
{
	int r = privs_fall();

	if (r < 0)
		return err_set(e, r, "privileges: cannot give up capabilities: %s",
			strerror(-r));
	return filter_load(0, h->place.dir_fd, e);
}
