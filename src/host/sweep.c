/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/sweep.c - find and end every process in a network namespace
 *
 * Theory of operation
 *   A round looks at all of /proc, then at the ids that were given since: a process
 *   that forks and ends some thousand times a second is never where a listing said it
 *   was, but it is a few ids behind the newest one, and there it is met. Rounds go on
 *   until two in a row find nobody: ids may wrap once.
 *
 *   A process id may pass to another process between the look and the signal. So each
 *   found one is held by a pidfd and then looked at again: if the id still leads into
 *   the namespace, the pidfd is of a process that was in it, or of one that is gone.
 *
 *   TERM is sent once to each process, with CONT for the stopped; when the time of
 *   grace is over, KILL, until nobody is left. Waiting is a poll on the pidfds.
 *
 * Cost   one round is about 1.5 us a process of the machine.
 */
#include "config.h"

#include "host/sweep.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fd.h"

/* Held at a time; what is beyond is met in the next round. Below any limit on files. */
#define HELD_MAX 200
#define NAMES_MAX 16
/* How long a round waits for the dying before it looks for new ones. */
#define ROUND_NS (50 * NSEC_PER_MSEC)
/* How long to follow new ids; others fork too, so there may always be one more. */
#define CHASE_NS (5 * NSEC_PER_MSEC)

struct held {
	pid_t pid;
	int pidfd;
};

struct named {
	char comm[17]; /* TASK_COMM_LEN is 16 */
	unsigned n;
};

struct state {
	const struct sweep_ns *ns;
	DIR *proc;
	struct held held[HELD_MAX];
	unsigned n_held;
	struct named named[NAMES_MAX];
	unsigned n_named, n_ended;
};

static bool same_inode(int dir, ino_t want, const char *path)
{
	struct stat st;

	return want && fstatat(dir, path, &st, 0) == 0 && st.st_ino == want;
}

/* Whether the thread at @path (below /proc) stands in the namespace. */
static bool thread_belongs(int dir, const struct sweep_ns *ns, const char *path)
{
	char p[80];
	struct stat st;

	snprintf(p, sizeof(p), "%s/ns/net", path);
	if (fstatat(dir, p, &st, 0) == 0)
		return st.st_ino == ns->net;
	if (errno != EACCES && errno != EPERM)
		return false;
	/* Another user's, and we may not trace it: this one file tells it to anybody.
	 */
	snprintf(p, sizeof(p), "%s/net/dev", path);
	return same_inode(dir, ns->net_dev, p);
}

static bool belongs(int dir, const struct sweep_ns *ns, pid_t pid)
{
	char path[64];
	bool found = false;
	struct dirent *d;
	struct stat st;
	DIR *tasks;
	int fd;

	snprintf(path, sizeof(path), "%d", pid);
	if (thread_belongs(dir, ns, path))
		return true;
	if (errno != ENOENT)
		return false;
	/* The first thread has ended, others may live on. Links: two, and one a thread. */
	snprintf(path, sizeof(path), "%d/task", pid);
	if (fstatat(dir, path, &st, 0) < 0 || st.st_nlink <= 3)
		return false;
	fd = openat(dir, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	tasks = fd < 0 ? NULL : fdopendir(fd);
	if (!tasks) {
		fd_close(&fd);
		return false;
	}
	while (!found && (d = readdir(tasks))) {
		snprintf(path, sizeof(path), "%d/task/%.20s", pid, d->d_name);
		found = d->d_name[0] != '.' && thread_belongs(dir, ns, path);
	}
	closedir(tasks);
	return found;
}

static void note_name(struct state *s, pid_t pid)
{
	char path[64], comm[17] = "?";
	unsigned i;
	ssize_t n;
	int fd;

	s->n_ended++;
	snprintf(path, sizeof(path), "%d/comm", pid);
	fd = openat(dirfd(s->proc), path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		n = read(fd, comm, sizeof(comm) - 1);
		comm[n > 0 ? n : 0] = '\0';
		close(fd);
	}
	comm[strcspn(comm, "\n")] = '\0';
	/* A relay of ours, or of a run inside the run: nobody left it behind. */
	if (strcmp(comm, GUARD_COMM) == 0 || strcmp(comm, RELAY_COMM) == 0) {
		s->n_ended--;
		return;
	}
	/* A process may call itself anything; this goes to a terminal. */
	for (i = 0; comm[i]; i++)
		if (comm[i] < ' ' || comm[i] > '~')
			comm[i] = '?';
	for (i = 0; i < s->n_named; i++)
		if (!strcmp(s->named[i].comm, comm))
			break;
	if (i == s->n_named) {
		if (i == NAMES_MAX)
			return;
		memcpy(s->named[i].comm, comm, sizeof(comm));
		s->named[i].n = 0;
		s->n_named++;
	}
	s->named[i].n++;
}

static int send_by_pidfd(int pidfd, int sig)
{
	return (int)syscall(SYS_pidfd_send_signal, pidfd, sig, NULL, 0);
}

static void end_one(struct state *s, pid_t pid, int sig)
{
	bool known = false;
	unsigned i;
	int fd;

	for (i = 0; i < s->n_held && !known; i++)
		known = s->held[i].pid == pid;
	if (known) {
		if (sig == SIGKILL)
			send_by_pidfd(s->held[i - 1].pidfd, sig);
		return;
	}
	if (s->n_held == HELD_MAX)
		return;
	fd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (fd < 0)
		return;
	if (!belongs(dirfd(s->proc), s->ns, pid)) {
		close(fd);
		return;
	}
	note_name(s, pid);
	send_by_pidfd(fd, sig);
	if (sig != SIGKILL)
		send_by_pidfd(fd, SIGCONT);
	s->held[s->n_held++] = (struct held){.pid = pid, .pidfd = fd};
}

/* The newest process id, from the last field of loadavg; 0 when unknown. */
static pid_t newest_pid(void)
{
	int fd FD_AUTO = open("/proc/loadavg", O_RDONLY | O_CLOEXEC);
	char line[128], *last;
	ssize_t n;

	n = fd < 0 ? -1 : read(fd, line, sizeof(line) - 1);
	if (n <= 0)
		return 0;
	line[n] = '\0';
	last = strrchr(line, ' ');
	return last ? (pid_t)atoi(last) : 0;
}

static unsigned look_at(struct state *s, pid_t pid, int sig)
{
	errno = 0;
	if (pid <= 0 || pid == getpid() || !belongs(dirfd(s->proc), s->ns, pid))
		return 0;
	end_one(s, pid, sig);
	return 1;
}

/* Follow the ids that are given while we look, as long as there are new ones. */
static unsigned chase(struct state *s, pid_t from, int sig)
{
	nsec_t until_ns = clock_now_ns() + CHASE_NS;
	pid_t newest, pid;
	unsigned n = 0;

	while ((newest = newest_pid()) > from && clock_now_ns() < until_ns) {
		for (pid = from + 1; pid <= newest; pid++)
			n += look_at(s, pid, sig);
		from = newest;
	}
	return n;
}

/* Look at everybody once. Return: how many were found. */
static unsigned round_once(struct state *s, int sig)
{
	pid_t newest = newest_pid();
	struct dirent *d;
	unsigned n = 0;

	rewinddir(s->proc);
	while ((d = readdir(s->proc)))
		n += look_at(s, (pid_t)atoi(d->d_name), sig);
	return n + chase(s, newest, sig);
}

/* Wait until all held ones are gone, at most until @until_ns; let the gone go. */
static void wait_held(struct state *s, nsec_t until_ns)
{
	struct pollfd p[HELD_MAX];
	nsec_t left_ns = until_ns - clock_now_ns();
	unsigned i, n = 0;

	for (i = 0; i < s->n_held; i++)
		p[i] = (struct pollfd){.fd = s->held[i].pidfd, .events = POLLIN};
	if (left_ns < NSEC_PER_MSEC)
		left_ns = NSEC_PER_MSEC;
	poll(p, s->n_held, (int)(left_ns / NSEC_PER_MSEC));
	for (i = 0; i < s->n_held; i++) {
		if (p[i].revents)
			close(s->held[i].pidfd);
		else
			s->held[n++] = s->held[i];
	}
	s->n_held = n;
}

static void say_names(const struct state *s, char *to, size_t size)
{
	size_t at = 0;
	unsigned i;
	int n;

	to[0] = '\0';
	for (i = 0; i < s->n_named; i++) {
		if (s->named[i].n > 1)
			n = snprintf(to + at, size - at, "%s%s (%u)", i ? ", " : "",
				s->named[i].comm, s->named[i].n);
		else
			n = snprintf(to + at, size - at, "%s%s", i ? ", " : "",
				s->named[i].comm);
		if (n < 0 || (size_t)n >= size - at)
			return;
		at += (size_t)n;
	}
}

unsigned sweep_end(const struct sweep_ns *ns, nsec_t grace_ns, nsec_t limit_ns,
	char *names, size_t size)
{
	nsec_t start_ns = clock_now_ns(), now_ns = start_ns, until_ns;
	struct state s = {.ns = ns, .proc = opendir("/proc")};
	unsigned i, n_empty = 0;
	int sig;

	names[0] = '\0';
	if (!s.proc)
		return 0;
	if (belongs(dirfd(s.proc), ns, getpid()))
		n_empty = 2;
	while (n_empty < 2 && now_ns - start_ns < limit_ns) {
		sig = now_ns - start_ns < grace_ns ? SIGTERM : SIGKILL;
		n_empty = round_once(&s, sig) ? 0 : n_empty + 1;
		if (!n_empty) {
			until_ns = clock_now_ns() + ROUND_NS;
			if (sig == SIGTERM && until_ns > start_ns + grace_ns)
				until_ns = start_ns + grace_ns;
			wait_held(&s, until_ns);
		}
		now_ns = clock_now_ns();
	}
	for (i = 0; i < s.n_held; i++)
		close(s.held[i].pidfd);
	closedir(s.proc);
	say_names(&s, names, size);
	return s.n_ended;
}
