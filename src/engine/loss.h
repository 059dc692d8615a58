/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/loss.h - which frames are lost: at random, or by a Markov chain
 *
 * Source   S. Salsano et al., "Definition of a general and intuitive loss model for
 *          packet networks", 2010; letters and states as users of tc number them.
 */
#ifndef FW_ENGINE_LOSS_H
#define FW_ENGINE_LOSS_H

#include "conf/conf.h"
#include "engine/corr.h"

#include <stdbool.h>

/* Both chains: 1 good. Four states: 2 good within a burst, 3 lost within a burst, 4
 * lost alone. Gilbert-Elliott: 2 bad. */
enum loss_state { LOSS_S1 = 1, LOSS_S2, LOSS_S3, LOSS_S4 };

struct loss {
	enum loss_model model;
	enum loss_state state;
	struct decision random;
	uint32_t p13_p32, p31_p32, p32_p32, p23_p32, p14_p32;
	/* good to bad, bad to good; kept while bad, lost while good */
	uint32_t ge_p_p32, ge_r_p32, ge_h_p32, ge_1_k_p32;
};

/**
 * loss_set() - Take the model and its numbers from @c
 *
 * Where a chain stands and the last correlated draw stay: a fresh @l has to be given
 * LOSS_S1 and a draw.
 */
void loss_set(struct loss *l, const struct netem_conf *c);

/** loss_hit() - Is this frame lost? Draws 0 or 1, 1, or 2 numbers. Hot path. */
bool loss_hit(struct loss *l, struct rng *r);

#endif
