/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/far.c - the command at the far end
 *
 * Theory of operation
 *   Two forks: the command that the caller becomes must not find a child it never
 *   started. The far one has a session of its own, so that neither a Ctrl-C for the
 *   command nor its Ctrl-Z takes the other end of the wire away. Nothing but the guards
 *   ends it. Over a pipe that exec closes it says who it is, and what went wrong.
 *
 *   The process between is there until the command may start: it says over a second pipe
 *   how the far one ended, without taking that from the one who is to reap it, the next
 *   subreaper. So a shell that found nothing to run is seen before the command starts.
 */
#include "config.h"

#include "host/far.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/log.h"
#include "host/netns.h"
#include "host/sweep.h"

#define SHELL "/bin/sh"

/* How long a far command may take to have its first socket, and how often to look. */
#define EARS_NS (3 * NSEC_PER_SEC)
#define LOOK_MS 5

/* POSIX, of a shell: found and not executable, not found. */
#define SHELL_NOT_EXECUTABLE 126
#define SHELL_NOT_FOUND 127

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

static void __attribute__((noreturn))
be_between(const struct far_start *f, int pipe_fd, int end_fd, pid_t parent)
{
	siginfo_t end = {0};
	struct err e;
	pid_t far;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(0);
	prctl(PR_SET_NAME, GUARD_COMM); /* nobody left it behind */
	far = fork();
	if (far == 0)
		be_far(f, pipe_fd);
	if (far < 0) {
		err_sys(&e, "--far: fork");
		say(pipe_fd, &e);
		_exit(0);
	}
	close(pipe_fd);
	if (waitid(P_PID, (id_t)far, &end, WEXITED | WNOWAIT) == 0)
		(void)!write(end_fd, &end, sizeof(end));
	_exit(0);
}

int far_run(const struct far_start *f, struct far_proc *far, struct err *e)
{
	struct word w = {0}, last = {.err.code = -ECHILD};
	pid_t self = getpid(), between;
	int p[2], end[2];

	*far = (struct far_proc){.end_fd = -1};
	if (pipe2(p, O_CLOEXEC) < 0)
		return err_sys(e, "--far: pipe");
	if (pipe2(end, O_CLOEXEC) < 0) {
		err_sys(e, "--far: pipe");
		fd_close(&p[0]);
		fd_close(&p[1]);
		return e->code;
	}
	between = fork();
	if (between == 0)
		be_between(f, p[1], end[1], self);
	if (between < 0)
		err_sys(e, "--far: fork");
	fd_close(&p[1]);
	fd_close(&end[1]);
	far->between = between;
	far->end_fd = end[0];
	err_set(&last.err, -ECHILD, "--far: its process ended without a word");
	while (between > 0 && read(p[0], &w, sizeof(w)) == (ssize_t)sizeof(w))
		last = w;
	fd_close(&p[0]);
	if (between < 0 || last.err.code < 0) {
		if (between > 0)
			*e = last.err;
		far_leave(far);
		return e->code;
	}
	far->pid = last.pid;
	return 0;
}

void far_leave(struct far_proc *far)
{
	if (far->between > 0) {
		kill(far->between, SIGKILL);
		forget_child(far->between);
	}
	far->between = 0;
	fd_close(&far->end_fd);
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

/* Return: 0, or -ENOEXEC when it did not come to run at all. */
static int judge_end(const siginfo_t *end, const char *command, struct err *e)
{
	int st = end->si_status;

	if (end->si_code != CLD_EXITED)
		log_warn("--far: it was killed by signal %d before the command started",
			st);
	else if (st == SHELL_NOT_FOUND || st == SHELL_NOT_EXECUTABLE)
		return err_set(e, -ENOEXEC,
			"--far '%.200s': %s (status %d of the shell); the command was "
			"not started; name a program that %s",
			command, st == SHELL_NOT_FOUND ? "not found" : "not executable",
			st,
			st == SHELL_NOT_FOUND ? "is in PATH, or its path"
					      : "the command's user may run");
	else if (st)
		log_warn("--far: it ended with status %d before the command started",
			st);
	return 0;
}

static bool has_ears(const struct far_ears *ears)
{
	int i;

	for (i = 0; i < FAR_EARS; i++)
		if (count_lines(ears->fd[i]) > ears->lines[i])
			return true;
	return false;
}

int far_wait(const struct far_ears *ears, struct far_proc *far, const char *command,
	struct err *e)
{
	nsec_t until_ns = clock_now_ns() + EARS_NS;
	struct pollfd p = {.fd = far->end_fd, .events = POLLIN};
	siginfo_t end;
	int r = -ETIMEDOUT;

	while (r == -ETIMEDOUT && clock_now_ns() < until_ns) {
		if (poll(&p, 1, LOOK_MS) > 0) {
			/* Without a word: the one between was killed. */
			r = 0;
			if (read(p.fd, &end, sizeof(end)) == (ssize_t)sizeof(end))
				r = judge_end(&end, command, e);
		} else if (has_ears(ears)) {
			r = 0;
		}
	}
	far_leave(far);
	return r;
}
