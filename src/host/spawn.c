/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/spawn.c - the process of a relay
 */
#include "config.h"

#include "host/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/fd.h"
#include "host/filter.h"
#include "host/privs.h"
#include "host/sweep.h"
#include "relay/relay.h"

#define RELAY_FD 3

/* Nothing of the caller's but its socket; its own session; the default signals. */
static int stand_apart(int sock, const struct ident *ident, pid_t parent, struct err *e)
{
	int i, null;
	sigset_t mask;

	if (sock != RELAY_FD && dup3(sock, RELAY_FD, O_CLOEXEC) < 0)
		return err_sys(e, "relay: socket");
	syscall(SYS_close_range, RELAY_FD + 1, ~0U, 0);
	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	for (i = 0; null >= 0 && i < RELAY_FD; i++)
		dup2(null, i);
	fd_close(&null);
	setsid();
	if (chdir("/") < 0)
		errno = 0; /* it stays where it is */
	prctl(PR_SET_NAME, RELAY_COMM);
	if (ident_drop(ident, e) < 0)
		return e->code;
	/* Changing ids clears it; to lose capabilities does not. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		return -ECHILD;
	sigfillset(&mask);
	sigdelset(&mask, SIGTERM);
	signal(SIGTERM, SIG_DFL);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	i = privs_fall();
	return i < 0 ? err_set(e, i, "relay: privileges: %s", strerror(-i))
		     : filter_relay(e);
}

static void __attribute__((noreturn))
be_relay(const struct ident *ident, pid_t parent, int sock)
{
	struct err e;

	/* Without a word: whoever gives the first rule hears that nobody is there. */
	if (stand_apart(sock, ident, parent, &e) == 0)
		relay_serve(RELAY_FD);
	_exit(0);
}

/* A process between, so that it is no child of what becomes the command. */
static void __attribute__((noreturn))
be_between(const struct ident *ident, pid_t parent, int sock)
{
	pid_t self = getpid();

	if (fork() == 0) {
		while (getppid() == self)
			poll(NULL, 0, 1);
		be_relay(ident, parent, sock);
	}
	_exit(0);
}

int spawn_relay(int sock, const struct ident *ident, pid_t parent, struct err *e)
{
	bool direct = getpid() == parent;
	struct timespec now = {0};
	sigset_t chld;
	pid_t pid = fork();

	if (pid < 0)
		return err_sys(e, "relay: fork");
	if (pid == 0 && direct)
		be_relay(ident, parent, sock);
	if (pid == 0)
		be_between(ident, parent, sock);
	if (direct)
		return 0;
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	sigemptyset(&chld);
	sigaddset(&chld, SIGCHLD);
	(void)sigtimedwait(&chld, NULL, &now);
	return 0;
}
