/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/late.c - how late frames left: a histogram with 16 classes a power of two
 *
 * Theory of operation
 *   Classes are cut on lateness in units of 125/128 ns. Then 2^i us is a power of two,
 *   and the coarse classes are sums of whole fine ones. Below 16 units each class is
 *   one unit; above, a class is a sixteenth of its power of two, so its upper end
 *   exceeds no value in it by more than 1/16.
 */
#include "config.h"

#include "engine/count.h"

#define SUB_BITS 4
#define N_SUB (1u << SUB_BITS)
/* The last class ends here, 2.4 hours; what is later is counted in it. */
#define UNITS_MAX ((UINT64_C(1) << (N_LATE_FINE / N_SUB + SUB_BITS - 1)) - 1)
/* 1 us in units. */
#define UNITS_PER_USEC 1024

static unsigned class_of_units(uint64_t units)
{
	unsigned power;

	if (units < N_SUB)
		return (unsigned)units;
	if (units > UNITS_MAX)
		units = UNITS_MAX;
	power = 63 - (unsigned)__builtin_clzll(units);
	return (power - SUB_BITS + 1) * N_SUB + ((units >> (power - SUB_BITS)) % N_SUB);
}

/* First unit beyond class @c. */
static uint64_t class_end_units(unsigned c)
{
	if (c < N_SUB)
		return c + 1;
	return (uint64_t)(c % N_SUB + N_SUB + 1) << (c / N_SUB - 1);
}

void late_add_n(struct late *l, nsec_t late_ns, unsigned n)
{
	uint64_t ns = late_ns < 0 ? 0 : (uint64_t)late_ns;

	l->n += n;
	if (late_ns > l->max_ns)
		l->max_ns = late_ns;
	if (ns > UNITS_MAX)
		ns = UNITS_MAX;
	l->fine[class_of_units(ns * 128 / 125)] += n;
}

nsec_t late_quantile_ns(const struct late *l, double share)
{
	double want = share * (double)l->n;
	uint64_t n = 0;

	for (unsigned c = 0; c < N_LATE_FINE; c++) {
		n += l->fine[c];
		if (n && (double)n >= want) {
			/* The largest ns in the class, but none above the maximum seen.
			 */
			uint64_t ns = (class_end_units(c) * 125 + 127) / 128 - 1;

			return (nsec_t)ns < l->max_ns && c < N_LATE_FINE - 1
				       ? (nsec_t)ns
				       : l->max_ns;
		}
	}
	return l->max_ns;
}

uint64_t late_class(const struct late *l, unsigned i)
{
	unsigned from = 0, to = N_LATE_FINE;
	uint64_t n = 0;

	if (i >= N_LATE_CLASSES)
		return 0;
	if (i > 0)
		from = class_of_units((uint64_t)UNITS_PER_USEC << (i - 1));
	if (i < N_LATE_CLASSES - 1)
		to = class_of_units((uint64_t)UNITS_PER_USEC << i);
	for (unsigned c = from; c < to; c++)
		n += l->fine[c];
	return n;
}
