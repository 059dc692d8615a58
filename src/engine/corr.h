/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/corr.h - draws that resemble the last one, and decisions made from them
 *
 * netem's correlation is a weighted mean of the last draw and a new one. That is not
 * uniform: draws crowd to the middle, so the rate of a correlated decision is not the
 * one asked for (tc-netem(8) says nothing of it). It is kept, since it is what users of
 * netem get.
 */
#ifndef FW_ENGINE_CORR_H
#define FW_ENGINE_CORR_H

#include "engine/rng.h"

#include <stdbool.h>
#include <stdint.h>

struct corr {
	uint32_t rho_p32;
	uint32_t last;
};

/** corr_draw() - One number from @r, drawn towards the last. Hot path. */
static inline uint32_t corr_draw(struct corr *c, struct rng *r)
{
	uint32_t v = rng_next(r);
	uint64_t rho = (uint64_t)c->rho_p32 + 1;

	if (c->rho_p32 == 0)
		return v;
	c->last = (uint32_t)((v * ((UINT64_C(1) << 32) - rho) + c->last * rho) >> 32);
	return c->last;
}

/* A yes/no decision: probability 0 is never, and then draws nothing. */
struct decision {
	uint32_t p32;
	struct corr corr;
};

static inline bool decision_hit(struct decision *d, struct rng *r)
{
	return d->p32 != 0 && d->p32 >= corr_draw(&d->corr, r);
}

#endif
