/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wire/buf.c - the pool of chunks: address space once, memory chunk by chunk
 *
 * Theory of operation
 *   The address space for all chunks is reserved at the start, without memory behind
 *   it, and chunks are mapped into it in order. So a chunk is aligned without a second
 *   system call. Free chunks form a stack: the one used last is the warmest.
 */
#include "config.h"

#include "wire/buf.h"

#include <assert.h>
#include <stdlib.h>
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

static_assert(sizeof(struct buf) == 16, "a short frame shall cost 96 bytes");
static_assert(
	sizeof(struct buf_chunk) <= CHUNK_HEAD_BYTES, "the head has its own line");
static_assert(BUF_READ_BYTES + sizeof(struct buf) + CHUNK_HEAD_BYTES < BUF_CHUNK_BYTES,
	"any read fits into an empty chunk");

struct buf_pool {
	struct buf_chunk *current;
	size_t room_bytes; /* promised by the last buf_room() */
	struct buf_chunk *free;
	uint8_t *chunks; /* first chunk; the others follow */
	size_t n_chunks, max_chunks;
	uint8_t *reserved;
	size_t reserved_bytes;
};

static struct buf_chunk *chunk_map(struct buf_pool *p, int populate)
{
	struct buf_chunk *c;
	void *at = p->chunks + p->n_chunks * BUF_CHUNK_BYTES;

	if (p->n_chunks == p->max_chunks)
		return NULL;
	if (mmap(at, BUF_CHUNK_BYTES, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | populate, -1,
		    0) == MAP_FAILED)
		return NULL;
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
		struct buf_chunk *c = chunk_map(p, MAP_POPULATE);

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

/* The current chunk is full: the last free one, else a new one. */
static bool next_chunk(struct buf_pool *p)
{
	struct buf_chunk *c = p->free;

	if (c)
		p->free = c->next;
	else
		c = chunk_map(p, 0);
	if (!c)
		return false;
	c->fill_bytes = CHUNK_HEAD_BYTES;
	p->current = c;
	return true;
}

uint8_t *buf_room(struct buf_pool *p, size_t max_bytes)
{
	struct buf_chunk *c = p->current;
	struct buf *b;

	assert(max_bytes <= BUF_READ_BYTES);
	if (c && c->refs == 0)
		c->fill_bytes = CHUNK_HEAD_BYTES;
	if (!c || c->fill_bytes + sizeof(struct buf) + max_bytes > BUF_CHUNK_BYTES) {
		if (!next_chunk(p))
			return NULL;
		c = p->current;
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

/* The last reference to anything in @c is gone. The current chunk stays where it is. */
void buf_chunk_free_(struct buf_pool *p, struct buf_chunk *c)
{
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
