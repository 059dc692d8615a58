/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests/unit/conf/test_args.c - mirrors src/conf/args.c
 */
#include "config.h"

#include "conf/args.h"
#include "unit/conf/command.h"
#include "unit/unit.h"

#include <errno.h>
#include <string.h>

static void a_whole_run(void **state)
{
	struct command s;
	struct conf c;

	(void)state;
	command_good(&c, &s,
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
	struct command s;
	struct conf c;

	(void)state;
	command_good(&c, &s, "farwire run dev lo up netem loss 5% -- true");
	assert_true(c.has_direction[DIR_UP]);
	assert_int_equal(c.spec[DIR_UP].netem.loss.p32, 214748365);
	assert_int_equal(c.spec[DIR_DOWN].kind, IMPAIR_NONE);
	conf_fini(&c);
	command_good(&c, &s, "farwire run dev lo -- true");
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
	struct command s;
	struct conf c;

	(void)state;
	for (size_t i = 0; i < sizeof(seeds) / sizeof(seeds[0]); i++) {
		command_good(&c, &s, seeds[i].line);
		assert_int_equal(c.spec[DIR_DOWN].netem.latency_ns, 1000000);
		assert_true(c.spec[DIR_UP].netem.seed == seeds[i].up);
		assert_true(c.spec[DIR_DOWN].netem.seed == seeds[i].down);
		conf_fini(&c);
	}
	command_good(&c, &s, "farwire check netem delay 2ms 1ms distribution normal");
	assert_false(c.spec[DIR_DOWN].netem.has_seed);
	assert_ptr_not_equal(
		c.spec[DIR_UP].netem.dist.name, c.spec[DIR_DOWN].netem.dist.name);
	assert_string_equal(c.spec[DIR_DOWN].netem.dist.name, "normal");
	conf_fini(&c);
}

static void directions_in_either_order(void **state)
{
	struct command s;
	struct conf c;

	(void)state;
	command_good(&c, &s, "farwire check down netem delay 5ms up netem loss 5%");
	assert_true(c.has_direction[DIR_UP] && c.has_direction[DIR_DOWN]);
	assert_int_equal(c.spec[DIR_DOWN].netem.latency_ns, 5000000);
	assert_int_equal(c.spec[DIR_UP].netem.loss.p32, 214748365);
	conf_fini(&c);
	command_good(&c, &s, "farwire check down netem delay 5ms");
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
		{"farwire run uplink none --help", VERB_HELP, "run"},
		{"farwire run uplink none -V -- true", VERB_VERSION, "run"},
		{"farwire -V", VERB_VERSION, NULL},
		{"farwire --version", VERB_VERSION, NULL},
		{"farwire doctor", VERB_DOCTOR, NULL},
		{"farwire doctor -j", VERB_DOCTOR, NULL},
		{"farwire add --help", VERB_HELP, "add"},
		{"farwire add wan netns a --help", VERB_HELP, "add"},
		{"farwire -b f --help", VERB_HELP, NULL},
		{"farwire -b f -V", VERB_VERSION, NULL},
	};
	struct command s;
	struct conf c;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		command_good(&c, &s, good[i].line);
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
		"nothing to do; write run, add, show, check, doctor or help behind "
		"farwire"},
	{"farwire chekc", VERB_HELP, "'chekc': no such verb; did you mean check?"},
	{"farwire ping", VERB_HELP,
		"'ping': no such verb; write run, add, change, set, show, monitor, "
		"del, check, doctor or help"},
	{"farwire -z run", VERB_RUN, "'-z': no such option; see farwire help"},
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
	{"farwire run", VERB_RUN, "run: no command; write -- before the command"},
	{"farwire run netem delay 5ms", VERB_RUN,
		"run: no command; write -- before the command"},
	{"farwire run curl https://example.org", VERB_RUN,
		"run: 'curl': neither netem nor a direction; write -- before the "
		"command"},
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

static const struct {
	const char *line;
	enum verb verb;
	const char *text;
} wrong_changes[] = {
	{"farwire change", VERB_CHANGE,
		"change: no link named; write change NAME netem ... (show lists the "
		"names)"},
	{"farwire set netem delay 5ms", VERB_SET,
		"set: 'netem': no link named before it; write NAME before it"},
	{"farwire replace up netem delay 5ms", VERB_REPLACE,
		"replace: 'up': no link named before it; write NAME before it"},
	{"farwire change wan", VERB_CHANGE,
		"change: nothing to change; write change wan netem ..."},
	{"farwire replace wan", VERB_REPLACE,
		"replace: nothing to change; write replace wan netem ..."},
	{"farwire change wan delay 5ms", VERB_CHANGE,
		"change: 'delay': no such word here; write netem before the options"},
	{"farwire change wan dwon netem", VERB_CHANGE,
		"change: 'dwon': no such word here; did you mean down?"},
	{"farwire change wan mtu 1400 netem", VERB_CHANGE,
		"change: 'mtu': stands before netem, up and down, and only in run and "
		"add"},
	{"farwire change wan netem delay 5ms -- true", VERB_CHANGE,
		"change: '--': takes no command; only run does"},
	{"farwire change wan netem delay 5ms up netem", VERB_CHANGE,
		"change: 'up': there is a SPEC without a direction already; write up "
		"netem ... down netem ..."},
	{"farwire change w/n netem", VERB_CHANGE,
		"change 'w/n': a name has letters, digits, _ . - and nothing else"},
	{"farwire set all netem", VERB_SET,
		"set: 'all': one link at a time; write its name"},
	{"farwire change -j wan netem", VERB_CHANGE,
		"-j: not with change; see farwire help -j"},
	{"farwire show all", VERB_SHOW,
		"show: 'all': is no name; write nothing for all links"},
	{"farwire monitor up", VERB_MONITOR,
		"monitor: 'up': is no name; write the name of a link alone"},
	{"farwire show wan lan", VERB_SHOW, "show: 'lan': one word too many"},
	{"farwire show -c -j", VERB_SHOW,
		"-c: prints words alone; leave out -s and -j, or take ext.args of -j"},
	{"farwire show -sc", VERB_SHOW,
		"-c: prints words alone; leave out -s and -j, or take ext.args of -j"},
	{"farwire monitor -s", VERB_MONITOR,
		"-s: not with monitor; see farwire help -s"},
	{"farwire monitor wan 5", VERB_MONITOR, "monitor: '5': one word too many"},
};

static void wrong_changes_say_what_to_write(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(wrong_changes) / sizeof(wrong_changes[0]); i++)
		command_wrong(wrong_changes[i].line, wrong_changes[i].verb,
			wrong_changes[i].text);
}

static void words_to_a_running_link(void **state)
{
	struct command s;
	struct conf c;

	(void)state;
	command_good(&c, &s, "farwire -q change run-4711 up netem loss 1%");
	assert_int_equal(c.verb, VERB_CHANGE);
	assert_string_equal(c.link_name, "run-4711");
	assert_true(c.has_direction[DIR_UP]);
	assert_false(c.has_direction[DIR_DOWN]);
	assert_int_equal(c.spec[DIR_DOWN].kind, IMPAIR_NONE);
	conf_fini(&c);
	command_good(&c, &s, "farwire replace wan netem delay 5ms seed 1");
	assert_int_equal(c.verb, VERB_REPLACE);
	assert_false(c.has_direction[DIR_UP] || c.has_direction[DIR_DOWN]);
	assert_true(c.spec[DIR_DOWN].netem.seed == 10451216379200822465u);
	conf_fini(&c);
	command_good(&c, &s, "farwire set a12345678901234567890123456789_1 down netem");
	assert_int_equal(c.verb, VERB_SET);
	assert_int_equal(c.spec[DIR_UP].kind, IMPAIR_NONE);
	conf_fini(&c);
	command_good(&c, &s, "farwire -s show -sjp wan");
	assert_int_equal(c.verb, VERB_SHOW);
	assert_string_equal(c.link_name, "wan");
	assert_int_equal(c.stats, 2);
	assert_true(c.json && c.pretty);
	conf_fini(&c);
	command_good(&c, &s, "farwire show -c");
	assert_null(c.link_name);
	assert_true(c.exact);
	conf_fini(&c);
	command_good(&c, &s, "farwire monitor -j");
	assert_int_equal(c.verb, VERB_MONITOR);
	assert_true(c.json);
	assert_null(c.link_name);
	conf_fini(&c);
}

static void short_options_in_one_word(void **state)
{
	struct command s;
	struct conf c;

	(void)state;
	command_good(&c, &s, "farwire run -ssq dev lo -- true");
	assert_int_equal(c.stats, 2);
	assert_true(c.quiet);
	conf_fini(&c);
	command_good(&c, &s, "farwire -jp check netem");
	assert_true(c.json && c.pretty);
	conf_fini(&c);
}

static void wrong_lines_say_what_to_write(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		command_wrong(wrong[i].line, wrong[i].verb, wrong[i].text);
}

static void a_failure_frees_what_was_read(void **state)
{
	struct conf c;
	struct command s;
	char *argv[] = {(char *)(uintptr_t) "farwire", (char *)(uintptr_t) "check",
		(char *)(uintptr_t) "netem", (char *)(uintptr_t) "", NULL};
	struct err e;

	(void)state;
	/* Leaks show under ASan. */
	conf_init(&c);
	command_split(&s,
		"farwire check netem delay 5ms 1ms distribution normal distribution "
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
		cmocka_unit_test(words_to_a_running_link),
		cmocka_unit_test(short_options_in_one_word),
		cmocka_unit_test(wrong_lines_say_what_to_write),
		cmocka_unit_test(wrong_changes_say_what_to_write),
		cmocka_unit_test(a_failure_frees_what_was_read),
	};

	return cmocka_run_group_tests_name("conf/args", tests, NULL, NULL);
}
