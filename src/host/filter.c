/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/filter.c - the system calls of a running forwarder
 *
 * Theory of operation
 *   A list of what the loop, the report and the way out need; nothing in it opens a
 *   file, makes a socket, a process or executable memory. What is missing fails with
 *   EPERM rather than death: a C library that tries something new then takes its other
 *   way, and a link is not cut for a call that nobody needed. For an attacker the call
 *   is closed either way.
 */
#include "config.h"

#include "host/filter.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#ifdef SANITIZED

int filter_load(pid_t child, struct err *e)
{
	(void)child;
	(void)e;
	return 0;
}

#else

#include <seccomp.h>

static const int allowed[] = {
	/* frames, control, report */
	SCMP_SYS(read), SCMP_SYS(write), SCMP_SYS(readv), SCMP_SYS(writev),
	SCMP_SYS(pread64), SCMP_SYS(pwrite64), SCMP_SYS(recvmsg), SCMP_SYS(sendmsg),
	SCMP_SYS(recvfrom), SCMP_SYS(sendto), SCMP_SYS(lseek), SCMP_SYS(fstat),
	SCMP_SYS(newfstatat), SCMP_SYS(statx), SCMP_SYS(close), SCMP_SYS(shutdown),
	SCMP_SYS(fsync), SCMP_SYS(ftruncate),
	/* who connects to the control socket; it was made before */
	SCMP_SYS(accept4),
	/* the turn of the loop */
	SCMP_SYS(epoll_wait), SCMP_SYS(epoll_pwait), SCMP_SYS(epoll_pwait2),
	SCMP_SYS(epoll_ctl), SCMP_SYS(poll), SCMP_SYS(ppoll), SCMP_SYS(timerfd_settime),
	SCMP_SYS(timerfd_gettime), SCMP_SYS(clock_gettime), SCMP_SYS(gettimeofday),
	/* the command, signals */
	SCMP_SYS(wait4), SCMP_SYS(waitid), SCMP_SYS(rt_sigreturn),
	SCMP_SYS(rt_sigprocmask), SCMP_SYS(rt_sigaction), SCMP_SYS(rt_sigtimedwait),
	SCMP_SYS(rt_sigpending), SCMP_SYS(sigaltstack), SCMP_SYS(restart_syscall),
	SCMP_SYS(getpid), SCMP_SYS(gettid), SCMP_SYS(getppid), SCMP_SYS(getpgrp),
	SCMP_SYS(getpgid), SCMP_SYS(getuid), SCMP_SYS(geteuid), SCMP_SYS(getrusage),
	/* memory */
	SCMP_SYS(munmap), SCMP_SYS(madvise), SCMP_SYS(mremap), SCMP_SYS(brk),
	SCMP_SYS(futex), SCMP_SYS(membarrier), SCMP_SYS(getrandom),
	/* the way out */
	SCMP_SYS(exit), SCMP_SYS(exit_group)};

static int allow_memory(scmp_filter_ctx f)
{
	int r = seccomp_rule_add(f, SCMP_ACT_ALLOW, SCMP_SYS(mmap), 1,
		SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0));

	if (!r)
		r = seccomp_rule_add(f, SCMP_ACT_ALLOW, SCMP_SYS(mprotect), 1,
			SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0));
	return r;
}

/* Itself, and the command. The arguments are compared as 32 bits: a pid is an int. */
static int allow_signals(scmp_filter_ctx f, pid_t child)
{
	const scmp_datum_t low = 0xffffffff;
	pid_t self = getpid();
	int r;

	r = seccomp_rule_add(f, SCMP_ACT_ALLOW, SCMP_SYS(kill), 1,
		SCMP_A0(SCMP_CMP_MASKED_EQ, low, (scmp_datum_t)(unsigned)self));
	if (!r)
		r = seccomp_rule_add(f, SCMP_ACT_ALLOW, SCMP_SYS(tgkill), 1,
			SCMP_A0(SCMP_CMP_MASKED_EQ, low, (scmp_datum_t)(unsigned)self));
	if (!r && child > 0)
		r = seccomp_rule_add(f, SCMP_ACT_ALLOW, SCMP_SYS(kill), 1,
			SCMP_A0(SCMP_CMP_MASKED_EQ, low,
				(scmp_datum_t)(unsigned)child));
	return r;
}

static int allow_narrow(scmp_filter_ctx f)
{
	/* The last tells memory from files that would make us wait. */
	static const int cmds[] = {F_GETFL, F_SETFL, F_GETFD, F_GET_SEALS};
	unsigned i;
	int r;

	r = seccomp_rule_add(f, SCMP_ACT_ALLOW, SCMP_SYS(prctl), 1,
		SCMP_A0(SCMP_CMP_EQ, PR_SET_DUMPABLE));
	for (i = 0; !r && i < sizeof(cmds) / sizeof(cmds[0]); i++)
		r = seccomp_rule_add(f, SCMP_ACT_ALLOW, SCMP_SYS(fcntl), 1,
			SCMP_A1(SCMP_CMP_EQ, (scmp_datum_t)cmds[i]));
	/* Whose process is at the other end? */
	if (!r)
		r = seccomp_rule_add(f, SCMP_ACT_ALLOW, SCMP_SYS(getsockopt), 2,
			SCMP_A1(SCMP_CMP_EQ, SOL_SOCKET),
			SCMP_A2(SCMP_CMP_EQ, SO_PEERCRED));
	/* Is it a terminal, and how wide: no request that changes it. */
	if (!r)
		r = seccomp_rule_add(f, SCMP_ACT_ALLOW, SCMP_SYS(ioctl), 1,
			SCMP_A1(SCMP_CMP_EQ, TCGETS));
	if (!r)
		r = seccomp_rule_add(f, SCMP_ACT_ALLOW, SCMP_SYS(ioctl), 1,
			SCMP_A1(SCMP_CMP_EQ, TIOCGWINSZ));
	return r;
}

int filter_load(pid_t child, struct err *e)
{
	scmp_filter_ctx f = seccomp_init(SCMP_ACT_ERRNO(EPERM));
	unsigned i;
	int r = f ? 0 : -ENOMEM;

	for (i = 0; !r && i < sizeof(allowed) / sizeof(allowed[0]); i++)
		r = seccomp_rule_add(f, SCMP_ACT_ALLOW, allowed[i], 0);
	if (!r)
		r = allow_memory(f);
	if (!r)
		r = allow_signals(f, child);
	if (!r)
		r = allow_narrow(f);
	/* The hot calls are found in few steps, not at the end of a long list. */
	if (!r)
		(void)seccomp_attr_set(f, SCMP_FLTATR_CTL_OPTIMIZE, 2);
	if (!r)
		r = seccomp_load(f);
	if (f)
		seccomp_release(f);
	if (r < 0)
		return err_set(
			e, r, "seccomp: cannot load the filter: %s", strerror(-r));
	return 0;
}

#endif
