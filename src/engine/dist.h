/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/dist.h - from a random number to a delay: uniform, or through a table
 *
 * A table holds multiples of the jitter times DIST_SCALE; a random number picks one
 * entry. Arithmetic is netem's, to the nanosecond.
 */
#ifndef FW_ENGINE_DIST_H
#define FW_ENGINE_DIST_H

#include "base/clock.h"
#include "base/err.h"
#include "conf/conf.h"

#include <stdbool.h>
#include <stdint.h>

/* A table entry of this much is one jitter. */
#define DIST_SCALE 8192
/* Entries of the built-in tables, as in the files that iproute2 ships. */
#define DIST_BUILTIN_VALUES 4096
/* The kernel's bound on jitter, an int. */
#define DIST_JITTER_MAX_NS INT32_MAX

/* Zero is the uniform distribution. */
struct dist {
	enum dist_kind kind;
	int16_t *values; /* NULL: uniform; owned */
	uint32_t n_values;
};

/**
 * dist_init() - Make the table that @c names
 *
 * Return: 0, or -ENOMEM with @e filled. dist_fini() frees it.
 */
int dist_init(struct dist *d, const struct dist_conf *c, struct err *e);
void dist_fini(struct dist *d);

/** dist_is() - Is @d what dist_init() would make of @c? */
bool dist_is(const struct dist *d, const struct dist_conf *c);

/**
 * dist_delay_ns() - Delay for one random number
 * @d:         distribution
 * @center_ns: mean (of the uniform one: the middle)
 * @jitter_ns: 1..DIST_JITTER_MAX_NS; half-width, or what DIST_SCALE stands for
 * @random:    32 random bits
 *
 * Return: ns, possibly negative. Hot path.
 */
nsec_t dist_delay_ns(
	const struct dist *d, nsec_t center_ns, uint32_t jitter_ns, uint32_t random);

/** dist_scale_ns() - @jitter_ns times @value / DIST_SCALE, rounded half away from 0. */
nsec_t dist_scale_ns(uint32_t jitter_ns, int16_t value);

#endif
