/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests/unit/run/test_ring.c - mirrors src/run/ring.c
 */
#include "config.h"

#include "run/ring.h"
#include "unit/unit.h"

#include <stdio.h>
#include <unistd.h>

static const char table[] =
	"Inter-|   Receive                            |  Transmit\n"
	" face |bytes    packets errs drop fifo frame compressed multicast|bytes ...\n"
	"    lo: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\n"
	"  tplo:   98421     431    0    7    0     0          0         0"
	"    55010     399    0   3012    0     0       0          0\n"
	" tplo2: 0 0 0 0 0 0 0 0 0 0 0 99 0 0 0 0\n";

static void the_drops_of_sending_are_found(void **state)
{
	(void)state;
	assert_int_equal(ring_parse(table, "tplo"), 3012);
	assert_int_equal(ring_parse(table, "lo"), 12);
	assert_int_equal(ring_parse(table, "tplo2"), 99);
}

static void a_device_that_is_not_there_has_none(void **state)
{
	(void)state;
	assert_int_equal(ring_parse(table, "tpl"), 0);
	assert_int_equal(ring_parse("", "lo"), 0);
	assert_int_equal(ring_parse("lo: 1 2", "lo"), 0);
}

static void a_file_is_read_anew_each_time(void **state)
{
	FILE *f = tmpfile();

	(void)state;
	assert_non_null(f);
	fputs(table, f);
	fflush(f);
	assert_int_equal(ring_drops(fileno(f), "tplo"), 3012);
	assert_int_equal(ring_drops(fileno(f), "tplo"), 3012);
	assert_int_equal(ring_drops(-1, "tplo"), 0);
	fclose(f);
}

static void a_number_alone_is_it(void **state)
{
	(void)state;
	assert_int_equal(ring_parse("3012\n", "tpl"), 3012);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_drops_of_sending_are_found),
		cmocka_unit_test(a_device_that_is_not_there_has_none),
		cmocka_unit_test(a_number_alone_is_it),
		cmocka_unit_test(a_file_is_read_anew_each_time),
	};

	return cmocka_run_group_tests_name("run/ring", tests, NULL, NULL);
}
