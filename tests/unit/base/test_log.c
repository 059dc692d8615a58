/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests/unit/base/test_log.c - mirrors src/base/log.c
 */
#include "config.h"

#include "base/log.h"
#include "unit/unit.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* What one call writes to stderr. */
static const char *said(void (*say)(const char *fmt, ...), const char *what)
{
	static char text[4096];
	int saved = dup(STDERR_FILENO);
	FILE *f = tmpfile();
	size_t n;

	assert_non_null(f);
	dup2(fileno(f), STDERR_FILENO);
	say("%s", what);
	dup2(saved, STDERR_FILENO);
	close(saved);
	rewind(f);
	n = fread(text, 1, sizeof(text) - 1, f);
	text[n] = '\0';
	fclose(f);
	return text;
}

static void each_kind_has_its_form(void **state)
{
	(void)state;
	assert_string_equal(said(log_note, "lo: up"), "farwire: lo: up\n");
	assert_string_equal(said(log_warn, "late"), "farwire: warning: late\n");
	assert_string_equal(said(log_error, "no"), "farwire: no\n");
}

static void quiet_leaves_errors(void **state)
{
	(void)state;
	log_quiet(true);
	assert_string_equal(said(log_note, "x"), "");
	assert_string_equal(said(log_warn, "x"), "");
	assert_string_equal(said(log_error, "x"), "farwire: x\n");
	log_quiet(false);
}

static void no_name_gives_orders_to_the_terminal(void **state)
{
	(void)state;
	assert_string_equal(said(log_error, "'nos\033[2Juch\n\t\x7f'"),
		"farwire: 'nos?[2Juch?"
		"?"
		"?"
		"'\n");
}

static void a_long_line_is_cut_and_ended(void **state)
{
	char big[3000];
	const char *text;

	(void)state;
	memset(big, 'y', sizeof(big) - 1);
	big[sizeof(big) - 1] = '\0';
	text = said(log_error, big);
	assert_true(strlen(text) < 1200);
	assert_int_equal(text[strlen(text) - 1], '\n');
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_kind_has_its_form),
		cmocka_unit_test(quiet_leaves_errors),
		cmocka_unit_test(no_name_gives_orders_to_the_terminal),
		cmocka_unit_test(a_long_line_is_cut_and_ended),
	};

	return cmocka_run_group_tests_name("base/log", tests, NULL, NULL);
}
