/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/rng.h - the generator behind every verdict: LFSR113, as netem seeds it
 *
 * Source   P. L'Ecuyer, "Tables of maximally equidistributed combined LFSR generators",
 *          1999; the same generator as the kernel's prandom_u32_state().
 */
#ifndef FW_ENGINE_RNG_H
#define FW_ENGINE_RNG_H

#include <stdint.h>

struct rng {
	uint32_t s[4];
};

/*
 * Distance between the seeds of a path's two streams: the second serves what the kernel
 * takes from its system generator. 2^64 divided by the golden ratio.
 */
#define RNG_SECOND_STREAM 0x9E3779B97F4A7C15u

/** rng_seed() - Start as netem's `seed N` does: 32 bits of N survive, nothing
 * discarded. */
void rng_seed(struct rng *r, uint64_t seed);

/** rng_seed_chain() - Start by the published recipe, for the reference values. */
void rng_seed_chain(struct rng *r, uint32_t x);

/** rng_next() - The next number, uniform over 32 bits. Hot path. */
static inline uint32_t rng_next(struct rng *r)
{
	uint32_t *s = r->s;

	s[0] = ((s[0] & 0xFFFFFFFEu) << 18) ^ (((s[0] << 6) ^ s[0]) >> 13);
	s[1] = ((s[1] & 0xFFFFFFF8u) << 2) ^ (((s[1] << 2) ^ s[1]) >> 27);
	s[2] = ((s[2] & 0xFFFFFFF0u) << 7) ^ (((s[2] << 13) ^ s[2]) >> 21);
	s[3] = ((s[3] & 0xFFFFFF80u) << 13) ^ (((s[3] << 3) ^ s[3]) >> 12);
	return s[0] ^ s[1] ^ s[2] ^ s[3];
}

/** rng_below() - A number in [0, @n), from one draw. */
static inline uint32_t rng_below(struct rng *r, uint32_t n)
{
	return (uint32_t)((uint64_t)rng_next(r) * n >> 32);
}

#endif
