/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests/unit/engine/test_corr.c - mirrors src/engine/corr.h
 */
#include "config.h"

#include "engine/corr.h"
#include "engine/dist.h"
#include "unit/engine/script.h"
#include "unit/unit.h"

#include <math.h>

/* T5.3 */
static void a_draw_is_the_weighted_mean_of_last_and_new(void **state)
{
	static const struct {
		uint32_t last, rho_p32, v, want;
	} t[] = {
		{0, 2147483648u, 4294967295u, 2147483646u},
		{4294967295u, 2147483648u, 0, 2147483648u},
		{1000000000u, 1073741824u, 3000000000u, 2499999999u},
		{123456789u, 4294967295u, 4000000000u, 123456789u},
		{0, 42949673u, 4294967295u, 4252017621u},
		{4294967295u, 1, 0, 1},
		{4294967295u, 1073741824u, 4294967295u, 4294967295u},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		struct rng r = script_rng(&t[i].v, 1);
		struct corr c = {t[i].rho_p32, t[i].last};

		assert_int_equal(corr_draw(&c, &r), t[i].want);
		assert_int_equal(c.last, t[i].want);
	}
}

static void without_correlation_the_draw_is_the_generator_s(void **state)
{
	uint32_t v = 3000000000u;
	struct rng r = script_rng(&v, 1);
	struct corr c = {0, 77};

	(void)state;
	assert_int_equal(corr_draw(&c, &r), v);
	assert_int_equal(c.last, 77);
}

static void probability_0_is_never_and_draws_nothing(void **state)
{
	uint32_t v = 0;
	struct rng r = script_rng(&v, 1);
	struct decision d = {0, {0, 0}};

	(void)state;
	assert_false(decision_hit(&d, &r));
	assert_int_equal(rng_next(&r), v);
}

static void a_draw_equal_to_the_probability_hits(void **state)
{
	static const uint32_t v[2] = {1000, 1001};
	struct rng r = script_rng(v, 2);
	struct decision d = {1000, {0, 0}};

	(void)state;
	assert_true(decision_hit(&d, &r));
	assert_false(decision_hit(&d, &r));
}

/* Lag-1 autocorrelation of uniform delays with correlation @rho percent. */
static double lag1(uint32_t jitter_ns, double rho)
{
	const unsigned n = 200000;
	struct corr c = {(uint32_t)(rho / 100 * UINT32_MAX + 0.5), 1u << 31};
	const struct dist d = {0};
	double last = 0, sum = 0, squares = 0, products = 0;
	struct rng r;

	rng_seed(&r, 17);
	for (unsigned i = 0; i < n; i++) {
		double x = (double)dist_delay_ns(&d, 0, jitter_ns, corr_draw(&c, &r)) /
			   jitter_ns;

		sum += x;
		squares += x * x;
		products += i ? x * last : 0;
		last = x;
	}
	return (products / n - sum / n * sum / n) / (squares / n - sum / n * sum / n);
}

/* Table 19.4a: the remainder scrambles what is alike, unless the jitter is huge. */
static void delays_are_correlated_as_little_as_netem_s(void **state)
{
	static const struct {
		uint32_t jitter_ns;
		double rho, want;
	} t[] = {{1000000, 25, 0}, {10000000, 50, 0}, {10000000, 90, 0},
		{10000000, 99.9, 0.70}, {100000000, 99, 0.70}, {1000000000, 90, 0.55},
		{2000000000, 25, 0.21}, {2000000000, 50, 0.50}, {2000000000, 90, 0.90}};

	(void)state;
	for (unsigned i = 0; i < sizeof(t) / sizeof(t[0]); i++)
		assert_true(fabs(lag1(t[i].jitter_ns, t[i].rho) - t[i].want) < 0.03);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_draw_is_the_weighted_mean_of_last_and_new),
		cmocka_unit_test(without_correlation_the_draw_is_the_generator_s),
		cmocka_unit_test(probability_0_is_never_and_draws_nothing),
		cmocka_unit_test(a_draw_equal_to_the_probability_hits),
		cmocka_unit_test(delays_are_correlated_as_little_as_netem_s),
	};

	return cmocka_run_group_tests_name("engine/corr", tests, NULL, NULL);
}
