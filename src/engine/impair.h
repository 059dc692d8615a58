/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/impair.h - netem's order of operations on one frame: its verdict and due time
 *
 * Theory of operation
 *   In this order: twice? lost? (or marked); then, from the still clean frame, the
 *   copy; damaged? over the limit? The copy now runs the same way from the loss on and
 *   is queued first. Then the frame itself: at once, ahead of all (reorder), or
 *   delayed. Each question draws from one generator, and only where it must, so the
 *   sequence of fates of a seed is the kernel's. What the kernel takes from its system
 *   generator (place of a flipped bit, start of a correlation, slots without a
 *   distribution) comes from a second stream.
 *
 *   A segment of a super-frame is a frame like any other. Only where it is to be changed
 *   does it get bytes of its own.
 *
 * Cost     no allocation, but for the copy of a shared frame that is to be changed.
 * Owner    the path that embeds it.
 * Source   netem: tc-netem(8), net/sched/sch_netem.c in Linux.
 */
#ifndef FW_ENGINE_IMPAIR_H
#define FW_ENGINE_IMPAIR_H

#include "base/err.h"
#include "conf/conf.h"
#include "engine/corr.h"
#include "engine/count.h"
#include "engine/dist.h"
#include "engine/loss.h"
#include "engine/rate.h"
#include "engine/rng.h"
#include "engine/timeq.h"
#include "wire/buf.h"
#include "wire/frame.h"

#include <stdbool.h>
#include <stdint.h>

struct impair {
	/* What every frame asks comes first. */
	nsec_t latency_ns;
	uint32_t jitter_ns;
	uint32_t limit_frames;
	uint32_t gap, gap_count; /* frames since the last reordered one */
	bool ecn;
	struct rng rng;
	struct corr delay_corr;
	struct decision duplicate, corrupt, reorder;
	struct loss loss;
	struct rate rate;
	struct dist dist;
	struct rng other; /* second stream */
	bool is_seeded;   /* false only where nothing has ever been impaired */
	/* Not owned. */
	struct timeq *q;
	struct count *count;
	struct buf_pool *pool;
};

/**
 * impair_init() - Take the settings
 * @s: settings; of IMPAIR_NETEM with its seed
 *
 * Return: 0, or -ENOMEM with @e filled. impair_fini() frees.
 */
int impair_init(struct impair *m, const struct spec *s, struct err *e);
void impair_fini(struct impair *m);

/**
 * impair_change() - Take other settings while frames wait
 * @c:    all of the new settings; c->named says which words the command had, and so
 *        what starts anew (see path_change_commit())
 * @dist: the table for @c; taken over. NULL: the present one is right
 *
 * Cannot fail.
 */
void impair_change(struct impair *m, const struct netem_conf *c, struct dist *dist);

/**
 * impair_frame() - Decide on one frame and queue or drop it
 * @f:     frame; its reference goes over
 * @at_ns: when it came
 *
 * Hot path.
 */
void impair_frame(struct impair *m, struct frame f, nsec_t at_ns);

/**
 * impair_run() - Decide on several segments of one buf at once, where that is the same
 * @f:     the first; the others are those behind it. Their references go over.
 * @n:     how many, at least 1
 * @at_ns: when they came; what was due by then has left the queue
 *
 * What nothing is drawn for and whose bytes do not matter is judged once for all.
 *
 * Return: false where each needs a verdict of its own; nothing was done. Hot path.
 */
bool impair_run(struct impair *m, struct frame f, unsigned n, nsec_t at_ns);

#endif
