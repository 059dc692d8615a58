/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/child.c - the process that makes the namespaces and then becomes the command
 *
 * Theory of operation, with what is held at each step
 *   set-up   the caller's privileges, or all of them in a user namespace of its own;
 *            every signal blocked, so that Ctrl-C waits until somebody can be told. The
 *            far end is made first: a process enters a namespace by making it, and the
 *            last one entered is the command's
 *   waiting  the same; no device is open any more, the forwarder has them
 *   go       the far command is started; then ids of the command's user (capabilities
 *            fall with them), then the caller's signal mask, then exec. The death signal
 *            is asked for again after each change of credentials, which clears it, and
 *            the parent looked at after that: it may have gone before.
 */
#include "config.h"

#include "host/child.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/log.h"
#include "host/far.h"
#include "host/netns.h"
#include "host/plan.h"
#include "host/uplink.h"

/* cli.md's numbers: ours, not executable, not found. */
#define EXIT_OURS 125
#define EXIT_NOT_EXECUTABLE 126
#define EXIT_NOT_FOUND 127

/* What set-up makes. The files are close-on-exec. */
struct made {
	struct child_ready ready;
	const char *redirect;
	int far_ns; /* -1: none */
	struct far_ears ears;
};

static void die_with_parent(pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(EXIT_OURS);
}

/* A file of its own: the forwarder keeps it open and reads the TAP's drops from it. */
static int open_stats(int *fd, struct sweep_ns *ns, struct err *e)
{
	struct stat st;

	*fd = open("/proc/self/net/dev", O_RDONLY | O_CLOEXEC);
	if (*fd < 0 || fstat(*fd, &st) < 0)
		return err_sys(e, "/proc/self/net/dev");
	ns->net_dev = st.st_ino;
	return 0;
}

/* What the network namespace is known by, and what the command may do in it. */
static int note_ns(const struct child_start *s, struct sweep_ns *ns, struct err *e)
{
	ns->net = netns_inode();
	if (!ns->net)
		return err_sys(e, "/proc/self/ns/net");
	netns_ping_group(s->ident->change ? s->ident->gid : getegid());
	return 0;
}

static struct host_port *next_port(struct child_ready *r, enum port_role role)
{
	struct host_port *p = &r->port[r->n_ports++];

	*p = (struct host_port){.role = role, .fd = -1, .stats_fd = -1};
	return p;
}

/* Leaves the caller in the far end's namespace. */
static int make_far(const struct child_start *s, struct plan *plan,
	struct host_port *far, struct made *m, const struct fail_ctx *ctx)
{
	/* What is said of lo is not said of the device beside it. */
	static const struct link_end usual;
	struct link_end near = s->conf->near_lo ? usual : s->conf->near;
	struct err *e = &m->ready.err;
	int r = netns_net(ctx, e);

	if (!r)
		r = note_ns(s, &m->ready.far, e);
	if (r < 0)
		return r;
	plan_make(plan, &near, netns_has_ipv6());
	r = uplink_far(plan, far, ctx, e);
	if (!r)
		r = open_stats(&far->stats_fd, &m->ready.far, e);
	if (r < 0)
		return r;
	r = relays_far(s->relays, s->conf, plan, e);
	if (r < 0)
		return r;
	far_ears_open(&m->ears);
	m->far_ns = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	return m->far_ns < 0 ? err_sys(e, "/proc/self/ns/net") : 0;
}

static int make_near(const struct child_start *s, const struct plan *plan,
	const struct host_port *far, struct made *m, const struct fail_ctx *ctx)
{
	struct child_ready *ready = &m->ready;
	struct err *e = &ready->err;
	struct host_port *p;
	int r = 0;

	if (s->conf->near_lo) {
		p = next_port(ready, PORT_LO);
		r = loopback_make(
			s->redirect, s->conf->near.mtu_bytes, p, &m->redirect, ctx, e);
		if (!r)
			r = open_stats(&p->stats_fd, &ready->near, e);
	}
	if (far && !r) {
		p = next_port(ready, PORT_NEAR);
		r = uplink_near(plan, p, ctx, e);
		if (!r)
			r = open_stats(&p->stats_fd, &ready->near, e);
		if (far->fd >= 0)
			*next_port(ready, PORT_FAR) = *far;
	}
	return r;
}

static int set_up(const struct child_start *s, struct made *m)
{
	struct host_port far = {.role = PORT_FAR, .fd = -1, .stats_fd = -1};
	bool has_far = s->conf->far == FAR_UPLINK_NONE;
	bool has_way = s->wayout->way != FAR_ABSENT;
	struct err *e = &m->ready.err;
	struct fail_ctx ctx;
	struct plan plan;
	int r;

	fail_look(&ctx, s->rootless);
	r = netns_user(&ctx, e);
	if (!r && has_far)
		r = make_far(s, &plan, &far, m, &ctx);
	if (!r)
		r = netns_net(&ctx, e);
	if (!r)
		r = netns_mount(&ctx, e);
	if (r < 0)
		return r;
	die_with_parent(s->parent);
	r = note_ns(s, &m->ready.near, e);
	if (!r)
		r = make_near(s, has_way ? &s->wayout->plan : &plan,
			has_far || has_way ? &far : NULL, m, &ctx);
	if (!r && has_way && s->wayout->tcp_bytes)
		netns_tcp_window(s->wayout->tcp_bytes);
	if (!r)
		r = relays_near(
			s->relays, s->conf, has_way ? &s->wayout->plan : &plan, e);
	if (!r && has_way)
		r = resolv_give(
			&s->wayout->resolv, s->wayout->dns, s->wayout->n_dns, e);
	return r;
}

static void tell_ready(const struct child_start *s, struct made *m)
{
	struct child_ready *r = &m->ready;
	int fds[CHILD_FDS], n = 0, code = set_up(s, m);
	unsigned i;

	if (code < 0) {
		r->err.code = code;
		(void)fd_send(s->sock, r, sizeof(*r), NULL, 0);
		_exit(EXIT_OURS);
	}
	r->err.code = 0;
	r->has_far = m->far_ns >= 0;
	snprintf(r->redirect, sizeof(r->redirect), "%s", m->redirect);
	for (i = 0; i < r->n_ports; i++) {
		fds[n++] = r->port[i].fd;
		fds[n++] = r->port[i].stats_fd;
	}
	if (r->has_far)
		fds[n++] = m->far_ns;
	if (fd_send(s->sock, r, sizeof(*r), fds, n) < 0)
		_exit(EXIT_OURS);
	for (i = 0; i < r->n_ports; i++) {
		fd_close(&r->port[i].fd);
		fd_close(&r->port[i].stats_fd);
	}
}

static void start_far(const struct child_start *s, const struct made *m)
{
	const struct far_start f = {.command = s->conf->far_command,
		.ident = s->ident,
		.mask = &s->mask,
		.ns_fd = m->far_ns,
		.out_fd = s->far_out_fd,
		.rootless = s->rootless};
	struct child_far word = {0};
	struct far_proc far;
	struct err e;
	int r = far_run(&f, &far, &word.err);

	word.err.code = r;
	word.pid = far.pid;
	if (fd_send(s->sock, &word, sizeof(word), NULL, 0) < 0 || r < 0) {
		far_leave(&far);
		_exit(EXIT_OURS);
	}
	r = far_wait(&m->ears, &far, f.command, &e);
	if (r == -ETIMEDOUT)
		log_warn("--far: it has opened no socket so far; the command starts");
	else if (r < 0) {
		log_error("run: %s", e.text);
		_exit(EXIT_OURS);
	}
}

static void become_command(const struct child_start *s)
{
	char **argv = s->conf->command;
	struct err e;
	int code;

	if (ident_become(s->ident, s->rootless, &e) < 0) {
		log_error("run: %s", e.text);
		_exit(EXIT_OURS);
	}
	die_with_parent(s->parent);
	sigprocmask(SIG_SETMASK, &s->mask, NULL);
	execvp(argv[0], argv);
	code = errno;
	log_error("run: '%s': %s", argv[0], strerror(code));
	_exit(code == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE);
}

void child_main(const struct child_start *s)
{
	struct made m = {.redirect = "", .far_ns = -1};
	struct child_go go;

	die_with_parent(s->parent);
	wayout_forget(s->wayout);
	tell_ready(s, &m);
	if (fd_recv(s->sock, &go, sizeof(go), NULL, 0) != (int)sizeof(go))
		_exit(EXIT_OURS);
	if (go.far_path[0])
		setenv("FARWIRE_FAR", go.far_path, 1);
	if (m.far_ns >= 0 && s->conf->far_command)
		start_far(s, &m);
	become_command(s);
	_exit(EXIT_OURS);
}
