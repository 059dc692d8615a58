/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * base/clock.c - the one clock: CLOCK_MONOTONIC in ns
 */
#include "config.h"

#include "base/clock.h"

#include <time.h>

nsec_t clock_now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (nsec_t)ts.tv_sec * NSEC_PER_SEC + ts.tv_nsec;
}
