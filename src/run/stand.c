/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run/stand.c - when the forwarder steps down from its rank, so that others get a turn
 */
#include "config.h"

#include "run/stand.h"

#include "base/fd.h"
#include "conf/conf.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Some turns of others, who get 3 or 4 ms each where they are equals. */
#define WINDOW_NS (20 * NSEC_PER_MSEC)
/* What a turn may take by itself: a batch each way of super-frames. More is others'. */
#define TURN_NS (300 * NSEC_PER_USEC)
#define STAY_MIN_NS NSEC_PER_SEC
#define STAY_MAX_NS (64 * NSEC_PER_SEC)
/* Runnable processes a CPU: with so many one among equals still gets half of one. */
#define CROWD 2

static int set_rank(struct stand *s, bool down)
{
	struct sched_param p = {.sched_priority = down ? 0 : RANK_PRIORITY};
	int policy = (down ? SCHED_OTHER : SCHED_FIFO) | SCHED_RESET_ON_FORK;

	if (sched_setscheduler(0, policy, &p) == 0)
		return 0;
	if (down || !s->ask)
		return -errno;
	s->ask(s->ask_ctx, RANK_PRIORITY);
	return 0;
}

/* "0.20 0.18 0.12 3/80 11206": the number before the slash. Return: it, or -1. */
static int count_runnable(const struct stand *s)
{
	char text[64];
	ssize_t n = pread(s->loadavg_fd, text, sizeof(text) - 1, 0);
	char *slash;

	if (n <= 0)
		return -1;
	text[n] = '\0';
	slash = strchr(text, '/');
	if (!slash)
		return -1;
	*slash = '\0';
	slash = strrchr(text, ' ');
	return slash ? atoi(slash + 1) : -1;
}

void stand_open(struct stand *s)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN);

	*s = (struct stand){.loadavg_fd = open("/proc/loadavg", O_RDONLY | O_CLOEXEC),
		.n_cpus = n > 0 ? (unsigned)n : 1,
		.window_start_ns = clock_now_ns(),
		.stay_ns = STAY_MIN_NS,
		.set = set_rank,
		.runnable = count_runnable};
	s->turn_ns = s->window_start_ns;
	s->may = s->loadavg_fd >= 0;
}

void stand_close(struct stand *s)
{
	fd_close(&s->loadavg_fd);
	s->may = false;
}

static void step(struct stand *s, bool down)
{
	if (s->set(s, down) < 0) {
		s->may = false;
		return;
	}
	s->down = down;
	s->steps += down;
}

static bool somebody_waits(struct stand *s)
{
	int n = s->runnable(s);

	return n > (int)s->n_cpus && n <= (int)(CROWD * s->n_cpus);
}

/* A window is over. */
static void judge(struct stand *s, nsec_t now_ns)
{
	nsec_t long_ns = now_ns - s->window_start_ns;

	if (s->down && s->kept_ns > long_ns / 8 * 5) {
		step(s, false);
		s->stay_until_ns = now_ns + s->stay_ns;
		if (s->stay_ns < STAY_MAX_NS)
			s->stay_ns *= 2;
	} else if (s->down && s->slept_ns > long_ns / 8 * 7) {
		step(s, false);
	} else if (!s->down && !s->has_waited && s->slept_ns < long_ns / 4 * 3 &&
		   now_ns >= s->stay_until_ns && somebody_waits(s)) {
		step(s, true);
	}
	s->window_start_ns = now_ns;
	s->slept_ns = s->kept_ns = 0;
	s->has_waited = false;
}

void stand_turn(struct stand *s, nsec_t now_ns, nsec_t next_ns)
{
	if (!s->may)
		return;
	if (next_ns > now_ns && next_ns != NSEC_NEVER) {
		s->has_waited = true;
		if (s->down)
			step(s, false);
	}
	if (now_ns - s->turn_ns > TURN_NS)
		s->kept_ns += now_ns - s->turn_ns;
	s->turn_ns = now_ns;
	if (now_ns - s->window_start_ns >= WINDOW_NS)
		judge(s, now_ns);
}
