/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/rng.c - seeding of the generator
 */
#include "config.h"

#include "engine/rng.h"

/* Below these a word of the generator would be stuck at zero. */
static const uint32_t word_min[4] = {2, 8, 16, 128};

static uint32_t at_least(uint32_t v, uint32_t min)
{
	return v < min ? v + min : v;
}

void rng_seed(struct rng *r, uint64_t seed)
{
	uint32_t i = (uint32_t)((seed >> 32) ^ (seed << 10) ^ seed);

	for (unsigned k = 0; k < 4; k++)
		r->s[k] = at_least(i, word_min[k]);
}

void rng_seed_chain(struct rng *r, uint32_t x)
{
	for (unsigned k = 0; k < 4; k++) {
		x = at_least(69069u * x, word_min[k]);
		r->s[k] = x;
	}
	for (unsigned k = 0; k < 10; k++)
		rng_next(r);
}
