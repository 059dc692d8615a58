/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/helper.c - a program of somebody else's that carries frames on
 *
 * Theory of operation
 *   Its stderr is a pipe that holds 64 KiB and does not block: who never reads it does
 *   not stop the helper, and what the helper says at its end is there to be read. The
 *   child says over a second pipe, which exec closes, that exec itself failed.
 *
 *   It may be a script that starts others. It leads a session, so they are of its group
 *   unless they leave it, and end with it. No number is given anew while a process or a
 *   group has it: until the leader is reaped, the group is ours.
 */
#include "config.h"

#include "host/helper.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"

/* Where the C library looks when there is no PATH. */
#define USUAL_PATH "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin"

/* linux/pidfd.h since 6.9: the group, also where its leader is reaped. */
#ifndef PIDFD_SIGNAL_PROCESS_GROUP
#define PIDFD_SIGNAL_PROCESS_GROUP (1u << 2)
#endif

/* From the end of its socket to its own. */
#define ENDS_MS 200

bool helper_find(const char *name, char *path, size_t max_bytes)
{
	const char *dirs = getenv("PATH");

	if (!dirs || !*dirs)
		dirs = USUAL_PATH;
	for (;; dirs++) {
		size_t n = strcspn(dirs, ":");
		int len = snprintf(path, max_bytes, "%.*s/%s", (int)n, dirs, name);

		/* An empty part means the working directory: not for us. */
		if (n && *dirs == '/' && len > 0 && (size_t)len < max_bytes &&
			access(path, X_OK) == 0)
			return true;
		dirs += n;
		if (!*dirs)
			return false;
	}
}

/* 0, 1 and 2, then the one file. */
static int take_files(int fd, int err_fd, int word_fd)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	int word = fcntl(word_fd, F_DUPFD_CLOEXEC, HELPER_FD + 1);
	int err = fcntl(err_fd, F_DUPFD_CLOEXEC, HELPER_FD + 1);
	int file = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, HELPER_FD + 1);

	if (null < 0 || word < 0 || err < 0 || dup2(null, STDIN_FILENO) < 0 ||
		dup2(null, STDOUT_FILENO) < 0 || dup2(err, STDERR_FILENO) < 0 ||
		(file >= 0 && dup2(file, HELPER_FD) < 0))
		return -1;
	return word;
}

static void __attribute__((noreturn)) be_helper(char *const argv[],
	const struct ident *ident, int fd, int err_fd, int word_fd, pid_t parent)
{
	struct err e;
	sigset_t none;
	int word = take_files(fd, err_fd, word_fd);

	setsid();
	if (word < 0)
		err_sys(&e, "files");
	else if (ident_become(ident, false, &e) == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(125);
		sigemptyset(&none);
		sigprocmask(SIG_SETMASK, &none, NULL);
		execv(argv[0], argv);
		err_sys(&e, "'%s'", argv[0]);
	}
	(void)!write(word < 0 ? word_fd : word, &e, sizeof(e));
	_exit(125);
}

/* Return: 0 when exec closed the pipe without a word. */
static int hear_exec(int fd, const char *name, struct err *e)
{
	struct err why;

	if (read(fd, &why, sizeof(why)) != (ssize_t)sizeof(why))
		return 0;
	*e = why;
	/* It is there, and what it needs to run is not: an interpreter. */
	if (e->code == -ENOENT)
		e->code = -ENOEXEC;
	return err_wrap(e, "uplink %s", name);
}

int helper_start(struct helper *h, const char *name, char *const argv[],
	const struct ident *ident, int fd, struct err *e)
{
	int says[2], word[2], r;
	pid_t parent = getpid();

	if (pipe2(says, O_CLOEXEC | O_NONBLOCK) < 0)
		return err_sys(e, "uplink %s: pipe", name);
	if (pipe2(word, O_CLOEXEC) < 0) {
		err_sys(e, "uplink %s: pipe", name);
		fd_close(&says[0]);
		fd_close(&says[1]);
		return e->code;
	}
	h->pid = fork();
	if (h->pid == 0)
		be_helper(argv, ident, fd, says[1], word[1], parent);
	r = h->pid < 0 ? err_sys(e, "uplink %s: fork", name) : 0;
	fd_close(&says[1]);
	fd_close(&word[1]);
	h->err_fd = says[0];
	if (h->pid > 0)
		h->pidfd = (int)syscall(SYS_pidfd_open, h->pid, 0);
	else
		h->pid = 0;
	if (!r)
		r = hear_exec(word[0], name, e);
	fd_close(&word[0]);
	if (r < 0)
		helper_stop(h);
	return r;
}

/* What passt says in passing is no reason for anything. */
static bool is_chatter(const char *line)
{
	static const char *const begins[] = {
		"Don't run as root.", "Failed to send ", "Couldn't get any nameserver"};

	for (size_t i = 0; i < sizeof(begins) / sizeof(*begins); i++)
		if (strncmp(line, begins[i], strlen(begins[i])) == 0)
			return true;
	return false;
}

void helper_last_line(int err_fd, char *text, size_t max_bytes)
{
	char said[4096], *line, *rest = said;
	size_t n = 0, i;
	ssize_t got;

	/* What is older than half a buffer makes room for what follows. */
	while (err_fd >= 0 &&
		(got = read(err_fd, said + n, sizeof(said) - 1 - n)) > 0) {
		n += (size_t)got;
		if (n == sizeof(said) - 1) {
			memmove(said, said + n / 2, n - n / 2);
			n -= n / 2;
		}
	}
	said[n] = '\0';
	text[0] = '\0';
	while ((line = strsep(&rest, "\n"))) {
		line[strcspn(line, "\r")] = '\0';
		if (line[strspn(line, " \t")] && !is_chatter(line))
			snprintf(text, max_bytes, "%s", line);
	}
	for (i = 0; text[i]; i++)
		if ((unsigned char)text[i] < 0x20 || text[i] == 0x7f)
			text[i] = '?';
}

bool helper_is_gone(const struct helper *h)
{
	siginfo_t si = {0};

	return h->pid <= 0 ||
	       waitid(P_PID, (id_t)h->pid, &si, WEXITED | WNOHANG | WNOWAIT) < 0 ||
	       si.si_pid != 0;
}

static int signal_leader(const struct helper *h, int sig, unsigned flags)
{
	return (int)syscall(SYS_pidfd_send_signal, h->pidfd, sig, NULL, flags);
}

/* The helper, which is not reaped here, and what it has started. */
static void kill_all(const struct helper *h)
{
	if (h->pid <= 0)
		return;
	if (h->pidfd < 0) {
		kill(-h->pid, SIGKILL);
		kill(h->pid, SIGKILL);
		return;
	}
	/* Where another may have reaped it, the number alone is nobody's name. */
	if (signal_leader(h, SIGKILL, PIDFD_SIGNAL_PROCESS_GROUP) < 0 &&
		errno == EINVAL && signal_leader(h, 0, 0) == 0)
		kill(-h->pid, SIGKILL);
	signal_leader(h, SIGKILL, 0);
}

/* It has closed its files and ends; a moment for its status. */
static bool has_ended(struct helper *h, int *status)
{
	for (int i = 0; h->pid > 0 && i < ENDS_MS; i++) {
		if (helper_is_gone(h)) {
			kill_all(h);
			(void)waitpid(h->pid, status, 0);
			h->pid = 0;
			return true;
		}
		poll(NULL, 0, 1);
	}
	return false;
}

#define OTHER_WAY "; mend it, or take another way out by uplink"

int helper_failed(struct helper *h, const char *name, int code, struct err *e)
{
	int status = 0;
	bool ended = has_ended(h, &status);
	char line[160];

	helper_last_line(h->err_fd, line, sizeof(line));
	helper_stop(h);
	if (*line)
		return err_set(e, code, "uplink %s: %s: %s" OTHER_WAY, name,
			ended ? "it ended" : "it does not answer", line);
	if (!ended)
		return err_set(e, code, "uplink %s: it does not answer: %s" OTHER_WAY,
			name, strerror(-code));
	if (WIFSIGNALED(status))
		return err_set(e, code,
			"uplink %s: it was killed by signal %d" OTHER_WAY, name,
			WTERMSIG(status));
	return err_set(e, code, "uplink %s: it ended with status %d" OTHER_WAY, name,
		WEXITSTATUS(status));
}

void helper_stop(struct helper *h)
{
	kill_all(h);
	if (h->pid > 0)
		(void)waitpid(h->pid, NULL, 0);
	fd_close(&h->pidfd);
	fd_close(&h->err_fd);
	fd_close(&h->life_fd);
	h->pid = 0;
}
