/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/host.c - what main.c asks of the privileged room
 */
#include "config.h"

#include "host/host.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "host/child.h"
#include "host/filter.h"
#include "host/guard.h"
#include "host/hook.h"
#include "host/privs.h"
#include "host/relays.h"
#include "host/tap.h"

enum redirect host_redirect = REDIRECT_AUTO;

/* Of the one run of this process, for host_drop(): as whom and which child. */
static struct ident run_ident;
static pid_t run_child;
static struct wayout run_wayout;
static struct relays run_relays;

/*
 * A caller may close 0, 1 or 2. The next file we open would get that number, and a
 * message for stderr would go into it. The command still gets them closed.
 */
static void fill_stdio(void)
{
	int fd;

	for (fd = 0; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR | O_CLOEXEC) < 0)
			return;
}

/* Below this, some step or other fails, with a message that explains nothing. */
#define FILES_NEEDED 32

int host_check_files(struct err *e)
{
	struct rlimit r;

	if (getrlimit(RLIMIT_NOFILE, &r) < 0 || r.rlim_cur >= FILES_NEEDED)
		return 0;
	return err_set(e, -EMFILE, "set-up: only %llu open files allowed; ulimit -n %d",
		(unsigned long long)r.rlim_cur, FILES_NEEDED);
}

static void forget(struct host_run *h)
{
	int i;

	memset(h, 0, sizeof(*h));
	h->child_sock = -1;
	h->redirect = "";
	h->far_out_fd = h->helper_says_fd = -1;
	h->place = PLACE_SOCKET_NONE;
	for (i = 0; i < N_GUARDS; i++)
		h->guard_sock[i] = -1;
	for (i = 0; i < HOST_PORTS_MAX; i++)
		h->port[i].fd = h->port[i].stats_fd = -1;
}

/* Why the child went without a word. */
static int say_child_gone(pid_t pid, struct err *e)
{
	int status;

	kill(pid, SIGKILL);
	if (waitpid(pid, &status, 0) == pid && WIFSIGNALED(status))
		return err_set(e, -ECHILD,
			"set-up: its process was killed by signal %d",
			WTERMSIG(status));
	return err_set(e, -ECHILD, "set-up: its process ended without a word");
}

/* Wait for the child's report. On failure the child is gone. */
static int hear_child(struct host_run *h, struct guard_watch *w, struct err *e)
{
	struct child_ready r = {0};
	int fds[CHILD_FDS];
	int n = fd_recv(h->child_sock, &r, sizeof(r), fds, CHILD_FDS);
	unsigned i;

	if (n != (int)sizeof(r))
		return say_child_gone(h->child_pid, e);
	if (r.err.code < 0) {
		waitpid(h->child_pid, NULL, 0);
		*e = r.err;
		return r.err.code;
	}
	h->n_ports = r.n_ports;
	for (i = 0; i < r.n_ports; i++) {
		h->port[i] = r.port[i];
		h->port[i].fd = fds[2 * i];
		h->port[i].stats_fd = fds[2 * i + 1];
	}
	h->redirect = strcmp(r.redirect, "nft") == 0  ? "nft"
		      : strcmp(r.redirect, "tc") == 0 ? "tc"
						      : "";
	w->near = r.near;
	w->far = r.far;
	w->far_ns_fd = r.has_far ? fds[2 * r.n_ports] : -1;
	return 0;
}

/*
 * A run that nobody named is a run without a name where there is no place for it: in a
 * container that can write nowhere, say.
 */
static int take_name(const struct conf *c, struct host_run *h, struct err *e)
{
	struct place place;
	int r;

	if (c->name)
		snprintf(h->name, sizeof(h->name), "%s", c->name);
	else
		snprintf(h->name, sizeof(h->name), "run-%d", (int)getpid());
	place_usual(&place);
	place_tidy(&place);
	r = place_listen(&place, c->name ? c->name : h->name, &h->place, e);
	if (!r && run_ident.change)
		r = place_give(&h->place, run_ident.uid, run_ident.gid, e);
	return c->name ? r : 0;
}

/* What the far command says, to be read by us: -1 where there is none. */
static int open_far_out(
	const struct conf *c, struct host_run *h, int *write_fd, struct err *e)
{
	int p[2];

	*write_fd = -1;
	if (c->far != FAR_UPLINK_NONE || !c->far_command)
		return 0;
	if (pipe2(p, O_CLOEXEC) < 0)
		return err_sys(e, "--far: pipe");
	/* Ours alone does not block: the other end is a stranger's stdout. */
	if (fcntl(p[0], F_SETFL, O_NONBLOCK) < 0)
		return err_sys(e, "--far: pipe");
	h->far_out_fd = p[0];
	*write_fd = p[1];
	return 0;
}

static int start_child(const struct conf *c, const sigset_t *mask, int far_out_fd,
	struct host_run *h, struct err *e)
{
	struct child_start s = {
		.conf = c,
		.ident = &run_ident,
		.mask = *mask,
		.parent = getpid(),
		.far_out_fd = far_out_fd,
		.rootless = h->rootless,
		.redirect = host_redirect,
		.wayout = &run_wayout,
		.relays = &run_relays,
	};
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return err_sys(e, "set-up: socket");
	h->child_pid = fork();
	if (h->child_pid < 0) {
		h->child_pid = 0;
		err_sys(e, "set-up: fork");
		fd_close(&pair[0]);
		fd_close(&pair[1]);
		return e->code;
	}
	if (h->child_pid == 0) {
		/* A name whose owner is gone is free, whatever we still have to do. */
		place_close(&h->place);
		fd_close(&h->far_out_fd);
		fd_close(&pair[0]);
		s.sock = pair[1];
		child_main(&s);
	}
	fd_close(&pair[1]);
	h->child_sock = pair[0];
	return 0;
}

static bool is_wayout(enum far far)
{
	return far == FAR_UPLINK_AUTO || far == FAR_UPLINK_NAT ||
	       far == FAR_UPLINK_PASST || far == FAR_UPLINK_SLIRP;
}

/* Before the fork: it decides what the child makes. */
static int start_wayout(const struct conf *c, struct host_run *h, struct err *e)
{
	struct wayout_start s = {
		.conf = c, .ident = &run_ident, .rootless = h->rootless};
	int r;

	if (!is_wayout(c->far))
		return 0;
	r = wayout_start(&s, &run_wayout, e);
	if (r < 0)
		return r;
	h->uplink = run_wayout.way;
	h->helper_says_fd = run_wayout.helper.err_fd;
	return 0;
}

/* The command asks our end of the link for names: the host's servers are out of its reach. */
static bool is_dns_ours(void)
{
	const struct wayout *w = &run_wayout;

	return w->way == FAR_UPLINK_NAT && w->n_dns && w->resolv.n_servers &&
	       memcmp(&w->dns[0], &w->plan.far.addr[0], sizeof(w->dns[0])) == 0;
}

/* Of which of them the parent keeps an end: it hears when one of them is gone. */
static int start_relays(const struct conf *c, struct host_run *h, struct err *e)
{
	const struct plan *p = &run_wayout.plan;
	int r = relays_open(&run_relays, c, h->uplink, p, is_dns_ours(), &run_ident, e);

	if (!r && h->uplink == FAR_UPLINK_NAT)
		r = relays_nat(&run_relays, c, p, p->far.dev, e);
	if (!r && is_dns_ours())
		r = relays_dns(&run_relays, p, p->far.dev, &run_wayout.resolv.server[0],
			run_wayout.resolv.scope[0], e);
	for (int i = 0; i < N_RELAYS; i++)
		if (run_relays.sock[i] >= 0)
			h->relay_sock[h->n_relays++] = run_relays.sock[i];
	return r;
}

/* The near end's is the child's to make, the far end's stands. */
static void add_far_port(struct host_run *h)
{
	if (run_wayout.way != FAR_ABSENT)
		h->port[h->n_ports++] = run_wayout.far;
}

static int start_guards(struct guard_watch *w, struct host_run *h, struct err *e)
{
	/* Kernels before 5.3 have no pidfd; our child's number is ours until we reap.
	 */
	int pidfd FD_AUTO = (int)syscall(SYS_pidfd_open, h->child_pid, 0);
	int i, r = 0;

	w->pidfd = pidfd;
	for (i = 0; i < N_GUARDS && !r; i++)
		r = guard_start(w, h, i, e);
	/* An open file has the same number in a guard. */
	if (!r && w->far_ns_fd >= 0)
		snprintf(h->far_path, sizeof(h->far_path), "/proc/%d/fd/%d",
			(int)h->guard_pid[0], w->far_ns_fd);
	return r;
}

/* A socket takes whole frames with whole checksums: none may come from a TAP that is not
 * so. The loopback beside it is not concerned. */
static bool is_plain_only(const struct host_run *h)
{
	return h->n_ports && h->port[h->n_ports - 1].kind != PORT_TAP;
}

static int start_all(
	const struct conf *c, const sigset_t *mask, struct host_run *h, struct err *e)
{
	struct guard_watch w = {.pidfd = -1, .far_ns_fd = -1, .wayout = &run_wayout};
	int r, far_out_fd FD_AUTO = -1;
	unsigned i;

	r = ident_read(&run_ident, c->user, e);
	if (r < 0)
		return r;
	h->rootless = !privs_can_setup();
	h->owner_uid = run_ident.change ? run_ident.uid : getuid();
	if (run_ident.change)
		snprintf(h->run_as, sizeof(h->run_as), "%s", run_ident.name);
	if (run_ident.change && h->rootless)
		return err_set(e, -EPERM,
			"--user '%s': needs CAP_NET_ADMIN and CAP_SYS_ADMIN; run as "
			"root",
			run_ident.name);
	if (prctl(PR_SET_CHILD_SUBREAPER, 1) < 0)
		return err_sys(e, "set-up: subreaper");
	r = relays_check(c, e);
	if (!r)
		r = take_name(c, h, e);
	if (!r)
		r = open_far_out(c, h, &far_out_fd, e);
	if (!r)
		r = start_wayout(c, h, e);
	if (!r)
		r = start_relays(c, h, e);
	if (!r)
		r = start_child(c, mask, far_out_fd, h, e);
	relays_started(&run_relays);
	if (r < 0)
		return r;
	/* Its end is seen by us only where nobody but the far end holds it. */
	fd_close(&far_out_fd);
	r = hear_child(h, &w, e);
	if (r < 0) {
		h->child_pid = 0;
		return r;
	}
	add_far_port(h);
	for (i = 0; i < h->n_ports; i++)
		if (h->port[i].role == PORT_LO || !is_plain_only(h))
			tap_offload(h->port[i].fd, c->gso);
	r = start_guards(&w, h, e);
	if (!r)
		wayout_guarded(&run_wayout);
	fd_close(&w.far_ns_fd);
	return r;
}

int host_run_start(const struct conf *c, struct host_run *h, struct err *e)
{
	sigset_t all, mask;
	int r;

	forget(h);
	wayout_init(&run_wayout);
	relays_init(&run_relays);
	fill_stdio();
	/* Nothing half-made may be left by a Ctrl-C; guards and child inherit the
	 * block. */
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &mask);
	r = host_check_files(e);
	if (!r)
		r = start_all(c, &mask, h, e);
	if (r < 0)
		host_run_abort(h);
	else
		run_child = h->child_pid;
	sigprocmask(SIG_SETMASK, &mask, NULL);
	return r;
}

static int hear_far(struct host_run *h, struct err *e)
{
	struct child_far far;

	if (fd_recv(h->child_sock, &far, sizeof(far), NULL, 0) != (int)sizeof(far))
		return err_set(e, -ECHILD, "run: the command's process is gone");
	if (far.err.code < 0) {
		*e = far.err;
		return e->code;
	}
	h->far_pid = far.pid;
	return 0;
}

int host_run_go(struct host_run *h, struct err *e)
{
	struct child_go go = {0};
	int r;

	snprintf(go.far_path, sizeof(go.far_path), "%s", h->far_path);
	r = fd_send(h->child_sock, &go, sizeof(go), NULL, 0);
	if (r < 0)
		err_set(e, r, "run: the command's process is gone: %s", strerror(-r));
	else if (h->far_out_fd >= 0)
		r = hear_far(h, e);
	fd_close(&h->child_sock);
	return r;
}

void host_run_abort(struct host_run *h)
{
	unsigned p;
	int i;

	fd_close(&h->child_sock);
	fd_close(&h->far_out_fd);
	/* The guards do it, who may still when we may not. */
	if (!h->guard_pid[0])
		place_unlink(&h->place);
	place_close(&h->place);
	if (h->child_pid > 0) {
		kill(h->child_pid, SIGKILL);
		waitpid(h->child_pid, NULL, 0);
	}
	for (i = 0; i < N_GUARDS; i++)
		fd_close(&h->guard_sock[i]);
	for (p = 0; p < HOST_PORTS_MAX; p++) {
		/* The way out closes its own. */
		if (h->port[p].fd != run_wayout.far.fd)
			fd_close(&h->port[p].fd);
		fd_close(&h->port[p].stats_fd);
	}
	relays_close(&run_relays);
	wayout_undo(&run_wayout);
	for (i = 0; i < N_GUARDS; i++)
		if (h->guard_pid[i] > 0)
			waitpid(h->guard_pid[i], NULL, 0);
	ident_fini(&run_ident);
	run_child = 0;
	forget(h);
}

int host_drop(struct err *e)
{
	int r;

	/* Not root's files either: the forwarder is whoever the command is. */
	r = ident_drop(&run_ident, e);
	if (r < 0)
		return r;
	ident_fini(&run_ident);
	r = privs_fall();
	if (r < 0)
		return err_set(e, r, "privileges: cannot give up capabilities: %s",
			strerror(-r));
	return filter_load(run_child, -1, e);
}
