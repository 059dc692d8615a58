/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests/unit/wire/test_join_streams.c - src/wire/join.c and gso.c over random streams
 *
 * What a join writes, cut by the independent segmenter of tests/lib/plain.c, must be
 * byte for byte what was read, cut by the same.
 */
#include "config.h"

#include "lib/supers.h"
#include "unit/wire/joinrig.h"

#include <stdlib.h>
#include <string.h>

static const uint8_t mac_a[6] = {2, 0, 0, 0, 0, 1}, mac_b[6] = {2, 0, 0, 0, 0, 2};

#define STREAM_MAX 400000

/* A stream of frames in the order in which they leave; at: their place in `all`. */
struct stream {
	struct plain_list *all, *got;
	unsigned at[STREAM_MAX];
	struct frame frame[STREAM_MAX];
	unsigned n;
};

static struct stream *stream_new(void)
{
	struct stream *s = calloc(1, sizeof(*s));

	assert_non_null(s);
	s->all = plain_list_new(STREAM_MAX, 300u << 20);
	s->got = plain_list_new(STREAM_MAX, 300u << 20);
	return s;
}

static void stream_free(struct stream *s)
{
	plain_list_free(s->all);
	plain_list_free(s->got);
	free(s);
}

static void put(struct stream *s, struct buf *b, uint16_t seg, unsigned at)
{
	assert_true(s->n < STREAM_MAX);
	s->at[s->n] = at;
	s->frame[s->n++] = (struct frame){.buf = b, .seg = seg};
}

static void swap(struct stream *s, unsigned a, unsigned b)
{
	struct frame f = s->frame[a];
	unsigned at = s->at[a];

	s->frame[a] = s->frame[b];
	s->at[a] = s->at[b];
	s->frame[b] = f;
	s->at[b] = at;
}

/* All through the join, and compared. Return: writes. */
static unsigned leave(struct stream *s)
{
	unsigned n_jobs = 0, n;

	for (unsigned i = 0; i < s->n; i += n) {
		if (!join_room(&join))
			n_jobs += joinrig_write_all(s->got);
		n = join_room(&join) < s->n - i ? join_room(&join) : s->n - i;
		join_add_all(&join, &s->frame[i], n);
	}
	n_jobs += joinrig_write_all(s->got);
	assert_int_equal(s->got->n_frames, s->n);
	for (unsigned i = 0; i < s->n; i++) {
		const struct plain_at *a = &s->all->frame[s->at[i]];

		if (a->n_bytes != s->got->frame[i].n_bytes)
			fail_msg("frame %u has %u bytes, not %u", i,
				s->got->frame[i].n_bytes, a->n_bytes);
		assert_memory_equal(plain_frame(s->got, i),
			plain_frame(s->all, s->at[i]), a->n_bytes);
	}
	return n_jobs;
}

/* One in @loss lost, one in @twice twice, one in @aside changed places. 0: none */
static void random_stream(unsigned loss, unsigned twice, unsigned aside)
{
	static uint8_t read[SUPERS_BYTES_MAX];
	unsigned n_reads = 700, n_jobs;
	struct stream *s = stream_new();
	uint64_t copied = join.copied_bytes;
	struct supers rng;

	supers_init(&rng, loss * 10000 + twice * 100 + aside, mac_a, mac_b);
	for (unsigned i = 0; i < n_reads; i++) {
		uint32_t n = supers_next(&rng, read);
		struct buf *b = joinrig_take(read, n);
		unsigned at = s->all->n_frames;
		uint16_t n_segs = b->n_segs;

		assert_null(plain_add(s->all, read, n));
		assert_int_equal(s->all->n_frames - at, n_segs);
		for (uint16_t k = 0; k < n_segs; k++) {
			if (loss && supers_below(&rng, loss) == 0) {
				buf_unref(pool, b);
				continue;
			}
			put(s, b, k, at + k);
			if (aside && s->n > 4 && supers_below(&rng, aside) == 0)
				swap(s, s->n - 1, s->n - 2 - supers_below(&rng, 4));
			if (twice && supers_below(&rng, twice) == 0) {
				buf_ref(b);
				put(s, b, k, at + k);
			}
		}
	}
	assert_true(s->n > 3000);
	n_jobs = leave(s);
	if (!loss && !twice && !aside) {
		/* Neighbours of one flow were joined: fewer writes than reads. */
		assert_true(n_jobs < n_reads * 9 / 10);
	}
	assert_true(join.copied_bytes - copied <= (uint64_t)n_jobs * GSO_HEAD_BYTES);
	stream_free(s);
}

static void a_stream_comes_out_byte_for_byte(void **state)
{
	(void)state;
	random_stream(0, 0, 0);
}

static void so_does_what_loss_left(void **state)
{
	(void)state;
	random_stream(10, 0, 0);
	random_stream(3, 0, 0);
}

static void so_do_duplicates(void **state)
{
	(void)state;
	random_stream(0, 5, 0);
	random_stream(0, 1, 0);
}

static void so_does_what_jitter_mixed_up(void **state)
{
	(void)state;
	random_stream(0, 0, 5);
	random_stream(20, 30, 2);
}

/* A device that refuses super-frames gets the same frames one by one. */
static void a_refused_job_leaves_frame_by_frame(void **state)
{
	static uint8_t read[SUPERS_BYTES_MAX], out[BUF_READ_BYTES];
	struct stream *s = stream_new();
	struct supers rng;

	(void)state;
	supers_init(&rng, 5, mac_a, mac_b);
	for (unsigned i = 0; i < 30; i++) {
		uint32_t n = supers_next(&rng, read);
		struct buf *b = joinrig_take(read, n);
		unsigned at = s->all->n_frames;

		assert_null(plain_add(s->all, read, n));
		for (uint16_t k = 0; k < b->n_segs; k++) {
			put(s, b, k, at + k);
			join_add(&join, &s->frame[s->n - 1]);
		}
	}
	join_seal(&join);
	while (!join_is_empty(&join)) {
		struct join_job *job = join_first(&join);
		struct iovec v[2];
		uint8_t head[GSO_HEAD_BYTES];
		uint32_t n;

		if (job->n_frames == 1) {
			assert_null(plain_add(s->got, out, joinrig_written(out)));
			join_done(&join, pool);
			continue;
		}
		n = join_peel(&join, head, v);
		assert_int_equal(v[0].iov_len + v[1].iov_len, BUF_VNET_BYTES + n);
		memcpy(out, v[0].iov_base, v[0].iov_len);
		memcpy(out + v[0].iov_len, v[1].iov_base, v[1].iov_len);
		assert_null(plain_add(s->got, out, BUF_VNET_BYTES + n));
		join_peeled(&join, pool);
		/* Its last frame alone is a peel, too: what is sealed is not it. */
		if (!join_is_empty(&join) && join_first(&join) == job &&
			job->n_frames == 1) {
			n = join_peel(&join, head, v);
			memcpy(out, v[0].iov_base, v[0].iov_len);
			memcpy(out + v[0].iov_len, v[1].iov_base, v[1].iov_len);
			assert_null(plain_add(s->got, out, BUF_VNET_BYTES + n));
			join_peeled(&join, pool);
		}
	}
	assert_int_equal(s->got->n_frames, s->all->n_frames);
	for (unsigned i = 0; i < s->n; i++)
		assert_memory_equal(plain_frame(s->got, i), plain_frame(s->all, i),
			s->all->frame[i].n_bytes);
	stream_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_stream_comes_out_byte_for_byte),
		cmocka_unit_test(so_does_what_loss_left),
		cmocka_unit_test(so_do_duplicates),
		cmocka_unit_test(so_does_what_jitter_mixed_up),
		cmocka_unit_test(a_refused_job_leaves_frame_by_frame),
	};

	return cmocka_run_group_tests_name(
		"wire/join streams", tests, joinrig_set_up, joinrig_tear_down);
}
