/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/loss.c - the three loss models
 */
#include "config.h"

#include "engine/loss.h"

void loss_set(struct loss *l, const struct netem_conf *c)
{
	l->model = c->loss_model;
	l->random.p32 = c->loss.p32;
	l->random.corr.rho_p32 = c->loss.corr_p32;
	l->p13_p32 = c->p13_p32;
	l->p31_p32 = c->p31_p32;
	l->p32_p32 = c->p32_p32;
	l->p23_p32 = c->p23_p32;
	l->p14_p32 = c->p14_p32;
	l->ge_p_p32 = c->ge_p_p32;
	l->ge_r_p32 = c->ge_r_p32;
	l->ge_h_p32 = P32_ONE - c->ge_1_h_p32;
	l->ge_1_k_p32 = c->ge_1_k_p32;
}

/*
 * The frame's fate is that of the state it leads to. Two halves of 50 % are each rounded
 * up, and their sum would wrap in 32 bits.
 */
static bool chain_hit(struct loss *l, struct rng *r)
{
	uint32_t v = rng_next(r);

	switch (l->state) {
	case LOSS_S1:
		if (v < l->p14_p32)
			l->state = LOSS_S4;
		else if (v < (uint64_t)l->p13_p32 + l->p14_p32)
			l->state = LOSS_S3;
		break;
	case LOSS_S2:
		if (v < l->p23_p32)
			l->state = LOSS_S3;
		break;
	case LOSS_S3:
		if (v < l->p32_p32)
			l->state = LOSS_S2;
		else if (v < (uint64_t)l->p31_p32 + l->p32_p32)
			l->state = LOSS_S1;
		break;
	case LOSS_S4:
		l->state = LOSS_S1;
		break;
	}
	return l->state == LOSS_S3 || l->state == LOSS_S4;
}

/* The frame's fate is that of the state in which it came. */
static bool gemodel_hit(struct loss *l, struct rng *r)
{
	uint32_t move = rng_next(r), fate = rng_next(r);

	if (l->state == LOSS_S1) {
		if (move < l->ge_p_p32)
			l->state = LOSS_S2;
		return fate < l->ge_1_k_p32;
	}
	if (move < l->ge_r_p32)
		l->state = LOSS_S1;
	return fate > l->ge_h_p32;
}

bool loss_hit(struct loss *l, struct rng *r)
{
	switch (l->model) {
	case LOSS_RANDOM:
		return decision_hit(&l->random, r);
	case LOSS_STATE:
		return chain_hit(l, r);
	case LOSS_GEMODEL:
		return gemodel_hit(l, r);
	}
	return false;
}
