/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests/fuzz/fuzz_supers.c - what a TAP hands out, and worse, through parse, path and join
 *
 *   fuzz_supers [N [SEED]]    prints TAP
 *
 * Reads of tests/lib/supers.c, every second one with some bytes changed, cut short or
 * with another virtio header. What must hold for any bytes: no crash, nothing that ASan
 * or UBSan see, every frame counted and every buf given back. Where nothing is done to
 * the frames, what is written is what was read: cut into plain frames the same, and what
 * cannot be cut as it came.
 */
#include "config.h"

#include "engine/path.h"
#include "lib/plain.h"
#include "lib/supers.h"
#include "wire/gso.h"
#include "wire/join.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define READS 40

static const uint8_t mac_a[6] = {2, 0, 0, 0, 0, 1}, mac_b[6] = {2, 0, 0, 0, 0, 2};

static struct supers rng;
static struct buf_pool *pool;
static struct join join;
static unsigned bad;

static void complain(const char *what)
{
	printf("# %s\n", what);
	bad++;
}

/* Return: its new length. */
static uint32_t spoil(uint8_t *read, uint32_t n)
{
	uint32_t heads = n < 140 ? n : 140;

	switch (supers_below(&rng, 4)) {
	case 0:
		return 24 + supers_below(&rng, n - 23);
	case 1:
		read[supers_below(&rng, 10)] = (uint8_t)supers_below(&rng, 256);
		return n;
	case 2:
		/* Bits rather than bytes: what is nearly right is the harder case. */
		read[supers_below(&rng, heads)] ^=
			(uint8_t)(1 << supers_below(&rng, 8));
		return n;
	default:
		for (unsigned i = 1 + supers_below(&rng, 4); i; i--)
			read[supers_below(&rng, heads)] =
				(uint8_t)supers_below(&rng, 256);
		return n;
	}
}

static void cut(struct plain_list *l, const uint8_t *bytes, uint32_t n)
{
	static uint8_t raw[10 + BUF_READ_BYTES];

	if (!plain_add(l, bytes, n))
		return;
	/* As it is, behind a header that asks for nothing. */
	memset(raw, 0, 10);
	memcpy(raw + 10, bytes, n);
	plain_add(l, raw, n + 10);
}

static void write_all(struct plain_list *l)
{
	static uint8_t out[BUF_READ_BYTES];

	join_seal(&join);
	while (!join_is_empty(&join)) {
		const struct join_job *job = join_first(&join);
		uint32_t n = 0;

		for (unsigned i = 0; i < job->n_iov; i++) {
			const struct iovec *v = &join.iov[job->first_iov + i];

			if (n + v->iov_len > sizeof(out)) {
				complain("a job is too long");
				return;
			}
			memcpy(out + n, v->iov_base, v->iov_len);
			n += (uint32_t)v->iov_len;
		}
		cut(l, out, n);
		join_done(&join, pool);
	}
}

static uint32_t p32(unsigned one_in)
{
	return supers_below(&rng, 2) ? UINT32_MAX / one_in : 0;
}

static struct spec random_spec(void)
{
	struct spec s = {.kind = IMPAIR_NETEM};
	struct netem_conf *n = &s.netem;

	n->has_seed = true;
	n->seed = rng.rng;
	n->limit_frames = supers_below(&rng, 2) ? 1000000 : supers_below(&rng, 300);
	n->latency_ns = supers_below(&rng, 1000000);
	n->jitter_ns = supers_below(&rng, 2) ? supers_below(&rng, 100000) : 0;
	n->loss.p32 = p32(5);
	n->duplicate.p32 = p32(10);
	n->corrupt.p32 = p32(20);
	n->reorder.p32 = p32(10);
	n->gap = n->reorder.p32 ? 1 + supers_below(&rng, 5) : 0;
	n->ecn = supers_below(&rng, 2);
	n->rate_byteps = supers_below(&rng, 2) ? 10000000 : 0;
	return s;
}

static void drain(struct path *p, nsec_t now_ns, struct plain_list *got)
{
	struct frame f[64];
	unsigned n, room;

	do {
		room = join_room(&join) < 64 ? join_room(&join) : 64;
		n = path_pop(p, now_ns, f, room);
		join_add_all(&join, f, n);
		if (!join_room(&join) || n < room)
			write_all(got);
	} while (n == room);
}

static void check_books(const struct count *c)
{
	if (c->in + c->duplicated != c->out + c->lost + c->drop_limit + c->drop_mem +
					     c->drop_io + c->backlog)
		complain("a frame was lost uncounted");
	if (c->backlog || buf_pool_live_bufs(pool))
		complain("a buf was not given back");
}

static void compare(const struct plain_list *got, const struct plain_list *want)
{
	if (got->n_frames != want->n_frames) {
		complain("not as many frames as were read");
		return;
	}
	for (unsigned i = 0; i < want->n_frames; i++)
		if (got->frame[i].n_bytes != want->frame[i].n_bytes ||
			memcmp(plain_frame(got, i), plain_frame(want, i),
				want->frame[i].n_bytes) != 0) {
			complain("a frame is not as it was read");
			return;
		}
}

static void one_stream(struct plain_list *want, struct plain_list *got)
{
	struct spec s = {.kind = IMPAIR_NONE};
	bool clean = supers_below(&rng, 2), whole = supers_below(&rng, 8) == 0;
	nsec_t now_ns = 0;
	struct path *p;
	struct err e;

	if (!clean)
		s = random_spec();
	want->n_frames = want->n_bytes = got->n_frames = got->n_bytes = 0;
	p = path_new(&s, pool, 0, &e);
	if (!p)
		exit(99);
	for (unsigned i = 0; i < READS; i++) {
		static uint8_t read[SUPERS_BYTES_MAX];
		uint32_t n = supers_next(&rng, read);
		struct buf *b;
		uint8_t *room;

		if (supers_below(&rng, 2))
			n = spoil(read, n);
		cut(want, read, n);
		room = buf_room(pool, n);
		if (!room)
			exit(99);
		memcpy(room, read, n);
		b = buf_commit(pool, n);
		gso_parse(b);
		if (whole && b->n_segs > 1)
			b->flags |= BUF_WHOLE;
		path_push(p, b, now_ns);
		now_ns += supers_below(&rng, 200000);
		if (supers_below(&rng, 3) == 0)
			drain(p, now_ns, got);
	}
	drain(p, INT64_MAX - 1, got);
	check_books(path_count(p));
	if (clean)
		compare(got, want);
	path_free(p);
}

int main(int argc, char **argv)
{
	unsigned long n = argc > 1 ? strtoul(argv[1], NULL, 10) : 400;
	unsigned long seed = argc > 2 ? strtoul(argv[2], NULL, 10) : 1;
	struct plain_list *want = plain_list_new(100000, 64u << 20);
	struct plain_list *got = plain_list_new(100000, 64u << 20);
	struct err e;

	pool = buf_pool_new((size_t)64 << 20, 0, &e);
	if (!pool)
		return 99;
	join_init(&join);
	for (unsigned long i = 0; i < n && !bad; i++) {
		supers_init(&rng, seed * 1000003 + i, mac_a, mac_b);
		one_stream(want, got);
		if (bad)
			printf("# stream %lu of seed %lu\n", i, seed);
	}
	printf("1..1\n%s 1 - %lu streams, half of their reads spoilt\n",
		bad ? "not ok" : "ok", n);
	plain_list_free(want);
	plain_list_free(got);
	buf_pool_free(pool);
	return bad != 0;
}
