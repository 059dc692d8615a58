/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests/unit/report/test_exact.c - what `show -c` prints makes the same link again
 *
 * Each line of tests/data/tc-lines.tsv that tc accepts is the up of a link, the line
 * before it the down. The text of show_link_exact() is read as a command line, and what
 * it makes of a link with other settings is compared with the first, field by field.
 */
#include "config.h"

#include "conf/args.h"
#include "conf/change.h"
#include "conf/kinds.h"
#include "conf/netem_conf.h"
#include "report/show.h"
#include "unit/conf/command.h"
#include "unit/conf/netem.h"
#include "unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Every field of it differs from the default. */
#define OTHER                                                                          \
	"limit 7 delay 9ms 2ms 3% distribution pareto loss 4% 5% ecn corrupt 6% 7% "   \
	"duplicate 8% 9% reorder 10% 11% gap 12 rate 13mbit 14 15 16 "                 \
	"slot distribution normal 17ms 18ms packets 19 bytes 20 seed 21"

static char *exact_text(const struct spec spec[N_DIRS], unsigned n_paths)
{
	struct report r = {.n_paths = n_paths};
	struct show_link l = {.name = "wan-1.x_", .report = &r};
	char *text = NULL;
	size_t n_bytes;
	FILE *out = open_memstream(&text, &n_bytes);

	assert_non_null(out);
	for (unsigned i = 0; i < n_paths; i++) {
		r.path[i].direction = i ? "down" : "up";
		r.path[i].spec = &spec[i];
	}
	show_link_exact(out, &l);
	fclose(out);
	assert_int_equal(text[n_bytes - 1], '\n');
	text[n_bytes - 1] = '\0';
	return text;
}

/* The words are given to a link that has @before; it must have @want then. */
static void want_same(const struct spec *want, const struct spec *words,
	const char *before, enum verb verb, const char *text)
{
	struct spec s = {.kind = IMPAIR_NETEM};
	struct err e;
	int rc;

	assert_int_equal(netem_read_line(&s.netem, before, &e), 0);
	rc = verb == VERB_SET ? change_set(&s, words, &e) : change_apply(&s, words, &e);
	assert_int_equal(rc, 0);
	if (!netem_same(&want->netem, &s.netem))
		fail_msg("not the same after %s: %s",
			verb == VERB_SET ? "set" : "change", text);
	kinds_fini(&s);
}

static void want_round_trip(const struct spec spec[N_DIRS], unsigned n_paths)
{
	char *text = exact_text(spec, n_paths);
	char *line;
	struct command s;
	struct conf c;

	assert_true(asprintf(&line, "farwire %s", text) > 0);
	command_good(&c, &s, line);
	assert_int_equal(c.verb, VERB_SET);
	assert_string_equal(c.link_name, "wan-1.x_");
	for (unsigned i = 0; i < n_paths; i++) {
		assert_true(c.has_direction[i]);
		if (!netem_same(&spec[i].netem, &c.spec[i].netem))
			fail_msg("read back as another: %s", text);
		want_same(&spec[i], &c.spec[i], OTHER, VERB_SET, text);
		/* On a link without settings a change says all there is. */
		want_same(&spec[i], &c.spec[i], "limit 5", VERB_CHANGE, text);
	}
	conf_fini(&c);
	free(line);
	free(text);
}

/* The link that runs has a seed, whether the words gave one or not. */
static void read_spec(struct spec *s, const char *words, uint64_t seed)
{
	struct err e = {0};

	s->kind = IMPAIR_NETEM;
	if (netem_read_line(&s->netem, words, &e))
		fail_msg("%s: %s", words, e.text);
	if (!s->netem.has_seed)
		s->netem.seed = seed;
	s->netem.has_seed = true;
}

static void every_line_of_tc_comes_back(void **state)
{
	FILE *file = fopen(TEST_DATA "/tc-lines.tsv", "re");
	struct spec spec[N_DIRS] = {{.kind = IMPAIR_NONE}};
	unsigned n_lines = 0;
	char line[1024];

	(void)state;
	assert_non_null(file);
	read_spec(&spec[DIR_DOWN], OTHER, 0);
	while (fgets(line, sizeof(line), file)) {
		char *rest = line;
		const char *args = strsep(&rest, "\t");
		const char *verdict = strsep(&rest, "\t");

		if (line[0] == '#' || !verdict || strcmp(verdict, "accept") != 0)
			continue;
		read_spec(&spec[DIR_UP], args, UINT64_MAX - n_lines++);
		want_round_trip(spec, N_DIRS);
		kinds_fini(&spec[DIR_DOWN]);
		spec[DIR_DOWN] = spec[DIR_UP];
	}
	kinds_fini(&spec[DIR_DOWN]);
	fclose(file);
	assert_true(n_lines >= 100);
}

static void what_tc_has_no_line_for_comes_back(void **state)
{
	static const char *const odd[] = {OTHER, "loss 0% 25%", "rate 8bit -5 0 -7",
		"delay 1ns 1ns", "slot 5ms 5ms packets 1", "loss state 1% 2% 3% 4% 5%",
		"loss gemodel 0.0000001% 100% 0% 1%",
		"delay 5ms 1ms distribution uniform",
		"limit 4294967295 delay 9223372036854774784ns", "loss state 0%"};
	struct spec spec[N_DIRS] = {{.kind = IMPAIR_NONE}};

	(void)state;
	for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
		read_spec(&spec[DIR_UP], odd[i], i);
		/* A loopback has one direction. */
		want_round_trip(spec, 1);
		kinds_fini(&spec[DIR_UP]);
	}
}

/* Longest names there are, four tables: still whole, and a line that a link takes. */
static void tables_of_files_come_back(void **state)
{
	char dir[] = "/tmp/test_exact-XXXXXX", words[4096], name[513] = "";
	struct spec spec[N_DIRS] = {{.kind = IMPAIR_NONE}};
	char *text;
	FILE *file;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(name, sizeof(name), "%s/", dir);
	while (strlen(name) < 505)
		strcat(name, "./");
	strcat(name, "table");
	file = fopen(name, "we");
	assert_non_null(file);
	fputs("-3 0 3\n", file);
	fclose(file);
	snprintf(words, sizeof(words),
		"delay 1111111111111111111ns 1111111111ns 33.3333333%% distribution %s "
		"loss 11.1111111%% 22.2222222%% corrupt 33.3333333%% 11.1111111%% "
		"duplicate 11.1111111%% 33.3333333%% reorder 33.3333333%% 11.1111111%% "
		"gap 4294967295 rate 1111111111111 -111111111 111111111 -111111111 "
		"slot distribution %s 1111111111111111111ns 1111111111ns packets "
		"1111111111 bytes 1111111111 seed 18446744073709551615",
		name, name);
	read_spec(&spec[DIR_UP], words, 0);
	read_spec(&spec[DIR_DOWN], words, 0);
	want_round_trip(spec, N_DIRS);
	text = exact_text(spec, N_DIRS);
	assert_true(strlen(text) < 4096);
	free(text);
	kinds_fini(&spec[DIR_UP]);
	kinds_fini(&spec[DIR_DOWN]);
	remove(name);
	remove(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_line_of_tc_comes_back),
		cmocka_unit_test(what_tc_has_no_line_for_comes_back),
		cmocka_unit_test(tables_of_files_come_back),
	};

	return cmocka_run_group_tests_name("report/exact", tests, NULL, NULL);
}
