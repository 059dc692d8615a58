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

enum redirect host_redirect = REDIRECT_AUTO;

/* Of the one run of this process, for host_drop(): as whom and which child. */
static struct ident run_ident;
static pid_t run_child;

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
#define FILES_NEEDED 16

static int check_files(struct err *e)
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
static int hear_child(struct host_run *h, struct sweep_ns *ns, struct err *e)
{
	struct child_ready r = {0};
	int fds[CHILD_FDS];
	int n = fd_recv(h->child_sock, &r, sizeof(r), fds, CHILD_FDS);

	if (n != (int)sizeof(r))
		return say_child_gone(h->child_pid, e);
	if (r.err.code < 0) {
		waitpid(h->child_pid, NULL, 0);
		*e = r.err;
		return r.err.code;
	}
	h->n_ports = 1;
	h->port[0] = r.port;
	h->port[0].fd = fds[0];
	h->port[0].stats_fd = fds[1];
	h->redirect = strcmp(r.redirect, "nft") == 0 ? "nft" : "tc";
	*ns = r.ns;
	return 0;
}

static int start_child(
	const struct conf *c, const sigset_t *mask, struct host_run *h, struct err *e)
{
	struct child_start s = {
		.conf = c,
		.ident = &run_ident,
		.mask = *mask,
		.parent = getpid(),
		.rootless = h->rootless,
		.redirect = host_redirect,
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
		fd_close(&pair[0]);
		s.sock = pair[1];
		child_main(&s);
	}
	fd_close(&pair[1]);
	h->child_sock = pair[0];
	return 0;
}

static int start_guards(const struct sweep_ns *ns, struct host_run *h, struct err *e)
{
	/* Kernels before 5.3 have no pidfd; our child's number is ours until we reap.
	 */
	int pidfd FD_AUTO = (int)syscall(SYS_pidfd_open, h->child_pid, 0);
	int i, r = 0;

	for (i = 0; i < N_GUARDS && !r; i++)
		r = guard_start(ns, h, i, pidfd, e);
	return r;
}

static int start_all(
	const struct conf *c, const sigset_t *mask, struct host_run *h, struct err *e)
{
	struct sweep_ns ns;
	int r;

	r = ident_read(&run_ident, c->user, e);
	if (r < 0)
		return r;
	h->rootless = !privs_can_setup();
	if (run_ident.change)
		snprintf(h->run_as, sizeof(h->run_as), "%s", run_ident.name);
	if (run_ident.change && h->rootless)
		return err_set(e, -EPERM,
			"--user '%s': needs CAP_NET_ADMIN and CAP_SYS_ADMIN; run as "
			"root",
			run_ident.name);
	if (prctl(PR_SET_CHILD_SUBREAPER, 1) < 0)
		return err_sys(e, "set-up: subreaper");
	r = start_child(c, mask, h, e);
	if (r < 0)
		return r;
	r = hear_child(h, &ns, e);
	if (r < 0) {
		h->child_pid = 0;
		return r;
	}
	return start_guards(&ns, h, e);
}

int host_run_start(const struct conf *c, struct host_run *h, struct err *e)
{
	sigset_t all, mask;
	int r;

	forget(h);
	fill_stdio();
	/* Nothing half-made may be left by a Ctrl-C; guards and child inherit the
	 * block. */
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &mask);
	r = check_files(e);
	if (!r)
		r = start_all(c, &mask, h, e);
	if (r < 0)
		host_run_abort(h);
	else
		run_child = h->child_pid;
	sigprocmask(SIG_SETMASK, &mask, NULL);
	return r;
}

int host_run_go(struct host_run *h, struct err *e)
{
	char go = CHILD_GO;
	int r = fd_send(h->child_sock, &go, 1, NULL, 0);

	fd_close(&h->child_sock);
	if (r < 0)
		return err_set(
			e, r, "run: the command's process is gone: %s", strerror(-r));
	return 0;
}

void host_run_abort(struct host_run *h)
{
	unsigned p;
	int i;

	fd_close(&h->child_sock);
	if (h->child_pid > 0) {
		kill(h->child_pid, SIGKILL);
		waitpid(h->child_pid, NULL, 0);
	}
	for (i = 0; i < N_GUARDS; i++)
		fd_close(&h->guard_sock[i]);
	for (p = 0; p < HOST_PORTS_MAX; p++) {
		fd_close(&h->port[p].fd);
		fd_close(&h->port[p].stats_fd);
	}
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
	return filter_load(run_child, e);
}
