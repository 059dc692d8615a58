/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests/unit/wire/test_buf.c - mirrors src/wire/buf.c
 */
#include "config.h"

#include "unit/unit.h"
#include "wire/buf.h"

#include <stdlib.h>
#include <string.h>

#define TWO_CHUNKS (2 * (size_t)BUF_CHUNK_BYTES)

static struct buf *take(struct buf_pool *p, size_t n_bytes)
{
	return buf_room(p, n_bytes) ? buf_commit(p, n_bytes) : NULL;
}

static void bytes_stay_where_they_were_read_to(void **state)
{
	struct buf_pool *p = buf_pool_new(TWO_CHUNKS, 0, NULL);
	struct buf *b[100];

	(void)state;
	assert_non_null(p);
	for (unsigned i = 0; i < 100; i++) {
		uint8_t *room = buf_room(p, BUF_READ_BYTES);

		assert_non_null(room);
		assert_ptr_equal(buf_room(p, BUF_READ_BYTES), room);
		memset(room, (int)i, BUF_VNET_BYTES + 60 + i);
		b[i] = buf_commit(p, BUF_VNET_BYTES + 60 + i);
		assert_ptr_equal(buf_vnet(b[i]), room);
		assert_ptr_equal(buf_bytes(b[i]), room + BUF_VNET_BYTES);
		assert_int_equal((uintptr_t)(buf_bytes(b[i]) + 14) % 8, 0);
	}
	assert_int_equal(buf_pool_live_bufs(p), 100);
	for (unsigned i = 0; i < 100; i++) {
		assert_int_equal(b[i]->n_bytes, 60 + i);
		assert_int_equal(b[i]->n_segs, 1);
		for (unsigned k = 0; k < BUF_VNET_BYTES + 60 + i; k++)
			assert_int_equal(buf_vnet(b[i])[k], i);
		buf_unref(p, b[i]);
	}
	assert_int_equal(buf_pool_live_bufs(p), 0);
	buf_pool_free(p);
}

static void a_short_frame_costs_96_bytes(void **state)
{
	struct buf_pool *p = buf_pool_new(TWO_CHUNKS, 0, NULL);

	(void)state;
	for (unsigned i = 0; i < 1000; i++)
		assert_non_null(take(p, BUF_VNET_BYTES + 64));
	assert_int_equal(buf_pool_live_bytes(p), 96 * 1000);
	for (unsigned i = 0; i < 1000; i++)
		assert_non_null(take(p, BUF_VNET_BYTES + 60));
	assert_int_equal(buf_pool_live_bytes(p), (96 + 88) * 1000);
	buf_pool_free(p);
}

static void the_bound_holds_and_memory_comes_back(void **state)
{
	struct buf_pool *p = buf_pool_new(TWO_CHUNKS, 0, NULL);
	struct buf **all = calloc(TWO_CHUNKS / 1000, sizeof(*all));
	size_t n = 0, again = 0;

	(void)state;
	while ((all[n] = take(p, 1500)))
		n++;
	assert_true(n * 1520 > TWO_CHUNKS - 2 * 1600 - 128);
	assert_true(n * 1516 <= TWO_CHUNKS);
	assert_null(take(p, 1500));
	/* A chunk is free again only when nothing in it is held. */
	for (size_t i = 1; i < n / 2; i++)
		buf_unref(p, all[i]);
	assert_null(take(p, 1500));
	buf_unref(p, all[0]);
	while (take(p, 1500))
		again++;
	assert_true(again >= n / 2);
	free(all);
	buf_pool_free(p);
}

static void two_chunks_are_allowed_whatever_the_bound(void **state)
{
	struct buf_pool *p = buf_pool_new(1, 0, NULL);
	size_t n_bytes = 0;

	(void)state;
	while (take(p, 65000))
		n_bytes += 65000;
	assert_true(n_bytes > TWO_CHUNKS - 4 * 65000);
	assert_true(n_bytes <= TWO_CHUNKS);
	buf_pool_free(p);
}

static void an_idle_chunk_is_filled_from_its_start_again(void **state)
{
	struct buf_pool *p = buf_pool_new(TWO_CHUNKS, 0, NULL);
	struct buf *first = take(p, 1000);

	(void)state;
	buf_unref(p, first);
	for (unsigned i = 0; i < 20000; i++) {
		struct buf *b = take(p, 1000);

		assert_ptr_equal(b, first);
		buf_unref(p, b);
	}
	buf_pool_free(p);
}

static void the_last_reference_frees(void **state)
{
	struct buf_pool *p = buf_pool_new(TWO_CHUNKS, 0, NULL);
	struct buf *b = take(p, 1000);

	(void)state;
	assert_false(buf_is_shared(b));
	buf_ref(b);
	assert_true(buf_is_shared(b));
	assert_int_equal(buf_pool_live_bufs(p), 2);
	buf_unref(p, b);
	assert_false(buf_is_shared(b));
	assert_true(take(p, 1000) > b);
	buf_unref(p, b);
	buf_pool_free(p);
}

static void references_can_be_given_up_by_chunk(void **state)
{
	struct buf_pool *p = buf_pool_new(TWO_CHUNKS, 0, NULL);
	struct buf_chunk *c = NULL;
	uint64_t n = 0;

	(void)state;
	for (;;) {
		struct buf *b = take(p, 60000);

		assert_non_null(b);
		if (c && buf_chunk(b) != c)
			break;
		c = buf_chunk(b);
		n++;
	}
	assert_int_equal(buf_pool_live_bufs(p), n + 1);
	buf_drop_refs(p, c, n);
	assert_int_equal(buf_pool_live_bufs(p), 1);
	n = 0;
	while (take(p, 60000))
		n++;
	assert_true(n * 60000 > TWO_CHUNKS - 4 * 60000);
	buf_pool_free(p);
}

static void short_reads_leave_their_windows(void **state)
{
	struct buf_pool *p = buf_pool_new(TWO_CHUNKS, 0, NULL);
	uint8_t *room[BUF_WINDOWS_MAX], *again[BUF_WINDOWS_MAX];
	struct buf *b[BUF_WINDOWS_MAX];
	unsigned i, k;

	(void)state;
	assert_int_equal(buf_windows(p, room, 40), 40);
	for (i = 0; i < 40; i++)
		memset(room[i], (int)i, BUF_READ_BYTES);
	for (i = 0; i < 40; i++)
		b[i] = buf_take(p, room[i], BUF_VNET_BYTES + 64);
	assert_int_equal(buf_pool_live_bytes(p), 40 * 96);
	assert_int_equal(buf_windows(p, again, 40), 40);
	assert_memory_equal(again, room, 40 * sizeof(*room));
	for (i = 0; i < 40; i++) {
		assert_int_equal(b[i]->n_bytes, 64);
		assert_int_equal(b[i]->n_segs, 1);
		for (k = 0; k < BUF_VNET_BYTES + 64; k++)
			assert_int_equal(buf_vnet(b[i])[k], i);
		buf_unref(p, b[i]);
	}
	assert_int_equal(buf_pool_live_bufs(p), 0);
	buf_pool_free(p);
}

static void long_reads_stay_in_their_windows(void **state)
{
	struct buf_pool *p = buf_pool_new(2 * TWO_CHUNKS, 0, NULL);
	uint8_t *room[BUF_WINDOWS_MAX], *more[BUF_WINDOWS_MAX];
	struct buf *b[BUF_WINDOWS_MAX], *c[BUF_WINDOWS_MAX];
	unsigned i, k, n;

	(void)state;
	assert_int_equal(buf_windows(p, room, 32), 32);
	for (i = 0; i < 32; i++) {
		memset(room[i], (int)i, BUF_READ_BYTES);
		b[i] = buf_take(
			p, room[i], i % 2 ? BUF_COPY_BYTES : BUF_COPY_BYTES + 1 + i);
		assert_int_equal(buf_vnet(b[i]) == room[i], i % 2 == 0);
	}
	/* Those that are held are not handed out again, whatever is read. */
	n = buf_windows(p, more, BUF_WINDOWS_MAX);
	assert_int_equal(n, BUF_WINDOWS_MAX - 16);
	for (i = 0; i < n; i++)
		memset(more[i], 0xff, BUF_READ_BYTES);
	for (i = 0; i < 32; i++)
		for (k = 0; k < BUF_VNET_BYTES + b[i]->n_bytes; k++)
			assert_int_equal(buf_vnet(b[i])[k], i);
	/* Few are left: a new chunk, while the old one is held by one. */
	for (i = 0; i < n - 3; i++)
		c[i] = buf_take(p, more[i], BUF_READ_BYTES);
	assert_int_equal(buf_windows(p, more, 32), 32);
	assert_ptr_not_equal(
		buf_chunk((struct buf *)more[0]), buf_chunk((struct buf *)room[0]));
	for (i = 0; i < 32; i++)
		buf_unref(p, b[i]);
	for (i = 0; i < n - 3; i++)
		buf_unref(p, c[i]);
	/* One that is given back is the next to be used, whoever has the others: it is
	 * warm. */
	for (i = 0; i < 5; i++)
		b[i] = buf_take(p, more[i], BUF_READ_BYTES);
	buf_ref(b[2]);
	buf_unref(p, b[2]);
	assert_int_equal(buf_windows(p, room, 1), 1);
	assert_ptr_equal(room[0], more[5]);
	buf_unref(p, b[2]);
	assert_int_equal(buf_windows(p, room, 2), 2);
	assert_ptr_equal(room[0], more[2]);
	assert_ptr_equal(room[1], more[5]);
	for (i = 0; i < 5; i++)
		if (i != 2)
			buf_unref(p, b[i]);
	assert_int_equal(buf_pool_live_bufs(p), 0);
	buf_pool_free(p);
}

static void held_back_windows_are_for_the_longest(void **state)
{
	const unsigned half = BUF_WINDOWS_MAX / 2;
	struct buf_pool *p = buf_pool_new(2 * TWO_CHUNKS, 0, NULL);
	uint8_t *room[BUF_WINDOWS_MAX];
	struct buf *b[BUF_WINDOWS_MAX];

	(void)state;
	for (unsigned i = 0; i < half + 2; i++) {
		assert_int_equal(buf_windows(p, room, 1), 1);
		memset(room[0], (int)i, BUF_READ_BYTES);
		b[i] = buf_take(p, room[0],
			i == half + 1 ? BUF_COPY_SCARCE_BYTES + 1
				      : BUF_COPY_SCARCE_BYTES);
		assert_int_equal(buf_vnet(b[i]) == room[0], i != half);
	}
	assert_int_equal(
		buf_bytes(b[half])[BUF_COPY_SCARCE_BYTES - BUF_VNET_BYTES - 1], half);
	for (unsigned i = 0; i < half + 2; i++)
		buf_unref(p, b[i]);
	/* They are back, and there is no want any more. */
	assert_int_equal(buf_windows(p, room, 1), 1);
	b[0] = buf_take(p, room[0], BUF_COPY_SCARCE_BYTES);
	assert_ptr_equal(buf_vnet(b[0]), room[0]);
	buf_unref(p, b[0]);
	buf_pool_free(p);
}

static void the_bound_holds_for_windows_too(void **state)
{
	struct buf_pool *p = buf_pool_new(TWO_CHUNKS, 0, NULL);
	uint8_t *room[BUF_WINDOWS_MAX];
	unsigned n = 0, i, got;

	(void)state;
	/* Frames of 1500 bytes: a chunk full of them, and then in windows as they are. */
	while ((got = buf_windows(p, room, 8)) > 0)
		for (i = 0; i < got; i++, n++)
			assert_non_null(buf_take(p, room[i], 1500));
	assert_true(n > BUF_CHUNK_BYTES / 1600 + BUF_WINDOWS_MAX - 8);
	assert_true(buf_pool_live_bytes(p) <= TWO_CHUNKS);
	assert_int_equal(buf_pool_live_bufs(p), n);
	assert_null(buf_room(p, BUF_READ_BYTES));
	buf_pool_free(p);
}

static void a_held_window_is_nobody_elses(void **state)
{
	struct buf_pool *p = buf_pool_new(2 * TWO_CHUNKS, 0, NULL);
	uint8_t *room[BUF_WINDOWS_MAX], *held = buf_hold(p), *was = held;
	struct buf *b, *long_one, *c[BUF_WINDOWS_MAX];
	unsigned i, n;

	(void)state;
	memset(held, 0x5a, BUF_READ_BYTES);
	n = buf_windows(p, room, BUF_WINDOWS_MAX);
	assert_int_equal(n, BUF_WINDOWS_MAX - 1);
	for (i = 0; i < n; i++) {
		assert_ptr_not_equal(room[i], held);
		memset(room[i], 0, BUF_READ_BYTES);
		c[i] = buf_take(p, room[i], BUF_READ_BYTES);
	}
	/* What is short is copied, and it is held on; by now it is of an older chunk. */
	assert_int_equal(buf_windows(p, room, 1), 1);
	assert_ptr_not_equal(
		buf_chunk((struct buf *)room[0]), buf_chunk((struct buf *)held));
	for (i = 0; i < n; i++)
		buf_unref(p, c[i]);
	b = buf_take_held(p, &held, BUF_VNET_BYTES + 60);
	assert_ptr_equal(held, was);
	assert_ptr_not_equal(buf_vnet(b), held);
	assert_int_equal(b->n_bytes, 60);
	assert_int_equal(buf_bytes(b)[59], 0x5a);
	/* What is long goes with it. */
	long_one = buf_take_held(p, &held, BUF_COPY_BYTES + 1);
	assert_null(held);
	assert_ptr_equal(buf_vnet(long_one), was);
	assert_int_equal(long_one->n_bytes, BUF_COPY_BYTES + 1 - BUF_VNET_BYTES);
	assert_int_equal(buf_bytes(long_one)[BUF_COPY_BYTES - BUF_VNET_BYTES], 0x5a);
	assert_int_equal(buf_pool_live_bufs(p), 2);
	buf_unref(p, b);
	buf_unref(p, long_one);
	/* Or back, unused. */
	held = buf_hold(p);
	assert_int_equal(buf_pool_live_bufs(p), 1);
	buf_release(p, held);
	buf_release(p, NULL);
	assert_int_equal(buf_pool_live_bufs(p), 0);
	buf_pool_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bytes_stay_where_they_were_read_to),
		cmocka_unit_test(a_short_frame_costs_96_bytes),
		cmocka_unit_test(the_bound_holds_and_memory_comes_back),
		cmocka_unit_test(two_chunks_are_allowed_whatever_the_bound),
		cmocka_unit_test(an_idle_chunk_is_filled_from_its_start_again),
		cmocka_unit_test(the_last_reference_frees),
		cmocka_unit_test(references_can_be_given_up_by_chunk),
		cmocka_unit_test(short_reads_leave_their_windows),
		cmocka_unit_test(long_reads_stay_in_their_windows),
		cmocka_unit_test(held_back_windows_are_for_the_longest),
		cmocka_unit_test(the_bound_holds_for_windows_too),
		cmocka_unit_test(a_held_window_is_nobody_elses),
	};

	return cmocka_run_group_tests_name("wire/buf", tests, NULL, NULL);
}
