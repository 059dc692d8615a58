/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests/unit/run/test_lead.c - mirrors src/run/lead.h
 */
#include "config.h"

#include "run/lead.h"
#include "unit/unit.h"

static void it_learns_what_a_wake_up_takes(void **state)
{
	nsec_t lead = 0;

	(void)state;
	for (unsigned i = 0; i < 60; i++)
		lead_learn(&lead, 50000);
	assert_in_range(lead, 49000, 50000);
	/* And again, on a machine that got quicker. */
	for (unsigned i = 0; i < 80; i++)
		lead_learn(&lead, 3000);
	assert_in_range(lead, 3000, 3100);
}

static void one_that_is_far_off_counts_as_little_as_any(void **state)
{
	nsec_t lead = 20000;

	(void)state;
	lead_learn(&lead, 40 * NSEC_PER_MSEC);
	assert_int_equal(lead, 20000 + LEAD_STEP_NS);
	lead = 90000;
	lead_learn(&lead, 0);
	assert_int_equal(lead, 90000 - LEAD_STEP_NS);
}

static void it_is_bounded(void **state)
{
	nsec_t lead = 0;

	(void)state;
	for (unsigned i = 0; i < 1000; i++)
		lead_learn(&lead, NSEC_PER_SEC);
	assert_int_equal(lead, LEAD_MAX_NS);
	for (unsigned i = 0; i < 1000; i++)
		lead_learn(&lead, 0);
	assert_in_range(lead, 0, 8);
}

static void never_stays_never(void **state)
{
	(void)state;
	assert_true(lead_wake(5000, NSEC_NEVER) == NSEC_NEVER);
	assert_int_equal(lead_wake(5000, 1000000), 995000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_learns_what_a_wake_up_takes),
		cmocka_unit_test(one_that_is_far_off_counts_as_little_as_any),
		cmocka_unit_test(it_is_bounded),
		cmocka_unit_test(never_stays_never),
	};

	return cmocka_run_group_tests_name("run/lead", tests, NULL, NULL);
}
