/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run/watchdog.h - the one timer, armed for the earliest head of all paths
 *
 * Theory of operation
 *   An absolute CLOCK_MONOTONIC timerfd: absolute, so that no time is lost between
 *   reading the clock and arming; a timerfd, since a waiting time given to epoll is
 *   rounded and slack is added to it. It sits edge-triggered in the epoll and is never
 *   read. Arming it for the instant it is armed for already costs nothing, which makes
 *   "re-armed only when the earliest instant changes" the caller's plain call.
 */
#ifndef FW_RUN_WATCHDOG_H
#define FW_RUN_WATCHDOG_H

#include "base/clock.h"
#include "base/err.h"

struct watchdog {
	int fd;
	nsec_t armed_ns; /* NSEC_NEVER: not armed */
	uint64_t arms;
};

/** watchdog_open() - Make the timer, not armed. Return: 0 or -errno. */
int watchdog_open(struct watchdog *w, struct err *e);

/** watchdog_close() - Close it. */
void watchdog_close(struct watchdog *w);

/**
 * watchdog_arm() - Wake the epoll at an instant
 * @at_ns: absolute; in the past: at once; NSEC_NEVER: not at all
 *
 * An armed timer is left alone when @at_ns is NSEC_NEVER and nothing waits for it: it
 * would cost a call to disarm it and at most one needless wake-up not to. Hot path.
 */
void watchdog_arm(struct watchdog *w, nsec_t at_ns);

/** watchdog_fired() - The epoll has reported it. */
static inline void watchdog_fired(struct watchdog *w)
{
	w->armed_ns = NSEC_NEVER;
}

#endif
