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
/* From here on a heap costs more than bins. Tried: 128 to 2048; it matters little. */
#define N_HEAP_LARGE 512

void timeq_init(struct timeq *q)
{
	*q = (struct timeq){.slot_free = NO_SLOT, .spill_n = N_HEAP_LARGE};
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
	bins_free(q->bins);
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
	/* cppcheck-suppress memleak ; heap_memory() finds its start again */
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

/* @f with its order number; there is room. */
static void heap_push(struct timeq *q, const struct frame *f)
{
	struct timeq_key key = {.due_ns = f->due_ns, .order = f->order};

	if (q->slot_free != NO_SLOT) {
		key.slot = q->slot_free;
		q->slot_free = q->slot[key.slot].next_free;
	} else {
		key.slot = q->slot_n++;
	}
	q->slot[key.slot] =
		(struct timeq_slot){.buf = f->buf, .seg = f->seg, .flags = f->flags};
	sift_up(q->heap, q->heap_n++, key);
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

/* The frame that @key stands for. Its slot stays. */
static struct frame frame_of(const struct timeq *q, const struct timeq_key *key)
{
	const struct timeq_slot *s = &q->slot[key->slot];

	return (struct frame){.due_ns = key->due_ns,
		.buf = s->buf,
		.order = key->order,
		.seg = s->seg,
		.flags = s->flags};
}

static void free_slot(struct timeq *q, uint32_t slot)
{
	q->slot[slot].buf = NULL;
	q->slot[slot].next_free = q->slot_free;
	q->slot_free = slot;
}

/* The first bin that is not empty, into the heap. */
static void take_bin(struct timeq *q)
{
	struct bins *b = q->bins;
	uint32_t c = bins_take(b);

	while (c != BINS_NONE) {
		const struct bin_chunk *chunk = &b->chunk[c];

		for (uint32_t i = 0; i < chunk->n; i++)
			heap_push(q, &chunk->at[i]);
		c = bins_give_back(b, c);
	}
}

/* Out of the bins, until the heap's first is the first of both. */
static void refill(struct timeq *q)
{
	while (q->bins->n && !(q->heap_n && q->heap[0].due_ns < q->bins->horizon_ns))
		take_bin(q);
}

static void refill_all(struct timeq *q)
{
	while (q->bins->n)
		take_bin(q);
}

/* Move what is due later into bins; what has no bin, and the first, stays. */
static void spill(struct timeq *q)
{
	struct frame_ring *r = &q->ring;
	nsec_t last_ns = r->at[(r->first + r->n - 1) & r->mask].due_ns;
	uint32_t n = q->heap_n;

	q->spill_n = 2 * n;
	if (!q->bins && !(q->bins = bins_new()))
		return;
	if (!bins_aim(q->bins, q->heap[0].due_ns, last_ns))
		return;
	q->heap_n = 0;
	for (uint32_t i = 0; i < n; i++) {
		struct timeq_key key = q->heap[i];
		struct frame f = frame_of(q, &key);

		if (bins_covers(q->bins, key.due_ns) && bins_put(q->bins, &f))
			free_slot(q, key.slot);
		else
			sift_up(q->heap, q->heap_n++, key);
	}
	if (2 * q->heap_n < n)
		q->spill_n = N_HEAP_LARGE;
}

/* A frame that is due before the ring's last: into heap or bins. */
bool timeq_push_early_(struct timeq *q, const struct frame *f)
{
	struct frame g = {.due_ns = f->due_ns,
		.buf = f->buf,
		.order = q->next_order,
		.seg = f->seg,
		.flags = f->flags};
	struct bins *b = q->bins;
	uint32_t bins_n = b ? b->n : 0;

	/* The heap keeps room for all, so that a bin always fits into it. */
	if (q->heap_n + bins_n == q->heap_max && !heap_grow(q))
		return false;
	q->next_order++;
	q->n++;
	if (bins_n && bins_covers(b, g.due_ns) && bins_put(b, &g))
		return true;
	heap_push(q, &g);
	/* Bins that are nearly empty were aimed at delays of other times. */
	if (q->heap_n >= q->spill_n && q->heap_n / 2 >= bins_n) {
		if (bins_n)
			refill_all(q);
		spill(q);
	}
	return true;
}

static void heap_pop(struct timeq *q, struct frame *f)
{
	struct timeq_key top = q->heap[0];

	__builtin_prefetch(&q->slot[top.slot]);
	if (--q->heap_n)
		heap_fill_root(q);
	*f = frame_of(q, &top);
	free_slot(q, top.slot);
	if (!q->heap_n) {
		q->slot_n = 0;
		q->slot_free = NO_SLOT;
		q->spill_n = N_HEAP_LARGE;
	}
	if (q->bins)
		refill(q);
}

bool timeq_push_run(struct timeq *q, const struct frame *f, unsigned n)
{
	struct frame_ring *r = &q->ring;
	struct frame g = *f;

	if (r->n && g.due_ns < r->at[(r->first + r->n - 1) & r->mask].due_ns)
		return false;
	while (!r->at || r->n + n > r->mask + 1)
		if (!frame_ring_grow_(r))
			return false;
	for (unsigned i = 0; i < n; i++, g.seg++) {
		g.order = q->next_order++;
		frame_ring_push(r, &g);
	}
	q->n += n;
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

/* From the head list, else from the heap. */
bool timeq_pop_early_(struct timeq *q, struct frame *f)
{
	q->n--;
	if (q->head.n)
		return pop_head(q, f);
	heap_pop(q, f);
	return true;
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

/* By chunk of a bin, in storage order; a free chunk has no frames. */
static void bins_drop(struct bins *b, struct buf_pool *pool)
{
	struct drops d = {.pool = pool};

	for (uint32_t c = 0; c < b->chunk_n; c++) {
		for (uint32_t i = 0; i < b->chunk[c].n; i++)
			drop_one(&d, b->chunk[c].at[i].buf);
	}
	drop_end(&d);
	bins_reset(b);
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
	q->spill_n = N_HEAP_LARGE;
}

void timeq_reset(struct timeq *q, struct buf_pool *pool)
{
	frame_ring_reset(&q->head, pool);
	frame_ring_reset(&q->ring, pool);
	heap_reset(q, pool);
	if (q->bins)
		bins_drop(q->bins, pool);
	q->n = 0;
}
