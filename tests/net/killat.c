/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests/net/killat.c - kill -9 of one process of a program at its N-th system call
 *
 *   killat WHICH N COMMAND...
 *
 * WHICH counts processes in the order they are forked: 0 is COMMAND itself. A process
 * that executes another program after that is not followed any further. Then everything
 * runs on, and killat, to whom every orphan falls, waits until nobody is left.
 *
 * Exit: 0 killed and nobody left; 3 the process ended before its N-th call, nobody left;
 * 1 somebody was left after LEFT_SECONDS (named on stderr, then ended); 2 own failure.
 * On stdout: "status S" of COMMAND, where it was not the one killed; "calls C", how many
 * WHICH has made, where it was not killed.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#define FOLLOWED_MAX 16
#define LEFT_SECONDS 15
#define EXIT_ENDED_BEFORE 3

struct followed {
	pid_t pid;
	bool in_call;
};

static long n_calls; /* of the one that is to be killed */

static struct followed followed[FOLLOWED_MAX];
static int n_followed;

static int find(pid_t pid)
{
	int i;

	for (i = 0; i < n_followed; i++)
		if (followed[i].pid == pid)
			return i;
	if (n_followed == FOLLOWED_MAX)
		exit(2);
	followed[n_followed++] = (struct followed){.pid = pid};
	return n_followed - 1;
}

static void say_status(int status)
{
	printf("status %d\n",
		WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
	fflush(stdout);
}

/* One stop of a followed process. Return: true when it was killed now. */
static bool step(pid_t pid, int status, int which, long n)
{
	int i = find(pid), sig = WSTOPSIG(status), event = status >> 16;
	unsigned long child;

	if (event == PTRACE_EVENT_FORK || event == PTRACE_EVENT_VFORK ||
		event == PTRACE_EVENT_CLONE) {
		/* Its number is by birth, whichever stop is seen first. */
		ptrace(PTRACE_GETEVENTMSG, pid, NULL, &child);
		find((pid_t)child);
	} else if (event == PTRACE_EVENT_EXEC && i > 0) {
		ptrace(PTRACE_DETACH, pid, NULL, NULL);
		return false;
	} else if (sig == (SIGTRAP | 0x80)) {
		followed[i].in_call = !followed[i].in_call;
		if (i == which && followed[i].in_call && ++n_calls == n) {
			kill(pid, SIGKILL);
			return true;
		}
		sig = 0;
	}
	if (event)
		sig = 0;
	ptrace(i == which ? PTRACE_SYSCALL : PTRACE_CONT, pid, NULL, (long)sig);
	return false;
}

/* Follow @argv until the kill, or until it has ended. Return: exit status. */
static int trace(char **argv, int which, long n)
{
	/* Seized ones are not stopped by a signal, which would outlive the tracer. */
	const long options = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEFORK |
			     PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE |
			     PTRACE_O_TRACEEXEC;
	int status, go[2];
	pid_t top, pid;
	char c;

	if (pipe2(go, O_CLOEXEC) < 0)
		return 2;
	top = fork();
	if (top == 0) {
		if (read(go[0], &c, 1) == 1)
			execvp(argv[0], argv);
		_exit(2);
	}
	find(top);
	if (ptrace(PTRACE_SEIZE, top, NULL, options) < 0 || write(go[1], "g", 1) != 1)
		return 2;
	while ((pid = waitpid(-1, &status, __WALL)) > 0) {
		if (WIFSTOPPED(status)) {
			if (step(pid, status, which, n))
				return 0;
		} else if (pid == top) {
			say_status(status);
			printf("calls %ld\n", n_calls);
			fflush(stdout);
			return EXIT_ENDED_BEFORE;
		}
	}
	return 2;
}

static void too_late(int sig)
{
	(void)sig;
}

/* Whoever is our child now has been left behind. */
static int end_left(void)
{
	char path[64], line[4096], comm[64];
	FILE *f;
	char *p, *save;
	pid_t pid;

	snprintf(path, sizeof(path), "/proc/self/task/%d/children", getpid());
	f = fopen(path, "re");
	if (!f || !fgets(line, sizeof(line), f))
		return 2;
	for (p = strtok_r(line, " ", &save); p; p = strtok_r(NULL, " ", &save)) {
		pid = (pid_t)atoi(p);
		snprintf(path, sizeof(path), "/proc/%d/comm", pid);
		fclose(f);
		f = fopen(path, "re");
		if (!f || !fgets(comm, sizeof(comm), f))
			memcpy(comm, "?\n", sizeof("?\n"));
		fprintf(stderr, "left: %d %s", pid, comm);
		kill(pid, SIGKILL);
	}
	fclose(f);
	return 1;
}

int main(int argc, char **argv)
{
	struct sigaction sa = {.sa_handler = too_late};
	int status, result = 2;
	pid_t tracer, pid, top = 0;
	int top_pipe[2];

	if (argc < 4 || prctl(PR_SET_CHILD_SUBREAPER, 1) < 0 || pipe(top_pipe) < 0)
		return 2;
	fflush(stdout);
	tracer = fork();
	if (tracer == 0) {
		status = trace(argv + 3, atoi(argv[1]), atol(argv[2]));
		if (write(top_pipe[1], &followed[0].pid, sizeof(pid_t)) < 0)
			_exit(2);
		_exit(status); /* lets go of all that it followed */
	}
	close(top_pipe[1]);
	sigaction(SIGALRM, &sa, NULL);
	alarm(LEFT_SECONDS);
	if (read(top_pipe[0], &top, sizeof(top)) != sizeof(top))
		return end_left();
	while ((pid = waitpid(-1, &status, 0)) > 0) {
		if (pid == tracer)
			result = WIFEXITED(status) ? WEXITSTATUS(status) : 2;
		else if (pid == top && strcmp(argv[1], "0"))
			say_status(status);
	}
	return errno == ECHILD ? result : end_left();
}
