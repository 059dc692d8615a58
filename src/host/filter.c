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
#include <stdbool.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/fd.h"

#ifdef SANITIZED

void filter_allow_ring(void)
{
}

void filter_allow_rank(void)
{
}

int filter_load(pid_t child, int dir_fd, struct err *e)
{
	(void)child;
	(void)dir_fd;
	(void)e;
	return 0;
}

int filter_relay(struct err *e)
{
	(void)e;
	return 0;
}

#else

#include <seccomp.h>
#include <sys/syscall.h>
#ifdef SYS_landlock_create_ruleset
#include <linux/landlock.h>
#endif

/* io_uring_register's, of Linux 5.1 and 5.18; no header of that age is needed. */
#define UNREGISTER_FILES 3
#define UNREGISTER_RING_FDS 21

static bool has_ring, has_rank;

void filter_allow_ring(void)
{
	has_ring = true;
}

void filter_allow_rank(void)
{
	has_rank = true;
}

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

static int allow_ring(scmp_filter_ctx f)
{
	int r = seccomp_rule_add(f, SCMP_ACT_ALLOW, SCMP_SYS(io_uring_enter), 0);

	if (!r)
		r = seccomp_rule_add(f, SCMP_ACT_ALLOW, SCMP_SYS(io_uring_register), 1,
			SCMP_A1(SCMP_CMP_EQ, UNREGISTER_FILES));
	if (!r)
		r = seccomp_rule_add(f, SCMP_ACT_ALLOW, SCMP_SYS(io_uring_register), 1,
			SCMP_A1(SCMP_CMP_EQ, UNREGISTER_RING_FDS));
	return r;
}

/*
 * A link takes its socket away itself: nobody with more rights waits for its end. The
 * filter sees the directory's number but not the name, which could be a path to
 * anywhere; Landlock sees to that where the kernel has it.
 */
static int allow_leaving(scmp_filter_ctx f, int dir_fd)
{
	const scmp_datum_t low = 0xffffffff;
	int r;

	r = seccomp_rule_add(f, SCMP_ACT_ALLOW, SCMP_SYS(unlinkat), 2,
		SCMP_A0(SCMP_CMP_MASKED_EQ, low, (scmp_datum_t)(unsigned)dir_fd),
		SCMP_A2(SCMP_CMP_EQ, 0));
	if (!r)
		r = seccomp_rule_add(f, SCMP_ACT_ALLOW, SCMP_SYS(flock), 0);
	return r;
}

static void fence(int dir_fd)
{
#ifdef SYS_landlock_create_ruleset
	struct landlock_ruleset_attr all = {/* All that the first version knows. */
		.handled_access_fs = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1};
	struct landlock_path_beneath_attr one = {
		.allowed_access = LANDLOCK_ACCESS_FS_REMOVE_FILE, .parent_fd = dir_fd};
	int fd FD_AUTO =
		(int)syscall(SYS_landlock_create_ruleset, &all, sizeof(all), 0);

	if (fd < 0 || syscall(SYS_landlock_add_rule, fd, LANDLOCK_RULE_PATH_BENEATH,
			      &one, 0) < 0)
		return;
	(void)syscall(SYS_landlock_restrict_self, fd, 0);
#else
	(void)dir_fd;
#endif
}

/* @f may be NULL, and @r what has gone wrong with it so far. It is used up. */
static int load(scmp_filter_ctx f, int r, struct err *e)
{
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

int filter_load(pid_t child, int dir_fd, struct err *e)
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
	if (!r && has_ring)
		r = allow_ring(f);
	/* Of itself alone; how high is RLIMIT_RTPRIO's to say. */
	if (!r && has_rank)
		r = seccomp_rule_add(f, SCMP_ACT_ALLOW, SCMP_SYS(sched_setscheduler), 1,
			SCMP_A0(SCMP_CMP_EQ, 0));
	if (!r && dir_fd >= 0) {
		r = allow_leaving(f, dir_fd);
		fence(dir_fd);
	}
	return load(f, r, e);
}

/* Sockets of IPv4 and IPv6, and nothing of the machine's files and processes. */
static int allow_sockets(scmp_filter_ctx f)
{
	static const int calls[] = {SCMP_SYS(read), SCMP_SYS(recvfrom),
		SCMP_SYS(recvmsg), SCMP_SYS(sendto), SCMP_SYS(sendmsg),
		SCMP_SYS(accept4), SCMP_SYS(connect), SCMP_SYS(shutdown),
		SCMP_SYS(close), SCMP_SYS(setsockopt), SCMP_SYS(getsockopt),
		SCMP_SYS(epoll_create1), SCMP_SYS(epoll_ctl), SCMP_SYS(epoll_wait),
		SCMP_SYS(epoll_pwait), SCMP_SYS(clock_gettime), SCMP_SYS(munmap),
		SCMP_SYS(madvise), SCMP_SYS(mremap), SCMP_SYS(brk), SCMP_SYS(futex),
		SCMP_SYS(getrandom), SCMP_SYS(restart_syscall), SCMP_SYS(rt_sigreturn),
		SCMP_SYS(exit), SCMP_SYS(exit_group)};
	static const int families[] = {AF_INET, AF_INET6};
	unsigned i;
	int r = 0;

	for (i = 0; !r && i < sizeof(calls) / sizeof(calls[0]); i++)
		r = seccomp_rule_add(f, SCMP_ACT_ALLOW, calls[i], 0);
	for (i = 0; !r && i < 2; i++)
		r = seccomp_rule_add(f, SCMP_ACT_ALLOW, SCMP_SYS(socket), 1,
			SCMP_A0(SCMP_CMP_EQ, (scmp_datum_t)families[i]));
	/* How much is unsent; how many files it may open. */
	if (!r)
		r = seccomp_rule_add(f, SCMP_ACT_ALLOW, SCMP_SYS(ioctl), 1,
			SCMP_A1(SCMP_CMP_EQ, TIOCOUTQ));
	if (!r)
		r = seccomp_rule_add(f, SCMP_ACT_ALLOW, SCMP_SYS(prlimit64), 1,
			SCMP_A0(SCMP_CMP_EQ, 0));
	return r;
}

int filter_relay(struct err *e)
{
	scmp_filter_ctx f = seccomp_init(SCMP_ACT_ERRNO(EPERM));
	int r = f ? allow_sockets(f) : -ENOMEM;

	if (!r)
		r = allow_memory(f);
	return load(f, r, e);
}

#endif
