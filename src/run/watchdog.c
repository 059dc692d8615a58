/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run/watchdog.c - the one timer, armed for the earliest head of all paths
 */
#include "config.h"

#include "run/watchdog.h"

#include "base/fd.h"

#include <assert.h>
#include <sys/timerfd.h>

int watchdog_open(struct watchdog *w, struct err *e)
{
	w->armed_ns = NSEC_NEVER;
	w->arms = 0;
	w->fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	return w->fd < 0 ? err_sys(e, "timer") : 0;
}

void watchdog_close(struct watchdog *w)
{
	fd_close(&w->fd);
}

void watchdog_arm(struct watchdog *w, nsec_t at_ns)
{
	struct itimerspec when = {0};

	if (at_ns == w->armed_ns || at_ns == NSEC_NEVER)
		return;
	/* 0 would disarm it; the past is the past. */
	if (at_ns < 1)
		at_ns = 1;
	when.it_value.tv_sec = at_ns / NSEC_PER_SEC;
	when.it_value.tv_nsec = at_ns % NSEC_PER_SEC;
	if (timerfd_settime(w->fd, TFD_TIMER_ABSTIME, &when, NULL) < 0)
		assert(!"timerfd_settime refuses a valid time");
	w->armed_ns = at_ns;
	w->arms++;
}
