/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests/unit/report/test_show.c - mirrors src/report/show.c
 */
#include "config.h"

#include "report/show.h"
#include "unit/unit.h"

#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#define SCHEMA TEST_DATA "/../../man/farwire-show.schema.json"

static struct count count[3];
static struct spec spec[3];
static struct report report;
static struct show_link link;

static int set_up(void **state)
{
	(void)state;
	memset(count, 0, sizeof(count));
	memset(spec, 0, sizeof(spec));
	report = (struct report){.n_paths = 2,
		.carrier = "plain",
		.rank = "fifo",
		.elapsed_ns = 12 * NSEC_PER_SEC + 999999999,
		.wakeups = 5,
		.idle_wakeups = 1,
		.arms = 4};
	for (unsigned i = 0; i < 3; i++) {
		spec[i].kind = IMPAIR_NETEM;
		spec[i].netem.limit_frames = 1000;
		spec[i].netem.has_seed = true;
		spec[i].netem.seed = 42 + i;
		report.path[i] = (struct report_path){.link = "eth0",
			.direction = i ? "down" : "up",
			.spec = &spec[i],
			.count = &count[i],
			.reads = 100,
			.frames_read = 160,
			.writes = 10,
			.frames_written = 25};
	}
	spec[0].netem.latency_ns = 40 * NSEC_PER_MSEC;
	spec[0].netem.jitter_ns = 5 * NSEC_PER_MSEC;
	spec[0].netem.rate_byteps = 2500000;
	count[0] = (struct count){.in = 1300,
		.in_bytes = 1950000,
		.out = 1219,
		.out_bytes = 1843200,
		.lost = 70,
		.loss_hits = 72,
		.drops = 75,
		.drop_limit = 5,
		.drop_mem = 1,
		.drop_io = 2,
		.duplicated = 3,
		.dup_hits = 5,
		.corrupted = 6,
		.reordered = 7,
		.ecn_marked = 8,
		.delayed = 9,
		.overtakes = 10,
		.backlog = 6,
		.backlog_bytes = 9084,
		.backlog_peak = 20,
		.backlog_bytes_peak = 30000};
	report.path[0].drop_ring = 4;
	late_add(&count[0].late, 500);
	late_add(&count[0].late, 14 * NSEC_PER_USEC);
	link = (struct show_link){.name = "wan",
		.near = "4712/eth0",
		.far = "4713/eth0",
		.pid = 4711,
		.report = &report};
	return 0;
}

static const char *text(unsigned detail)
{
	static char *t;
	size_t n;
	FILE *f;

	free(t);
	f = open_memstream(&t, &n);
	show_link_text(f, &link, detail);
	fclose(f);
	return t;
}

static void settings_are_a_line_a_direction(void **state)
{
	(void)state;
	assert_string_equal(text(0),
		"wan: near 4712/eth0 far 4713/eth0 pid 4711 up 12s\n"
		"  up   netem limit 1000 delay 40ms  5ms rate 20Mbit "
		"seed 42\n"
		"  down netem limit 1000 seed 43\n");
}

static void statistics_are_tc_s_and_ours(void **state)
{
	(void)state;
	report.n_paths = 1;
	assert_string_equal(text(1),
		"wan: near 4712/eth0 far 4713/eth0 pid 4711 up 12s\n"
		"  up   netem limit 1000 delay 40ms  5ms rate 20Mbit seed 42\n"
		"   Sent 1843200 bytes 1219 pkt (dropped 75, overlimits 0 requeues 7) "
		"\n"
		"   backlog 9084b 6p requeues 7\n"
		"    delayed 9 dropped 72 corrupted 6 duplicated 5 reordered 7 "
		"ecn_marked "
		"8\n"
		"   late p50 531ns p99 14us max 14us   drop_limit 5 host_drops 7\n");
}

static void more_statistics_have_everything(void **state)
{
	const char *t;

	(void)state;
	report.n_paths = 1;
	t = text(2);
	assert_non_null(
		strstr(t, "   in 1300 frames 1950000 bytes  out 1219 frames 1843200 "
			  "bytes  lost 70  "
			  "duplicated 3  overtakes 10\n"
			  "   backlog peak 20 frames 30000 bytes  late p99.9 14us\n"
			  "   host: ring 4  memory 1  write 2   reads 100  writes 10  "
			  "frames/read "
			  "1.6  frames/write 2.5\n"
			  "   lateness:  <1us 1  <16us 1\n"
			  "  wake-ups 5  idle 1  arms 4  carrier plain  rank fifo\n"));
}

static void a_loopback_has_no_ends(void **state)
{
	(void)state;
	report.n_paths = 1;
	report.path[0].link = "lo";
	link.near = "lo";
	link.far = NULL;
	assert_memory_equal(text(0), "wan: lo pid 4711 up 12s\n  up   netem ", 37);
}

static void several_devices_are_told_apart(void **state)
{
	(void)state;
	report.n_paths = 3;
	report.path[0].link = "lo";
	report.path[1].direction = "up";
	spec[1].kind = spec[2].kind = IMPAIR_NONE;
	assert_non_null(strstr(text(0), "\n  lo    up   netem limit"));
	assert_non_null(strstr(
		text(0), "\n  eth0  up   unimpaired\n  eth0  down unimpaired\n"));
}

static void a_span_has_two_units(void **state)
{
	static const struct {
		nsec_t s;
		const char *want;
	} t[] = {{0, "up 0s\n"}, {59, "up 59s\n"}, {60, "up 1m0s\n"},
		{200, "up 3m20s\n"}, {3599, "up 59m59s\n"}, {7500, "up 2h5m\n"},
		{86399, "up 23h59m\n"}, {360000, "up 4d4h\n"}};

	(void)state;
	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		report.elapsed_ns = t[i].s * NSEC_PER_SEC;
		assert_non_null(strstr(text(0), t[i].want));
	}
}

static void exact_words_are_a_command(void **state)
{
	char t[500];
	FILE *f = fmemopen(t, sizeof(t), "w");

	(void)state;
	show_link_exact(f, &link);
	fclose(f);
	assert_string_equal(t,
		"set wan up netem limit 1000 delay 40000000ns 5000000ns "
		"rate 2500000bps seed 42 down netem limit 1000 seed 43\n");
	spec[0].kind = IMPAIR_NONE;
	f = fmemopen(t, sizeof(t), "w");
	show_link_exact(f, &link);
	fclose(f);
	assert_string_equal(t, "set wan down netem limit 1000 seed 43\n");
}

static struct json_object *get(struct json_object *o, const char *key)
{
	struct json_object *v = NULL;

	json_object_object_get_ex(o, key, &v);
	return v;
}

static void json_has_tc_s_keys_in_tc_s_order(void **state)
{
	static const char *const want[] = {"kind", "handle", "root", "options", "bytes",
		"packets", "drops", "overlimits", "requeues", "backlog", "qlen",
		"delayed", "dropped", "corrupted", "duplicated", "reordered",
		"ecn_marked", "link", "dev", "direction", "ext"};
	struct json_object *all = show_link_json(&link, 1), *o, *ext;
	size_t i = 0;

	(void)state;
	assert_int_equal(json_object_array_length(all), 2);
	o = json_object_array_get_idx(all, 0);
	json_object_object_foreach(o, key, value)
	{
		(void)value;
		assert_true(i < sizeof(want) / sizeof(want[0]));
		assert_string_equal(key, want[i++]);
	}
	assert_int_equal(i, sizeof(want) / sizeof(want[0]));
	assert_int_equal(json_object_get_int(get(o, "dropped")), 72);
	assert_int_equal(json_object_get_int(get(o, "drops")), 75);
	assert_int_equal(json_object_get_int(get(o, "qlen")), 6);
	assert_int_equal(json_object_get_int(get(o, "duplicated")), 5);
	ext = get(o, "ext");
	assert_int_equal(json_object_get_int(get(ext, "duplicated")), 3);
	assert_int_equal(json_object_get_int(get(ext, "host_drops")), 7);
	assert_int_equal(json_object_get_int(get(ext, "pid")), 4711);
	assert_int_equal(json_object_get_int64(get(ext, "up_ns")), 12999999999);
	assert_null(get(ext, "wakeups"));
	json_object_put(all);
}

static void json_without_s_has_no_statistics(void **state)
{
	struct json_object *all = show_link_json(&link, 0);
	struct json_object *o = json_object_array_get_idx(all, 1);

	(void)state;
	assert_null(get(o, "bytes"));
	assert_null(get(get(o, "ext"), "in"));
	assert_string_equal(json_object_get_string(get(o, "direction")), "down");
	json_object_put(all);
}

static bool fits(struct json_object *root, struct json_object *schema,
	struct json_object *value, const char *name);

/* The schemas here need no other word than those that are looked at. */
static const char *const known[] = {"type", "properties", "required", "items",
	"additionalProperties", "enum", "minimum", "maximum", "description", "$ref",
	"$schema", "title", "$defs"};

static bool is_type(struct json_object *v, const char *type)
{
	enum json_type t = json_object_get_type(v);

	if (strcmp(type, "number") == 0)
		return t == json_type_double || t == json_type_int;
	if (strcmp(type, "integer") == 0)
		return t == json_type_int;
	return strcmp(type, json_type_to_name(t)) == 0;
}

static bool has_all(struct json_object *required, struct json_object *v)
{
	for (size_t i = 0; required && i < json_object_array_length(required); i++)
		if (!get(v, json_object_get_string(
				    json_object_array_get_idx(required, i))))
			return false;
	return true;
}

static bool fits_object(
	struct json_object *root, struct json_object *schema, struct json_object *v)
{
	struct json_object *properties = get(schema, "properties");

	assert_non_null(properties);
	assert_false(json_object_get_boolean(get(schema, "additionalProperties")));
	if (!has_all(get(schema, "required"), v))
		return false;
	json_object_object_foreach(v, key, member)
	{
		struct json_object *of_key = get(properties, key);

		if (!of_key || !fits(root, of_key, member, key))
			return false;
	}
	return true;
}

static bool fits_enum(struct json_object *choice, struct json_object *v)
{
	for (size_t i = 0; i < json_object_array_length(choice); i++)
		if (json_object_equal(json_object_array_get_idx(choice, i), v))
			return true;
	return false;
}

static bool fits(struct json_object *root, struct json_object *schema,
	struct json_object *v, const char *name)
{
	struct json_object *ref = get(schema, "$ref"), *items = get(schema, "items");
	struct json_object *min = get(schema, "minimum"), *max = get(schema, "maximum");

	json_object_object_foreach(schema, word, of_word)
	{
		size_t i = 0;

		(void)of_word;
		while (i < sizeof(known) / sizeof(known[0]) && strcmp(word, known[i]))
			i++;
		assert_true(i < sizeof(known) / sizeof(known[0]));
	}
	if (ref) {
		const char *path = json_object_get_string(ref);

		assert_memory_equal(path, "#/$defs/", 8);
		return fits(root, get(get(root, "$defs"), path + 8), v, name);
	}
	if (get(schema, "enum"))
		return fits_enum(get(schema, "enum"), v);
	if (!is_type(v, json_object_get_string(get(schema, "type"))))
		return false;
	if ((min && json_object_get_double(v) < json_object_get_double(min)) ||
		(max && json_object_get_double(v) > json_object_get_double(max)))
		return false;
	for (size_t i = 0; items && i < json_object_array_length(v); i++)
		if (!fits(root, items, json_object_array_get_idx(v, i), name))
			return false;
	return json_object_get_type(v) != json_type_object ||
	       fits_object(root, schema, v);
}

/* Everything that the words can say, so that every key of the schema is met. */
static const struct netem_conf all_words[] = {
	{.limit_frames = 1},
	{.latency_ns = 1,
		.jitter_ns = 1,
		.delay_corr_p32 = P32_ONE,
		.dist = {.kind = DIST_NORMAL, .name = (char[]){"normal"}},
		.loss = {P32_ONE, 1},
		.corrupt = {1, 1},
		.duplicate = {1, 1},
		.reorder = {1, 1},
		.gap = 1,
		.rate_byteps = UINT64_MAX,
		.overhead_bytes = -5,
		.cell_bytes = 1,
		.cell_overhead_bytes = -1,
		.slot = {.active = true, .min_delay_ns = 1, .max_delay_ns = 2}},
	{.loss_model = LOSS_STATE,
		.ecn = true,
		.p13_p32 = 1,
		.slot = {.active = true,
			.has_dist = true,
			.dist = {.kind = DIST_PARETO, .name = (char[]){"pareto"}},
			.dist_delay_ns = 1,
			.dist_jitter_ns = 1}},
	{.loss_model = LOSS_GEMODEL, .ge_p_p32 = P32_ONE},
};

static void json_is_what_the_schema_says(void **state)
{
	struct json_object *schema = json_object_from_file(SCHEMA), *all;

	(void)state;
	assert_non_null(schema);
	for (size_t i = 0; i < sizeof(all_words) / sizeof(all_words[0]); i++)
		for (unsigned detail = 0; detail < 3; detail++) {
			spec[0].netem = all_words[i];
			spec[0].netem.has_seed = true;
			spec[0].netem.seed = UINT64_MAX;
			all = show_link_json(&link, detail);
			assert_true(fits(schema, schema, all, ""));
			json_object_put(all);
		}
	spec[0].kind = IMPAIR_NONE;
	all = show_link_json(&link, 2);
	assert_true(fits(schema, schema, all, ""));
	/* And it would be seen if it were not so. */
	json_object_object_add(
		json_object_array_get_idx(all, 1), "new", json_object_new_int(1));
	assert_false(fits(schema, schema, all, ""));
	json_object_object_del(json_object_array_get_idx(all, 1), "new");
	json_object_object_del(json_object_array_get_idx(all, 1), "link");
	assert_false(fits(schema, schema, all, ""));
	json_object_object_add(
		json_object_array_get_idx(all, 1), "link", json_object_new_int(1));
	assert_false(fits(schema, schema, all, ""));
	json_object_put(all);
	json_object_put(schema);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(settings_are_a_line_a_direction, set_up),
		cmocka_unit_test_setup(statistics_are_tc_s_and_ours, set_up),
		cmocka_unit_test_setup(more_statistics_have_everything, set_up),
		cmocka_unit_test_setup(a_loopback_has_no_ends, set_up),
		cmocka_unit_test_setup(several_devices_are_told_apart, set_up),
		cmocka_unit_test_setup(a_span_has_two_units, set_up),
		cmocka_unit_test_setup(exact_words_are_a_command, set_up),
		cmocka_unit_test_setup(json_has_tc_s_keys_in_tc_s_order, set_up),
		cmocka_unit_test_setup(json_without_s_has_no_statistics, set_up),
		cmocka_unit_test_setup(json_is_what_the_schema_says, set_up),
	};

	return cmocka_run_group_tests_name("report/show", tests, NULL, NULL);
}
