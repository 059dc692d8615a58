/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/slot.h - a gate before the release: frames leave in bunches
 *
 * Theory of operation
 *   The gate is one instant, the next slot. A frame leaves when it is due and the slot
 *   has come. A frame due after the slot, or a budget used up, moves the slot to a
 *   drawn delay from now and fills the budget again. As in netem, the slot is drawn
 *   anew by every look at the queue that finds it before the first frame's due.
 */
#ifndef FW_ENGINE_SLOT_H
#define FW_ENGINE_SLOT_H

#include "conf/conf.h"
#include "engine/dist.h"
#include "engine/rng.h"

#include <stdbool.h>

struct slot {
	bool active;
	bool has_dist;
	nsec_t next_ns;
	int32_t frames_left, bytes_left;
	int32_t max_frames, max_bytes; /* INT32_MAX: no bound */
	nsec_t min_delay_ns, max_delay_ns;
	nsec_t dist_delay_ns;
	uint32_t dist_jitter_ns;
	struct dist dist;
};

/** slot_init() - Take the settings; the first slot is @now_ns. 0 or -ENOMEM. */
int slot_init(struct slot *s, const struct slot_conf *c, nsec_t now_ns, struct err *e);
void slot_fini(struct slot *s);

/**
 * slot_change() - The same for a slot in use
 * @dist: table for @c, taken over; NULL: the present one stays
 */
void slot_change(
	struct slot *s, const struct slot_conf *c, nsec_t now_ns, struct dist *dist);

/**
 * slot_open() - Draw the next slot from @now_ns
 * @seeded: stream of netem's seed, for a distribution
 * @other:  second stream, for min..max, which netem takes from elsewhere
 */
void slot_open(struct slot *s, nsec_t now_ns, struct rng *seeded, struct rng *other);

/** slot_charge() - A frame has left. Return: whether the budget is used up. */
static inline bool slot_charge(struct slot *s, uint32_t n_bytes)
{
	s->frames_left--;
	s->bytes_left -= (int32_t)n_bytes;
	return s->frames_left <= 0 || s->bytes_left <= 0;
}

#endif
