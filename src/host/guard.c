/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/guard.c - the processes that leave nothing behind
 *
 * Theory of operation
 *   A guard does one thing: it waits on its socket. It has its own session, so that a
 *   signal to the caller's group or terminal does not reach it; every signal is
 *   blocked; it stands in / and holds no file of the caller, so that whoever waits for
 *   the end of the caller's output does not wait for it. It holds the TAP: that keeps
 *   the namespace alive, whose inode is therefore nobody else's, and takes the 20 ms
 *   that closing a TAP costs off the way of the command's exit status.
 */
#include "config.h"

#include "host/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fd.h"
#include "conf/guard_msg.h"

#define GRACE_NS (2 * NSEC_PER_SEC)
/* A process in an uninterruptible wait cannot be ended; nobody waits for it for ever.
 */
#define LIMIT_NS (12 * NSEC_PER_SEC)

/* Everything but @keep, which is in ascending order. */
static void close_others(const int *keep, int n_keep)
{
	unsigned from = 0;
	int i;

	for (i = 0; i < n_keep; i++) {
		if ((unsigned)keep[i] > from)
			syscall(SYS_close_range, from, (unsigned)keep[i] - 1, 0);
		from = (unsigned)keep[i] + 1;
	}
	syscall(SYS_close_range, from, ~0U, 0);
}

/* Ascending, without the -1s. */
static int sort_fds(int *fds, int n)
{
	int i, j, t, n_good = 0;

	for (i = 0; i < n; i++)
		if (fds[i] >= 0)
			fds[n_good++] = fds[i];
	for (i = 1; i < n_good; i++)
		for (j = i; j > 0 && fds[j - 1] > fds[j]; j--) {
			t = fds[j];
			fds[j] = fds[j - 1];
			fds[j - 1] = t;
		}
	return n_good;
}

static void stand_apart(int sock, const struct guard_watch *w, const struct host_run *h)
{
	int keep[5 + HOST_PORTS_MAX + WAYOUT_KEEP_MAX] = {
		sock, w->pidfd, w->far_ns_fd, h->place.dir_fd, h->place.file_fd};
	int i, n = 5, null;

	/* Not a helper's socket: its end must be seen when only we are left. */
	for (i = 0; i < (int)h->n_ports; i++)
		if (h->port[i].kind == PORT_TAP)
			keep[n++] = h->port[i].fd;
	n += wayout_keep(w->wayout, keep + n);
	n = sort_fds(keep, n);
	close_others(keep, n);
	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	for (i = 0; null >= 0 && i <= STDERR_FILENO; i++)
		if (fcntl(i, F_GETFD) < 0)
			dup2(null, i);
	if (null > STDERR_FILENO)
		close(null);
	setsid();
	if (chdir("/") < 0)
		errno = 0; /* it stays where it is */
	prctl(PR_SET_NAME, GUARD_COMM);
}

/* Those at the far end are ours, or there by leave of the command: not told of. */
static void end_far(const struct guard_watch *w, nsec_t grace_ns)
{
	char names[GUARD_TEXT_BYTES];

	if (w->far.net)
		sweep_end(&w->far, grace_ns, LIMIT_NS, names, sizeof(names));
}

static void answer_end(
	int sock, const struct guard_watch *w, const struct place_socket *place)
{
	char names[GUARD_TEXT_BYTES - 64], text[GUARD_TEXT_BYTES] = "";
	unsigned n = sweep_end(&w->near, GRACE_NS, LIMIT_NS, names, sizeof(names));

	end_far(w, GRACE_NS);
	wayout_undo(w->wayout);
	/* Who hears that all is over finds the name free. Also: where farwire is process 1
	 * of its namespace, the guards end with it. */
	place_unlink(place);
	if (n == 1)
		snprintf(text, sizeof(text),
			"1 process left by the command was ended: %s", names);
	else if (n > 1)
		snprintf(text, sizeof(text),
			"%u processes left by the command were ended: %s", n, names);
	(void)fd_send(sock, text, strlen(text) + 1, NULL, 0);
}

static void signal_command(pid_t pid, int pidfd, int sig)
{
	if (pidfd >= 0)
		syscall(SYS_pidfd_send_signal, pidfd, sig, NULL, 0);
	else
		kill(pid, sig);
}

/* Who asks is the parent for as long as he lives. */
static void give_rank(int priority)
{
	struct sched_param p = {.sched_priority = priority};
	pid_t parent = getppid();

	if (parent > 1)
		(void)sched_setscheduler(parent, SCHED_FIFO | SCHED_RESET_ON_FORK, &p);
}

static void __attribute__((noreturn))
guard_main(int sock, const struct guard_watch *w, const struct host_run *h)
{
	char names[GUARD_TEXT_BYTES];
	struct guard_msg m;

	stand_apart(sock, w, h);
	while (fd_recv(sock, &m, sizeof(m), NULL, 0) == (int)sizeof(m)) {
		if (m.op == GUARD_END)
			answer_end(sock, w, &h->place);
		else if (m.op == GUARD_SIGNAL)
			signal_command(h->child_pid, w->pidfd, m.arg);
		else if (m.op == GUARD_RANK)
			give_rank(m.arg);
	}
	/* First the name: nobody answers under it any more. */
	place_unlink(&h->place);
	sweep_end(&w->near, 0, LIMIT_NS, names, sizeof(names));
	end_far(w, 0);
	wayout_undo(w->wayout);
	_exit(0);
}

int guard_start(const struct guard_watch *w, struct host_run *h, int i, struct err *e)
{
	int s[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, s) < 0)
		return err_sys(e, "guard: socket");
	pid = fork();
	if (pid < 0) {
		err_sys(e, "guard: fork");
		fd_close(&s[0]);
		fd_close(&s[1]);
		return e->code;
	}
	if (pid == 0)
		guard_main(s[1], w, h);
	fd_close(&s[1]);
	h->guard_sock[i] = s[0];
	h->guard_pid[i] = pid;
	return 0;
}
