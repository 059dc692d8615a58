/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests/unit/engine/test_late.c - mirrors src/engine/late.c
 */
#include "config.h"

#include "engine/count.h"
#include "engine/rng.h"
#include "unit/unit.h"

#include <stdlib.h>

static void without_frames_all_is_0(void **state)
{
	static const struct late l;

	(void)state;
	assert_int_equal(late_quantile_ns(&l, 0.5), 0);
	assert_int_equal(late_class(&l, 0), 0);
}

static void coarse_classes_are_cut_at_powers_of_two_us(void **state)
{
	(void)state;
	for (unsigned i = 0; i < N_LATE_CLASSES - 1; i++) {
		struct late l = {0};
		nsec_t edge_ns = NSEC_PER_USEC << i;

		late_add(&l, edge_ns - 1);
		assert_int_equal(late_class(&l, i), 1);
		assert_int_equal(late_class(&l, i + 1), 0);
		late_add(&l, edge_ns);
		assert_int_equal(late_class(&l, i), 1);
		assert_int_equal(late_class(&l, i + 1), 1);
	}
}

static void the_last_class_is_open(void **state)
{
	struct late l = {0};

	(void)state;
	late_add(&l, INT64_MAX);
	late_add(&l, 100 * NSEC_PER_SEC);
	assert_int_equal(late_class(&l, N_LATE_CLASSES - 1), 2);
	assert_int_equal(l.max_ns, INT64_MAX);
	assert_int_equal(late_quantile_ns(&l, 1.0), INT64_MAX);
}

static int by_value(const void *a, const void *b)
{
	nsec_t x = *(const nsec_t *)a, y = *(const nsec_t *)b;

	return (x > y) - (x < y);
}

static void a_quantile_is_at_most_7_percent_above_the_true_one(void **state)
{
	static const double share[] = {0.001, 0.1, 0.5, 0.9, 0.99, 0.999, 1.0};
	static nsec_t v[20000];
	const unsigned n = sizeof(v) / sizeof(v[0]);
	struct late l = {0};
	struct rng r;

	(void)state;
	rng_seed(&r, 11);
	for (unsigned i = 0; i < n; i++) {
		v[i] = rng_next(&r) >> rng_below(&r, 32);
		late_add(&l, v[i]);
	}
	qsort(v, n, sizeof(v[0]), by_value);
	for (unsigned i = 0; i < sizeof(share) / sizeof(share[0]); i++) {
		nsec_t want = v[(unsigned)(share[i] * n + 0.5) - 1];
		nsec_t got = late_quantile_ns(&l, share[i]);

		assert_true(got >= want);
		assert_true((double)got <= (double)want * 1.07);
	}
	assert_int_equal(late_quantile_ns(&l, 1.0), v[n - 1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_frames_all_is_0),
		cmocka_unit_test(coarse_classes_are_cut_at_powers_of_two_us),
		cmocka_unit_test(the_last_class_is_open),
		cmocka_unit_test(a_quantile_is_at_most_7_percent_above_the_true_one),
	};

	return cmocka_run_group_tests_name("engine/late", tests, NULL, NULL);
}
