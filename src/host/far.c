/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/far.c - the command at the far end
 *
 * Theory of operation
 *   Two forks: the command that the caller becomes must not find a child it never
 *   started. The far one has a session of its own, so that neither a Ctrl-C for the
 *   command nor its Ctrl-Z takes the other end of the wire away. Nothing but the guards
 *   ends it. Over a pipe that exec closes it says who it is, and what went wrong.
 */
#include "config.h"

#include "host/far.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "host/netns.h"

#define SHELL "/bin/sh"

/* How long a far command may take to have its first socket, and how often to look. */
#define EARS_NS (3 * NSEC_PER_SEC)
#define LOOK_MS 5

/* What the far process says before it is the shell, and again when it cannot be. */
struct word {
	pid_t pid;
	struct err err;
};

static void say(int pipe_fd, const struct err *e)
{
	struct word w = {.pid = getpid(), .err = *e};

	(void)!write(pipe_fd, &w, sizeof(w));
}

static int take_stdio(int out_fd, struct err *e)
{
	int null FD_AUTO = open("/dev/null", O_RDONLY | O_CLOEXEC);

	if (null < 0 || dup2(null, STDIN_FILENO) < 0 ||
		dup2(out_fd, STDOUT_FILENO) < 0 || dup2(out_fd, STDERR_FILENO) < 0)
		return err_sys(e, "--far: /dev/null");
	return 0;
}

static int prepare(const struct far_start *f, struct err *e)
{
	struct fail_ctx ctx = {0};
	struct err none;
	int r;

	setsid();
	if (setns(f->ns_fd, CLONE_NEWNET) < 0)
		return err_sys(e, "--far: network namespace");
	/* Its /sys shows the far end's devices; without that it still runs. */
	(void)netns_mount(&ctx, &none);
	r = take_stdio(f->out_fd, e);
	if (!r)
		r = ident_become(f->ident, f->rootless, e);
	return r;
}

static void __attribute__((noreturn)) be_far(const struct far_start *f, int pipe_fd)
{
	struct err e = {0};

	say(pipe_fd, &e);
	if (prepare(f, &e) == 0) {
		sigprocmask(SIG_SETMASK, f->mask, NULL);
		execl(SHELL, "sh", "-c", f->command, (char *)NULL);
		err_sys(&e, "--far: '%s'", SHELL);
	}
	say(pipe_fd, &e);
	_exit(125);
}

/* The child between: a signal about its end is not for the command. */
static void forget_child(pid_t pid)
{
	struct timespec now = {0};
	sigset_t chld;

	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	sigemptyset(&chld);
	sigaddset(&chld, SIGCHLD);
	(void)sigtimedwait(&chld, NULL, &now);
}

int far_run(const struct far_start *f, pid_t *pid, struct err *e)
{
	struct word w = {0}, last = {.err.code = -ECHILD};
	int p[2];
	pid_t between;

	if (pipe2(p, O_CLOEXEC) < 0)
		return err_sys(e, "--far: pipe");
	between = fork();
	if (between == 0) {
		pid_t far = fork();

		if (far == 0)
			be_far(f, p[1]);
		if (far < 0) {
			err_sys(&w.err, "--far: fork");
			say(p[1], &w.err);
		}
		_exit(0);
	}
	if (between < 0)
		err_sys(e, "--far: fork");
	fd_close(&p[1]);
	err_set(&last.err, -ECHILD, "--far: its process ended without a word");
	while (between > 0 && read(p[0], &w, sizeof(w)) == (ssize_t)sizeof(w))
		last = w;
	fd_close(&p[0]);
	if (between < 0)
		return e->code;
	forget_child(between);
	if (last.err.code < 0) {
		*e = last.err;
		return e->code;
	}
	*pid = last.pid;
	return 0;
}

static unsigned count_lines(int fd)
{
	char buf[4096];
	unsigned lines = 0;
	off_t at = 0;
	ssize_t n, i;

	while (fd >= 0 && (n = pread(fd, buf, sizeof(buf), at)) > 0) {
		for (i = 0; i < n; i++)
			lines += buf[i] == '\n';
		at += n;
	}
	return lines;
}

void far_ears_open(struct far_ears *ears)
{
	static const char *const names[FAR_EARS] = {
		"tcp", "tcp6", "udp", "udp6", "raw", "raw6", "icmp", "icmp6", "packet"};
	char path[64];
	int i;

	for (i = 0; i < FAR_EARS; i++) {
		snprintf(path, sizeof(path), "/proc/self/net/%s", names[i]);
		ears->fd[i] = open(path, O_RDONLY | O_CLOEXEC);
		ears->lines[i] = count_lines(ears->fd[i]);
	}
}

void far_ears_close(struct far_ears *ears)
{
	int i;

	for (i = 0; i < FAR_EARS; i++)
		fd_close(&ears->fd[i]);
}

bool far_wait(const struct far_ears *ears, pid_t pid)
{
	nsec_t until_ns = clock_now_ns() + EARS_NS;
	int i;

	while (clock_now_ns() < until_ns && (kill(pid, 0) == 0 || errno == EPERM)) {
		for (i = 0; i < FAR_EARS; i++)
			if (count_lines(ears->fd[i]) > ears->lines[i])
				return true;
		poll(NULL, 0, LOOK_MS);
	}
	return kill(pid, 0) < 0 && errno == ESRCH;
}
