/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests/unit/conf/test_warn.c - mirrors src/conf/warn.c
 */
#include "config.h"

#include "conf/netem_conf.h"
#include "conf/warn.h"
#include "unit/unit.h"

#include <math.h>
#include <string.h>

/*
 * Percent of yes by netem's draws, 2 * 10^7 of them a cell (netem-semantics 19.3a); what
 * is counted in few has its spread, four standard errors of the count.
 */
static const struct {
	double rho, p, rate;
} counted[] = {
	{10, 0.3, 0.0003},
	{10, 1, 0.0195},
	{10, 5, 1.25},
	{10, 10, 5.55},
	{10, 20, 16.67},
	{10, 30, 27.76},
	{10, 50, 50},
	{10, 70, 72.2},
	{10, 90, 94.4},
	{25, 1, 0.0003},
	{25, 5, 0.19},
	{25, 10, 1.75},
	{25, 20, 10.19},
	{25, 30, 23.32},
	{25, 50, 50},
	{25, 70, 76.7},
	{25, 90, 98.2},
	{50, 5, 0.0016},
	{50, 10, 0.109},
	{50, 20, 2.94},
	{50, 30, 12.94},
	{50, 50, 50},
	{50, 70, 87.1},
	{50, 90, 99.9},
	{75, 20, 0.116},
	{75, 30, 3.20},
	{75, 50, 50},
	{75, 70, 96.8},
	{90, 30, 0.087},
	{90, 50, 50},
	{90, 70, 99.9},
};

static void true_rates_are_those_counted(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(counted) / sizeof(counted[0]); i++) {
		double got =
			100 * warn_true_rate(counted[i].p / 100, counted[i].rho / 100);
		double spread = 4 * 100 * sqrt(counted[i].rate / 100 / 2e7) +
				counted[i].rate * 0.005 + 0.00005;

		if (fabs(got - counted[i].rate) > spread)
			fail_msg("p %g rho %g: %g, counted %g", counted[i].p,
				counted[i].rho, got, counted[i].rate);
	}
}

static void true_rates_at_the_edges(void **state)
{
	(void)state;
	assert_true(warn_true_rate(0.3, 0) == 0.3);
	assert_true(warn_true_rate(0, 0.5) == 0);
	assert_true(warn_true_rate(1, 0.5) == 1);
	assert_true(warn_true_rate(0.3, 1) == 0.3);
	/* First order in rho, away from the ends: F(x) = (x - rho/2) / (1 - rho). */
	assert_true(
		fabs(warn_true_rate(0.2, 0.0001) - (0.2 - 0.00005) / 0.9999) < 1e-6);
	/* Symmetric: F(1 - x) = 1 - F(x). */
	for (double rho = 0.05; rho < 1; rho += 0.05)
		for (double p = 0.02; p < 0.5; p += 0.06)
			assert_true(fabs(warn_true_rate(p, rho) +
					    warn_true_rate(1 - p, rho) - 1) < 1e-4);
	/* It falls with the correlation, and has no step where the method changes. */
	for (double rho = 0.05; rho < 0.99; rho += 0.01)
		assert_true(warn_true_rate(0.4, rho + 0.01) <
			    warn_true_rate(0.4, rho) + 1e-9);
	assert_true(fabs(warn_true_rate(0.45, 0.9499) - warn_true_rate(0.45, 0.9501)) <
		    0.002);
}

static void words_that_mean_what_they_say_are_not_warned_of(void **state)
{
	char lines[WARN_LINES_MAX][WARN_LINE_BYTES];
	struct spec s = {.kind = IMPAIR_NETEM};

	(void)state;
	netem_conf_init(&s.netem);
	assert_int_equal(warn_spec(&s, lines), 0);
	s.netem.latency_ns = 100 * NSEC_PER_MSEC;
	s.netem.jitter_ns = 100 * NSEC_PER_MSEC;
	s.netem.loss.p32 = 42949673;
	/* 200 ms at 1514000 bytes/s are 200 full frames. */
	s.netem.rate_byteps = 1514000;
	s.netem.limit_frames = 200;
	s.netem.delay_corr_p32 = P32_ONE / 4;
	assert_int_equal(warn_spec(&s, lines), 0);
	s.netem.limit_frames = 199;
	assert_int_equal(warn_spec(&s, lines), 1);
	assert_string_equal(lines[0],
		"limit 199 is below rate x delay: 12112Kbit x 100ms and its jitter "
		"needs "
		"limit 200 for frames of 1514 bytes, 4732 for 64");
	s.kind = IMPAIR_NONE;
	assert_int_equal(warn_spec(&s, lines), 0);
}

static void everything_at_once_fits(void **state)
{
	char lines[WARN_LINES_MAX][WARN_LINE_BYTES];
	struct spec s = {.kind = IMPAIR_NETEM};
	struct chance c = {.p32 = 42949673, .corr_p32 = P32_ONE / 3};

	(void)state;
	netem_conf_init(&s.netem);
	s.netem.loss = s.netem.duplicate = s.netem.reorder = s.netem.corrupt = c;
	s.netem.latency_ns = INT64_MAX - 1;
	s.netem.jitter_ns = INT64_MAX;
	s.netem.rate_byteps = UINT64_MAX;
	assert_int_equal(warn_spec(&s, lines), 6);
	for (int i = 0; i < 6; i++)
		assert_true(strlen(lines[i]) > 20 &&
			    strlen(lines[i]) < WARN_LINE_BYTES - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(true_rates_are_those_counted),
		cmocka_unit_test(true_rates_at_the_edges),
		cmocka_unit_test(words_that_mean_what_they_say_are_not_warned_of),
		cmocka_unit_test(everything_at_once_fits),
	};

	return cmocka_run_group_tests_name("conf/warn", tests, NULL, NULL);
}
