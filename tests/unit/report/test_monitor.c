/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests/unit/report/test_monitor.c - mirrors src/report/monitor.c
 *
 * The looks are made by report/show.c, as a link makes them.
 */
#include "config.h"

#include "report/monitor.h"

#include "report/show.h"
#include "unit/unit.h"

#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

static struct count count[2];
static struct spec spec[2];
static struct report report;
static struct json_object *before, *after;
static struct monitor_row row[MONITOR_ROWS_MAX];

static int set_up(void **state)
{
	(void)state;
	memset(count, 0, sizeof(count));
	report = (struct report){.n_paths = 2, .elapsed_ns = 12 * NSEC_PER_SEC};
	for (unsigned i = 0; i < 2; i++) {
		spec[i].kind = IMPAIR_NETEM;
		report.path[i] = (struct report_path){.link = "eth0",
			.direction = i ? "down" : "up",
			.spec = &spec[i],
			.count = &count[i]};
	}
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	json_object_put(before);
	json_object_put(after);
	before = after = NULL;
	return 0;
}

static struct json_object *look(void)
{
	const struct show_link l = {
		.name = "wan", .near = "n", .far = "f", .pid = 1, .report = &report};

	return show_link_json(&l, 1);
}

/* Two looks two seconds apart: 3000 in, 2400 out, 300 lost, and so on. */
static void two_looks(void)
{
	count[0].in = 1000;
	count[0].out = 900;
	count[0].backlog = 60;
	for (int i = 0; i < 200; i++)
		late_add(&count[0].late, 500);
	late_add(&count[0].late, 10 * NSEC_PER_MSEC);
	before = look();
	count[0].in += 3000;
	count[0].out += 2400;
	count[0].out_bytes += 2500000;
	count[0].lost += 300;
	count[0].drop_limit += 30;
	count[0].drop_io += 5;
	report.path[0].drop_ring += 5;
	count[0].backlog = 180;
	for (int i = 0; i < 99; i++)
		late_add(&count[0].late, 30 * NSEC_PER_USEC);
	late_add(&count[0].late, 5 * NSEC_PER_MSEC);
	report.elapsed_ns += 2 * NSEC_PER_SEC;
	after = look();
	assert_int_equal(monitor_rows(before, after, row), 2);
}

static void a_row_is_what_happened_in_between(void **state)
{
	const struct monitor_row *r = &row[0];

	(void)state;
	two_looks();
	assert_string_equal(r->link, "wan");
	assert_string_equal(r->dev, "eth0");
	assert_string_equal(r->direction, "up");
	assert_int_equal(r->span_ns, 2 * NSEC_PER_SEC);
	assert_true(r->in_per_s == 1500);
	assert_true(r->out_per_s == 1200);
	assert_true(r->out_mbit_per_s == 10);
	assert_true(r->lost_percent == 10);
	assert_true(r->drop_per_s == 20);
	assert_int_equal(r->backlog, 180);
	/* 120 on average, at 1200 a second. */
	assert_int_equal(r->wait_ns, 100 * NSEC_PER_MSEC);
	/* 99 of the 100 new ones were below 32 us; the old ones do not count. */
	assert_int_equal(r->late_below_ns, 32 * NSEC_PER_USEC);
	r = &row[1];
	assert_string_equal(r->direction, "down");
	assert_true(r->in_per_s == 0 && r->lost_percent == 0);
	assert_int_equal(r->wait_ns, -1);
	assert_int_equal(r->late_below_ns, 0);
}

static void one_frame_in_fifty_is_seen_in_the_lateness(void **state)
{
	(void)state;
	before = look();
	for (int i = 0; i < 98; i++)
		late_add(&count[0].late, 500);
	late_add(&count[0].late, 5 * NSEC_PER_MSEC);
	late_add(&count[0].late, 5 * NSEC_PER_MSEC);
	report.elapsed_ns += NSEC_PER_SEC;
	after = look();
	assert_int_equal(monitor_rows(before, after, row), 2);
	assert_int_equal(row[0].late_below_ns, 8192 * NSEC_PER_USEC);
}

static const char *written(FILE *f, char *text, size_t max_bytes)
{
	size_t n;

	rewind(f);
	n = fread(text, 1, max_bytes - 1, f);
	text[n] = '\0';
	fclose(f);
	return text;
}

static void a_line_names_its_values(void **state)
{
	char text[500];
	FILE *f = tmpfile();

	(void)state;
	two_looks();
	monitor_line(f, &row[0]);
	monitor_line(f, &row[1]);
	assert_string_equal(written(f, text, sizeof(text)),
		"wan eth0 up in/s 1500 out/s 1200 Mbit/s 10.0 lost% 10.0 drop/s 20 "
		"queue 180 wait 100ms late_p99 <32us\n"
		"wan eth0 down in/s 0 out/s 0 Mbit/s 0.0 lost% 0.0 drop/s 0 queue 0 "
		"wait - late_p99 -\n");
}

static void a_table_has_a_head_and_a_width(void **state)
{
	char text[500];
	FILE *f = tmpfile();

	(void)state;
	two_looks();
	assert_int_equal(monitor_table(f, row, 2, 200, "|\n"), 3);
	assert_string_equal(written(f, text, sizeof(text)),
		"link         dev    dir       in/s     out/s    Mbit/s  lost%   "
		"drop/s  "
		" queue    wait late p99|\n"
		"wan          eth0   up        1500      1200      10.0   10.0       "
		"20  "
		"   180   100ms    <32us|\n"
		"wan          eth0   down         0         0       0.0    0.0        "
		"0  "
		"     0       -        -|\n");
	f = tmpfile();
	assert_int_equal(monitor_table(f, row, 1, 20, "\n"), 2);
	assert_string_equal(written(f, text, sizeof(text)),
		"link         dev    \nwan          eth0   \n");
}

static void an_object_has_the_same(void **state)
{
	struct json_object *o;

	(void)state;
	two_looks();
	o = monitor_json(&row[0]);
	assert_string_equal(json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN),
		"{\"link\":\"wan\",\"dev\":\"eth0\",\"direction\":\"up\","
		"\"span_ns\":2000000000,\"in_per_s\":1500.0,\"out_per_s\":1200.0,"
		"\"out_mbit_per_s\":10.0,\"lost_percent\":10.0,\"drop_per_s\":20.0,"
		"\"backlog\":180,\"wait_ns\":100000000,\"late_p99_below_ns\":32000}");
	json_object_put(o);
	o = monitor_json(&row[1]);
	assert_false(json_object_object_get_ex(o, "wait_ns", NULL));
	assert_false(json_object_object_get_ex(o, "late_p99_below_ns", NULL));
	json_object_put(o);
}

/* A link under the same name that is another one: its counters start anew. */
static void what_does_not_fit_has_no_row(void **state)
{
	struct json_object *odd = json_object_new_object(), *one;

	(void)state;
	two_looks();
	assert_int_equal(monitor_rows(after, before, row), 0);
	assert_int_equal(monitor_rows(after, after, row), 0);
	assert_int_equal(monitor_rows(NULL, after, row), 0);
	assert_int_equal(monitor_rows(before, NULL, row), 0);
	assert_int_equal(monitor_rows(odd, after, row), 0);
	one = json_object_new_array();
	json_object_array_add(
		one, json_object_get(json_object_array_get_idx(before, 1)));
	assert_int_equal(monitor_rows(one, after, row), 1);
	assert_string_equal(row[0].direction, "down");
	json_object_put(one);
	one = json_object_new_array();
	json_object_array_add(one, odd);
	assert_int_equal(monitor_rows(one, one, row), 0);
	assert_int_equal(monitor_rows(before, one, row), 0);
	json_object_put(one);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_row_is_what_happened_in_between),
		TEST(one_frame_in_fifty_is_seen_in_the_lateness),
		TEST(a_line_names_its_values),
		TEST(a_table_has_a_head_and_a_width),
		TEST(an_object_has_the_same),
		TEST(what_does_not_fit_has_no_row),
	};

	return cmocka_run_group_tests_name("report/monitor", tests, NULL, NULL);
}
