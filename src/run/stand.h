/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run/stand.h - when the forwarder steps down from its rank, so that others get a turn
 *
 * Theory of operation
 *   With SCHED_FIFO a frame that is due finds a CPU at once, whatever else runs. Where
 *   no frame waits for its time nothing is to be late, and the rank only keeps a CPU from
 *   those who send and receive: the scheduler seldom moves who waits behind it, and with
 *   two CPUs the receiver of a flood gets a quarter of what he could have. So the
 *   forwarder steps down to an ordinary process when for a whole window
 *
 *     no frame has waited for its time,
 *     it has worked for more than a quarter of the time, and
 *     somebody waits for a CPU, but not so many that one among equals would starve
 *
 *   and takes its rank again as soon as a frame waits, when it has slept for seven
 *   eighths of a window, or was kept from working for five eighths of one. After the
 *   latter it keeps it for a second, next time for two, up to a minute: who floods from
 *   many processes is not tried over and over.
 *
 *   Who waits is told by the number of runnable processes in /proc/loadavg, read once a
 *   window while there is reason to.
 *
 * Cost     two comparisons a turn; a read of that file a window of work; two system calls
 *          a change.
 */
#ifndef FW_RUN_STAND_H
#define FW_RUN_STAND_H

#include "base/clock.h"

#include <stdbool.h>
#include <stdint.h>

struct stand {
	bool may;        /* it has a rank to step down from, and may take it again */
	bool down;       /* it has stepped down */
	bool has_waited; /* a frame for its time, in this window */
	int loadavg_fd;
	unsigned n_cpus;
	nsec_t window_start_ns;
	nsec_t slept_ns; /* in this window */
	nsec_t kept_ns;  /* in this window: others ran while there was work */
	nsec_t turn_ns;  /* the last instant at which it was seen to work */
	nsec_t stay_until_ns, stay_ns;
	uint64_t steps; /* times it has stepped down */
	/* Asked for the rank where it may not be taken; NULL: nobody. */
	void (*ask)(void *ctx, int priority);
	void *ask_ctx;
	/* How it is done; tests have their own. Return: 0 or -errno; a number or -1. */
	int (*set)(struct stand *s, bool down);
	int (*runnable)(const struct stand *s);
};

/**
 * stand_open() - Before privileges fall
 * @s: filled; .may is false where /proc/loadavg is not to be had
 */
void stand_open(struct stand *s);

void stand_close(struct stand *s);

/**
 * stand_turn() - A turn ends
 * @now_ns:  just read
 * @next_ns: when the next frame is due
 *
 * Hot path.
 */
void stand_turn(struct stand *s, nsec_t now_ns, nsec_t next_ns);

/** stand_slept() - It has slept from @from_ns to @to_ns. Hot path. */
static inline void stand_slept(struct stand *s, nsec_t from_ns, nsec_t to_ns)
{
	s->slept_ns += to_ns - from_ns;
	s->turn_ns = to_ns;
}

#endif
