/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests/unit/run/test_lead.c - mirrors src/run/lead.h
 */
#include "config.h"

#include "run/lead.h"
#include "unit/unit.h"

/* A sleep until @wake_ns that ended so late. */
static void slept(struct lead *l, nsec_t late_ns)
{
	lead_learn(l, NSEC_PER_SEC, NSEC_PER_SEC - l->lead_ns,
		NSEC_PER_SEC - l->lead_ns + late_ns);
}

static void it_learns_what_a_wake_up_takes(void **state)
{
	struct lead l = {0};

	(void)state;
	for (unsigned i = 0; i < 60; i++)
		slept(&l, 50000);
	assert_in_range(l.lead_ns, 49000, 50000);
	/* And again, on a machine that got quicker. */
	for (unsigned i = 0; i < 80; i++)
		slept(&l, 3000);
	assert_in_range(l.lead_ns, 3000, 3100);
	/* Something else ended the sleep. */
	for (unsigned i = 0; i < 80; i++)
		slept(&l, -1);
	assert_in_range(l.lead_ns, 3000, 3100);
}

static void one_that_is_far_off_counts_as_little_as_any(void **state)
{
	struct lead l = {.lead_ns = 20000};

	(void)state;
	slept(&l, 40 * NSEC_PER_MSEC);
	assert_int_equal(l.lead_ns, 20000 + LEAD_STEP_NS);
	l.lead_ns = 90000;
	slept(&l, 0);
	assert_int_equal(l.lead_ns, 90000 - LEAD_STEP_NS);
}

static void it_is_bounded(void **state)
{
	struct lead l = {0};

	(void)state;
	for (unsigned i = 0; i < 1000; i++)
		slept(&l, NSEC_PER_SEC);
	assert_int_equal(l.lead_ns, LEAD_MAX_NS);
	for (unsigned i = 0; i < 1000; i++)
		slept(&l, 0);
	assert_in_range(l.lead_ns, 0, 8);
}

static void what_is_slept_for_is_waited_for_awake(void **state)
{
	struct lead l = {.lead_ns = 40000};
	nsec_t due = NSEC_PER_SEC;

	(void)state;
	assert_int_equal(lead_wake(&l, due, due - 100000), due - 40000);
	lead_learn(&l, due, due - 40000, due - 30000);
	assert_true(lead_wake(&l, due, due - 30000) <= due - 30000);
	assert_true(lead_wake(&l, due, due) <= due);
}

static void what_follows_close_is_slept_for_until_it_is_due(void **state)
{
	struct lead l = {.lead_ns = 40000};
	nsec_t due = NSEC_PER_SEC, next = due + 10000;

	(void)state;
	lead_learn(&l, due, due - 40000, due - 1);
	l.lead_ns = 40000;
	assert_int_equal(lead_wake(&l, next, due), next);
	assert_int_equal(lead_wake(&l, due + 90000, due), due + 50000);
	/* Before anything was slept for. */
	l = (struct lead){.lead_ns = 40000};
	assert_int_equal(lead_wake(&l, next, due), next);
}

static void never_stays_never(void **state)
{
	struct lead l = {.lead_ns = 40000};

	(void)state;
	assert_true(lead_wake(&l, NSEC_NEVER, 5) == NSEC_NEVER);
	lead_learn(&l, NSEC_NEVER, NSEC_NEVER, 5);
	assert_int_equal(l.lead_ns, 40000);
	assert_true(lead_wake(&l, NSEC_NEVER, 5) == NSEC_NEVER);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_learns_what_a_wake_up_takes),
		cmocka_unit_test(one_that_is_far_off_counts_as_little_as_any),
		cmocka_unit_test(it_is_bounded),
		cmocka_unit_test(what_is_slept_for_is_waited_for_awake),
		cmocka_unit_test(what_follows_close_is_slept_for_until_it_is_due),
		cmocka_unit_test(never_stays_never),
	};

	return cmocka_run_group_tests_name("run/lead", tests, NULL, NULL);
}
