/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bench/micro.h - CPU time and medians, for the micro benches
 */
#ifndef FW_BENCH_MICRO_H
#define FW_BENCH_MICRO_H

#include "base/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* CPU time, since others may share the machine. */
static inline nsec_t micro_cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * NSEC_PER_SEC + t.tv_nsec;
}

static inline int micro_by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The median of @n values with their spread; @v is sorted. */
static inline void micro_row(const char *name, double *v, size_t n, const char *unit)
{
	qsort(v, n, sizeof(*v), micro_by_value);
	printf("%s=%.2f %s (%.2f..%.2f)\n", name, v[n / 2], unit, v[0], v[n - 1]);
}

#endif
