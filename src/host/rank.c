/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/rank.c - the forwarder outranks the senders
 *
 * Theory of operation
 *   Senders that outnumber the forwarder would starve it under equal shares: the one
 *   who drains must not compete with all who fill. With one CPU a real-time forwarder
 *   could in turn starve those it serves, so there it takes nice only. The command was
 *   forked before and has none of this; RESET_ON_FORK keeps it from whatever is forked
 *   later.
 */
#include "config.h"

#include "host/rank.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include "host/host.h"
#include "host/privs.h"

#define NICE_BEST (-20)

int rank_fifo(void)
{
	struct sched_param p = {.sched_priority = RANK_PRIORITY};
	cpu_set_t cpus;

	/* More CPUs than the set holds: certainly more than one. */
	if (sched_getaffinity(0, sizeof(cpus), &cpus) == 0 && CPU_COUNT(&cpus) < 2)
		return -EAGAIN;
	if (sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &p) < 0)
		return -errno;
	return 0;
}

static int take_nice(void)
{
	struct sched_param p = {0};
	int n, was;

	errno = 0;
	was = getpriority(PRIO_PROCESS, 0);
	if (errno)
		return 0;
	(void)sched_setscheduler(0, SCHED_OTHER | SCHED_RESET_ON_FORK, &p);
	for (n = NICE_BEST; n < was; n++)
		if (setpriority(PRIO_PROCESS, 0, n) == 0)
			return n;
	return was;
}

/*
 * With CAP_IPC_LOCK the limit does not count, but the capability falls soon: memory
 * taken later would then be refused. So the limit must go as well, or what is locked is
 * only what is there now.
 */
static bool lock_memory(void)
{
	struct rlimit all = {.rlim_cur = RLIM_INFINITY, .rlim_max = RLIM_INFINITY}, now;

	if (getrlimit(RLIMIT_MEMLOCK, &now) < 0)
		return false;
	if (now.rlim_cur != RLIM_INFINITY) {
		if (!privs_can_lock())
			return false;
		if (setrlimit(RLIMIT_MEMLOCK, &all) < 0) {
			(void)mlockall(MCL_CURRENT | MCL_ONFAULT);
			return false;
		}
	}
	return mlockall(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT) == 0;
}

bool rank_may_climb(void)
{
	struct rlimit now;

	return getrlimit(RLIMIT_RTPRIO, &now) == 0 &&
	       (now.rlim_cur >= RANK_PRIORITY || privs_can_raise());
}

/* Whoever steps down from the rank may take it again without any right. */
static bool keep_the_way(void)
{
	struct rlimit one = {.rlim_cur = RANK_PRIORITY, .rlim_max = RANK_PRIORITY}, now;

	if (getrlimit(RLIMIT_RTPRIO, &now) < 0)
		return false;
	return now.rlim_cur >= RANK_PRIORITY || setrlimit(RLIMIT_RTPRIO, &one) == 0;
}

int host_rank(enum rank_wish wish, struct host_rank *r, struct err *e)
{
	int rc = 0;

	*r = (struct host_rank){.locked = lock_memory()};
	if (wish == RANK_AUTO || wish == RANK_FIFO)
		rc = rank_fifo();
	r->fifo = wish <= RANK_FIFO && rc == 0;
	r->may_step = wish == RANK_AUTO && r->fifo;
	r->may_climb = r->may_step && keep_the_way();
	if (wish == RANK_FIFO && rc == -EAGAIN)
		return err_set(e, rc,
			"--priority fifo: there is one CPU only, which the "
			"command needs; write auto");
	if (wish == RANK_FIFO && rc)
		return err_set(e, rc,
			"--priority fifo: %s; run as root, or allow it "
			"(rtprio in limits.conf)",
			strerror(-rc));
	if (!r->fifo && wish != RANK_NONE)
		r->nice = take_nice();
	if (wish == RANK_NICE && r->nice >= 0)
		return err_set(e, -EPERM,
			"--priority nice: not permitted; run as root, or "
			"allow it (nice in limits.conf)");
	prctl(PR_SET_TIMERSLACK, 1UL);
	return 0;
}
