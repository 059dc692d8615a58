/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/timeq.c - head list, ring and heap
 *
 * The heap's array is placed so that node 1 starts a cache line: then the children of
 * node i, 4i+1 to 4i+4, lie in one line, and their children in the four lines from
 * 16i+5 on. A pop reads those four ahead, because at 10^6 frames it otherwise waits for
 * memory on each of the lowest levels.
 */
#include "config.h"

#include "engine/timeq.h"

#include <stdlib.h>
#include <string.h>

#define ARITY 4
#define CACHE_LINE_BYTES 64
#define NO_SLOT UINT32_MAX
/* First size of an array: a page or so. */
#define N_FIRST 256

void timeq_init(struct timeq *q)
{
	*q = (struct timeq){.slot_free = NO_SLOT};
}

/* The allocation begins three keys before node 0. */
static void *heap_memory(struct timeq_key *heap)
{
	return heap ? heap - (ARITY - 1) : NULL;
}

void timeq_fini(struct timeq *q)
{
	free(q->ring.at);
	free(q->head.at);
	free(heap_memory(q->heap));
	free(q->slot);
}

/* Double @r; what had wrapped round to the start moves behind the old end. */
bool frame_ring_grow_(struct frame_ring *r)
{
	uint32_t old = r->at ? r->mask + 1 : 0;
	uint32_t size = old ? old * 2 : N_FIRST;
	struct frame *at;

	if (size < old)
		return false;
	at = realloc(r->at, size * sizeof(*at));
	if (!at)
		return false;
	if (old)
		memcpy(at + old, at, r->first * sizeof(*at));
	r->at = at;
	r->mask = size - 1;
	return true;
}

static bool key_before(const struct timeq_key *a, const struct timeq_key *b)
{
	return (a->due_ns < b->due_ns) |
	       ((a->due_ns == b->due_ns) & ((int32_t)(a->order - b->order) < 0));
}

static bool heap_grow(struct timeq *q)
{
	uint32_t max = q->heap_max ? q->heap_max * 2 : N_FIRST;
	struct timeq_slot *slot;
	void *keys;

	if (max < q->heap_max)
		return false;
	slot = realloc(q->slot, max * sizeof(*slot));
	if (!slot)
		return false;
	q->slot = slot;
	keys = aligned_alloc(
		CACHE_LINE_BYTES, ((size_t)max + ARITY) * sizeof(struct timeq_key));
	if (!keys)
		return false;
	if (q->heap_n)
		memcpy((struct timeq_key *)keys + ARITY - 1, q->heap,
			q->heap_n * sizeof(struct timeq_key));
	free(heap_memory(q->heap));
	q->heap = (struct timeq_key *)keys + ARITY - 1;
	q->heap_max = max;
	return true;
}

static void sift_up(struct timeq_key *heap, uint32_t i, struct timeq_key key)
{
	while (i) {
		uint32_t parent = (i - 1) / ARITY;

		if (!key_before(&key, &heap[parent]))
			break;
		heap[i] = heap[parent];
		i = parent;
	}
	heap[i] = key;
}

static bool heap_push(struct timeq *q, const struct frame *f, uint32_t order)
{
	struct timeq_key key = {.due_ns = f->due_ns, .order = order};

	if (q->heap_n == q->heap_max && !heap_grow(q))
		return false;
	if (q->slot_free != NO_SLOT) {
		key.slot = q->slot_free;
		q->slot_free = q->slot[key.slot].next_free;
	} else {
		key.slot = q->slot_n++;
	}
	q->slot[key.slot] =
		(struct timeq_slot){.buf = f->buf, .seg = f->seg, .flags = f->flags};
	sift_up(q->heap, q->heap_n++, key);
	return true;
}

/* The smallest of the four children from @c on; compilers make this free of branches.
 */
static uint32_t min_child(const struct timeq_key *heap, uint32_t c)
{
	uint32_t a = c + key_before(&heap[c + 1], &heap[c]);
	uint32_t b = c + 2 + key_before(&heap[c + 3], &heap[c + 2]);

	return key_before(&heap[b], &heap[a]) ? b : a;
}

/* Close the hole at the root: down along the smallest children, then the last key up.
 */
static void heap_fill_root(struct timeq *q)
{
	struct timeq_key *heap = q->heap;
	struct timeq_key last = heap[q->heap_n];
	uint32_t n = q->heap_n, i = 0, c;

	while (c = i * ARITY + 1, c + ARITY <= n) {
		uint32_t far = c * ARITY + 1;

		if (far < n) {
			for (unsigned k = 0; k < ARITY; k++)
				__builtin_prefetch(&heap[far + k * ARITY]);
		}
		c = min_child(heap, c);
		heap[i] = heap[c];
		i = c;
	}
	if (c < n) {
		uint32_t best = c;

		while (++c < n) {
			if (key_before(&heap[c], &heap[best]))
				best = c;
		}
		heap[i] = heap[best];
		i = best;
	}
	sift_up(heap, i, last);
}

static void heap_pop(struct timeq *q, struct frame *f)
{
	struct timeq_key top = q->heap[0];
	struct timeq_slot *s = &q->slot[top.slot];

	__builtin_prefetch(s);
	if (--q->heap_n)
		heap_fill_root(q);
	*f = (struct frame){.due_ns = top.due_ns,
		.buf = s->buf,
		.order = top.order,
		.seg = s->seg,
		.flags = s->flags};
	s->buf = NULL;
	s->next_free = q->slot_free;
	q->slot_free = top.slot;
	if (!q->heap_n) {
		q->slot_n = 0;
		q->slot_free = NO_SLOT;
	}
}

bool timeq_push(struct timeq *q, const struct frame *f)
{
	struct frame_ring *r = &q->ring;
	struct frame *last;

	if (r->n && f->due_ns < r->at[(r->first + r->n - 1) & r->mask].due_ns) {
		if (!heap_push(q, f, q->next_order))
			return false;
	} else {
		if (!frame_ring_reserve(r))
			return false;
		last = &r->at[(r->first + r->n++) & r->mask];
		*last = *f;
		last->order = q->next_order;
	}
	q->next_order++;
	q->n++;
	return true;
}

bool timeq_push_head(struct timeq *q, const struct frame *f)
{
	struct frame g = *f;

	g.order = q->next_order;
	if (!frame_ring_reserve(&q->head))
		return false;
	frame_ring_push(&q->head, &g);
	q->next_order++;
	q->n++;
	return true;
}

static bool pop_head(struct timeq *q, struct frame *f)
{
	*f = q->head.at[(q->head.first + --q->head.n) & q->head.mask];
	if (q->head.n)
		return true;
	return q->ring.n && (int32_t)(q->ring.at[q->ring.first].order - f->order) < 0;
}

bool timeq_pop(struct timeq *q, struct frame *f)
{
	struct frame_ring *r = &q->ring;

	q->n--;
	if (q->head.n)
		return pop_head(q, f);
	if (q->heap_n && q->heap[0].due_ns < r->at[r->first].due_ns) {
		heap_pop(q, f);
		return true;
	}
	*f = frame_ring_shift(r);
	return false;
}

nsec_t timeq_last_ns(const struct timeq *q)
{
	const struct frame_ring *r = &q->ring;
	nsec_t ns = INT64_MIN;

	if (r->n)
		ns = r->at[(r->first + r->n - 1) & r->mask].due_ns;
	if (q->head.n && q->head.at[q->head.first].due_ns > ns)
		ns = q->head.at[q->head.first].due_ns;
	return ns;
}

/* References go chunk by chunk: neighbours in the queue mostly lie in one. */
struct drops {
	struct buf_pool *pool;
	struct buf_chunk *chunk;
	uint64_t n;
};

static void drop_one(struct drops *d, const struct buf *b)
{
	struct buf_chunk *c = buf_chunk(b);

	if (c != d->chunk) {
		if (d->n)
			buf_drop_refs(d->pool, d->chunk, d->n);
		d->chunk = c;
		d->n = 0;
	}
	d->n++;
}

static void drop_end(struct drops *d)
{
	if (d->n)
		buf_drop_refs(d->pool, d->chunk, d->n);
}

void frame_ring_reset(struct frame_ring *r, struct buf_pool *pool)
{
	struct drops d = {.pool = pool};

	for (uint32_t i = 0; i < r->n; i++)
		drop_one(&d, r->at[(r->first + i) & r->mask].buf);
	drop_end(&d);
	r->n = 0;
	r->first = 0;
}

/* By slot, in storage order; a slot without a frame has no buf. */
static void heap_reset(struct timeq *q, struct buf_pool *pool)
{
	struct drops d = {.pool = pool};

	for (uint32_t i = 0; i < q->slot_n; i++) {
		if (q->slot[i].buf)
			drop_one(&d, q->slot[i].buf);
	}
	drop_end(&d);
	q->heap_n = 0;
	q->slot_n = 0;
	q->slot_free = NO_SLOT;
}

void timeq_reset(struct timeq *q, struct buf_pool *pool)
{
	frame_ring_reset(&q->head, pool);
	frame_ring_reset(&q->ring, pool);
	heap_reset(q, pool);
	q->n = 0;
}
