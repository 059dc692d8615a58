/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests/unit/run/test_watchdog.c - mirrors src/run/watchdog.c
 */
#include "config.h"

#include "run/watchdog.h"
#include "unit/unit.h"

#include <poll.h>
#include <sys/timerfd.h>

static void the_same_instant_is_armed_once(void **state)
{
	nsec_t far = clock_now_ns() + 3600 * NSEC_PER_SEC;
	struct watchdog w;
	struct err e;

	(void)state;
	assert_int_equal(watchdog_open(&w, &e), 0);
	watchdog_arm(&w, far);
	watchdog_arm(&w, far);
	watchdog_arm(&w, NSEC_NEVER);
	assert_int_equal(w.arms, 1);
	watchdog_arm(&w, far + 1);
	assert_int_equal(w.arms, 2);
	watchdog_close(&w);
	assert_int_equal(w.fd, -1);
}

static void it_fires_at_its_instant_and_not_before(void **state)
{
	nsec_t at = clock_now_ns() + 20 * NSEC_PER_MSEC;
	struct watchdog w;
	struct pollfd p = {.events = POLLIN};
	struct err e;

	(void)state;
	assert_int_equal(watchdog_open(&w, &e), 0);
	watchdog_arm(&w, at);
	p.fd = w.fd;
	assert_int_equal(poll(&p, 1, 10000), 1);
	assert_true(clock_now_ns() >= at);
	watchdog_fired(&w);
	/* After it has fired the same instant is a new wish. */
	watchdog_arm(&w, at);
	assert_int_equal(w.arms, 2);
	watchdog_close(&w);
}

static void the_past_is_at_once(void **state)
{
	struct watchdog w;
	struct pollfd p = {.events = POLLIN};
	struct err e;

	(void)state;
	assert_int_equal(watchdog_open(&w, &e), 0);
	watchdog_arm(&w, -5 * NSEC_PER_SEC);
	p.fd = w.fd;
	assert_int_equal(poll(&p, 1, 10000), 1);
	watchdog_close(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_same_instant_is_armed_once),
		cmocka_unit_test(it_fires_at_its_instant_and_not_before),
		cmocka_unit_test(the_past_is_at_once),
	};

	return cmocka_run_group_tests_name("run/watchdog", tests, NULL, NULL);
}
