/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests/unit/conf/test_args.c - mirrors src/conf/args.c
 */
#include "config.h"

#include "conf/args.h"
#include "unit/unit.h"

#include <errno.h>
#include <string.h>

#define WORDS_MAX 32

/* A command line from one text, words apart by single blanks. */
struct split {
	char text[512];
	char *argv[WORDS_MAX + 1];
	int argc;
};

static void split(struct split *s, const char *line)
{
	strncpy(s->text, line, sizeof(s->text) - 1);
	s->text[sizeof(s->text) - 1] = '\0';
	s->argc = 0;
	for (char *w = strtok(s->text, " "); w; w = strtok(NULL, " ")) {
		assert_true(s->argc < WORDS_MAX);
		s->argv[s->argc++] = w;
	}
	s->argv[s->argc] = NULL;
}

static void read_good(struct conf *c, struct split *s, const char *line)
{
	struct err e = {0};

	conf_init(c);
	split(s, line);
	if (conf_read(c, s->argc, s->argv, &e))
		fail_msg("%s: %s", line, e.text);
}

static void want_error(const char *line, enum verb verb, const char *text)
{
	struct split s;
	struct conf c;
	struct err e = {0};

	conf_init(&c);
	c.stats = 77;
	split(&s, line);
	if (conf_read(&c, s.argc, s.argv, &e) != -EINVAL)
		fail_msg("accepted: %s", line);
	if (strcmp(e.text, text) != 0)
		fail_msg("%s\n got: %s\nwant: %s", line, e.text, text);
	assert_int_equal(c.verb, verb);
	assert_int_equal(c.stats, 77);
}

static void a_whole_run(void **state)
{
	struct split s;
	struct conf c;

	(void)state;
	read_good(&c, &s,
		"farwire -q run -s -s --report f --user=nobody dev lo netem delay 50ms "
		"10ms "
		"loss 1% limit 10000 seed 42 -- printf %s -- x");
	assert_int_equal(c.verb, VERB_RUN);
	assert_true(c.quiet);
	assert_int_equal(c.stats, 2);
	assert_string_equal(c.report_path, "f");
	assert_string_equal(c.user, "nobody");
	assert_true(c.near_lo);
	assert_false(c.has_direction[DIR_UP]);
	assert_int_equal(c.spec[DIR_UP].kind, IMPAIR_NETEM);
	assert_int_equal(c.spec[DIR_UP].netem.latency_ns, 50000000);
	assert_int_equal(c.spec[DIR_UP].netem.jitter_ns, 10000000);
	assert_int_equal(c.spec[DIR_UP].netem.loss.p32, 42949673);
	assert_int_equal(c.spec[DIR_UP].netem.limit_frames, 10000);
	assert_true(c.spec[DIR_UP].netem.has_seed);
	assert_int_equal(c.spec[DIR_UP].netem.seed, 42);
	assert_int_equal(c.spec[DIR_DOWN].kind, IMPAIR_NONE);
	assert_string_equal(c.command[0], "printf");
	assert_string_equal(c.command[2], "--");
	assert_string_equal(c.command[3], "x");
	assert_null(c.command[4]);
	conf_fini(&c);
	assert_int_equal(c.spec[DIR_UP].kind, IMPAIR_NONE);
}

static void up_on_a_loopback_and_no_spec(void **state)
{
	struct split s;
	struct conf c;

	(void)state;
	read_good(&c, &s, "farwire run dev lo up netem loss 5% -- true");
	assert_true(c.has_direction[DIR_UP]);
	assert_int_equal(c.spec[DIR_UP].netem.loss.p32, 214748365);
	assert_int_equal(c.spec[DIR_DOWN].kind, IMPAIR_NONE);
	conf_fini(&c);
	read_good(&c, &s, "farwire run dev lo -- true");
	assert_int_equal(c.spec[DIR_UP].kind, IMPAIR_NETEM);
	assert_int_equal(c.spec[DIR_UP].netem.limit_frames, 1000);
	assert_int_equal(c.spec[DIR_UP].netem.named, 0);
	conf_fini(&c);
}

static void one_spec_is_for_both_and_down_has_its_own_seed(void **state)
{
	static const struct {
		const char *line;
		uint64_t up, down;
	} seeds[] = {
		{"farwire check netem delay 1ms seed 0", 0, 16294208416658607535u},
		{"farwire check netem delay 1ms seed 1", 1, 10451216379200822465u},
		{"farwire check netem delay 1ms seed 42", 42, 13679457532755275413u},
	};
	struct split s;
	struct conf c;

	(void)state;
	for (size_t i = 0; i < sizeof(seeds) / sizeof(seeds[0]); i++) {
		read_good(&c, &s, seeds[i].line);
		assert_int_equal(c.spec[DIR_DOWN].netem.latency_ns, 1000000);
		assert_true(c.spec[DIR_UP].netem.seed == seeds[i].up);
		assert_true(c.spec[DIR_DOWN].netem.seed == seeds[i].down);
		conf_fini(&c);
	}
	read_good(&c, &s, "farwire check netem delay 2ms 1ms distribution normal");
	assert_false(c.spec[DIR_DOWN].netem.has_seed);
	assert_ptr_not_equal(
		c.spec[DIR_UP].netem.dist.name, c.spec[DIR_DOWN].netem.dist.name);
	assert_string_equal(c.spec[DIR_DOWN].netem.dist.name, "normal");
	conf_fini(&c);
}

static void directions_in_either_order(void **state)
{
	struct split s;
	struct conf c;

	(void)state;
	read_good(&c, &s, "farwire check down netem delay 5ms up netem loss 5%");
	assert_true(c.has_direction[DIR_UP] && c.has_direction[DIR_DOWN]);
	assert_int_equal(c.spec[DIR_DOWN].netem.latency_ns, 5000000);
	assert_int_equal(c.spec[DIR_UP].netem.loss.p32, 214748365);
	conf_fini(&c);
	read_good(&c, &s, "farwire check down netem delay 5ms");
	assert_int_equal(c.spec[DIR_UP].kind, IMPAIR_NONE);
	conf_fini(&c);
}

static void help_and_version(void **state)
{
	static const struct {
		const char *line;
		enum verb verb;
		const char *word;
	} good[] = {
		{"farwire help", VERB_HELP, NULL},
		{"farwire --help", VERB_HELP, NULL},
		{"farwire help loss", VERB_HELP, "loss"},
		{"farwire run --help", VERB_HELP, "run"},
		{"farwire --help run", VERB_HELP, "run"},
		{"farwire -V", VERB_VERSION, NULL},
		{"farwire --version", VERB_VERSION, NULL},
		{"farwire doctor", VERB_DOCTOR, NULL},
		{"farwire doctor -j", VERB_DOCTOR, NULL},
	};
	struct split s;
	struct conf c;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		read_good(&c, &s, good[i].line);
		assert_int_equal(c.verb, good[i].verb);
		if (good[i].word)
			assert_string_equal(c.help_word, good[i].word);
		else
			assert_null(c.help_word);
		conf_fini(&c);
	}
}

static const struct {
	const char *line;
	enum verb verb;
	const char *text;
} wrong[] = {
	{"farwire", VERB_HELP,
		"nothing to do; write run, check, doctor or help behind farwire"},
	{"farwire chekc", VERB_HELP, "'chekc': no such verb; did you mean check?"},
	{"farwire ping", VERB_HELP,
		"'ping': no such verb; write run, check, doctor or help"},
	{"farwire -b run", VERB_RUN, "'-b': no such option; see farwire help"},
	{"farwire run -x dev lo -- true", VERB_RUN,
		"'-x': no such option; see farwire help"},
	{"farwire run --reprot f dev lo -- true", VERB_RUN,
		"'--reprot': no such option; did you mean --report?"},
	{"farwire -q -q check netem", VERB_CHECK, "-q: given twice"},
	{"farwire run --report", VERB_RUN,
		"--report: a value is missing; write --report FILE"},
	{"farwire run --report= dev lo -- true", VERB_RUN,
		"--report: a value is missing; write --report FILE"},
	{"farwire -j run dev lo -- true", VERB_RUN,
		"-j: not with run; see farwire help -j"},
	{"farwire check -s netem", VERB_CHECK,
		"-s: not with check; see farwire help -s"},
	{"farwire --help=x", VERB_HELP, "--help: takes no value"},
	{"farwire doctor now", VERB_DOCTOR, "doctor: 'now': one word too many"},
	{"farwire help a b", VERB_HELP, "help: 'b': one word too many"},
	{"farwire run", VERB_RUN,
		"run: no device named; write run dev lo netem ... -- COMMAND"},
	{"farwire run -- true", VERB_RUN,
		"run: no device named; write run dev lo netem ... -- COMMAND"},
	{"farwire run netem delay 5ms -- true", VERB_RUN,
		"run: 'netem': no device named before it; write dev lo before it"},
	{"farwire run uplink nat netem -- true", VERB_RUN,
		"run: 'uplink': no such word here; write dev lo"},
	{"farwire run dev", VERB_RUN, "run dev: a name is missing; write dev lo"},
	{"farwire run dev eth0 netem -- true", VERB_RUN,
		"run dev: 'eth0': the one device there is in a fresh network is lo; "
		"write dev "
		"lo"},
	{"farwire run dev lo delay 5ms -- true", VERB_RUN,
		"run: 'delay': no such word here; write netem before the options"},
	{"farwire run dev lo true", VERB_RUN,
		"run: 'true': neither netem nor a direction; write -- before the "
		"command"},
	{"farwire run dev lo netem loss 5% pytest", VERB_RUN,
		"run: 'pytest': neither a netem option nor a direction; write -- "
		"before the "
		"command"},
	{"farwire run dev lo netem dealy 5ms", VERB_RUN,
		"run: 'dealy': neither a netem option nor a direction (did you mean "
		"delay?); "
		"write -- before the command"},
	{"farwire run dev lo netem dealy 5ms -- true", VERB_RUN,
		"netem: 'dealy': no such option; did you mean delay?"},
	{"farwire run dev lo netem delay 5ms", VERB_RUN,
		"run: no command; write -- before the command"},
	{"farwire run dev lo netem delay 5ms --", VERB_RUN,
		"run: no command behind --"},
	{"farwire run dev lo netem delay 50 -- true", VERB_RUN,
		"netem delay '50': a time needs a unit (tc reads ns, before 2024 us); "
		"write "
		"50ms, 50us or 50ns"},
	{"farwire run dev lo down netem -- true", VERB_RUN,
		"run: 'down': a loopback has one direction; write up, or netem alone"},
	{"farwire run dev lo netem loss 5% down netem -- true", VERB_RUN,
		"run: 'down': there is a SPEC without a direction already; write up "
		"netem ... "
		"down netem ..."},
	{"farwire check", VERB_CHECK, "check: nothing to check; write check netem ..."},
	{"farwire check delay 5ms", VERB_CHECK,
		"check: 'delay': no such word here; write netem before it"},
	{"farwire check up netem up netem", VERB_CHECK, "check: 'up': named twice"},
	{"farwire check up", VERB_CHECK,
		"check up: no SPEC behind it; write up netem ..."},
	{"farwire check up down netem", VERB_CHECK,
		"check up: no SPEC behind it; write up netem ..."},
	{"farwire check netem -- true", VERB_CHECK,
		"check: '--': takes no command; only run does"},
	{"farwire check netem delay 5ms -q", VERB_CHECK,
		"netem: '-q': not a netem option; options of farwire stand right "
		"behind the "
		"verb"},
	{"farwire check netem 10ms", VERB_CHECK,
		"netem: '10ms': a value without an option; write an option word such "
		"as delay "
		"or loss before it"},
};

static void wrong_lines_say_what_to_write(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		want_error(wrong[i].line, wrong[i].verb, wrong[i].text);
}

static void a_failure_frees_what_was_read(void **state)
{
	struct conf c;
	struct split s;
	char *argv[] = {(char *)(uintptr_t) "farwire", (char *)(uintptr_t) "check",
		(char *)(uintptr_t) "netem", (char *)(uintptr_t) "", NULL};
	struct err e;

	(void)state;
	/* Leaks show under ASan. */
	conf_init(&c);
	split(&s, "farwire check netem delay 5ms 1ms distribution normal distribution "
		  "pareto "
		  "slot distribution normal 1ms 1ms nonsense");
	assert_int_equal(conf_read(&c, s.argc, s.argv, &e), -EINVAL);
	assert_int_equal(conf_read(&c, 4, argv, &e), -EINVAL);
	assert_string_equal(
		e.text, "netem: '': no such option; see farwire help netem");
	assert_int_equal(conf_read(&c, 0, argv + 4, &e), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_whole_run),
		cmocka_unit_test(up_on_a_loopback_and_no_spec),
		cmocka_unit_test(one_spec_is_for_both_and_down_has_its_own_seed),
		cmocka_unit_test(directions_in_either_order),
		cmocka_unit_test(help_and_version),
		cmocka_unit_test(wrong_lines_say_what_to_write),
		cmocka_unit_test(a_failure_frees_what_was_read),
	};

	return cmocka_run_group_tests_name("conf/args", tests, NULL, NULL);
}
