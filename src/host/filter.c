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
 *
 *   To make the program costs a process more than to load it, and those of a batch's
 *   links differ by two numbers: the process's own, and its directory's file. So it is
 *   made with marks in their places, can be made before the fork, and the numbers are
 *   put in when it is loaded.
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

void filter_allow(unsigned use)
{
	(void)use;
}

void filter_prepare(unsigned use)
{
	(void)use;
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

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <seccomp.h>
#include <sys/syscall.h>
#ifdef SYS_landlock_create_ruleset
#include <linux/landlock.h>
#endif

/* io_uring_register's, of Linux 5.1 and 5.18; no header of that age is needed. */
#define UNREGISTER_FILES 3
#define UNREGISTER_RING_FDS 21

/* Of the kinds of program: what was asked for beside FILTER_RING and FILTER_RANK. */
#define FILTER_CHILD (FILTER_RANK << 1)
#define FILTER_LEAVING (FILTER_RANK << 2)
#define FILTER_MADE (FILTER_RANK << 3)

/* Stand for numbers of a process; nothing else in a program is like them. */
#define MARK_SELF 0x5e1f5e1fU
#define MARK_CHILD 0x0c411d00U
#define MARK_DIR 0x0d1e0d1eU
#define PROGRAM_STEPS_MAX 1024

static struct program {
	unsigned use; /* which it is made for; 0: none */
	unsigned short n_steps;
	struct sock_filter step[PROGRAM_STEPS_MAX];
} prepared;

static unsigned allowed_use;

void filter_allow(unsigned use)
{
	allowed_use |= use;
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

/* The low half of argument 0: an int. */
static struct scmp_arg_cmp is_int(unsigned value)
{
	return SCMP_A0(SCMP_CMP_MASKED_EQ, 0xffffffff, value);
}

/* Itself, and the command. */
static int allow_signals(scmp_filter_ctx f, bool child)
{
	int r = seccomp_rule_add(
		f, SCMP_ACT_ALLOW, SCMP_SYS(kill), 1, is_int(MARK_SELF));

	if (!r)
		r = seccomp_rule_add(
			f, SCMP_ACT_ALLOW, SCMP_SYS(tgkill), 1, is_int(MARK_SELF));
	if (!r && child)
		r = seccomp_rule_add(
			f, SCMP_ACT_ALLOW, SCMP_SYS(kill), 1, is_int(MARK_CHILD));
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
static int allow_leaving(scmp_filter_ctx f)
{
	int r = seccomp_rule_add(f, SCMP_ACT_ALLOW, SCMP_SYS(unlinkat), 2,
		is_int(MARK_DIR), SCMP_A2(SCMP_CMP_EQ, 0));

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

/* Return: 0 or -errno. */
static int read_program(int fd, struct program *p)
{
	ssize_t n = pread(fd, p->step, sizeof(p->step), 0);

	if (n < 0)
		return -errno;
	if (n == 0 || n == sizeof(p->step) || n % sizeof(p->step[0]))
		return -E2BIG;
	p->n_steps = (unsigned short)(n / (ssize_t)sizeof(p->step[0]));
	return 0;
}

/* @f may be NULL, and @r what has gone wrong with it so far. It is used up. */
static int export(scmp_filter_ctx f, int r, struct program *p)
{
	int fd FD_AUTO = memfd_create("filter", MFD_CLOEXEC);

	if (!r && fd < 0)
		r = -errno;
	/* The hot calls are found in few steps, not at the end of a long list. */
	if (!r)
		(void)seccomp_attr_set(f, SCMP_FLTATR_CTL_OPTIMIZE, 2);
	if (!r)
		r = seccomp_export_bpf(f, fd);
	if (!r)
		r = read_program(fd, p);
	if (f)
		seccomp_release(f);
	return r;
}

static int make(struct program *p, unsigned use)
{
	scmp_filter_ctx f = seccomp_init(SCMP_ACT_ERRNO(EPERM));
	unsigned i;
	int r = f ? 0 : -ENOMEM;

	for (i = 0; !r && i < sizeof(allowed) / sizeof(allowed[0]); i++)
		r = seccomp_rule_add(f, SCMP_ACT_ALLOW, allowed[i], 0);
	if (!r)
		r = allow_memory(f);
	if (!r)
		r = allow_signals(f, use & FILTER_CHILD);
	if (!r)
		r = allow_narrow(f);
	if (!r && (use & FILTER_RING))
		r = allow_ring(f);
	/* Of itself alone; how high is RLIMIT_RTPRIO's to say. */
	if (!r && (use & FILTER_RANK))
		r = seccomp_rule_add(f, SCMP_ACT_ALLOW, SCMP_SYS(sched_setscheduler), 1,
			SCMP_A0(SCMP_CMP_EQ, 0));
	if (!r && (use & FILTER_LEAVING))
		r = allow_leaving(f);
	r = export(f, r, p);
	p->use = r ? 0 : use | FILTER_MADE;
	return r;
}

void filter_prepare(unsigned use)
{
	use |= FILTER_LEAVING;
	if (prepared.use != (use | FILTER_MADE))
		(void)make(&prepared, use);
}

/* Calls may share a step. Return: whether there was one. */
static bool put(struct program *p, unsigned mark, unsigned value)
{
	bool found = false;
	unsigned i;

	for (i = 0; i < p->n_steps; i++)
		if (BPF_CLASS(p->step[i].code) == BPF_JMP && p->step[i].k == mark) {
			p->step[i].k = value;
			found = true;
		}
	return found;
}

static int load(struct program *p, struct err *e)
{
	struct sock_fprog prog = {.len = p->n_steps, .filter = p->step};

	long r = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &prog);

	/* Before Linux 3.17. */
	if (r < 0 && errno == ENOSYS)
		r = prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog, 0, 0);
	return r < 0 ? err_sys(e, "seccomp: cannot load the filter") : 0;
}

static int said(int r, struct err *e)
{
	return err_set(e, r, "seccomp: cannot make the filter: %s", strerror(-r));
}

int filter_load(pid_t child, int dir_fd, struct err *e)
{
	struct program *p = &prepared;
	unsigned use = allowed_use;
	int r = 0;

	if (child > 0)
		use |= FILTER_CHILD;
	if (dir_fd >= 0) {
		use |= FILTER_LEAVING;
		fence(dir_fd);
	}
	if (p->use != (use | FILTER_MADE))
		r = make(p, use);
	if (!r)
		p->use = 0; /* its marks go */
	if (!r && (!put(p, MARK_SELF, (unsigned)getpid()) ||
			  put(p, MARK_CHILD, (unsigned)child) != (child > 0) ||
			  put(p, MARK_DIR, (unsigned)dir_fd) != (dir_fd >= 0)))
		r = -EPROTO;
	return r ? said(r, e) : load(p, e);
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
	r = export(f, r, &prepared);
	prepared.use = 0;
	return r ? said(r, e) : load(&prepared, e);
}

#endif
