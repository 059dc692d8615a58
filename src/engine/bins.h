/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/bins.h - frames by coarse due time, unsorted: what a large heap does not hold yet
 *
 * Theory of operation
 *   A calendar of N_BINS bins, each 2^shift ns wide, that moves on with time: from
 *   horizon_ns on for the width of all bins. A bin is a list of chunks of frames. Putting
 *   a frame in is O(1) and touches a line or two, however many wait. The owner takes
 *   whole bins out, in order, when what it holds itself is used up to the horizon.
 *
 * Limits   a frame due before the horizon or beyond the last bin has no place. Empty bins
 *          have no horizon: they must be aimed first.
 * Cost     O(1) a frame, in and out. Chunks come from one array that doubles.
 * Owner    the time queue.
 */
#ifndef FW_ENGINE_BINS_H
#define FW_ENGINE_BINS_H

#include "wire/frame.h"

#include <stdbool.h>
#include <stdint.h>

/* As many as one word of bits about words of bits can tell. */
#define N_BINS 4096
#define N_BIN_WORDS (N_BINS / 64)

/* Frames of a chunk: 256 bytes with its two numbers. */
#define N_CHUNK_FRAMES 10

struct bin_chunk {
	struct frame at[N_CHUNK_FRAMES];
	uint32_t n;
	uint32_t next;
	uint64_t unused;
};

struct bins {
	nsec_t horizon_ns; /* the first bin begins here */
	unsigned shift;
	uint32_t n;                 /* frames in all bins */
	uint64_t words;             /* which words below are not 0 */
	uint64_t full[N_BIN_WORDS]; /* which bins are not empty */
	uint32_t first[N_BINS];     /* chunk of a bin that is not empty */
	struct bin_chunk *chunk;
	uint32_t chunk_n, chunk_max; /* ever used, allocated */
	uint32_t chunk_free;
};

/** bins_new() - Empty bins, or NULL without memory. bins_free() takes NULL. */
struct bins *bins_new(void);
void bins_free(struct bins *b);

/**
 * bins_aim() - Set up empty bins for dues from @first_ns to @last_ns
 *
 * Bins reach twice as far, since dues move on. The horizon comes behind @first_ns.
 * Return: false if the dues are too near the end of time.
 */
bool bins_aim(struct bins *b, nsec_t first_ns, nsec_t last_ns);

/** bins_covers() - Is there a bin for a frame due at @due_ns? Hot path. */
static inline bool bins_covers(const struct bins *b, nsec_t due_ns)
{
	return due_ns >= b->horizon_ns &&
	       ((uint64_t)due_ns - (uint64_t)b->horizon_ns) >> b->shift < N_BINS;
}

/** bins_put() - Take a frame that bins_covers(). Return: false without memory. */
bool bins_put(struct bins *b, const struct frame *f);

/**
 * bins_take() - Take the first bin that is not empty off the calendar
 * @b: bins, not empty
 *
 * The horizon moves behind that bin. Return: its chunks, a list by next, to be given back
 * one by one by bins_give_back(), which returns the next one (BINS_NONE after the last).
 */
uint32_t bins_take(struct bins *b);
uint32_t bins_give_back(struct bins *b, uint32_t chunk);
#define BINS_NONE UINT32_MAX

/** bins_reset() - Forget all frames, whose references the caller has dropped. */
void bins_reset(struct bins *b);

#endif
