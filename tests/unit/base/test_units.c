/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests/unit/base/test_units.c - mirrors src/base/units.c
 */
#include "config.h"

#include "base/units.h"
#include "unit/unit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define N(a) (sizeof(a) / sizeof((a)[0]))

static const struct {
	const char *text;
	nsec_t ns;
} times[] = {
	/* T17.1 */
	{"100ms", 100000000},
	{"0.1ms", 100000},
	{"0.3ms", 300000},
	{"1.1us", 1100},
	{"4.35us", 4350},
	{"2.3s", 2300000000},
	{"1e3us", 1000000},
	/* further forms */
	{"0", 0},
	{"0.0", 0},
	{"0ms", 0},
	{".5ms", 500000},
	{"5.ms", 5000000},
	{"+5ms", 5000000},
	{" 5ms", 5000000},
	{"1Sec", 1000000000},
	{"2SECS", 2000000000},
	{"3msec", 3000000},
	{"3msecs", 3000000},
	{"3usec", 3000},
	{"3usecs", 3000},
	{"3nsec", 3},
	{"3nsecs", 3},
	{"1.5ns", 1},
	{"0x10ms", 16000000},
	{"9223372036s", 9223372036000000000},
	{"1e-400s", 0},
};

static void times_are_read(void **state)
{
	(void)state;
	for (size_t i = 0; i < N(times); i++) {
		struct err e = {0};
		nsec_t ns = -1;

		if (units_time(times[i].text, &ns, &e))
			fail_msg("%s: %s", times[i].text, e.text);
		if (ns != times[i].ns)
			fail_msg("%s: %lld", times[i].text, (long long)ns);
	}
}

static const char *const wrong_times[] = {"", " ", "s", "ms", "-5ms", "-1", "1", "100",
	"1.5", "0x10", "1m", "1h", "5 ms", "5ms ", "5mss", "nan", "nans", "inf", "infs",
	"0x1.8ms", "0x.8ms", "0x1p3ms", "1e400s", "9223372037s", "1e300s", "--", "1e",
	"1ems", "ms5", ".", ".ms", "+", "1,5ms"};

static void wrong_times_are_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < N(wrong_times); i++) {
		struct err e = {0};
		nsec_t ns = 7;

		if (units_time(wrong_times[i], &ns, &e) != -EINVAL)
			fail_msg(
				"'%s' accepted as %lld", wrong_times[i], (long long)ns);
		assert_int_equal(ns, 7);
		assert_true(e.text[0]);
	}
}

static void a_bare_time_names_the_readings(void **state)
{
	struct err e;
	nsec_t ns;

	(void)state;
	units_time("50", &ns, &e);
	assert_string_equal(e.text,
		"a time needs a unit (tc reads ns, before 2024 us); "
		"write 50ms, 50us or 50ns");
}

static const struct {
	const char *text;
	uint64_t byteps;
} rates[] = {
	/* T17.2 but for 7bit, which we refuse */
	{"1mbit", 125000},
	{"5kbit", 625},
	{"5KBps", 5000},
	{"1Kibit", 128},
	{"20000", 2500},
	{"8bit", 1},
	{"1.5gbit", 187500000},
	{"40gbit", 5000000000},
	{"1GiBps", 1073741824},
	{"100mibit", 13107200},
	/* further forms */
	{"0", 0},
	{"0bit", 0},
	{"10Mbps", 10000000},
	{"10Mbit", 1250000},
	{"1bps", 1},
	{"1tbit", 125000000000},
	{"1tibit", 137438953472},
	{"1tbps", 1000000000000},
	{"1tibps", 1099511627776},
	{"1kibps", 1024},
	{"1mibps", 1048576},
	{"1gbps", 1000000000},
	{"1500bit", 187},
	{"18446744073709549568bps", 18446744073709549568u},
};

static void rates_are_read(void **state)
{
	(void)state;
	for (size_t i = 0; i < N(rates); i++) {
		struct err e = {0};
		uint64_t byteps = 1;

		if (units_rate(rates[i].text, &byteps, &e))
			fail_msg("%s: %s", rates[i].text, e.text);
		if (byteps != rates[i].byteps)
			fail_msg("%s: %llu", rates[i].text, (unsigned long long)byteps);
	}
}

static const char *const wrong_rates[] = {"", "mbit", "-1mbit", "1k", "1mb", "1mbit/s",
	"10%", "7bit", "1bit", "0.9bps", "1e-9", "nan", "inf", "infbit", "1e30tbit",
	"18446744073709551616bps", "1 mbit", "1mbit ", "0x1.8kbit"};

static void wrong_rates_are_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < N(wrong_rates); i++) {
		struct err e = {0};
		uint64_t byteps = 7;

		if (units_rate(wrong_rates[i], &byteps, &e) != -EINVAL)
			fail_msg("'%s' accepted", wrong_rates[i]);
		assert_int_equal(byteps, 7);
		assert_true(e.text[0]);
	}
}

static const struct {
	const char *text;
	uint32_t bytes;
} sizes[] = {
	/* T17.3 */
	{"64k", 65536},
	{"1kb", 1024},
	{"1kbit", 128},
	{"1m", 1048576},
	{"1.5k", 1536},
	{"9000", 9000},
	/* further forms */
	{"0", 0},
	{"-0", 0},
	{"1b", 1},
	{"1MB", 1048576},
	{"1mbit", 131072},
	{"1g", 1073741824},
	{"3GB", 3221225472},
	{"1gbit", 134217728},
	{"1000.000000", 1000},
	{"1.9", 1},
	{"0x10", 16},
	{"0x1b", 27},
	{"4294967295", 4294967295},
	{"4294967295.9", 4294967295},
	{"1e3", 1000},
};

static void sizes_are_read(void **state)
{
	(void)state;
	for (size_t i = 0; i < N(sizes); i++) {
		struct err e = {0};
		uint32_t bytes = 1;

		if (units_size(sizes[i].text, &bytes, &e))
			fail_msg("%s: %s", sizes[i].text, e.text);
		if (bytes != sizes[i].bytes)
			fail_msg("%s: %u", sizes[i].text, bytes);
	}
}

static const char *const wrong_sizes[] = {"", "k", "-1", "4294967296", "4g", "1t",
	"1kbits", "nan", "inf", "1 k", "0x1.8", "0x"};

static void wrong_sizes_are_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < N(wrong_sizes); i++) {
		uint32_t bytes = 7;

		if (units_size(wrong_sizes[i], &bytes, NULL) != -EINVAL)
			fail_msg("'%s' accepted", wrong_sizes[i]);
		assert_int_equal(bytes, 7);
	}
}

/* T5.4 */
static const struct {
	const char *text;
	uint32_t p32;
	const char *shown;
} percents[] = {
	{"0", 0, "0%"},
	{"0.00000002", 1, "2.32831e-08%"},
	{"0.1", 4294967, "0.1%"},
	{"0.3", 12884902, "0.3%"},
	{"1", 42949673, "1%"},
	{"2", 85899346, "2%"},
	{"5", 214748365, "5%"},
	{"10", 429496730, "10%"},
	{"20", 858993459, "20%"},
	{"25", 1073741824, "25%"},
	{"33.33", 1431512599, "33.33%"},
	{"50", 2147483648, "50%"},
	{"75", 3221225471, "75%"},
	{"99.9", 4290672328, "99.9%"},
	{"99.9999999", 4294967291, "100%"},
	{"100", 4294967295, "100%"},
};

static void percents_are_read_and_shown(void **state)
{
	(void)state;
	for (size_t i = 0; i < N(percents); i++) {
		char with_sign[32], shown[UNITS_TEXT_BYTES];
		double share;

		assert_int_equal(units_percent(percents[i].text, &share, NULL), 0);
		if (units_p32(share) != percents[i].p32)
			fail_msg("%s: %u", percents[i].text, units_p32(share));
		snprintf(with_sign, sizeof(with_sign), "%s%%", percents[i].text);
		assert_int_equal(units_percent(with_sign, &share, NULL), 0);
		assert_int_equal(units_p32(share), percents[i].p32);
		assert_int_equal(
			units_print_percent(percents[i].p32, shown, sizeof(shown)),
			strlen(percents[i].shown));
		assert_string_equal(shown, percents[i].shown);
	}
}

static void percents_have_bounds(void **state)
{
	static const char *const wrong[] = {"", "%", "-1", "-0.0001%", "100.0001",
		"101%", "5 %", "5%%", "5k", "nan", "nan%", "inf", "0x1.8"};
	double share = 7;

	(void)state;
	for (size_t i = 0; i < N(wrong); i++)
		if (units_percent(wrong[i], &share, NULL) != -EINVAL || share != 7)
			fail_msg("'%s' accepted", wrong[i]);
	assert_int_equal(units_percent(".5%", &share, NULL), 0);
	assert_int_equal(units_p32(share), 21474836);
	assert_int_equal(units_percent("1e2%", &share, NULL), 0);
	assert_int_equal(units_p32(share), UINT32_MAX);
	/* Below about 1.16e-8 % it is never. */
	assert_int_equal(units_percent("0.0000000116", &share, NULL), 0);
	assert_int_equal(units_p32(share), 0);
	assert_int_equal(units_percent("0.0000000117", &share, NULL), 0);
	assert_int_equal(units_p32(share), 1);
}

static void whole_numbers(void **state)
{
	static const char *const wrong_u32[] = {"", "-1", "4294967296", "1.5", "1k",
		"08", "0x", "0xg", "99999999999999999999", "1 ", "five"};
	uint32_t u = 7;
	int32_t s = 7;

	(void)state;
	for (size_t i = 0; i < N(wrong_u32); i++)
		if (units_u32(wrong_u32[i], &u, NULL) != -EINVAL || u != 7)
			fail_msg("'%s' accepted", wrong_u32[i]);
	assert_int_equal(units_u32("4294967295", &u, NULL), 0);
	assert_int_equal(u, 4294967295);
	assert_int_equal(units_u32("0x10", &u, NULL), 0);
	assert_int_equal(u, 16);
	assert_int_equal(units_u32("010", &u, NULL), 0);
	assert_int_equal(u, 8);
	assert_int_equal(units_u32("0", &u, NULL), 0);
	assert_int_equal(u, 0);
	assert_int_equal(units_s32("-2147483648", &s, NULL), 0);
	assert_int_equal(s, INT32_MIN);
	assert_int_equal(units_s32("-0x10", &s, NULL), 0);
	assert_int_equal(s, -16);
	assert_int_equal(units_s32("2147483648", &s, NULL), -EINVAL);
	assert_int_equal(units_s32("-2147483649", &s, NULL), -EINVAL);
	assert_int_equal(s, -16);
}

static void seeds_are_decimal_and_wrap_below_0(void **state)
{
	uint64_t n = 7;

	(void)state;
	assert_int_equal(units_u64("0x10", &n, NULL), -EINVAL);
	assert_int_equal(units_u64("18446744073709551616", &n, NULL), -EINVAL);
	assert_int_equal(units_u64("", &n, NULL), -EINVAL);
	assert_int_equal(units_u64("1.0", &n, NULL), -EINVAL);
	assert_int_equal(n, 7);
	assert_int_equal(units_u64("-1", &n, NULL), 0);
	assert_true(n == UINT64_MAX);
	assert_int_equal(units_u64("18446744073709551615", &n, NULL), 0);
	assert_true(n == UINT64_MAX);
	assert_int_equal(units_u64("010", &n, NULL), 0);
	assert_int_equal(n, 10);
}

static void optional_values_begin_as_numbers(void **state)
{
	(void)state;
	assert_true(units_is_number("5ms", false));
	assert_true(units_is_number(".5%", false));
	assert_true(units_is_number("-5", true));
	assert_true(units_is_number("-.5", true));
	assert_false(units_is_number("-5", false));
	assert_false(units_is_number("+5", true));
	assert_false(units_is_number("--", true));
	assert_false(units_is_number("-", true));
	assert_false(units_is_number(".", false));
	assert_false(units_is_number("", true));
	assert_false(units_is_number(" 5", false));
	assert_false(units_is_number(NULL, true));
}

/* T17.4 */
static const struct {
	nsec_t ns;
	const char *text;
} shown_times[] = {
	{0, "0ns"},
	{999, "999ns"},
	{1000, "1us"},
	{999999, "1e+03us"},
	{1234567, "1.23ms"},
	{1500000, "1.5ms"},
	{100000000, "100ms"},
	{999950000, "1e+03ms"},
	{1000000000, "1s"},
	{2147483647, "2.15s"},
	{12345678901234, "1.23e+04s"},
};

/* T17.5 */
static const struct {
	uint64_t byteps;
	bool iec;
	const char *text;
} shown_rates[] = {
	{1, false, "8bit"},
	{625, false, "5Kbit"},
	{2500, false, "20Kbit"},
	{125000, false, "1Mbit"},
	{187500, false, "1500Kbit"},
	{12345, false, "98760bit"},
	{1234567, false, "9876Kbit"},
	{123456789, false, "987654Kbit"},
	{1250000000, false, "10Gbit"},
	{125000, true, "1000000bit"},
	{131072, true, "1Mibit"},
	{1250000000, true, "9536Mibit"},
	{0, false, "0bit"},
	{1250000000000000, false, "10000Tbit"},
	{UINT64_MAX, false, "147573952Tbit"},
};

/* T17.6 */
static const struct {
	uint32_t bytes;
	const char *text;
} shown_sizes[] = {
	{1514, "1514b"},
	{1024, "1Kb"},
	{2050, "2Kb"},
	{1048576, "1Mb"},
	{0, "0b"},
	{2147483648, "2Gb"},
};

static void times_rates_and_sizes_are_shown(void **state)
{
	char text[UNITS_TEXT_BYTES];

	(void)state;
	for (size_t i = 0; i < N(shown_times); i++) {
		units_print_time(shown_times[i].ns, text, sizeof(text));
		assert_string_equal(text, shown_times[i].text);
	}
	for (size_t i = 0; i < N(shown_rates); i++) {
		units_print_rate(
			shown_rates[i].byteps, shown_rates[i].iec, text, sizeof(text));
		assert_string_equal(text, shown_rates[i].text);
	}
	for (size_t i = 0; i < N(shown_sizes); i++) {
		units_print_size(shown_sizes[i].bytes, text, sizeof(text));
		assert_string_equal(text, shown_sizes[i].text);
	}
}

static void a_short_room_is_not_overrun(void **state)
{
	char text[4] = "zzz";

	(void)state;
	assert_int_equal(units_print_time(12345678901234, text, 3), 2);
	assert_string_equal(text, "1.");
	assert_int_equal(text[3], '\0');
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times_are_read),
		cmocka_unit_test(wrong_times_are_refused),
		cmocka_unit_test(a_bare_time_names_the_readings),
		cmocka_unit_test(rates_are_read),
		cmocka_unit_test(wrong_rates_are_refused),
		cmocka_unit_test(sizes_are_read),
		cmocka_unit_test(wrong_sizes_are_refused),
		cmocka_unit_test(percents_are_read_and_shown),
		cmocka_unit_test(percents_have_bounds),
		cmocka_unit_test(whole_numbers),
		cmocka_unit_test(seeds_are_decimal_and_wrap_below_0),
		cmocka_unit_test(optional_values_begin_as_numbers),
		cmocka_unit_test(times_rates_and_sizes_are_shown),
		cmocka_unit_test(a_short_room_is_not_overrun),
	};

	return cmocka_run_group_tests_name("base/units", tests, NULL, NULL);
}
