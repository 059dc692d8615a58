/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/nat.c - the way out over the kernel's own address translation
 *
 * Theory of operation
 *   The far end is a TAP in the caller's own network namespace. What arrives there is
 *   forwarded by the kernel and leaves with the host's address. For that a table of nft
 *   is made, and forwarding is switched on where it is off (host/forward.c). The table,
 *   which has an owner, goes with the last copy of one netlink socket, which the caller
 *   and both guards have, or before: when the run is over the guard that is asked deletes
 *   it. Forwarding is put back by a guard, or, until there are guards, by a keeper: a
 *   process forked before anything is changed. Who has put everything back says so in
 *   memory that all of them share: the name may be the next run's then.
 *
 *   Several runs share the host's devices. Each puts down in its table what forwarding
 *   was, and takes over what others have put down; who ends leaves alone what another
 *   table names. So the last to end puts back what the first found, and a table is there
 *   exactly as long as its run. A lock on the namespace itself (flock on its file) lets
 *   only one look and change at a time.
 *
 *   The same is in a file, for the case that all of a run are killed: the next run takes
 *   it over from there, and puts it back when it is the last.
 *
 *   Whether the host's firewall lets such packets pass is not guessed from its rules: one
 *   datagram is sent through, to an address that nobody has, counted in our last chain
 *   and dropped there. What relays need is tried by host/natin.c.
 */
#include "config.h"

#include "host/nat.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/log.h"
#include "host/addr.h"
#include "host/natin.h"
#include "host/natnet.h"
#include "host/natprobe.h"
#include "host/nattable.h"
#include "host/rules.h"
#include "host/sweep.h"
#include "host/uplink.h"
#include "host/wayout.h"

/* Others hold it for some 10 ms; a stranger might for ever. */
#define LOCK_TRIES 500
#define LOCK_TRY_MS 10
/* The datagram is on its way out when write() returns, but for kernels that put it off. */
#define PROBE_TRIES 20
#define PROBE_TRY_MS 10
#define DEVICES_MAX 1000

static struct natnet host_nets;
static int lock_fd = -1;

/* Best effort: without it two runs may begin or end within some milliseconds. */
static void lock(void)
{
	int i;

	lock_fd = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	for (i = 0; lock_fd >= 0 && i < LOCK_TRIES; i++) {
		if (flock(lock_fd, LOCK_EX | LOCK_NB) == 0)
			return;
		poll(NULL, 0, LOCK_TRY_MS);
	}
}

static void unlock(void)
{
	fd_close(&lock_fd);
}

/* What was refused, and the way round. */
static int refuse(const char *fix, struct err *e)
{
	const struct err why = *e;

	return err_set(e, why.code, "uplink nat: %.400s; %s", why.text, fix);
}

/* The user's own choice must not be one of the host's networks. */
static int check_wish(
	const struct natnet *host, const struct link_end *near, struct err *e)
{
	char wish[ADDR_TEXT_BYTES], has[ADDR_TEXT_BYTES];
	const struct cidr *c;
	unsigned i;

	for (i = 0; i < near->n_addrs; i++) {
		c = natnet_has(host, &near->addr[i]);
		if (!c)
			continue;
		addr_text(&near->addr[i], wish);
		addr_text(c, has);
		return err_set(e, -EADDRINUSE,
			"uplink nat: addr '%s': the host has %s itself; leave addr "
			"out, or take another network",
			wish, has);
	}
	return 0;
}

static int make_plan(
	const struct wayout_start *s, bool ipv6, struct wayout *w, struct err *e)
{
	struct cidr c4 = plan_usual4, c6 = plan_usual6;
	struct link_end near;

	natnet_read(&host_nets);
	if (!s->conf->near_lo && check_wish(&host_nets, &s->conf->near, e) < 0)
		return e->code;
	if (!natnet_pick(&host_nets, &c4, &c6))
		return err_set(e, -EADDRNOTAVAIL,
			"uplink nat: the host has all networks of 10.71.0.0/16; name "
			"another by addr");
	near = wayout_near(s->conf, s->ipv4 ? &c4 : NULL, ipv6 ? &c6 : NULL);
	plan_make(&w->plan, &near, ipv6);
	w->plan.far.dev = w->nat.dev;
	return 0;
}

static bool plan_has(const struct plan *p, int family)
{
	unsigned i;

	for (i = 0; i < p->near.n_addrs; i++)
		if (p->near.addr[i].family == family)
			return true;
	return false;
}

static int pick_device(struct rules *r, struct nat *n, struct err *e)
{
	unsigned i;

	for (i = 0; i < DEVICES_MAX; i++) {
		snprintf(n->dev, sizeof(n->dev), NATTABLE_DEV "%u", i);
		if (!if_nametoindex(n->dev) && !nattable_is(r, n->dev))
			return 0;
	}
	return err_set(e, -EBUSY, "uplink nat: no name is free for a device");
}

static int make_device(const struct wayout_start *s, struct wayout *w, struct err *e)
{
	struct fail_ctx ctx;
	int r;

	fail_look(&ctx, s->rootless);
	r = uplink_out(&w->plan, &w->far, &ctx, e);
	if (r < 0)
		return r;
	w->far.stats_fd = open("/proc/self/net/dev", O_RDONLY | O_CLOEXEC);
	return w->far.stats_fd < 0 ? err_sys(e, "/proc/self/net/dev") : 0;
}

/* What other runs that live have put down. */
struct others {
	struct forward *forward; /* to take it over into, or NULL */
	unsigned n;
};

static void note(const char *text, void *ctx)
{
	struct others *o = ctx;

	o->n++;
	if (o->forward)
		forward_note(o->forward, text);
}

static int make_table(struct rules *r, struct wayout *w, struct err *e)
{
	struct nat *n = &w->nat;
	struct others others = {.forward = &n->forward};

	n->is_undone = mmap(NULL, sizeof(*n->is_undone), PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (n->is_undone == MAP_FAILED) {
		n->is_undone = NULL;
		return err_sys(e, "uplink nat: memory");
	}
	forward_plan(&n->forward, plan_has(&w->plan, AF_INET),
		plan_has(&w->plan, AF_INET6), NATTABLE_DEV);
	nattable_others(r, n->dev, false, note, &others);
	if (forward_load(&n->forward) && !others.n)
		log_warn("uplink nat: a run that was killed with its guards left "
			 "forwarding on; it is put back when this one ends");
	if (nattable_make(r, n->dev, &n->forward, e) < 0)
		return refuse("needs Linux 5.12; write uplink passt", e);
	forward_save(&n->forward);
	n->rules_fd = rules_keep(r);
	return n->rules_fd < 0 ? err_set(e, n->rules_fd, "uplink nat: nft: %s",
					 strerror(-n->rules_fd))
			       : 0;
}

static void __attribute__((noreturn)) keep(struct wayout *w, int sock)
{
	char c;

	unlock(); /* the caller's; its copy here would keep it from ourselves */
	setsid();
	prctl(PR_SET_NAME, GUARD_COMM);
	if (read(sock, &c, 1) != 1)
		nat_undo(w);
	_exit(0);
}

/* Before anything is changed that does not go with us. */
static int start_keeper(struct wayout *w, struct err *e)
{
	struct nat *n = &w->nat;
	int s[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, s) < 0)
		return err_sys(e, "socket");
	pid = fork();
	if (pid < 0)
		err_sys(e, "fork");
	if (pid == 0) {
		close(s[0]);
		keep(w, s[1]);
	}
	fd_close(&s[1]);
	if (pid < 0) {
		fd_close(&s[0]);
		return e->code;
	}
	n->keeper_pid = pid;
	n->keeper_of = getpid();
	n->keeper_fd = s[0];
	return 0;
}

/* Write it and wait until it has left. 0 without it where no route leads there. */
static int send_probe(
	struct rules *r, const struct wayout *w, int family, struct err *e)
{
	unsigned char frame[NATPROBE_BYTES];
	size_t n_bytes = natprobe_frame(&w->plan, family, frame);
	int i;

	if (!n_bytes || !natnet_is_default(&host_nets, family))
		return 0;
	if (write(w->far.fd, frame, n_bytes) < 0)
		return err_sys(e, "uplink nat: %s", w->nat.dev);
	for (i = 0; i < PROBE_TRIES; i++) {
		if (nattable_probed(r, w->nat.dev, family))
			return 1;
		poll(NULL, 0, PROBE_TRY_MS);
	}
	return -EHOSTUNREACH;
}

static int probe(struct rules *r, const struct wayout *w, int family, struct err *e)
{
	char who[128];
	int sent = send_probe(r, w, family, e);

	if (sent > 0 || (sent < 0 && sent != -EHOSTUNREACH))
		return sent < 0 ? sent : 0;
	nattable_dropper(r, "forward", family, who, sizeof(who));
	if (!sent && !who[0])
		return 0;
	return err_set(e, -EHOSTUNREACH,
		"uplink nat: the host's firewall drops the %s packets it should "
		"forward%s%s; write uplink passt, or let it accept those "
		"of " NATTABLE_DEV "*",
		family == AF_INET ? "IPv4" : "IPv6", who[0] ? ", by policy of " : "",
		who);
}

/* Those that are reached from inside; where there is none, our own end of the link.
 * Return: whether it is that. */
static bool choose_dns(struct wayout *w)
{
	const struct resolv *r = &w->resolv;
	unsigned i;

	w->n_dns = 0;
	for (i = 0; i < r->n_servers && w->n_dns < WAYOUT_DNS_MAX; i++)
		if (!resolv_is_loopback(&r->server[i]) &&
			!resolv_is_of_link(&r->server[i]))
			w->dns[w->n_dns++] = r->server[i];
	if (!w->n_dns) {
		w->dns[w->n_dns++] = w->plan.far.addr[0];
		return r->n_servers > 0;
	}
	if (w->n_dns == r->n_servers)
		w->n_dns = 0; /* all of them: the command sees the host's file */
	return false;
}

static int change_host(
	const struct wayout_start *s, struct rules *r, struct wayout *w, struct err *e)
{
	bool ipv4 = plan_has(&w->plan, AF_INET), ipv6 = plan_has(&w->plan, AF_INET6);
	int rc = start_keeper(w, e);

	if (!rc)
		rc = forward_own(w->nat.dev, ipv6, e);
	if (!rc)
		rc = forward_on(&w->nat.forward, e);
	if (rc < 0)
		return refuse("write uplink passt", e);
	if (ipv4 && s->ipv4)
		rc = probe(r, w, AF_INET, e);
	if (!rc && ipv6 && s->ipv6)
		rc = probe(r, w, AF_INET6, e);
	if (!rc)
		rc = natin_check(r, w, s->conf, choose_dns(w), e);
	return rc ? rc : nattable_unprobe(r, w->nat.dev, e);
}

static int start_all(const struct wayout_start *s, struct rules *rules,
	struct wayout *w, struct err *e)
{
	int r = pick_device(rules, &w->nat, e);

	if (!r)
		r = make_plan(s, s->ipv6 && forward_can6(), w, e);
	if (!r)
		r = make_device(s, w, e);
	if (!r)
		r = make_table(rules, w, e);
	if (r < 0)
		return r;
	w->nat.stands = true;
	return change_host(s, rules, w, e);
}

int nat_start(const struct wayout_start *s, struct wayout *w, struct err *e)
{
	struct rules *rules = rules_open(e);
	int r;

	if (!rules)
		return refuse(e->code == -ENOENT ? "install Debian's libnftables1, or "
						   "write uplink passt"
						 : "write uplink passt",
			e);
	lock();
	r = start_all(s, rules, w, e);
	rules_close(&rules);
	unlock();
	if (r < 0) {
		nat_undo(w);
		fd_close(&w->far.fd);
		fd_close(&w->far.stats_fd);
	}
	return r;
}

void nat_guarded(struct nat *n)
{
	/* A guard is a copy of the caller, and the keeper none of its children. */
	if (n->keeper_pid <= 0 || n->keeper_of != getpid())
		return;
	(void)fd_send(n->keeper_fd, "", 1, NULL, 0);
	fd_close(&n->keeper_fd);
	waitpid(n->keeper_pid, NULL, 0);
	n->keeper_pid = 0;
}

struct in_use {
	const char *path;
	bool yes;
};

static void compare(const char *text, void *ctx)
{
	struct in_use *u = ctx;
	size_t n = strlen(u->path);

	u->yes |= strncmp(text, u->path, n) == 0 && text[n] == '=';
}

struct undo {
	struct rules *rules;
	const char *dev;
};

static bool in_use(const struct forward_change *c, void *ctx)
{
	struct undo *u = ctx;
	struct in_use found = {.path = c->path};

	if (u->rules)
		nattable_others(u->rules, u->dev, true, compare, &found);
	return found.yes;
}

void nat_undo(struct wayout *w)
{
	struct nat *n = &w->nat;
	struct undo u = {.dev = n->dev};
	struct others others = {.forward = NULL};
	struct err e;

	if (n->stands)
		lock();
	if (n->is_undone && n->stands && !*n->is_undone) {
		u.rules = rules_open(&e);
		forward_back(&n->forward, in_use, &u);
		if (u.rules)
			nattable_others(u.rules, n->dev, true, note, &others);
		if (u.rules && !others.n)
			forward_unsave();
		rules_close(&u.rules);
		/* Under the lock: who comes next sees no table of a run that has put
		 * back. Refused, it goes with the last copy. */
		(void)rules_drop(n->rules_fd, n->dev);
		*n->is_undone = true;
	}
	fd_close(&n->rules_fd);
	unlock();
	n->stands = false;
	nat_guarded(n);
}

void nat_forget(struct wayout *w)
{
	fd_close(&w->nat.rules_fd);
	fd_close(&w->nat.keeper_fd);
}

int nat_keep(const struct wayout *w, int *fds)
{
	if (w->nat.rules_fd < 0)
		return 0;
	fds[0] = w->nat.rules_fd;
	return 1;
}
