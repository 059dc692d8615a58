/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests/unit/engine/test_loss.c - mirrors src/engine/loss.c
 */
#include "config.h"

#include "engine/loss.h"
#include "unit/engine/script.h"
#include "unit/unit.h"

#include <math.h>

#define PERCENT(p) ((uint32_t)((p) / 100.0 * UINT32_MAX + 0.5))

static void start(struct loss *l, const struct netem_conf *c, uint32_t corr_last)
{
	*l = (struct loss){.state = LOSS_S1, .random.corr.last = corr_last};
	loss_set(l, c);
}

static struct loss chain(double p13, double p31, double p32, double p23, double p14)
{
	const struct netem_conf c = {.loss_model = LOSS_STATE,
		.p13_p32 = PERCENT(p13),
		.p31_p32 = PERCENT(p31),
		.p32_p32 = PERCENT(p32),
		.p23_p32 = PERCENT(p23),
		.p14_p32 = PERCENT(p14)};
	struct loss l;

	start(&l, &c, 0);
	return l;
}

static struct loss gemodel(double p, double r, double l_h, double l_k)
{
	const struct netem_conf c = {.loss_model = LOSS_GEMODEL,
		.ge_p_p32 = PERCENT(p),
		.ge_r_p32 = PERCENT(r),
		.ge_1_h_p32 = PERCENT(l_h),
		.ge_1_k_p32 = PERCENT(l_k)};
	struct loss l;

	start(&l, &c, 0);
	return l;
}

/* T8.1 */
static void the_four_states_follow_the_script(void **state)
{
	static const struct {
		double draw;
		bool lost;
		enum loss_state state;
	} t[] = {{.50, false, 1}, {.04, true, 4}, {.00, false, 1}, {.06, true, 3},
		{.90, true, 3}, {.10, false, 2}, {.39, true, 3}, {.20, false, 2},
		{.70, false, 2}, {.30, true, 3}, {.49, false, 1}, {.149, true, 3},
		{.50, true, 3}, {.99, true, 3}};
	struct loss l = chain(10, 20, 30, 40, 5);

	(void)state;
	for (unsigned i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		uint32_t draw = script_fraction(t[i].draw);
		struct rng r = script_rng(&draw, 1);

		assert_int_equal(loss_hit(&l, &r), t[i].lost);
		assert_int_equal(l.state, t[i].state);
	}
}

/* 50 % and 50 % leave nothing over, though each is rounded up. */
static void two_halves_are_all(void **state)
{
	struct loss l = chain(50, 50, 50, 100, 50);
	uint32_t draw;

	(void)state;
	for (double f = .01; f < 1; f += .07) {
		draw = script_fraction(f);

		l.state = LOSS_S1;
		struct rng r = script_rng(&draw, 1);
		assert_true(loss_hit(&l, &r));
		l.state = LOSS_S3;
		r = script_rng(&draw, 1);
		assert_int_equal(loss_hit(&l, &r), false);
	}
}

/* T8.8 */
static void gilbert_elliott_follows_the_script(void **state)
{
	static const struct {
		double draws[2];
		bool lost;
		enum loss_state state;
	} t[] = {{{.50, .50}, false, 1}, {{.05, .50}, false, 2}, {{.50, .90}, true, 2},
		{{.20, .10}, false, 1}, {{.50, .50}, false, 1}};
	struct loss l = gemodel(10, 30, 80, 1);

	(void)state;
	for (unsigned i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		const uint32_t draws[2] = {
			script_fraction(t[i].draws[0]), script_fraction(t[i].draws[1])};
		struct rng r = script_rng(draws, 2);

		assert_int_equal(loss_hit(&l, &r), t[i].lost);
		assert_int_equal(l.state, t[i].state);
	}
}

static void fates_are(struct loss l, uint64_t seed, const char *want)
{
	struct rng r;

	rng_seed(&r, seed);
	for (unsigned i = 0; want[i]; i++)
		assert_int_equal(loss_hit(&l, &r), want[i] == 'x');
}

/* T8.3 and T8.9 */
static void seeded_fates_are_netem_s(void **state)
{
	(void)state;
	fates_are(chain(10, 20, 30, 40, 5), 1,
		"x..xxxx.x..x...x......x.....x.............x...........x..xx.");
	fates_are(chain(10, 20, 30, 40, 5), 42,
		"...x.x.x...xx.xxxxxxxxxxxxx........xx.x...x.xxx.x.xxx.xx....");
	fates_are(gemodel(10, 30, 80, 1), 1,
		"x.xx........x..xxxxx..xxxxxx.............xx........xx..x....");
	fates_are(gemodel(10, 30, 80, 1), 42,
		".............x......x................................x......");
}

/* Losses and bursts of losses in @n frames. */
static void run(struct loss l, uint64_t seed, unsigned n, double *share, double *burst)
{
	unsigned lost = 0, bursts = 0;
	bool last = false;
	struct rng r;

	rng_seed(&r, seed);
	for (unsigned i = 0; i < n; i++) {
		bool hit = loss_hit(&l, &r);

		lost += hit;
		bursts += hit && !last;
		last = hit;
	}
	*share = (double)lost / n;
	*burst = bursts ? (double)lost / bursts : 0;
}

/* T8.2 and T8.4 to T8.7; @factor widens the variance as the chain's memory does. */
static void long_run_losses_are_those_of_the_formulas(void **state)
{
	const unsigned n = 1000000;
	const struct {
		struct loss l;
		double want, factor, burst;
	} t[] = {
		{chain(10, 20, 30, 40, 5), 0.285714, 4, 0},
		{chain(5, 95, 0, 100, 0), 0.05, 1, 0},
		{gemodel(1, 10, 70, 0.1), 0.064545, 10, 0},
		{gemodel(5, 50, 100, 0), 0.090909, 2.64, 2.0},
		{gemodel(5, 95, 100, 0), 0.05, 1, 0},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		double share, burst, p = t[i].want;

		run(t[i].l, 99 + i, n, &share, &burst);
		assert_true(fabs(share - p) <= 5 * sqrt(t[i].factor * p * (1 - p) / n));
		if (t[i].burst > 0)
			assert_true(fabs(burst - t[i].burst) < 0.03);
	}
}

static void random_loss_has_its_share(void **state)
{
	static const double percent[] = {0.1, 1, 10, 50, 99};
	const unsigned n = 1000000;

	(void)state;
	for (unsigned i = 0; i < sizeof(percent) / sizeof(percent[0]); i++) {
		const struct netem_conf c = {.loss.p32 = PERCENT(percent[i])};
		double share, burst, p = percent[i] / 100;
		struct loss l;

		start(&l, &c, 0);
		run(l, 5 + i, n, &share, &burst);
		assert_true(fabs(share - p) <= 5 * sqrt(p * (1 - p) / n));
	}
}

struct cell {
	double percent, rho, want;
};

/*
 * Table 19.3a: what netem's correlation makes of a rate. Neighbouring draws are alike,
 * which widens the spread of the count by about (1 + rho) / (1 - rho); the table itself
 * is good to a hundredth or so of its figure.
 */
static void correlated_losses_have_netem_s_true_rate(void **state)
{
	static const struct cell t[] = {{1, 10, 0.0195}, {5, 10, 1.25}, {5, 25, 0.19},
		{10, 10, 5.55}, {10, 25, 1.75}, {10, 50, 0.109}, {20, 10, 16.67},
		{20, 25, 10.19}, {20, 50, 2.94}, {20, 75, 0.116}, {30, 10, 27.76},
		{30, 25, 23.32}, {30, 50, 12.94}, {30, 75, 3.20}, {50, 10, 50},
		{50, 25, 50}, {50, 50, 50}, {50, 75, 50}, {50, 90, 50}, {70, 10, 72.2},
		{70, 25, 76.7}, {70, 50, 87.1}, {70, 75, 96.8}, {70, 90, 99.9},
		{90, 10, 94.4}, {90, 25, 98.2}, {90, 50, 99.9}};
	const unsigned n = 1000000;

	(void)state;
	for (unsigned i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		const struct netem_conf c = {
			.loss = {PERCENT(t[i].percent), PERCENT(t[i].rho)}};
		double share, burst, p = t[i].want / 100, rho = t[i].rho / 100, wide;
		struct loss l;

		start(&l, &c, 2147483648u);
		run(l, 1000 + i, n, &share, &burst);
		wide = 5 * sqrt(p * (1 - p) / n * (1 + rho) / (1 - rho));
		/* The table is rounded to its last digit. */
		assert_true(fabs(share - p) <=
			    wide + (p < 0.5 ? 0.01 * p : 0.0006) + 0.000005);
	}
}

static void a_full_correlation_freezes_the_verdict(void **state)
{
	const struct netem_conf c = {.loss = {PERCENT(50), P32_ONE}};
	double share, burst;
	struct loss l;

	(void)state;
	start(&l, &c, 1000);
	run(l, 3, 1000, &share, &burst);
	assert_true(share == 1);
	start(&l, &c, 4000000000u);
	run(l, 3, 1000, &share, &burst);
	assert_true(share == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_four_states_follow_the_script),
		cmocka_unit_test(two_halves_are_all),
		cmocka_unit_test(gilbert_elliott_follows_the_script),
		cmocka_unit_test(seeded_fates_are_netem_s),
		cmocka_unit_test(long_run_losses_are_those_of_the_formulas),
		cmocka_unit_test(random_loss_has_its_share),
		cmocka_unit_test(correlated_losses_have_netem_s_true_rate),
		cmocka_unit_test(a_full_correlation_freezes_the_verdict),
	};

	return cmocka_run_group_tests_name("engine/loss", tests, NULL, NULL);
}
