/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests/unit/report/test_doctor.c - mirrors src/report/doctor.c
 */
#include "config.h"

#include "report/doctor.h"
#include "unit/unit.h"

#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

static const struct doctor sample = {
	.n = 2,
	.fact = {{.name = "tun device", .yes = true, .needed = true, .text = "open"},
		{.name = "user namespaces", .text = "none", .fix = "say \"please\""}},
};

static void text_has_one_line_a_fact_and_its_fix(void **state)
{
	char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	(void)state;
	assert_int_equal(doctor_text(f, &sample), 0);
	fclose(f);
	assert_string_equal(text, "tun device        yes   open\n"
				  "user namespaces   no    none\n"
				  "                        fix: say \"please\"\n");
	free(text);
}

static void json_says_the_same(void **state)
{
	struct json_object *o, *facts, *v;
	char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	(void)state;
	assert_int_equal(doctor_json(f, &sample, false), 0);
	fclose(f);
	assert_ptr_equal(strchr(text, '\n'), text + n - 1);
	o = json_tokener_parse(text);
	assert_true(json_object_object_get_ex(o, "can_run", &v));
	assert_false(json_object_get_boolean(v));
	assert_true(json_object_object_get_ex(o, "facts", &facts));
	assert_int_equal(json_object_array_length(facts), 2);
	v = json_object_array_get_idx(facts, 0);
	assert_false(json_object_object_get_ex(v, "fix", NULL));
	assert_string_equal(json_object_get_string(json_object_object_get(v, "name")),
		"tun device");
	v = json_object_array_get_idx(facts, 1);
	assert_string_equal(json_object_get_string(json_object_object_get(v, "fix")),
		"say \"please\"");
	assert_false(json_object_get_boolean(json_object_object_get(v, "yes")));
	json_object_put(o);
	free(text);
}

static void pretty_is_over_lines(void **state)
{
	char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	(void)state;
	assert_int_equal(doctor_json(f, &sample, true), 0);
	fclose(f);
	assert_true(strchr(text, '\n') < text + n - 1);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_has_one_line_a_fact_and_its_fix),
		cmocka_unit_test(json_says_the_same),
		cmocka_unit_test(pretty_is_over_lines),
	};

	return cmocka_run_group_tests_name("report/doctor", tests, NULL, NULL);
}
