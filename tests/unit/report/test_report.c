/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests/unit/report/test_report.c - mirrors src/report/text.c and json.c
 */
#include "config.h"

#include "base/log.h"
#include "report/report.h"
#include "unit/unit.h"

#include <json.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct count count;
static struct spec spec;
static struct report report;

static int set_up(void **state)
{
	(void)state;
	memset(&count, 0, sizeof(count));
	spec = (struct spec){.kind = IMPAIR_NETEM};
	spec.netem.limit_frames = 1000;
	spec.netem.latency_ns = 50 * NSEC_PER_MSEC;
	spec.netem.seed = 18446744073709551615u;
	report = (struct report){.n_paths = 1,
		.carrier = "plain",
		.rank = "fifo",
		.elapsed_ns = 2 * NSEC_PER_SEC,
		.wakeups = 31022,
		.arms = 30877,
		.exit_status = 37};
	report.path[0] = (struct report_path){.link = "lo",
		.direction = "up",
		.spec = &spec,
		.count = &count,
		.reads = 100,
		.frames_read = 160,
		.need_is_known = true};
	count.in = 48211;
	count.in_bytes = 61200000;
	count.out = 48200;
	count.lost = 11;
	return 0;
}

static char *text(unsigned detail)
{
	static char *t;
	size_t n;
	FILE *f;

	free(t);
	f = open_memstream(&t, &n);
	report_text(f, &report, detail);
	fclose(f);
	return t;
}

static void three_lines_say_it(void **state)
{
	(void)state;
	late_add(&count.late, 14 * NSEC_PER_USEC);
	assert_string_equal(text(1),
		"lo  in 48211 (61.2 MB)  out 48200  lost 11  dropped 0  corrupted 0"
		"  duplicated 0  reordered 0\n"
		"    delay asked 50ms, late p50 14us p99 14us max 14us\n"
		"    host: ring 0  memory 0  write 0   wake-ups 31022  arms 30877"
		"  frames/read 1.6\n");
}

static void a_rate_is_compared_with_the_one_asked(void **state)
{
	(void)state;
	spec.netem.rate_byteps = 1250000;
	count.out_bytes = 2499000;
	/* The command's pauses do not count. */
	count.busy_ns = 2 * NSEC_PER_SEC;
	report.elapsed_ns = 100 * NSEC_PER_SEC;
	assert_non_null(strstr(text(1), "rate 9.996 of 10 Mbit/s while frames waited"));
}

static void what_waits_and_what_was_marked_is_said(void **state)
{
	(void)state;
	assert_null(strstr(text(1), "waiting"));
	assert_null(strstr(text(1), "marked"));
	count.backlog = 7;
	count.ecn_marked = 300;
	assert_non_null(strstr(text(1), "reordered 0  marked 300  waiting 7\n"));
}

static void more_detail_has_every_counter_and_the_classes(void **state)
{
	const char *t;

	(void)state;
	count.overtakes = 5;
	late_add(&count.late, 500);
	late_add(&count.late, 3 * NSEC_PER_USEC);
	t = text(2);
	assert_non_null(strstr(t, "overtakes 5"));
	assert_non_null(strstr(t, "<1us 1  <4us 1"));
	assert_non_null(strstr(t, "rank fifo"));
}

/* What report_warn() writes to stderr. */
static const char *warnings(void)
{
	static char t[4096];
	int saved = dup(STDERR_FILENO);
	FILE *f = tmpfile();
	size_t n;

	assert_non_null(f);
	dup2(fileno(f), STDERR_FILENO);
	report_warn(&report);
	dup2(saved, STDERR_FILENO);
	close(saved);
	rewind(f);
	n = fread(t, 1, sizeof(t) - 1, f);
	t[n] = '\0';
	fclose(f);
	return t;
}

static void a_clean_run_has_no_warning(void **state)
{
	(void)state;
	assert_string_equal(warnings(), "");
}

static void every_unwanted_drop_has_its_line(void **state)
{
	(void)state;
	count.drop_limit = 312;
	report.path[0].need_limit = 4200;
	assert_string_equal(warnings(), "farwire: warning: 312 frames dropped by limit "
					"1000 (delay 50ms at this "
					"load needs limit 4200)\n");
	count.drop_limit = 0;
	count.drop_mem = 1;
	assert_non_null(strstr(warnings(), "1 frame dropped: no memory"));
	count.drop_mem = 0;
	count.drop_io = 2;
	assert_non_null(strstr(warnings(), "2 frames dropped: the device"));
	count.drop_io = 0;
	report.path[0].drop_ring = 3;
	assert_non_null(
		strstr(warnings(), "3 frames dropped by the device's own ring"));
}

static void quiet_drops_warnings(void **state)
{
	(void)state;
	count.drop_mem = 1;
	log_quiet(true);
	assert_string_equal(warnings(), "");
	log_quiet(false);
}

static struct json_object *json(void)
{
	FILE *f = tmpfile();
	struct json_object *o;
	struct err e;

	assert_non_null(f);
	assert_int_equal(report_json(fileno(f), &report, &e), 0);
	lseek(fileno(f), 0, SEEK_SET);
	o = json_object_from_fd(fileno(f));
	fclose(f);
	assert_non_null(o);
	return o;
}

static uint64_t number(struct json_object *o, const char *key)
{
	struct json_object *v;

	assert_true(json_object_object_get_ex(o, key, &v));
	return json_object_get_uint64(v);
}

static void json_has_the_same_fields(void **state)
{
	struct json_object *o, *paths, *p, *late;

	(void)state;
	count.drop_mem = 1;
	count.drop_io = 2;
	report.path[0].drop_ring = 3;
	late_add(&count.late, 500);
	o = json();
	assert_int_equal(number(o, "exit_status"), 37);
	assert_true(json_object_object_get_ex(o, "paths", &paths));
	p = json_object_array_get_idx(paths, 0);
	assert_int_equal(number(p, "in"), 48211);
	assert_int_equal(number(p, "lost"), 11);
	assert_int_equal(number(p, "host_drops"), 6);
	assert_true(number(p, "seed") == UINT64_MAX);
	assert_true(json_object_object_get_ex(p, "lateness", &late));
	assert_int_equal(number(late, "frames"), 1);
	json_object_put(o);
}

static void a_report_that_cannot_be_written_is_an_error(void **state)
{
	struct err e;

	(void)state;
	assert_true(report_json(-1, &report, &e) < 0);
	assert_string_equal(e.text, "cannot write the report: Bad file descriptor");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(three_lines_say_it, set_up),
		cmocka_unit_test_setup(a_rate_is_compared_with_the_one_asked, set_up),
		cmocka_unit_test_setup(what_waits_and_what_was_marked_is_said, set_up),
		cmocka_unit_test_setup(
			more_detail_has_every_counter_and_the_classes, set_up),
		cmocka_unit_test_setup(a_clean_run_has_no_warning, set_up),
		cmocka_unit_test_setup(every_unwanted_drop_has_its_line, set_up),
		cmocka_unit_test_setup(quiet_drops_warnings, set_up),
		cmocka_unit_test_setup(json_has_the_same_fields, set_up),
		cmocka_unit_test_setup(
			a_report_that_cannot_be_written_is_an_error, set_up),
	};

	return cmocka_run_group_tests_name("report", tests, NULL, NULL);
}
