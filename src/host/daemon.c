/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/daemon.c - into the background, with a word when all stands
 *
 * Theory of operation
 *   One fork: setsid() leaves the terminal, and the filter of a running link lets it open
 *   none again, so the usual second one would only cost its milliseconds. Init has it
 *   when the caller ends; a caller that does not reaps those that ended meanwhile when
 *   it makes the next. Files of the caller other than stderr are closed at once: a script that waits for the end of a pipe, or holds
 *   a lock, must not wait for the link. The word is one message over a socket, not a
 *   pipe: a parent that is gone gives an error, not a signal. So are the two that order
 *   those that are made side by side: one byte down, "it is your turn", and one up, "the
 *   next one's turn".
 */
#include "config.h"

#include "host/daemon.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"

static void close_listed(int keep)
{
	DIR *dir = opendir("/proc/self/fd");
	struct dirent *d;
	int fd;

	while (dir && (d = readdir(dir))) {
		fd = atoi(d->d_name);
		if (fd > STDERR_FILENO && fd != keep && fd != dirfd(dir))
			close(fd);
	}
	if (dir)
		closedir(dir);
}

static void close_others(int keep)
{
#ifdef SYS_close_range
	if (syscall(SYS_close_range, STDERR_FILENO + 1, keep - 1, 0) == 0 &&
		syscall(SYS_close_range, keep + 1, ~0U, 0) == 0)
		return;
#endif
	close_listed(keep);
}

/* Let each of these numbers be /dev/null. */
static int take_null(int first, int last, struct err *e)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	int fd, r = 0;

	if (null < 0)
		return err_sys(e, "/dev/null");
	for (fd = first; fd <= last && !r; fd++)
		if (fd != null && dup2(null, fd) < 0)
			r = err_sys(e, "/dev/null");
	if (null > last)
		close(null);
	return r;
}

/* Returns, or ends the process. */
static void be_daemon(int *fd)
{
	struct err e = {0};
	int last;

	setsid();
	/* Where the caller closed one of the three, the word has its number. */
	*fd = fcntl(*fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 2);
	if (*fd < 0)
		_exit(1);
	close_others(*fd);
	last = fcntl(STDERR_FILENO, F_GETFD) < 0 ? STDERR_FILENO : STDOUT_FILENO;
	if (take_null(STDIN_FILENO, last, &e) == 0)
		return;
	daemon_fail(fd, &e);
	_exit(1);
}

/* A batch makes many. */
static void reap(void)
{
	while (waitpid(-1, NULL, WNOHANG) > 0)
		;
}

int daemon_fork(int *fd, pid_t *child, struct err *e)
{
	int pair[2];
	pid_t pid;

	reap();
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return err_sys(e, "background: socket");
	pid = fork();
	if (pid < 0) {
		err_sys(e, "background: fork");
		fd_close(&pair[0]);
		fd_close(&pair[1]);
		return e->code;
	}
	if (pid == 0) {
		close(pair[0]);
		*fd = pair[1];
		be_daemon(fd);
		return DAEMON_CHILD;
	}
	close(pair[1]);
	*fd = pair[0];
	*child = pid;
	return DAEMON_PARENT;
}

void daemon_go(int fd)
{
	/* One that is gone is heard of. */
	(void)fd_send(fd, "g", 1, NULL, 0);
}

int daemon_turn(int fd)
{
	char byte;

	return fd_recv(fd, &byte, 1, NULL, 0) == 1 ? 0 : -EPIPE;
}

void daemon_made(int fd)
{
	/* Whether somebody waits is asked at the end. */
	(void)fd_send(fd, "m", 1, NULL, 0);
}

int daemon_hear(int *fd, struct err *e)
{
	struct err word;
	int n = fd_recv(*fd, &word, sizeof(word), NULL, 0);

	/* It ended before its turn was read, which the socket says before its word. */
	if (n == -ECONNRESET)
		n = fd_recv(*fd, &word, sizeof(word), NULL, 0);
	if (n == 1)
		return DAEMON_MADE;
	fd_close(fd);
	if (n != (int)sizeof(word))
		return err_set(
			e, -ECHILD, "background: the process ended without a word");
	*e = word;
	return word.code;
}

void daemon_forget(int *fd, pid_t child)
{
	fd_close(fd);
	while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
}

int daemon_detach(struct err *e)
{
	if (chdir("/") < 0)
		return err_sys(e, "background: /");
	return take_null(STDERR_FILENO, STDERR_FILENO, e);
}

int daemon_ready(int *fd, const char *note)
{
	struct err word = {0};
	int r;

	snprintf(word.text, sizeof(word.text), "%s", note);
	r = fd_send(*fd, &word, sizeof(word), NULL, 0);
	fd_close(fd);
	return r < 0 ? -EPIPE : 0;
}

void daemon_fail(int *fd, const struct err *e)
{
	struct err word = *e;

	if (word.code >= 0)
		word.code = -EIO;
	(void)fd_send(*fd, &word, sizeof(word), NULL, 0);
	fd_close(fd);
}
