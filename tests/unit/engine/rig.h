/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests/unit/engine/rig.h - a path with a pool and a virtual clock
 */
#ifndef FW_TESTS_ENGINE_RIG_H
#define FW_TESTS_ENGINE_RIG_H

#include "engine/path.h"

#include <stdbool.h>

#define MS NSEC_PER_MSEC
/* Percent as tc turns it into a fraction of 2^32 - 1. */
#define PERCENT(p) ((uint32_t)((p) / 100.0 * UINT32_MAX + 0.5))

struct rig {
	struct buf_pool *pool;
	struct path *path;
	const struct count *count;
};

/* A frame that came out: its number, when it was due, whether it is a copy. */
struct rig_out {
	uint32_t id;
	nsec_t due_ns;
	bool is_copy;
};

/** rig_spec() - netem without any impairment, limit 1000, seed 1. */
struct spec rig_spec(void);

/** rig_init() - A path made at @start_ns; rig_fini() checks the books and frees. */
void rig_init(struct rig *r, const struct spec *s, nsec_t start_ns);
void rig_fini(struct rig *r);

/** rig_push() - A frame of @n_bytes (18 or more) that carries @id behind its header. */
void rig_push(struct rig *r, uint32_t id, uint32_t n_bytes, nsec_t at_ns);

/** rig_pop() - Up to @max frames due by @now_ns; their references are given back. */
unsigned rig_pop(struct rig *r, nsec_t now_ns, struct rig_out *out, unsigned max);

/** rig_drain() - The same, step by step at each instant, until nothing waits. */
unsigned rig_drain(struct rig *r, struct rig_out *out, unsigned max);

/** rig_check_books() - The law of engine/count.h, and the backlog's own rules. */
void rig_check_books(const struct rig *r);

#endif
