/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/end.c - one end of a link in a namespace that is somebody else's
 *
 * Theory of operation
 *   A TAP keeps the namespace alive in which it was opened. Where that does no harm
 *   (nsref's "stays") it is opened in place, in a millisecond. Else it is opened in one
 *   that nobody else uses (scratch) and moved. When the namespace it went to is
 *   deleted, the device goes with it and the TAP says so. A move waits for all that RCU
 *   has put off, with the lock of all devices held: four ticks of the kernel's clock,
 *   16 ms at 250 a second, one move after the other.
 *   Both ways a name is taken at once or refused, so two who want the first free name
 *   do not get the same.
 *   A move takes addresses and IFF_UP away: first moved, then configured. All is
 *   looked at before anything is made.
 */
#include "config.h"

#include "host/end.h"

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <netlink/route/addr.h>
#include <netlink/route/link.h>

#include "base/fd.h"
#include "host/addr.h"
#include "host/fail.h"
#include "host/link.h"
#include "host/member.h"
#include "host/netns.h"
#include "host/quiet.h"
#include "host/stats.h"
#include "host/tap.h"

#define USUAL_MTU_BYTES 1500
/* The kernel's bound for a TAP: 65535 less an Ethernet header. */
#define MAX_MTU_BYTES 65521
#define NAMES_MAX 10000
#define TXQLEN_FRAMES 10000
#define N_FILES 3

/* What the child says; the files travel beside it. */
struct word {
	struct err err; /* code is 0 when it stands */
	struct end_made made;
};

/* Of one end. */
struct work {
	const struct end_want *want;
	struct fail_ctx ctx;
	struct plan_end self;
	int bridge_index;   /* 0: none */
	int home_fd;        /* where the TAP is opened, when not in place; or -1 */
	struct nl_sock *sk; /* into the end's namespace */
	struct host_port port;
	struct member member;
};

static int find_bridge(struct work *w, struct err *e)
{
	const char *name = w->want->bridge, *type;
	struct rtnl_link *l = NULL;
	int r = rtnl_link_get_kernel(w->sk, 0, name, &l);

	if (r == -NLE_OBJ_NOTFOUND || r == -NLE_NODEV)
		return err_set(e, -ENODEV,
			"bridge '%s': no such device; make it first (ip link add %s "
			"type bridge)",
			name, name);
	if (r < 0)
		return link_code(r, e, "bridge", name);
	type = rtnl_link_get_type(l);
	r = 0;
	if (!type || strcmp(type, "bridge") != 0)
		r = err_set(e, -ENOTSUP, "bridge '%s': that device is no bridge", name);
	w->bridge_index = rtnl_link_get_ifindex(l);
	if (!w->self.mtu_bytes)
		w->self.mtu_bytes = rtnl_link_get_mtu(l);
	if (w->self.mtu_bytes > MAX_MTU_BYTES)
		w->self.mtu_bytes = MAX_MTU_BYTES;
	rtnl_link_put(l);
	return r;
}

static bool is_address(const struct nl_addr *a, const struct cidr *c)
{
	unsigned n = c->family == AF_INET ? 4 : 16;

	return a && nl_addr_get_family(a) == c->family && nl_addr_get_len(a) == n &&
	       memcmp(nl_addr_get_binary_addr(a), c->bytes, n) == 0;
}

static int say_in_use(const struct work *w, const struct rtnl_addr *a,
	const struct cidr *c, struct err *e)
{
	char text[ADDR_TEXT_BYTES], dev[IFNAMSIZ] = "?";

	addr_text(c, text);
	(void)if_indextoname(
		(unsigned)rtnl_addr_get_ifindex((struct rtnl_addr *)a), dev);
	return err_set(e, -EADDRINUSE, "addr '%s': %s in netns '%s' has it already",
		text, dev, w->want->ns->text);
}

static int check_addrs(struct work *w, struct err *e)
{
	struct nl_cache *cache = NULL;
	struct nl_object *o;
	unsigned i;
	int r = 0;

	if (!w->self.n_addrs)
		return 0;
	r = rtnl_addr_alloc_cache(w->sk, &cache);
	if (r < 0)
		return link_code(r, e, "addresses of netns", w->want->ns->text);
	for (o = nl_cache_get_first(cache); o && !r; o = nl_cache_get_next(o))
		for (i = 0; i < w->self.n_addrs && !r; i++)
			if (is_address(rtnl_addr_get_local((struct rtnl_addr *)o),
				    &w->self.addr[i]))
				r = say_in_use(
					w, (struct rtnl_addr *)o, &w->self.addr[i], e);
	nl_cache_free(cache);
	return r;
}

/* The caller is in the end's namespace. */
static int look(struct work *w, struct err *e)
{
	int r = 0;

	w->sk = link_open(e);
	if (!w->sk)
		return e->code;
	if (w->want->bridge)
		r = find_bridge(w, e);
	if (!w->self.mtu_bytes)
		w->self.mtu_bytes = USUAL_MTU_BYTES;
	return r < 0 ? r : check_addrs(w, e);
}

/* The name to try as number @n; false: there are no more. */
static bool candidate(const struct end_want *want, unsigned n, char dev[IFNAMSIZ])
{
	if (want->dev || n >= NAMES_MAX) {
		snprintf(dev, IFNAMSIZ, "%s", want->dev ? want->dev : "");
		return want->dev && n == 0;
	}
	if (!want->bridge)
		snprintf(dev, IFNAMSIZ, "eth%u", n);
	else if (n == 0)
		snprintf(dev, IFNAMSIZ, "%.*s", IFNAMSIZ - 1, want->link);
	else
		snprintf(dev, IFNAMSIZ, "fw%u", n - 1);
	return true;
}

/* Return: 0 or libnl's code. */
static int move(struct nl_sock *sk, const char *now, const char *dev, int ns_fd)
{
	struct rtnl_link *old = NULL, *chg = rtnl_link_alloc();
	int r = chg ? rtnl_link_get_kernel(sk, 0, now, &old) : -NLE_NOMEM;

	if (!r) {
		rtnl_link_set_name(chg, dev);
		rtnl_link_set_ns_fd(chg, ns_fd);
		r = rtnl_link_change(sk, old, chg, 0);
	}
	rtnl_link_put(old);
	rtnl_link_put(chg);
	return r;
}

static int say_taken(const struct work *w, const char *dev, struct err *e)
{
	return err_set(e, -EEXIST, "dev '%s': netns '%s' has a device of that name",
		dev, w->want->ns->text);
}

/* As move_name(), where the caller is in the end's own namespace. */
static int open_name(struct work *w, const char *dev, struct err *e)
{
	int r = tap_open(dev, &w->port, &w->ctx, e);

	return r == -EBUSY ? say_taken(w, dev, e) : r;
}

/* One name. Return: 0, -EEXIST when it is taken, or -errno. */
static int move_name(struct work *w, struct nl_sock *sk, const char *dev, struct err *e)
{
	const struct end_want *want = w->want;
	struct host_port *p = &w->port;
	bool is_new = p->fd < 0;
	int r = is_new ? tap_open(dev, p, &w->ctx, e) : 0;

	if (r < 0)
		return r;
	r = move(sk, p->dev, dev, want->ns->net_fd);
	/* Moved while the name it had was free, and then found the new one taken. */
	if (!is_new && (r == -NLE_OBJ_NOTFOUND || r == -NLE_NODEV)) {
		fd_close(&p->fd);
		return move_name(w, sk, dev, e);
	}
	if (r == -NLE_EXIST)
		return say_taken(w, dev, e);
	if (r < 0)
		return link_code(r, e, "move into the namespace: device", dev);
	snprintf(p->dev, sizeof(p->dev), "%s", dev);
	return 0;
}

/* @sk: into the scratch namespace, where the caller is; NULL: it is in the end's. */
static int place(struct work *w, struct nl_sock *sk, struct err *e)
{
	char dev[IFNAMSIZ];
	int r = -EEXIST;
	unsigned n;

	if (w->want->bridge)
		r = member_open(&w->member, sk, e);
	if (r < 0 && r != -EEXIST)
		return r;
	for (n = 0, r = -EEXIST; r == -EEXIST && candidate(w->want, n, dev); n++)
		if (!w->want->avoid || strcmp(dev, w->want->avoid) != 0)
			r = sk ? move_name(w, sk, dev, e) : open_name(w, dev, e);
	return r;
}

/* From the end's namespace to the scratch one and back. */
static int place_afar(struct work *w, struct err *e)
{
	struct nl_sock *sk;
	int r;

	if (setns(w->home_fd, CLONE_NEWNET) < 0)
		return err_sys(e, "set-up: scratch namespace");
	sk = link_open(e);
	r = sk ? place(w, sk, e) : e->code;
	link_close(&sk);
	return r < 0 ? r : nsref_enter(w->want->ns, e);
}

static int set_port(struct work *w, int index, struct err *e)
{
	const struct link_want want = {
		.mac = w->self.mac,
		.mtu_bytes = w->self.mtu_bytes,
		.txqlen_frames = TXQLEN_FRAMES,
		.no_addr_gen = true,
	};
	const struct link_want up = {.up = true};
	int r = link_set(w->sk, w->port.dev, &want, e);

	if (r < 0)
		return r;
	r = rtnl_link_enslave_ifindex(w->sk, w->bridge_index, index);
	if (r < 0)
		return link_code(r, e, "bridge", w->want->bridge);
	r = member_aim(&w->member, index, e);
	return r < 0 ? r : link_set(w->sk, w->port.dev, &up, e);
}

/* The caller is in the end's namespace again. */
static int configure(struct work *w, struct err *e)
{
	int index = link_index(w->port.dev, e), r;

	if (index < 0)
		return index;
	w->self.dev = w->port.dev;
	memcpy(w->port.mac, w->self.mac, sizeof(w->port.mac));
	if (w->want->bridge)
		return set_port(w, index, e);
	if (w->want->quiet) {
		r = quiet_up(w->sk, &w->self, e);
		return r < 0 ? r
			     : quiet_settle(w->sk, index, &w->self, &w->want->other, e);
	}
	return quiet_not(w->sk, index, &w->self, e);
}

/* Also for the way back: a child needs none. */
static int open_home(struct work *w, struct err *e)
{
	const struct end_want *want = w->want;
	int r = nsref_enter_user(want->ns, e);

	if (!r && !want->ns->stays && !want->scratch)
		r = netns_net(&w->ctx, e);
	if (r < 0)
		return r;
	w->home_fd = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	return w->home_fd < 0 ? err_sys(e, "/proc/self/ns/net") : 0;
}

/* The caller is in another namespace afterwards. */
static int make(struct work *w, struct err *e)
{
	const struct nsref *ns = w->want->ns;
	int r = open_home(w, e);

	if (!r)
		r = nsref_enter(ns, e);
	if (!r)
		r = look(w, e);
	if (!r)
		r = ns->stays ? place(w, NULL, e) : place_afar(w, e);
	if (!r)
		r = configure(w, e);
	if (!r)
		w->port.stats_fd = stats_open(w->port.dev);
	link_close(&w->sk);
	return r;
}

static int work(struct work *w, struct end_made *made, struct err *e)
{
	const struct end_want *want = w->want;
	int r;

	w->self = want->self;
	w->home_fd = -1;
	w->port = (struct host_port){.role = want->role, .fd = -1, .stats_fd = -1};
	w->member = MEMBER_NONE;
	fail_look(&w->ctx, want->ns->user_fd >= 0);
	r = make(w, e);
	*made = (struct end_made){
		.port = w->port, .member = w->member, .mtu_bytes = w->self.mtu_bytes};
	return r;
}

/* Where no user namespace need be entered, this process does it all. */
static int make_here(const struct end_want *want, struct end_made *made, struct err *e)
{
	struct work w = {.want = want};
	int r = work(&w, made, e);

	if (w.home_fd >= 0 && setns(w.home_fd, CLONE_NEWNET) < 0 && !r)
		r = err_sys(e, "set-up: the way back");
	fd_close(&w.home_fd);
	if (r < 0)
		end_unmake(made);
	return r;
}

static void __attribute__((noreturn)) child(const struct end_want *want, int sock)
{
	struct work w = {.want = want};
	struct word word = {0};
	int fds[N_FILES], n = 0, r = work(&w, &word.made, &word.err);

	word.err.code = r;
	if (r >= 0) {
		fds[n++] = w.port.fd;
		if (w.member.fd >= 0)
			fds[n++] = w.member.fd;
		if (w.port.stats_fd >= 0)
			fds[n++] = w.port.stats_fd;
	}
	(void)fd_send(sock, &word, sizeof(word), fds, n);
	_exit(0);
}

static int hear(int sock, struct end_made *made, struct err *e)
{
	struct word word;
	int fds[N_FILES], n = 0;

	if (fd_recv(sock, &word, sizeof(word), fds, N_FILES) != (int)sizeof(word))
		return err_set(e, -ECHILD, "set-up: its process ended without a word");
	if (word.err.code < 0) {
		*e = word.err;
		return e->code;
	}
	*made = word.made;
	made->port.fd = fds[n++];
	/* The numbers are the child's; here they tell which were sent. */
	if (made->member.fd >= 0)
		made->member.fd = fds[n++];
	if (made->port.stats_fd >= 0)
		made->port.stats_fd = fds[n++];
	return 0;
}

static int make_in_child(const struct end_want *w, struct end_made *made, struct err *e)
{
	int pair[2], r;
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return err_sys(e, "set-up: socket");
	pid = fork();
	if (pid == 0) {
		close(pair[0]);
		child(w, pair[1]);
	}
	if (pid < 0)
		err_sys(e, "set-up: fork");
	close(pair[1]);
	r = pid < 0 ? e->code : hear(pair[0], made, e);
	close(pair[0]);
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	return r;
}

int end_make(const struct end_want *w, struct end_made *made, struct err *e)
{
	bool here = w->ns->user_fd < 0 && (w->ns->stays || w->scratch);
	int r = here ? make_here(w, made, e) : make_in_child(w, made, e);

	/* The kernel's refusal, whatever it calls it: see host_link_start(). */
	if (r == -EINVAL)
		r = e->code = -EIO;
	return r;
}

void end_unmake(struct end_made *made)
{
	fd_close(&made->port.fd);
	fd_close(&made->port.stats_fd);
	member_close(&made->member);
}
