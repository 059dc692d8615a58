/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wire/buf.h - memory of frames: what one read brought, laid one after another in
 * chunks
 *
 * Theory of operation
 *   A pool owns chunks of BUF_CHUNK_BYTES. A reader asks for room at the free end of
 *   the current chunk, reads into it and commits what it used; the rest stays free. A
 *   chunk counts the references to all its bufs and is reused when the last one is
 *   gone, so nothing is ever copied or compacted, and in steady state nothing is
 *   allocated. A current chunk without references is filled from its start again, so a
 *   link that holds nothing back stays within a few warm cache lines.
 *
 *   Chunks lie at multiples of their size, so the chunk of a buf is its address with
 *   the low bits cleared. That keeps the header of a buf at 16 bytes, and lets a queue
 *   be emptied by counting down chunks alone (buf_drop_refs), without a touch of any
 *   frame.
 *
 *   Some readers must name several places before anything is read. They get windows: fixed
 *   places in a chunk of their own, each long enough for anything. What turns out short
 *   is copied to the free end as if it had been read there, and its window is as before;
 *   a long one stays where it is, and its window is used again when it is gone: the first
 *   ones soonest, so that what is read and written at once stays in the cache. A
 *   reader that does not know when something will come holds a window as long as it takes.
 *
 *   Each buf counts its own references as well, for one question only: is this frame
 *   the sole user of its bytes, so that it may change them? After buf_drop_refs() that
 *   count may be too high, which costs a needless copy and nothing else.
 *
 * Limits   BUF_WINDOWS_MAX windows at a time. Bytes: chunks are made until the bound given at init, then there is no room.
 *          One long-lived frame keeps its whole chunk.
 * Cost     room, commit, ref and unref are O(1). A new chunk is one mmap, off the frame
 *          path as long as the stock that was faulted in at the start suffices.
 * Owner    the pool owns memory, a frame owns one reference of its buf. One thread.
 */
#ifndef FW_WIRE_BUF_H
#define FW_WIRE_BUF_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* struct virtio_net_hdr, which a TAP with IFF_VNET_HDR puts before each frame. */
#define BUF_VNET_BYTES 10
/* Longest read: a 65535-byte packet, Ethernet header, one VLAN tag, virtio header. */
#define BUF_READ_BYTES 65664
/* One huge page pair: big enough for 40000 short frames, small enough to be held by
 * one. */
#define BUF_CHUNK_BYTES (4u << 20)
/* As many as have room in a chunk, and bits in a word. */
#define BUF_WINDOWS_MAX 63
/*
 * Up to here a copy costs less than a window that must be found anew, cold; the higher
 * bound is for frames that are held back: half of a chunk's windows are taken.
 */
#define BUF_COPY_BYTES (2u << 10)
#define BUF_COPY_SCARCE_BYTES (16u << 10)

/* Head of a chunk; bufs follow. */
struct buf_chunk {
	struct buf_chunk *next; /* free list */
	uint64_t refs;          /* references to all bufs in it */
	size_t fill_bytes; /* where the free end begins; kept when it is no longer current */
	uint64_t taken; /* bit per window: a long buf stays in it */
	bool has_windows;
};

/*
 * The header of a buf; the bytes of the read follow at buf_vnet(). 16 bytes and 8-byte
 * aligned, so that a 64-byte frame costs 96 bytes; the IP header then is aligned, too.
 */
struct buf {
	uint32_t refs;
	uint32_t n_bytes; /* of the frame, without the virtio header */
	/* By gso_parse(); all 0 but n_segs where it found nothing to split or join. */
	uint16_t hdr_bytes; /* of a frame's headers, Ethernet to TCP or UDP */
	uint16_t gso_bytes; /* payload of a segment, 0: one frame */
	uint16_t n_segs;    /* frames that this buf stands for, at least 1 */
	uint16_t flags;     /* enum buf_flag */
};

enum buf_flag {
	BUF_IPV4 = 1 << 0,  /* else IPv6 */
	BUF_TCP = 1 << 1,   /* else UDP */
	BUF_JOIN = 1 << 2,  /* its frames may leave in one super-frame with others */
	BUF_WHOLE = 1 << 3, /* its segments are judged as one frame */
	BUF_TAGS = 3 << 4,  /* VLAN tags before the IP header: 0 to 2 */
	BUF_TAGS_SHIFT = 4,
	BUF_DAMAGED = 1 << 6, /* a bit was flipped: its checksums are to show it */
};

struct buf_pool;

/**
 * buf_pool_new() - Make a pool
 * @max_bytes:   bound on the bytes of all chunks; at least two chunks are always
 * allowed
 * @stock_bytes: how much to fault in now
 * @e:           filled on failure
 *
 * Return: the pool, owned by the caller, or NULL.
 */
struct buf_pool *buf_pool_new(size_t max_bytes, size_t stock_bytes, struct err *e);

/** buf_pool_free() - Unmap everything, live bufs included. NULL is allowed. */
void buf_pool_free(struct buf_pool *p);

/**
 * buf_room() - Free space for one read
 * @p:         pool
 * @max_bytes: frame and virtio header together, at most BUF_READ_BYTES
 *
 * Return: where the virtio header is to be read to, the frame right behind it; NULL
 * when the bound is reached (the caller counts drop_mem). Nothing is taken until
 * buf_commit(). The room is good until the next buf_room() or buf_commit(), also one
 * inside path_push(), which copies a shared frame before it changes it. Hot path.
 */
uint8_t *buf_room(struct buf_pool *p, size_t max_bytes);

/**
 * buf_commit() - Turn the room of the last buf_room() into a buf
 * @p:       pool
 * @n_bytes: bytes used, virtio header included, at least BUF_VNET_BYTES
 *
 * Return: a buf of one frame, with one reference that the caller owns. Hot path.
 */
struct buf *buf_commit(struct buf_pool *p, size_t n_bytes);

/**
 * buf_windows() - Free space for several reads at a time
 * @p:    pool
 * @room: filled with the places, in the order of their use: as of buf_room(), each of
 *        BUF_READ_BYTES
 * @n:    how many are wanted
 *
 * Return: how many there are; 0 when the bound is reached. They are good until the next
 * buf_windows(), whatever else is done with the pool. Hot path.
 */
unsigned buf_windows(struct buf_pool *p, uint8_t **room, unsigned n);

/**
 * buf_take() - Turn what was read into a window into a buf, as buf_commit() does
 * @room:    a window of the last buf_windows(), taken once
 * @n_bytes: bytes used, virtio header included, at least BUF_VNET_BYTES
 *
 * Ends the promise of the last buf_room(). Always succeeds. Hot path.
 */
struct buf *buf_take(struct buf_pool *p, uint8_t *room, size_t n_bytes);

/**
 * buf_hold() - Free space for a read that may come at any time
 *
 * Return: a place as of buf_windows(), good until it is taken or released; NULL when the
 * bound is reached. It counts as a live buf. Hot path.
 */
uint8_t *buf_hold(struct buf_pool *p);

/**
 * buf_take_held() - buf_take() of such a place
 * @room: set to NULL when the bytes stay where they are; else it is held as before
 *
 * Hot path.
 */
struct buf *buf_take_held(struct buf_pool *p, uint8_t **room, size_t n_bytes);

/** buf_release() - Give such a place back; NULL is allowed */
void buf_release(struct buf_pool *p, uint8_t *room);

static inline struct buf_chunk *buf_chunk(const struct buf *b)
{
	uintptr_t mask = (uintptr_t)BUF_CHUNK_BYTES - 1;

	return (struct buf_chunk *)((uintptr_t)b & ~mask);
}

/**
 * buf_ref() / buf_unref() - One reference more, one less; the last one frees. The forms
 * with _n take @n at once.
 */
static inline void buf_ref_n(struct buf *b, uint32_t n)
{
	b->refs += n;
	buf_chunk(b)->refs += n;
}

static inline void buf_ref(struct buf *b)
{
	buf_ref_n(b, 1);
}

void buf_chunk_free_(struct buf_pool *p, struct buf_chunk *c);
void buf_window_free_(struct buf *b);

/** buf_drop_refs() - Give up @n references to bufs of @c without a look at the bufs. */
static inline void buf_drop_refs(struct buf_pool *p, struct buf_chunk *c, uint64_t n)
{
	/* No buf lies in a chunk at 0, whatever the analyzer makes of the mask. */
	c->refs -= n; /* NOLINT(clang-analyzer-core.NullDereference) */
	if (c->refs == 0)
		buf_chunk_free_(p, c);
}

static inline void buf_unref_n(struct buf_pool *p, struct buf *b, uint32_t n)
{
	b->refs -= n;
	if (b->refs == 0 && buf_chunk(b)->has_windows)
		buf_window_free_(b);
	buf_drop_refs(p, buf_chunk(b), n);
}

static inline void buf_unref(struct buf_pool *p, struct buf *b)
{
	buf_unref_n(p, b, 1);
}

/** buf_is_shared() - May the holder of one reference not change the bytes? */
static inline bool buf_is_shared(const struct buf *b)
{
	return b->refs > 1;
}

/** buf_vnet() / buf_bytes() - The virtio header, and the frame behind it. */
static inline uint8_t *buf_vnet(const struct buf *b)
{
	return (uint8_t *)(uintptr_t)(b + 1);
}

static inline uint8_t *buf_bytes(const struct buf *b)
{
	return buf_vnet(b) + BUF_VNET_BYTES;
}

/**
 * buf_pool_live_bufs() / buf_pool_live_bytes() - For counters and tests: held now
 *
 * Return: references; and bytes used in chunks that cannot be reused yet. Walks the
 * chunks, not for the hot path.
 */
uint64_t buf_pool_live_bufs(const struct buf_pool *p);
size_t buf_pool_live_bytes(const struct buf_pool *p);

#endif
