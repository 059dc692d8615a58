/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests/unit/engine/test_bins.c - mirrors src/engine/bins.c
 */
#include "config.h"

#include "engine/bins.h"
#include "engine/rng.h"
#include "unit/unit.h"

#define MS NSEC_PER_MSEC

static struct bins *aimed(nsec_t first_ns, nsec_t last_ns)
{
	struct bins *b = bins_new();

	assert_non_null(b);
	assert_true(bins_aim(b, first_ns, last_ns));
	return b;
}

static void bins_reach_from_behind_the_first_to_the_last(void **state)
{
	static const nsec_t firsts[] = {0, 5, -100 * MS, 1000000 * MS};
	static const nsec_t ranges[] = {1, 4095, 100 * MS, 1000000 * MS};

	(void)state;
	for (unsigned i = 0; i < 16; i++) {
		nsec_t first_ns = firsts[i / 4], last_ns = first_ns + ranges[i % 4];
		struct bins *b = aimed(first_ns, last_ns);

		assert_true(b->horizon_ns > first_ns);
		assert_false(bins_covers(b, first_ns));
		assert_false(bins_covers(b, b->horizon_ns - 1));
		assert_true(bins_covers(b, b->horizon_ns));
		assert_true(last_ns < b->horizon_ns || bins_covers(b, last_ns));
		assert_true(bins_covers(
			b, b->horizon_ns + ((nsec_t)N_BINS << b->shift) - 1));
		assert_false(
			bins_covers(b, b->horizon_ns + ((nsec_t)N_BINS << b->shift)));
		assert_false(bins_covers(b, INT64_MAX));
		assert_false(bins_covers(b, INT64_MIN));
		bins_free(b);
	}
}

static void the_ends_of_time_have_no_bins(void **state)
{
	struct bins *b = bins_new();

	(void)state;
	assert_false(bins_aim(b, 0, INT64_MAX));
	assert_false(bins_aim(b, INT64_MIN, 0));
	bins_free(b);
}

/* Every frame comes out once, in the bin of its due, and bins in order. */
static void bins_come_out_in_order_while_time_moves_on(void **state)
{
	struct bins *b = aimed(-50 * MS, 50 * MS);
	nsec_t from_ns = b->horizon_ns;
	uint32_t in = 0, out = 0;
	struct rng r;

	(void)state;
	rng_seed(&r, 3);
	for (unsigned round = 0; round < 20000; round++) {
		uint32_t c;

		for (unsigned k = rng_below(&r, 40); k--;) {
			struct frame f = {
				.due_ns = b->horizon_ns + rng_below(&r, 100 * MS),
				.order = in};

			if (round < 15000 && bins_covers(b, f.due_ns)) {
				assert_true(bins_put(b, &f));
				in++;
			}
		}
		assert_int_equal(b->n, in - out);
		if (!b->n)
			continue;
		c = bins_take(b);
		while (c != BINS_NONE) {
			assert_true(b->chunk[c].n > 0);
			for (uint32_t i = 0; i < b->chunk[c].n; i++, out++) {
				nsec_t due_ns = b->chunk[c].at[i].due_ns;

				assert_true(due_ns >= from_ns);
				assert_true(due_ns < b->horizon_ns);
				assert_true(
					due_ns >= b->horizon_ns - (1ll << b->shift));
			}
			c = bins_give_back(b, c);
		}
		from_ns = b->horizon_ns;
	}
	assert_true(in > 100000);
	assert_int_equal(in, out);
	assert_int_equal(b->n, 0);
	assert_int_equal(b->words, 0);
	/* Chunks are used again. */
	assert_true(b->chunk_n * N_CHUNK_FRAMES < in / 4);
	bins_free(b);
}

static void a_reset_leaves_nothing(void **state)
{
	struct bins *b = aimed(0, 1000);

	(void)state;
	for (unsigned i = 0; i < 100; i++) {
		struct frame f = {.due_ns = b->horizon_ns + i};

		assert_true(bins_put(b, &f));
	}
	bins_reset(b);
	assert_int_equal(b->n, 0);
	assert_int_equal(b->chunk_n, 0);
	assert_true(bins_aim(b, 0, 1000));
	for (unsigned i = 0; i < 5; i++) {
		struct frame f = {.due_ns = b->horizon_ns};

		assert_true(bins_put(b, &f));
	}
	assert_int_equal(b->chunk[bins_take(b)].n, 5);
	bins_free(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bins_reach_from_behind_the_first_to_the_last),
		cmocka_unit_test(the_ends_of_time_have_no_bins),
		cmocka_unit_test(bins_come_out_in_order_while_time_moves_on),
		cmocka_unit_test(a_reset_leaves_nothing),
	};

	return cmocka_run_group_tests_name("engine/bins", tests, NULL, NULL);
}
