/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * base/clock.h - the one clock: CLOCK_MONOTONIC in ns
 *
 * Only run/ and the set-up in host/ read it; engine/ takes the time as an argument, so
 * that the same code runs under a virtual clock.
 */
#ifndef FW_BASE_CLOCK_H
#define FW_BASE_CLOCK_H

#include <stdint.h>

/* Time or span in ns, signed as in the kernel: a due time may lie in the past. */
typedef int64_t nsec_t;

#define NSEC_PER_USEC ((nsec_t)1000)
#define NSEC_PER_MSEC ((nsec_t)1000000)
#define NSEC_PER_SEC ((nsec_t)1000000000)
/* "No such instant": later than every other. */
#define NSEC_NEVER INT64_MAX

/**
 * clock_now_ns() - Read CLOCK_MONOTONIC
 *
 * Return: ns since boot. Cannot fail; about 30 ns, no system call where the vDSO works.
 */
nsec_t clock_now_ns(void);

#endif
