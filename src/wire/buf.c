/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wire/buf.c - the pool of chunks: address space once, memory chunk by chunk
 *
 * Theory of operation
 *   The address space for all chunks is reserved at the start, without memory behind
 *   it, and chunks are mapped into it in order. So a chunk is aligned without a second
 *   system call. Free chunks form a stack: the one used last is the warmest.
 *
 *   Chunks lie in huge pages where there are some: the kernel's copies of super-frames
 *   miss the TLB on every small page. Not so the first ones of a pool without a stock,
 *   so that many links that carry little stay small.
 */
#include "config.h"

#include "wire/buf.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* In a sanitized build what lies behind a frame, and a dead buf, may not be touched. */
#ifdef SANITIZED
#include <sanitizer/asan_interface.h>
#define FENCE(from, n_bytes) __asan_poison_memory_region((from), (n_bytes))
#define UNFENCE(from, n_bytes) __asan_unpoison_memory_region((from), (n_bytes))
#else
#define FENCE(from, n_bytes) ((void)(from), (void)(n_bytes))
#define UNFENCE(from, n_bytes) ((void)(from), (void)(n_bytes))
#endif

/* Bufs start where the IP header of a frame (16 + 10 + 14 further) is 8-byte aligned.
 */
#define BUF_ALIGN_BYTES 8
#define CHUNK_HEAD_BYTES 64
#define N_CHUNKS_MIN 2
#define PAGE_BYTES 4096 /* the smallest there is */
#define WINDOW_BYTES (sizeof(struct buf) + BUF_READ_BYTES)
/* With fewer windows left than these a new chunk is begun. */
#define N_WINDOWS_FEW 8

static_assert(sizeof(struct buf) == 16, "a short frame shall cost 96 bytes");
static_assert(
	sizeof(struct buf_chunk) <= CHUNK_HEAD_BYTES, "the head has its own line");
static_assert(BUF_READ_BYTES + sizeof(struct buf) + CHUNK_HEAD_BYTES < BUF_CHUNK_BYTES,
	"any read fits into an empty chunk");
static_assert(WINDOW_BYTES % BUF_ALIGN_BYTES == 0, "a window is aligned like a buf");
static_assert(CHUNK_HEAD_BYTES + BUF_WINDOWS_MAX * WINDOW_BYTES <= BUF_CHUNK_BYTES &&
		      BUF_WINDOWS_MAX < 64,
	"all windows fit into a chunk and a word");

struct buf_pool {
	struct buf_chunk *current;
	size_t room_bytes;        /* promised by the last buf_room() */
	struct buf_chunk *window; /* where the windows are, never the current chunk */
	struct buf_chunk *free;
	uint8_t *chunks; /* first chunk; the others follow */
	size_t n_chunks, max_chunks;
	uint8_t *reserved;
	size_t reserved_bytes;
};

static struct buf_chunk *chunk_map(struct buf_pool *p, bool is_stock)
{
	struct buf_chunk *c;
	void *at = p->chunks + p->n_chunks * BUF_CHUNK_BYTES;

	if (p->n_chunks == p->max_chunks)
		return NULL;
	if (mmap(at, BUF_CHUNK_BYTES, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
		return NULL;
	if (is_stock || p->n_chunks >= N_CHUNKS_MIN)
		madvise(at, BUF_CHUNK_BYTES, MADV_HUGEPAGE);
	/* Written, since a mapping is populated before there can be an advice. */
	for (size_t i = 0; is_stock && i < BUF_CHUNK_BYTES; i += PAGE_BYTES)
		((volatile uint8_t *)at)[i] = 0;
	p->n_chunks++;
	c = at;
	c->next = NULL;
	c->refs = 0;
	c->fill_bytes = CHUNK_HEAD_BYTES;
	return c;
}

struct buf_pool *buf_pool_new(size_t max_bytes, size_t stock_bytes, struct err *e)
{
	struct buf_pool *p = calloc(1, sizeof(*p));
	uintptr_t mask = (uintptr_t)BUF_CHUNK_BYTES - 1;

	if (!p) {
		err_sys(e, "memory of frames");
		return NULL;
	}
	p->max_chunks = max_bytes / BUF_CHUNK_BYTES;
	if (p->max_chunks < N_CHUNKS_MIN)
		p->max_chunks = N_CHUNKS_MIN;
	p->reserved_bytes = (p->max_chunks + 1) * BUF_CHUNK_BYTES;
	p->reserved = mmap(NULL, p->reserved_bytes, PROT_NONE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p->reserved == MAP_FAILED) {
		err_sys(e, "memory of frames: %zu bytes of addresses",
			p->reserved_bytes);
		free(p);
		return NULL;
	}
	p->chunks = (uint8_t *)(((uintptr_t)p->reserved + mask) & ~mask);
	do {
		/* Without a stock not even the first is touched before it is used. */
		struct buf_chunk *c = chunk_map(p, stock_bytes > 0);

		if (!c)
			break;
		c->next = p->free;
		p->free = c;
	} while (p->n_chunks * BUF_CHUNK_BYTES < stock_bytes);
	if (!p->free) {
		err_sys(e, "memory of frames: %u bytes", BUF_CHUNK_BYTES);
		buf_pool_free(p);
		return NULL;
	}
	return p;
}

void buf_pool_free(struct buf_pool *p)
{
	if (!p)
		return;
	UNFENCE(p->chunks, p->n_chunks * BUF_CHUNK_BYTES);
	munmap(p->reserved, p->reserved_bytes);
	free(p);
}

/* The last free chunk, else a new one. */
static struct buf_chunk *get_chunk(struct buf_pool *p)
{
	struct buf_chunk *c = p->free;

	if (c)
		p->free = c->next;
	else
		c = chunk_map(p, false);
	if (c) {
		c->fill_bytes = CHUNK_HEAD_BYTES;
		c->taken = 0;
		c->has_windows = false;
	}
	return c;
}

uint8_t *buf_room(struct buf_pool *p, size_t max_bytes)
{
	struct buf_chunk *c = p->current;
	struct buf *b;

	assert(max_bytes <= BUF_READ_BYTES);
	if (c && c->refs == 0)
		c->fill_bytes = CHUNK_HEAD_BYTES;
	if (!c || c->fill_bytes + sizeof(struct buf) + max_bytes > BUF_CHUNK_BYTES) {
		c = get_chunk(p);
		if (!c)
			return NULL;
		p->current = c;
	}
	b = (struct buf *)((uint8_t *)c + c->fill_bytes);
	UNFENCE(b, sizeof(*b) + max_bytes);
	p->room_bytes = max_bytes;
	return buf_vnet(b);
}

struct buf *buf_commit(struct buf_pool *p, size_t n_bytes)
{
	struct buf_chunk *c = p->current;
	struct buf *b = (struct buf *)((uint8_t *)c + c->fill_bytes);
	size_t size = sizeof(*b) + n_bytes;

	assert(n_bytes >= BUF_VNET_BYTES);
	size = (size + BUF_ALIGN_BYTES - 1) & ~(size_t)(BUF_ALIGN_BYTES - 1);
	assert(n_bytes <= p->room_bytes);
	c->fill_bytes += size;
	c->refs++;
	*b = (struct buf){.refs = 1,
		.n_bytes = (uint32_t)(n_bytes - BUF_VNET_BYTES),
		.n_segs = 1};
	FENCE(buf_vnet(b) + n_bytes, p->room_bytes - n_bytes);
	return b;
}

unsigned buf_windows(struct buf_pool *p, uint8_t **room, unsigned n)
{
	struct buf_chunk *c = p->window;
	unsigned n_free, n_out = 0;

	if (c && c->refs == 0) {
		c->taken = 0;
		c->fill_bytes = CHUNK_HEAD_BYTES;
	}
	n_free = c ? BUF_WINDOWS_MAX - (unsigned)__builtin_popcountll(c->taken) : 0;
	if (n_free < n && n_free < N_WINDOWS_FEW && (c = get_chunk(p))) {
		p->window = c;
		c->has_windows = true;
	}
	if (!p->window)
		return 0;
	for (unsigned i = 0; i < BUF_WINDOWS_MAX && n_out < n; i++) {
		struct buf *b = (struct buf *)((uint8_t *)p->window + CHUNK_HEAD_BYTES +
					       i * WINDOW_BYTES);

		if (p->window->taken & UINT64_C(1) << i)
			continue;
		UNFENCE(b, WINDOW_BYTES);
		room[n_out++] = buf_vnet(b);
	}
	return n_out;
}

static uint64_t window_bit(const struct buf *b)
{
	size_t at = (size_t)((const uint8_t *)b - (const uint8_t *)buf_chunk(b));

	return UINT64_C(1) << (at - CHUNK_HEAD_BYTES) / WINDOW_BYTES;
}

/* A window of the current ones gets an owner. */
static void occupy(struct buf_pool *p, struct buf *b)
{
	struct buf_chunk *c = p->window;
	size_t end = (size_t)((uint8_t *)b - (uint8_t *)c) + WINDOW_BYTES;

	assert(buf_chunk(b) == c && !(c->taken & window_bit(b)));
	c->taken |= window_bit(b);
	if (c->fill_bytes < end)
		c->fill_bytes = end;
	c->refs++;
}

/* Nobody has it any more. */
void buf_window_free_(struct buf *b)
{
	buf_chunk(b)->taken &= ~window_bit(b);
	FENCE(b, WINDOW_BYTES);
}

/* What was read stays where it is. */
static struct buf *keep_window(struct buf *b, size_t n_bytes)
{
	*b = (struct buf){.refs = 1,
		.n_bytes = (uint32_t)(n_bytes - BUF_VNET_BYTES),
		.n_segs = 1};
	FENCE(buf_vnet(b) + n_bytes, BUF_READ_BYTES - n_bytes);
	return b;
}

/* A copy at the free end of what is short. Return: NULL for what is long, or no room. */
static struct buf *copy_short(struct buf_pool *p, const uint8_t *room, size_t n_bytes)
{
	const struct buf_chunk *c = buf_chunk((struct buf *)(uintptr_t)room);
	int n_taken = __builtin_popcountll(c->taken);
	size_t short_bytes =
		n_taken < BUF_WINDOWS_MAX / 2 ? BUF_COPY_BYTES : BUF_COPY_SCARCE_BYTES;
	uint8_t *to;

	assert(n_bytes >= BUF_VNET_BYTES && n_bytes <= BUF_READ_BYTES);
	to = n_bytes <= short_bytes ? buf_room(p, n_bytes) : NULL;
	if (!to)
		return NULL;
	memcpy(to, room, n_bytes);
	return buf_commit(p, n_bytes);
}

struct buf *buf_take(struct buf_pool *p, uint8_t *room, size_t n_bytes)
{
	struct buf *b = (struct buf *)room - 1, *copy = copy_short(p, room, n_bytes);

	if (!copy) {
		occupy(p, b);
		return keep_window(b, n_bytes);
	}
	FENCE(b, WINDOW_BYTES);
	return copy;
}

uint8_t *buf_hold(struct buf_pool *p)
{
	uint8_t *room;

	if (!buf_windows(p, &room, 1))
		return NULL;
	occupy(p, (struct buf *)room - 1);
	return room;
}

struct buf *buf_take_held(struct buf_pool *p, uint8_t **room, size_t n_bytes)
{
	struct buf *b = (struct buf *)*room - 1, *copy = copy_short(p, *room, n_bytes);

	if (copy)
		return copy;
	*room = NULL;
	return keep_window(b, n_bytes);
}

void buf_release(struct buf_pool *p, uint8_t *room)
{
	if (room)
		buf_unref(p, keep_window((struct buf *)room - 1, BUF_VNET_BYTES));
}

/* The last reference to anything in @c is gone. The chunks in use stay where they are,
 * the windows with what may be in them. */
void buf_chunk_free_(struct buf_pool *p, struct buf_chunk *c)
{
	if (c == p->window)
		return;
	FENCE((uint8_t *)c + CHUNK_HEAD_BYTES, c->fill_bytes - CHUNK_HEAD_BYTES);
	if (c == p->current)
		return;
	c->next = p->free;
	p->free = c;
}

uint64_t buf_pool_live_bufs(const struct buf_pool *p)
{
	uint64_t n = 0;

	for (size_t i = 0; i < p->n_chunks; i++)
		n += ((const struct buf_chunk *)(p->chunks + i * BUF_CHUNK_BYTES))
			     ->refs;
	return n;
}

size_t buf_pool_live_bytes(const struct buf_pool *p)
{
	size_t n = 0;

	for (size_t i = 0; i < p->n_chunks; i++) {
		const struct buf_chunk *c =
			(const struct buf_chunk *)(p->chunks + i * BUF_CHUNK_BYTES);

		if (c->refs)
			n += c->fill_bytes - CHUNK_HEAD_BYTES;
	}
	return n;
}
