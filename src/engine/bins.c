/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/bins.c - the calendar of bins
 */
#include "config.h"

#include "engine/bins.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* First size of the array of chunks. */
#define N_FIRST 64

static_assert(sizeof(struct bin_chunk) == 256, "a chunk is four cache lines");
static_assert(N_BIN_WORDS == 64, "one word tells about all words");

void bins_reset(struct bins *b)
{
	b->n = 0;
	b->words = 0;
	memset(b->full, 0, sizeof(b->full));
	b->chunk_n = 0;
	b->chunk_free = BINS_NONE;
}

struct bins *bins_new(void)
{
	struct bins *b = malloc(sizeof(*b));

	if (!b)
		return NULL;
	b->horizon_ns = 0;
	b->shift = 0;
	b->chunk = NULL;
	b->chunk_max = 0;
	bins_reset(b);
	return b;
}

void bins_free(struct bins *b)
{
	if (!b)
		return;
	free(b->chunk);
	free(b);
}

bool bins_aim(struct bins *b, nsec_t first_ns, nsec_t last_ns)
{
	uint64_t reach = 2 * ((uint64_t)last_ns - (uint64_t)first_ns);
	uint64_t width;

	if (first_ns < INT64_MIN / 4 || last_ns > INT64_MAX / 4)
		return false;
	b->shift = 0;
	while (reach >> b->shift >= N_BINS)
		b->shift++;
	width = UINT64_C(1) << b->shift;
	b->horizon_ns = (nsec_t)(((uint64_t)first_ns & ~(width - 1)) + width);
	return true;
}

static uint32_t bin_of(const struct bins *b, nsec_t due_ns)
{
	return (uint32_t)((uint64_t)due_ns >> b->shift) % N_BINS;
}

/* Return: a chunk without frames, or BINS_NONE. */
static uint32_t new_chunk(struct bins *b)
{
	uint32_t c = b->chunk_free;

	if (c != BINS_NONE) {
		b->chunk_free = b->chunk[c].next;
		return c;
	}
	if (b->chunk_n == b->chunk_max) {
		uint32_t max = b->chunk_max ? b->chunk_max * 2 : N_FIRST;
		struct bin_chunk *chunk = realloc(b->chunk, max * sizeof(*chunk));

		if (!chunk)
			return BINS_NONE;
		b->chunk = chunk;
		b->chunk_max = max;
	}
	c = b->chunk_n++;
	b->chunk[c].n = 0;
	return c;
}

bool bins_put(struct bins *b, const struct frame *f)
{
	uint32_t bin = bin_of(b, f->due_ns), word = bin / 64, c = BINS_NONE;
	uint64_t bit = UINT64_C(1) << bin % 64;
	struct bin_chunk *chunk;

	if (b->full[word] & bit)
		c = b->first[bin];
	if (c == BINS_NONE || b->chunk[c].n == N_CHUNK_FRAMES) {
		uint32_t fresh = new_chunk(b);

		if (fresh == BINS_NONE)
			return false;
		b->chunk[fresh].next = c;
		b->first[bin] = c = fresh;
		b->full[word] |= bit;
		b->words |= UINT64_C(1) << word;
	}
	chunk = &b->chunk[c];
	chunk->at[chunk->n++] = *f;
	b->n++;
	return true;
}

/* The first bin from @from on, round the end, that is not empty. */
static uint32_t next_full(const struct bins *b, uint32_t from)
{
	uint32_t word = from / 64;
	uint64_t bits = b->full[word] >> from % 64 << from % 64;
	uint64_t words;

	if (bits)
		return word * 64 + (uint32_t)__builtin_ctzll(bits);
	/* Words behind this one first, else from the start, this one's low bits last. */
	words = word < 63 ? b->words >> (word + 1) << (word + 1) : 0;
	word = (uint32_t)__builtin_ctzll(words ? words : b->words);
	return word * 64 + (uint32_t)__builtin_ctzll(b->full[word]);
}

uint32_t bins_take(struct bins *b)
{
	uint32_t from = bin_of(b, b->horizon_ns);
	uint32_t bin = next_full(b, from);
	uint32_t word = bin / 64;

	b->full[word] &= ~(UINT64_C(1) << bin % 64);
	if (!b->full[word])
		b->words &= ~(UINT64_C(1) << word);
	b->horizon_ns += (nsec_t)(((uint64_t)(bin - from) % N_BINS + 1) << b->shift);
	return b->first[bin];
}

uint32_t bins_give_back(struct bins *b, uint32_t chunk)
{
	uint32_t next = b->chunk[chunk].next;

	b->n -= b->chunk[chunk].n;
	b->chunk[chunk].n = 0;
	b->chunk[chunk].next = b->chunk_free;
	b->chunk_free = chunk;
	return next;
}
