/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/timeq.h - frames waiting for their due time
 *
 * Theory of operation
 *   Three containers, as in netem. A *head list* of reordered frames, last in first
 *   out, which leaves before all else. A *ring* of frames that came in order: a frame
 *   due at or after the ring's last is appended. A *heap*, 4-ary, for those due earlier
 *   than the ring's last. Among ring and heap the earlier due leaves first; equal dues
 *   leave in order of arrival, so delay without jitter never reorders.
 *
 *   A heap of 10^5 frames waits for memory on every level. So when it grows past a few
 *   thousand, frames due later move to *bins* (engine/bins.h), and the heap keeps what is
 *   due before the bins' horizon, and the rare frame that is due beyond the last bin. A
 *   bin is moved into the heap when all that came before it has left: whenever there are
 *   frames in bins, the heap's first is due before the horizon. Below, heap means both.
 *
 *   Invariant: whenever the heap holds a frame h, the ring holds one that came earlier
 *   than h and is due later. For h went to the heap because the ring's last was due
 *   later; the due of the ring's last only rises while the ring is not empty; and the
 *   ring cannot run empty before h leaves, since its last frame is due after h. Hence
 *     - equal dues: the ring's frame came first (if r in the ring came after h, it is
 *       due no earlier than the ring's last at the time h came, that is later than h);
 *     - a frame from the heap has always overtaken one; a frame from the ring never has
 *       (one that came earlier and still waits in the heap would be due earlier, by the
 *       same argument); a frame from the head list has if another one is left there or
 *       the ring's first came earlier (the ring's first is the earliest of ring and
 *       heap);
 *     - the latest due of all is the ring's last.
 *
 * Limits   none of its own; arrays grow by doubling, never per frame, and do not shrink.
 * Cost     in order O(1), else O(log n); peek O(1); reset walks the arrays once, by
 *          chunks of memory, and touches no frame.
 * Owner    the path that embeds it. A queued frame belongs to the queue until popped.
 * Source   netem's time-ordered FIFO: tc-netem(8), net/sched/sch_netem.c in Linux.
 */
#ifndef FW_ENGINE_TIMEQ_H
#define FW_ENGINE_TIMEQ_H

#include "engine/bins.h"
#include "wire/frame.h"

#include <stdbool.h>
#include <stdint.h>

/* A double-ended array of frames, its size a power of two. */
struct frame_ring {
	struct frame *at;
	uint32_t first, n, mask;
};

/* What the heap sorts: 16 bytes, so that the four children of a node fill a cache line.
 */
struct timeq_key {
	nsec_t due_ns;
	uint32_t order;
	uint32_t slot;
};

/* The rest of a frame in the heap; a free slot names the next free one in order. */
struct timeq_slot {
	struct buf *buf;
	uint32_t next_free;
	uint16_t seg, flags;
};

struct timeq {
	uint32_t n;          /* frames in all three containers */
	uint32_t next_order; /* of the next frame pushed */
	struct frame_ring ring;
	struct timeq_key *heap; /* node 0 lies 48 bytes behind a cache line's start */
	uint32_t heap_n, heap_max;
	uint32_t spill_n; /* when the heap has so many, look whether bins would help */
	struct timeq_slot *slot;
	uint32_t slot_n; /* slots ever used */
	uint32_t slot_free;
	struct frame_ring head;
	struct bins *bins; /* NULL until first needed */
};

/* Rings serve the path as well, for frames ready to leave. */

bool frame_ring_grow_(struct frame_ring *r);

/** frame_ring_reserve() - Make room for one more. Return: false when memory ran out. */
static inline bool frame_ring_reserve(struct frame_ring *r)
{
	return (r->at && r->n <= r->mask) || frame_ring_grow_(r);
}

/** frame_ring_push() - Append to a ring in which room was reserved. */
static inline void frame_ring_push(struct frame_ring *r, const struct frame *f)
{
	r->at[(r->first + r->n++) & r->mask] = *f;
}

/** frame_ring_shift() - Remove the first; @r is not empty. */
static inline struct frame frame_ring_shift(struct frame_ring *r)
{
	struct frame f = r->at[r->first];

	r->n--;
	/* An empty ring starts over where the cache is warm. */
	r->first = r->n ? (r->first + 1) & r->mask : 0;
	return f;
}

/** frame_ring_shift_n() - Remove up to @max from the front. Return: how many. */
static inline unsigned frame_ring_shift_n(
	struct frame_ring *r, struct frame *out, unsigned max)
{
	unsigned n = r->n < max ? r->n : max;

	for (unsigned i = 0; i < n; i++)
		out[i] = r->at[(r->first + i) & r->mask];
	r->n -= n;
	r->first = r->n ? (r->first + n) & r->mask : 0;
	return n;
}

/** timeq_init() / timeq_fini() - An empty queue without memory; free the arrays. */
void timeq_init(struct timeq *q);
void timeq_fini(struct timeq *q);

bool timeq_push_early_(struct timeq *q, const struct frame *f);
bool timeq_pop_early_(struct timeq *q, struct frame *f);

/**
 * timeq_push() - Take a frame and hold it until f->due_ns
 * @q: queue
 * @f: frame, copied; its order number is given here. A past due is due at once.
 *
 * Return: true; false when memory ran out, then the caller still owns the frame.
 * Does not block; allocates only when an array must double. Hot path.
 */
static inline bool timeq_push(struct timeq *q, const struct frame *f)
{
	struct frame_ring *r = &q->ring;
	struct frame *last;

	if (r->n && f->due_ns < r->at[(r->first + r->n - 1) & r->mask].due_ns)
		return timeq_push_early_(q, f);
	if (!frame_ring_reserve(r))
		return false;
	last = &r->at[(r->first + r->n++) & r->mask];
	*last = *f;
	last->order = q->next_order++;
	q->n++;
	return true;
}

/**
 * timeq_push_run() - Take segments of one buf that are all due at f->due_ns
 * @f: the first; the others are those behind it
 * @n: how many, at least 1
 *
 * Return: true; false when one is due later that waits already, or when memory ran out:
 * then nothing was taken. Hot path.
 */
bool timeq_push_run(struct timeq *q, const struct frame *f, unsigned n);

/** timeq_push_head() - Take a reordered frame: it leaves before all that wait. */
bool timeq_push_head(struct timeq *q, const struct frame *f);

/**
 * timeq_pop() - Remove the frame that leaves first
 * @q: queue, not empty
 * @f: filled; the caller's from now
 *
 * Return: whether a frame that came earlier still waits. Hot path.
 */
static inline bool timeq_pop(struct timeq *q, struct frame *f)
{
	struct frame_ring *r = &q->ring;

	if (q->head.n || (q->heap_n && q->heap[0].due_ns < r->at[r->first].due_ns))
		return timeq_pop_early_(q, f);
	q->n--;
	*f = frame_ring_shift(r);
	return false;
}

/** timeq_is_in_order() - Is all that waits in the ring? Then timeq_pop_due() serves. */
static inline bool timeq_is_in_order(const struct timeq *q)
{
	return !q->head.n && !q->heap_n;
}

/** timeq_pop_due() - Remove the first, if it is due. Return: whether. Hot path. */
static inline bool timeq_pop_due(struct timeq *q, nsec_t now_ns, struct frame *f)
{
	struct frame_ring *r = &q->ring;

	if (!r->n || r->at[r->first].due_ns > now_ns)
		return false;
	q->n--;
	*f = frame_ring_shift(r);
	return true;
}

/** timeq_reset() - Drop all frames. */
void timeq_reset(struct timeq *q, struct buf_pool *pool);

/** timeq_first_ns() - Due of the first frame of ring and heap, which are not empty. */
static inline nsec_t timeq_first_ns(const struct timeq *q)
{
	nsec_t ns = q->ring.at[q->ring.first].due_ns;

	if (q->heap_n && q->heap[0].due_ns < ns)
		ns = q->heap[0].due_ns;
	return ns;
}

/**
 * timeq_last_ns() - The latest due of all that wait, as netem's rate looks for it
 *
 * Of the head list only the frame that leaves last counts. @q is not empty.
 */
nsec_t timeq_last_ns(const struct timeq *q);

/** frame_ring_reset() - Drop all frames; the memory stays. */
void frame_ring_reset(struct frame_ring *r, struct buf_pool *pool);

#endif
