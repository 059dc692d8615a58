/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests/unit/engine/test_dist.c - mirrors src/engine/dist.c
 */
#include "config.h"

#include "engine/dist.h"
#include "engine/rng.h"
#include "unit/unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* T6.1 */
static void the_uniform_delay_is_netem_s(void **state)
{
	static const struct {
		nsec_t center_ns;
		uint32_t jitter_ns, random;
		nsec_t want_ns;
	} t[] = {
		{100000000, 10000000, 0, 90000000},
		{100000000, 10000000, 19999999, 109999999},
		{100000000, 10000000, 20000000, 90000000},
		{100000000, 10000000, 1234567890, 104567890},
		{100000000, 10000000, 4294967295u, 104967295},
		{0, 1, 0, -1},
		{0, 1, 1, 0},
		{0, 5000000, 3, -4999997},
	};
	const struct dist d = {0};

	(void)state;
	for (unsigned i = 0; i < sizeof(t) / sizeof(t[0]); i++)
		assert_int_equal(
			dist_delay_ns(&d, t[i].center_ns, t[i].jitter_ns, t[i].random),
			t[i].want_ns);
}

/* T6.2 */
static void the_delay_by_table_is_netem_s(void **state)
{
	static const struct {
		nsec_t center_ns;
		uint32_t jitter_ns;
		int16_t value;
		nsec_t want_ns;
	} t[] = {
		{100000000, 10000000, 8192, 110000000},
		{100000000, 10000000, -8192, 90000000},
		{100000000, 10000000, 4096, 105000000},
		{100000000, 10000000, 1, 100001221},
		{100000000, 10000000, -1, 99998779},
		{100000000, 10000000, 32767, 139998779},
		{0, 1, 4095, 0},
		{0, 1, 4096, 1},
		{0, 1, -4095, 0},
		{0, 1, -4096, -1},
		{0, 8192, -32768, -32768},
		{0, 100, -32768, -400},
		{1000000, 2147483647, 32767, 8590672444},
		{0, 8191, 3, 3},
		{0, 8193, -3, -3},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		int16_t value = t[i].value;
		const struct dist d = {.values = &value, .n_values = 1};

		assert_int_equal(
			dist_delay_ns(&d, t[i].center_ns, t[i].jitter_ns, 4000000000u),
			t[i].want_ns);
	}
}

static void the_random_number_picks_an_entry_by_its_remainder(void **state)
{
	int16_t values[3] = {0, 8192, -8192};
	const struct dist d = {.values = values, .n_values = 3};

	(void)state;
	assert_int_equal(dist_delay_ns(&d, 1000, 100, 0), 1000);
	assert_int_equal(dist_delay_ns(&d, 1000, 100, 4), 1100);
	assert_int_equal(dist_delay_ns(&d, 1000, 100, 4294967294u), 900);
}

struct table {
	enum dist_kind kind;
	int first[8], at[8]; /* at 1023 1024 2047 2048 2049 3072 4094 4095 */
	int min, max;
	long sum;
	double mean, sd;
};

static const unsigned spots[8] = {1023, 1024, 2047, 2048, 2049, 3072, 4094, 4095};

static const struct table tables[] = {
	{DIST_NORMAL, {-32768, -28307, -26871, -25967, -25298, -24765, -24320, -23937},
		{-5531, -5525, -5, 0, 5, 5526, 27159, 28858}, -32768, 28858, -26163,
		-0.00078, 1.00005},
	{DIST_PARETO, {-5461, -5460, -5460, -5459, -5458, -5457, -5456, -5455},
		{-4363, -4362, -2625, -2622, -2620, 955, 32767, 32767}, -5461, 32767,
		-1123786, -0.03349, 0.81968},
	{DIST_PARETONORMAL,
		{-12305, -11171, -10812, -10586, -10418, -10284, -10172, -10075},
		{-4655, -4652, -1970, -1966, -1963, 2097, 31365, 31789}, -12305, 31789,
		-848968, -0.02530, 0.83394},
};

/* T7.1: one entry may be off by 1 where the math library rounds the other way. */
static void the_built_in_tables_are_iproute2_s(void **state)
{
	(void)state;
	for (unsigned t = 0; t < sizeof(tables) / sizeof(tables[0]); t++) {
		const struct table *w = &tables[t];
		const struct dist_conf c = {.kind = w->kind};
		double sum = 0, squares = 0;
		int min = INT16_MAX, max = INT16_MIN;
		struct dist d;

		assert_int_equal(dist_init(&d, &c, NULL), 0);
		assert_int_equal(d.n_values, 4096);
		for (unsigned i = 0; i < 8; i++) {
			assert_true(abs(d.values[i] - w->first[i]) <= 1);
			assert_true(abs(d.values[spots[i]] - w->at[i]) <= 1);
		}
		for (unsigned i = 0; i < 4096; i++) {
			int v = d.values[i];

			assert_true(i == 0 || v >= d.values[i - 1]);
			sum += v;
			squares += (double)v * v;
			min = v < min ? v : min;
			max = v > max ? v : max;
		}
		assert_true(abs(min - w->min) <= 1 && abs(max - w->max) <= 1);
		assert_true(fabs(sum - (double)w->sum) <= 16);
		sum /= 4096;
		assert_true(fabs(sum / 8192 - w->mean) < 0.00001);
		assert_true(fabs(sqrt(squares / 4096 - sum * sum) / 8192 - w->sd) <
			    0.00001);
		dist_fini(&d);
	}
}

static void a_table_from_a_file_is_taken_as_it_is(void **state)
{
	int16_t values[] = {-32768, 5, 32767};
	const struct dist_conf c = {.kind = DIST_FILE, .values = values, .n_values = 3};
	struct dist d;

	(void)state;
	assert_int_equal(dist_init(&d, &c, NULL), 0);
	assert_int_equal(d.n_values, 3);
	assert_true(d.values != values);
	assert_memory_equal(d.values, values, sizeof(values));
	dist_fini(&d);
}

/* Section 23, and the figures of 7.2 for delay 100ms 10ms. */
static void delays_have_the_mean_and_spread_of_their_table(void **state)
{
	static const struct {
		enum dist_kind kind;
		double mean_ms, sd_ms, min_ms, max_ms;
	} t[] = {
		{DIST_UNIFORM, 100, 5.7735, 90, 110},
		{DIST_NORMAL, 99.992, 10.0005, 60, 135.227},
		{DIST_PARETO, 99.665, 8.197, 93.334, 139.999},
		{DIST_PARETONORMAL, 99.747, 8.339, 84.979, 138.805},
	};
	const unsigned n = 200000;

	(void)state;
	for (unsigned k = 0; k < sizeof(t) / sizeof(t[0]); k++) {
		const struct dist_conf c = {.kind = t[k].kind};
		double sum = 0, squares = 0, min = 1e9, max = 0;
		struct dist d;
		struct rng r;

		assert_int_equal(dist_init(&d, &c, NULL), 0);
		rng_seed(&r, 777 + k);
		for (unsigned i = 0; i < n; i++) {
			double ms = (double)dist_delay_ns(
					    &d, 100000000, 10000000, rng_next(&r)) /
				    1e6;

			sum += ms - 100;
			squares += (ms - 100) * (ms - 100);
			min = ms < min ? ms : min;
			max = ms > max ? ms : max;
		}
		sum /= n;
		assert_true(fabs(100 + sum - t[k].mean_ms) <
			    5 * t[k].sd_ms / sqrt(n) + 5e-4);
		assert_true(fabs(sqrt(squares / n - sum * sum) - t[k].sd_ms) <
			    0.02 * t[k].sd_ms);
		assert_true(min >= t[k].min_ms - 5e-4 && max <= t[k].max_ms + 5e-4);
		dist_fini(&d);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_uniform_delay_is_netem_s),
		cmocka_unit_test(the_delay_by_table_is_netem_s),
		cmocka_unit_test(the_random_number_picks_an_entry_by_its_remainder),
		cmocka_unit_test(the_built_in_tables_are_iproute2_s),
		cmocka_unit_test(a_table_from_a_file_is_taken_as_it_is),
		cmocka_unit_test(delays_have_the_mean_and_spread_of_their_table),
	};

	return cmocka_run_group_tests_name("engine/dist", tests, NULL, NULL);
}
