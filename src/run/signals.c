/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run/signals.c - signals and the command as events
 */
#include "config.h"

#include "run/signals.h"

#include "base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

/* Signals taken in one read; the kernel keeps the others. */
#define BATCH 16

/* SIGSTOP from a debugger or a supervisor, without a terminal, would leave nobody to
 * continue us: then only the command is stopped. */
static void stop_with_child(struct signals *s)
{
	if (!s->has_tty)
		return;
	kill(getpid(), SIGSTOP);
	s->resumed_late = true;
}

static void reap(struct signals *s)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG | WUNTRACED)) > 0) {
		if (pid != s->child)
			continue;
		if (WIFSTOPPED(status)) {
			stop_with_child(s);
		} else {
			s->child_ended = true;
			s->child_status = status;
		}
	}
}

int signals_open(struct signals *s, pid_t child, struct err *e)
{
	int FD_AUTO tty = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
	sigset_t all;

	*s = (struct signals){.fd = -1, .child = child, .has_tty = tty >= 0};
	sigfillset(&all);
	/* Faults are ours and must kill us, not wait in a queue. */
	sigdelset(&all, SIGSEGV);
	sigdelset(&all, SIGBUS);
	sigdelset(&all, SIGILL);
	sigdelset(&all, SIGFPE);
	sigdelset(&all, SIGABRT);
	sigdelset(&all, SIGSYS);
	if (sigprocmask(SIG_SETMASK, &all, NULL) < 0)
		return err_sys(e, "signals");
	s->fd = signalfd(-1, &all, SFD_CLOEXEC | SFD_NONBLOCK);
	if (s->fd < 0)
		return err_sys(e, "signals");
	/* A SIGCHLD from before the block was thrown away. */
	reap(s);
	return 0;
}

void signals_close(struct signals *s)
{
	fd_close(&s->fd);
}

/* Whether a signal that reached us is to be passed on. */
static bool is_for_child(const struct signalfd_siginfo *si)
{
	switch (si->ssi_signo) {
	case SIGCHLD:
	case SIGTSTP:
	case SIGTTIN:
	case SIGTTOU:
		return false;
	case SIGPIPE:
		/* Our own, for a stderr that nobody reads any more, is ours alone. */
		return si->ssi_code != SI_KERNEL && si->ssi_pid != (uint32_t)getpid();
	default:
		/* From the terminal: the command has it already. */
		return si->ssi_code != SI_KERNEL || si->ssi_signo == SIGCONT;
	}
}

unsigned signals_read(struct signals *s, int *forward, unsigned max)
{
	struct signalfd_siginfo si[BATCH];
	unsigned n_forward = 0;
	bool look = false;
	ssize_t n;
	size_t i;

	n = read(s->fd, si, sizeof(si));
	if (n < 0)
		return 0;
	for (i = 0; i < (size_t)n / sizeof(si[0]); i++) {
		if (si[i].ssi_signo == SIGCHLD)
			look = true;
		else if (is_for_child(&si[i]) && n_forward < max)
			forward[n_forward++] = (int)si[i].ssi_signo;
	}
	/* Many children may hide behind one SIGCHLD. */
	if (look)
		reap(s);
	return n_forward;
}

void signals_die_like(int wait_status)
{
	sigset_t one;
	int sig;

	if (WIFEXITED(wait_status))
		_exit(WEXITSTATUS(wait_status));
	sig = WTERMSIG(wait_status);
	/* The dump, if any, is the command's; ours would hide it. */
	prctl(PR_SET_DUMPABLE, 0);
	signal(sig, SIG_DFL);
	kill(getpid(), sig);
	sigemptyset(&one);
	sigaddset(&one, sig);
	sigprocmask(SIG_UNBLOCK, &one, NULL);
	/* A signal whose default is not to kill cannot have killed the command. */
	_exit(128 + sig);
}
