/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests/unit/run/test_stand.c - mirrors src/run/stand.c: a virtual clock, no rank touched
 */
#include "config.h"

#include "run/stand.h"
#include "unit/unit.h"

#include <errno.h>

#define MSEC NSEC_PER_MSEC

static struct stand s;
static nsec_t now;
static int runnable, refuses;
static unsigned sets;

static int set_rank(struct stand *st, bool down)
{
	(void)st;
	(void)down;
	sets++;
	return refuses;
}

static int count_runnable(const struct stand *st)
{
	(void)st;
	return runnable;
}

static int set_up(void **state)
{
	(void)state;
	now = NSEC_PER_SEC;
	runnable = 3;
	refuses = 0;
	sets = 0;
	s = (struct stand){.may = true,
		.loadavg_fd = -1,
		.n_cpus = 2,
		.window_start_ns = now,
		.turn_ns = now,
		.stay_ns = NSEC_PER_SEC,
		.set = set_rank,
		.runnable = count_runnable};
	return 0;
}

/* For @ms: in each 100 us it works so many, then sleeps; next to be due as said. */
static void work(unsigned ms, unsigned busy_us, nsec_t next_in_ns)
{
	for (unsigned i = 0; i < ms * 10; i++) {
		now += busy_us * NSEC_PER_USEC;
		stand_turn(&s, now,
			next_in_ns == NSEC_NEVER ? NSEC_NEVER : now + next_in_ns);
		if (busy_us < 100) {
			stand_slept(&s, now, now + (100 - busy_us) * NSEC_PER_USEC);
			now += (100 - busy_us) * NSEC_PER_USEC;
		}
	}
}

static void down_when_it_works_and_somebody_waits(void **state)
{
	(void)state;
	work(19, 100, NSEC_NEVER);
	assert_false(s.down);
	work(2, 100, NSEC_NEVER);
	assert_true(s.down);
	assert_int_equal(s.steps, 1);
	work(200, 100, NSEC_NEVER);
	assert_true(s.down);
	assert_int_equal(sets, 1);
}

static void not_when_nobody_waits(void **state)
{
	(void)state;
	runnable = 2;
	work(200, 100, NSEC_NEVER);
	runnable = -1;
	work(200, 100, NSEC_NEVER);
	assert_int_equal(sets, 0);
}

static void not_where_it_would_starve(void **state)
{
	(void)state;
	runnable = 34;
	work(200, 100, NSEC_NEVER);
	/* Four senders and itself. */
	runnable = 5;
	work(200, 100, NSEC_NEVER);
	assert_int_equal(sets, 0);
}

static void not_when_it_mostly_sleeps(void **state)
{
	(void)state;
	work(200, 20, NSEC_NEVER);
	assert_int_equal(sets, 0);
	work(200, 30, NSEC_NEVER);
	assert_int_equal(sets, 1);
}

static void never_while_a_frame_waits_for_its_time(void **state)
{
	(void)state;
	work(200, 100, 10 * MSEC);
	assert_int_equal(sets, 0);
	/* What is due already only waits for its turn. */
	work(40, 100, 0);
	assert_true(s.down);
	work(1, 100, 10 * MSEC);
	assert_false(s.down);
	assert_int_equal(sets, 2);
}

static void up_when_there_is_little_to_do(void **state)
{
	(void)state;
	work(40, 100, NSEC_NEVER);
	assert_true(s.down);
	work(60, 20, NSEC_NEVER);
	assert_true(s.down);
	work(60, 10, NSEC_NEVER);
	assert_false(s.down);
}

/* Others take the CPU for most of the time. */
static void starve(unsigned rounds)
{
	for (unsigned i = 0; i < rounds; i++) {
		now += 50 * MSEC;
		stand_turn(&s, now, NSEC_NEVER);
		work(3, 100, NSEC_NEVER);
	}
}

static void up_for_a_while_when_it_is_kept_from_working(void **state)
{
	(void)state;
	work(40, 100, NSEC_NEVER);
	assert_true(s.down);
	starve(1);
	assert_false(s.down);
	work(900, 100, NSEC_NEVER);
	assert_false(s.down);
	work(200, 100, NSEC_NEVER);
	assert_true(s.down);
	starve(1);
	work(1900, 100, NSEC_NEVER);
	assert_false(s.down);
	work(200, 100, NSEC_NEVER);
	assert_true(s.down);
}

/* One equal beside it takes every other turn. */
static void an_equal_does_not_drive_it_up(void **state)
{
	(void)state;
	work(40, 100, NSEC_NEVER);
	for (unsigned i = 0; i < 100; i++) {
		now += 4 * MSEC;
		stand_turn(&s, now, NSEC_NEVER);
		work(4, 100, NSEC_NEVER);
	}
	assert_true(s.down);
	assert_int_equal(sets, 1);
}

static void a_refusal_ends_it(void **state)
{
	(void)state;
	refuses = -EPERM;
	work(200, 100, NSEC_NEVER);
	assert_int_equal(sets, 1);
	assert_false(s.may || s.down);
}

static void the_number_is_read(void **state)
{
	struct stand real;

	(void)state;
	stand_open(&real);
	assert_true(real.may);
	assert_true(real.n_cpus >= 1);
	/* We run, at least. */
	assert_true(real.runnable(&real) >= 1);
	stand_close(&real);
	assert_false(real.may);
}

#define T(f) cmocka_unit_test_setup(f, set_up)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(down_when_it_works_and_somebody_waits),
		T(not_when_nobody_waits),
		T(not_where_it_would_starve),
		T(not_when_it_mostly_sleeps),
		T(never_while_a_frame_waits_for_its_time),
		T(up_when_there_is_little_to_do),
		T(up_for_a_while_when_it_is_kept_from_working),
		T(an_equal_does_not_drive_it_up),
		T(a_refusal_ends_it),
		T(the_number_is_read),
	};

	return cmocka_run_group_tests_name("run/stand", tests, NULL, NULL);
}
