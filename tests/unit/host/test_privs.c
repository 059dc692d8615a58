/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests/unit/host/test_privs.c - mirrors src/host/privs.c, src/host/filter.c, src/host/rank.c
 *
 * What falls cannot be taken up again, so every test falls in a child.
 */
#include "config.h"

#include "host/filter.h"
#include "host/host.h"
#include "host/privs.h"
#include "host/rank.h"
#include "unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* The same on all machines; older headers lack it. */
#define LANDLOCK_CREATE_RULESET 444

/* Run @f in a child; it returns 0 or the number of the line that failed. */
static void assert_in_child(int (*f)(void))
{
	int status;
	pid_t pid = fork();

	if (pid == 0)
		_exit(f());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status))
		fail_msg("check %d failed", WEXITSTATUS(status));
}

static unsigned long long status_hex(const char *key)
{
	char line[256];
	unsigned long long v = ~0ULL;
	FILE *f = fopen("/proc/self/status", "re");

	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, key, strlen(key)))
			v = strtoull(line + strlen(key), NULL, 16);
	if (f)
		fclose(f);
	return v;
}

static int fall(void)
{
	bool had_setup = privs_can_setup();

	if (privs_fall() != 0)
		return 1;
	if (status_hex("CapEff:") || status_hex("CapPrm:") || status_hex("CapInh:") ||
		status_hex("CapAmb:"))
		return 2;
	if (had_setup && status_hex("CapBnd:"))
		return 3;
	if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1)
		return 4;
	return privs_can_setup() || privs_can_setuid() || privs_can_lock() ? 5 : 0;
}

static void all_sets_fall(void **state)
{
	(void)state;
	assert_in_child(fall);
}

#ifndef SANITIZED

static int refused(long r)
{
	return r == -1 && errno == EPERM;
}

static int filtered(void)
{
	pid_t parent = getppid(), child;
	struct timespec ts;
	struct err e;
	char c = 'x';
	int fd[2];

	if (pipe2(fd, O_CLOEXEC) < 0)
		return 1;
	child = fork();
	if (child == 0) {
		pause();
		_exit(0);
	}
	if (privs_fall() != 0 || filter_load(child, -1, &e) != 0)
		return 2;
	if (write(fd[1], &c, 1) != 1 || read(fd[0], &c, 1) != 1)
		return 3;
	if (clock_gettime(CLOCK_MONOTONIC, &ts) < 0 || !malloc(1 << 22))
		return 4;
	if (!refused(open("/dev/null", O_RDONLY)))
		return 5;
	if (!refused(socket(AF_INET, SOCK_STREAM, 0)))
		return 6;
	if (!refused(fork()))
		return 7;
	if (mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		    0) != MAP_FAILED ||
		errno != EPERM)
		return 8;
	if (!refused(mprotect((void *)((size_t)&filtered & ~4095UL), 4096,
		    PROT_READ | PROT_EXEC)))
		return 9;
	if (!refused(kill(parent, 0)))
		return 10;
	if (!refused(kill(-1, 0)))
		return 11;
	if (!refused(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) ||
		prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0)
		return 12;
	if (kill(getpid(), 0) < 0)
		return 13;
	if (kill(child, SIGKILL) < 0 || waitpid(child, NULL, 0) != child)
		return 14;
	return 0;
}

/* What was made before the fork holds the numbers of the one who loads it. */
static int filtered_by_another(void)
{
	pid_t parent = getpid(), pid;
	int status, dir = open("/tmp", O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct err e;

	/* With a use that will not be asked for, too: then another one is made. */
	for (unsigned use = 0; use <= FILTER_RANK; use += FILTER_RANK) {
		filter_prepare(use);
		pid = fork();
		if (pid == 0) {
			if (privs_fall() != 0 || filter_load(0, dir, &e) != 0)
				_exit(1);
			if (kill(getpid(), 0) < 0 || !refused(kill(parent, 0)))
				_exit(2);
			if (!refused(unlinkat(dir + 1, "x", 0)))
				_exit(3);
			if (unlinkat(dir, "no-such-file-of-test-privs", 0) != -1 ||
				errno != ENOENT)
				_exit(4);
			_exit(refused(sched_setscheduler(
				      0, SCHED_OTHER, &(struct sched_param){0}))
					? 0
					: 5);
		}
		if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
			return 10;
		if (WEXITSTATUS(status))
			return WEXITSTATUS(status);
	}
	return 0;
}

/* Made before the fork: the child, fenced in, cannot remove it. */
static char top[] = "/tmp/farwire-test-XXXXXX";

/* A link removes its socket, and nothing anywhere else. */
static int leaving(void)
{
	char other[64];
	bool has_landlock = syscall(LANDLOCK_CREATE_RULESET, NULL, 0, 1) > 0;
	int dir, elsewhere;
	struct err e;

	snprintf(other, sizeof(other), "%s/other", top);
	if (mkdir(other, 0700) < 0)
		return 2;
	dir = open(other, O_PATH | O_DIRECTORY | O_CLOEXEC);
	elsewhere = open(top, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (mknodat(dir, "a", S_IFREG | 0600, 0) < 0 ||
		mknodat(elsewhere, "b", S_IFREG | 0600, 0) < 0)
		return 3;
	if (privs_fall() != 0 || filter_load(0, dir, &e) != 0)
		return 4;
	if (!refused(unlinkat(elsewhere, "b", 0)) || !refused(unlink("b")))
		return 5;
	if (!refused(unlinkat(dir, "a", AT_REMOVEDIR)) ||
		!refused(openat(dir, "a", O_RDONLY)))
		return 6;
	if (unlinkat(dir, "a", 0) < 0)
		return 7;
	/* That one is Landlock's, where the kernel has it. */
	if (has_landlock && (unlinkat(dir, "../b", 0) == 0 || errno != EACCES))
		return 8;
	return 0;
}

#endif

static void files_are_removed_from_one_directory_alone(void **state)
{
	(void)state;
#ifndef SANITIZED
	char cmd[64];

	assert_non_null(mkdtemp(top));
	assert_in_child(leaving);
	snprintf(cmd, sizeof(cmd), "rm -rf %s", top);
	assert_int_equal(system(cmd), 0);
#endif
}

static void only_the_loops_calls_are_left(void **state)
{
	(void)state;
#ifndef SANITIZED
	assert_in_child(filtered);
#endif
}

static void a_filter_can_be_made_before_the_fork(void **state)
{
	(void)state;
#ifndef SANITIZED
	assert_in_child(filtered_by_another);
#endif
}

static int ranked(void)
{
	struct host_rank r;
	struct err e;
	pid_t pid;
	int status;

	if (sched_getscheduler(0) != SCHED_OTHER)
		return 1;
	if (host_rank(RANK_AUTO, &r, &e) < 0)
		return 9;
	if (r.fifo) {
		if ((sched_getscheduler(0) & ~SCHED_RESET_ON_FORK) != SCHED_FIFO)
			return 2;
	} else if (getpriority(PRIO_PROCESS, 0) != r.nice) {
		return 3;
	}
	/* Real-time processes have none at all. */
	if (prctl(PR_GET_TIMERSLACK) > 1)
		return 4;
	pid = fork();
	if (pid == 0)
		_exit(sched_getscheduler(0) != SCHED_OTHER ||
			getpriority(PRIO_PROCESS, 0) < 0);
	if (waitpid(pid, &status, 0) != pid || status)
		return 5;
	return 0;
}

static void the_rank_is_as_told_and_not_inherited(void **state)
{
	(void)state;
	assert_in_child(ranked);
}

static int with_one_cpu(void)
{
	cpu_set_t one;
	int cpu = sched_getcpu();

	CPU_ZERO(&one);
	CPU_SET(cpu < 0 ? 0 : (unsigned)cpu, &one);
	if (sched_setaffinity(0, sizeof(one), &one) < 0)
		return 1;
	return rank_fifo() == -EAGAIN ? 0 : 2;
}

static void with_one_cpu_nobody_is_starved(void **state)
{
	(void)state;
	assert_in_child(with_one_cpu);
}

/* What is taken after the fall must not meet a limit that did not count before it. */
static int grow_after_fall(void)
{
	struct rlimit lim = {.rlim_cur = 64 << 10, .rlim_max = 64 << 10};
	struct host_rank r;
	struct err e;
	void *p;

	if (setrlimit(RLIMIT_MEMLOCK, &lim) < 0)
		return 1;
	if (host_rank(RANK_AUTO, &r, &e) < 0)
		return 9;
	if (host_drop(&e) < 0)
		return 2;
	p = mmap(NULL, 64 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		-1, 0);
	return p == MAP_FAILED ? 3 : 0;
}

static void locked_memory_still_grows_after_the_fall(void **state)
{
	(void)state;
	assert_in_child(grow_after_fall);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_sets_fall),
		cmocka_unit_test(only_the_loops_calls_are_left),
		cmocka_unit_test(a_filter_can_be_made_before_the_fork),
		cmocka_unit_test(files_are_removed_from_one_directory_alone),
		cmocka_unit_test(the_rank_is_as_told_and_not_inherited),
		cmocka_unit_test(with_one_cpu_nobody_is_starved),
		cmocka_unit_test(locked_memory_still_grows_after_the_fall),
	};

	return cmocka_run_group_tests_name("host/privs", tests, NULL, NULL);
}
