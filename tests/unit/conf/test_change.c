/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests/unit/conf/test_change.c - mirrors src/conf/change.c
 *
 * Most of it is three lines of words: what a link has, what a command says, and what
 * the link has then, which is read as a SPEC of its own and compared field by field.
 */
#include "config.h"

#include "conf/change.h"

#include "conf/kinds.h"
#include "conf/netem_conf.h"
#include "conf/show.h"
#include "unit/conf/netem.h"
#include "unit/unit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* malloc() as the linker's --wrap gives it, so that it can fail. */
static int mallocs_left = -1;
void *__real_malloc(size_t n);
void *__wrap_malloc(size_t n);

void *__wrap_malloc(size_t n)
{
	if (mallocs_left == 0)
		return NULL;
	if (mallocs_left > 0)
		mallocs_left--;
	return __real_malloc(n);
}

static struct spec spec_of(const char *words)
{
	struct spec s = {.kind = IMPAIR_NETEM};
	struct err e;

	if (netem_read_line(&s.netem, words, &e) < 0)
		fail_msg("'%s': %s", words, e.text);
	return s;
}

struct row {
	const char *has, *command, *then;
};

typedef int (*apply_fn)(struct spec *cur, const struct spec *cmd, struct err *e);

static void want(apply_fn apply, const struct row *t)
{
	struct spec cur = spec_of(t->has), cmd = spec_of(t->command);
	struct spec then = spec_of(t->then);
	char text[SHOW_BYTES];
	struct err e;

	assert_int_equal(apply(&cur, &cmd, &e), 0);
	if (!netem_same(&cur.netem, &then.netem)) {
		show_exact(&cur, text, sizeof(text));
		fail_msg("%s, change %s: %s", t->has, t->command, text);
	}
	/* What is shown then makes the same again. */
	show_exact(&cur, text, sizeof(text));
	kinds_fini(&then);
	then = spec_of(text + strlen("netem "));
	assert_true(netem_same(&cur.netem, &then.netem));
	kinds_fini(&cur);
	kinds_fini(&cmd);
	kinds_fini(&then);
}

/* netem-semantics: always set, from the command or to its default. */
static const struct row set_anew[] = {
	{"limit 5", "", ""},
	{"limit 5", "limit 7", "limit 7"},
	{"delay 5ms 1ms", "", ""},
	{"delay 5ms 1ms", "delay 7ms", "delay 7ms"},
	{"delay 5ms", "delay 7ms 2ms", "delay 7ms 2ms"},
	{"loss 5%", "", ""},
	{"loss 5%", "loss 1%", "loss 1%"},
	{"loss state 1% 2% 3% 4% 5%", "", ""},
	{"loss state 1% 2% 3% 4% 5%", "loss 1%", "loss 1%"},
	{"loss 5%", "loss gemodel 1% 2% 3% 4%", "loss gemodel 1% 2% 3% 4%"},
	{"loss gemodel 1% 2% 3% 4%", "loss state 5%", "loss state 5%"},
	{"loss gemodel 1% 2% 3% 4%", "", ""},
	{"duplicate 5%", "", ""},
	{"duplicate 5%", "duplicate 1%", "duplicate 1%"},
	{"delay 5ms reorder 5% gap 3", "delay 5ms reorder 5%", "delay 5ms reorder 5%"},
	{"delay 5ms", "delay 5ms reorder 5% gap 3", "delay 5ms reorder 5% gap 3"},
};

/* Kept where it is not named. */
static const struct row kept[] = {
	{"corrupt 5%", "", "corrupt 5%"},
	{"corrupt 5% 3%", "", "corrupt 5% 3%"},
	{"corrupt 5% 3%", "corrupt 1%", "corrupt 1%"},
	{"corrupt 5%", "corrupt 0%", ""},
	{"rate 1mbit 1 2 3", "", "rate 1mbit 1 2 3"},
	{"rate 1mbit 1 2 3", "rate 2mbit", "rate 2mbit"},
	{"rate 1mbit", "rate 0", ""},
	{"loss 5% ecn", "loss 1%", "loss 1% ecn"},
	{"loss 5%", "loss 5% ecn", "loss 5% ecn"},
	{"slot 1ms 2ms packets 3 bytes 4", "", "slot 1ms 2ms packets 3 bytes 4"},
	{"slot 1ms 2ms packets 3", "slot 5ms", "slot 5ms"},
	{"slot 1ms 2ms packets 3", "slot 0", ""},
	{"slot 1ms 2ms", "slot distribution pareto 5ms 1ms",
		"slot distribution pareto 5ms 1ms"},
	{"slot distribution pareto 5ms 1ms", "slot distribution normal 1ms 2ms",
		"slot distribution normal 1ms 2ms"},
	{"slot distribution pareto 5ms 1ms", "", "slot distribution pareto 5ms 1ms"},
	{"delay 5ms 1ms distribution normal", "delay 7ms 2ms",
		"delay 7ms 2ms distribution normal"},
	{"delay 5ms 1ms distribution normal", "delay 7ms 2ms distribution pareto",
		"delay 7ms 2ms distribution pareto"},
	{"delay 5ms 1ms distribution normal", "delay 7ms 2ms distribution uniform",
		"delay 7ms 2ms distribution uniform"},
	{"seed 5", "", "seed 5"},
	{"seed 5", "seed 7", "seed 7"},
	{"delay 100ms loss 1% rate 1mbit corrupt 1%", "delay 50ms",
		"delay 50ms rate 1mbit corrupt 1%"},
};

/* The three travel together, and a duplicate correlation alone is not sent. */
static const struct row correlations[] = {
	{"delay 5ms 1ms 9% loss 1% 8% duplicate 1% 7%",
		"delay 5ms 1ms loss 1% duplicate 1%",
		"delay 5ms 1ms 9% loss 1% 8% duplicate 1% 7%"},
	{"delay 5ms 1ms 9% loss 1% 8% duplicate 1% 7%",
		"delay 5ms 1ms 4% loss 1% duplicate 1%",
		"delay 5ms 1ms 4% loss 1% duplicate 1%"},
	{"delay 5ms 1ms 9% loss 1% 8% duplicate 1% 7%",
		"delay 5ms 1ms loss 1% 4% duplicate 1% 3%",
		"delay 5ms 1ms loss 1% 4% duplicate 1% 3%"},
	{"delay 5ms 1ms 9% loss 1% 8% duplicate 1% 7%",
		"delay 5ms 1ms loss 1% duplicate 1% reorder 1% 2%",
		"delay 5ms 1ms loss 1% duplicate 1% reorder 1% 2%"},
	{"delay 5ms 1ms 9% loss 1% 8% duplicate 1% 7%",
		"delay 5ms 1ms loss 1% duplicate 1% corrupt 1% 2%",
		"delay 5ms 1ms loss 1% duplicate 1% corrupt 1% 2%"},
	{"delay 5ms 1ms 9% loss 1% 8% duplicate 1% 7%",
		"delay 5ms 1ms loss 1% duplicate 1% 3%",
		"delay 5ms 1ms 9% loss 1% 8% duplicate 1% 7%"},
};

#define ALL(apply, rows)                                                               \
	do {                                                                           \
		for (size_t i_ = 0; i_ < sizeof(rows) / sizeof(rows[0]); i_++)         \
			want(apply, &rows[i_]);                                        \
	} while (0)

static void what_a_change_always_sets(void **state)
{
	(void)state;
	ALL(change_apply, set_anew);
}

static void what_a_change_keeps_unless_named(void **state)
{
	(void)state;
	ALL(change_apply, kept);
}

static void three_correlations_travel_together(void **state)
{
	(void)state;
	ALL(change_apply, correlations);
}

/* What words cannot say is kept all the same, and left out of the exact words. */
static void what_sleeps_is_kept(void **state)
{
	struct spec cur = spec_of("delay 5ms 1ms distribution normal reorder 20% 30%");
	struct spec cmd = spec_of("delay 5ms"), more = spec_of("delay 5ms 2ms");
	char text[SHOW_BYTES];

	(void)state;
	assert_int_equal(change_apply(&cur, &cmd, NULL), 0);
	assert_int_equal(cur.netem.gap, 0);
	assert_int_equal(cur.netem.reorder.p32, 858993459);
	assert_true(cur.netem.reorder.corr_p32 != 0);
	assert_int_equal(cur.netem.dist.kind, DIST_NORMAL);
	show_exact(&cur, text, sizeof(text));
	assert_string_equal(text, "netem limit 1000 delay 5000000ns");
	assert_int_equal(change_apply(&cur, &more, NULL), 0);
	show_exact(&cur, text, sizeof(text));
	assert_string_equal(
		text, "netem limit 1000 delay 5000000ns 2000000ns distribution normal");
	kinds_fini(&cur);
	kinds_fini(&cmd);
	kinds_fini(&more);
}

/* A slot's table cannot be taken away: its times then have no effect, as in netem. */
static void a_slot_keeps_its_table(void **state)
{
	struct spec cur = spec_of("slot distribution pareto 5ms 1ms packets 2");
	struct spec cmd = spec_of("slot 3ms 4ms");
	char text[SHOW_BYTES];

	(void)state;
	assert_int_equal(change_apply(&cur, &cmd, NULL), 0);
	assert_true(cur.netem.slot.active);
	assert_true(cur.netem.slot.has_dist);
	assert_int_equal(cur.netem.slot.dist.kind, DIST_PARETO);
	assert_int_equal(cur.netem.slot.dist_delay_ns, 0);
	assert_int_equal(cur.netem.slot.dist_jitter_ns, 0);
	assert_int_equal(cur.netem.slot.max_packets, 0);
	assert_int_equal(cur.netem.slot.min_delay_ns, 3000000);
	show_exact(&cur, text, sizeof(text));
	assert_string_equal(text, "netem limit 1000");
	kinds_fini(&cur);
	kinds_fini(&cmd);
}

static void the_words_named_are_those_of_the_command(void **state)
{
	struct spec cur = spec_of("delay 5ms loss 1% 2% corrupt 1%");
	struct spec cmd = spec_of("delay 7ms corrupt 2% 3%");

	(void)state;
	assert_int_equal(change_apply(&cur, &cmd, NULL), 0);
	assert_int_equal(
		cur.netem.named, NAMED_DELAY | NAMED_CORRUPT | NAMED_CORRUPT_CORR);
	assert_int_equal(change_set(&cur, &cmd, NULL), 0);
	assert_int_equal(cur.netem.named, UINT32_MAX & ~(uint32_t)NAMED_SEED);
	kinds_fini(&cur);
	kinds_fini(&cmd);
}

static void set_starts_from_nothing_but_the_seed(void **state)
{
	static const struct row t[] = {
		{"delay 5ms loss 1% ecn rate 1mbit corrupt 1% 2% slot 5ms seed 9 limit "
		 "2",
			"duplicate 1%", "duplicate 1% seed 9"},
		{"delay 5ms 1ms distribution normal", "delay 5ms 1ms", "delay 5ms 1ms"},
		{"slot distribution pareto 5ms 1ms", "slot 3ms", "slot 3ms"},
		{"seed 9", "seed 3", "seed 3"},
	};

	(void)state;
	ALL(change_set, t);
}

static void set_of_nothing_lets_everything_through(void **state)
{
	struct spec cur = spec_of("delay 5ms 1ms distribution normal seed 9");
	struct spec none = {.kind = IMPAIR_NONE};
	char text[SHOW_BYTES];

	(void)state;
	assert_int_equal(change_set(&cur, &none, NULL), 0);
	show_exact(&cur, text, sizeof(text));
	assert_string_equal(text, "netem limit 1000 seed 9");
	kinds_fini(&cur);
}

/* Where and when memory ends does not matter: all of the old settings are there. */
static void without_memory_nothing_changes(void **state)
{
	const char *has = "delay 5ms 1ms distribution normal slot distribution pareto "
			  "5ms 1ms seed 9";
	struct spec cmd = spec_of("delay 7ms 1ms distribution pareto slot distribution "
				  "normal 7ms 1ms seed 3");
	struct spec cur = spec_of(has), was = spec_of(has);
	static const apply_fn apply[] = {change_apply, change_set};
	struct err e;
	int rc, n;

	(void)state;
	/* A FILE's values are the malloc() that can be made to fail. */
	cur.netem.dist.values = calloc(1, sizeof(int16_t));
	cur.netem.dist.n_values = 1;
	cmd.netem.dist.values = calloc(1, sizeof(int16_t));
	cmd.netem.dist.n_values = 1;
	cmd.netem.slot.dist.values = calloc(1, sizeof(int16_t));
	cmd.netem.slot.dist.n_values = 1;
	for (unsigned i = 0; i < 2; i++) {
		for (n = 0, rc = -ENOMEM; rc; n++) {
			assert_true(n < 10);
			mallocs_left = n;
			rc = apply[i](&cur, &cmd, &e);
			mallocs_left = -1;
			assert_true(rc == 0 || rc == -ENOMEM);
			if (rc == 0)
				break;
			assert_int_equal(cur.netem.dist.kind, DIST_NORMAL);
			assert_int_equal(cur.netem.dist.n_values, 1);
			assert_int_equal(cur.netem.latency_ns, 5000000);
			assert_int_equal(cur.netem.slot.dist.kind, DIST_PARETO);
			assert_int_equal(cur.netem.seed, 9);
		}
		assert_true(n >= 2);
		kinds_fini(&cur);
		cur = spec_of(has);
		cur.netem.dist.values = calloc(1, sizeof(int16_t));
		cur.netem.dist.n_values = 1;
	}
	kinds_fini(&cur);
	kinds_fini(&cmd);
	kinds_fini(&was);
}

static void a_table_of_a_file_is_copied(void **state)
{
	char path[] = "/tmp/fw-table-XXXXXX";
	int fd = mkstemp(path);
	char words[100];
	struct spec cur, cmd, same;

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, "1 2 3\n", 6), 6);
	close(fd);
	snprintf(words, sizeof(words), "delay 5ms 1ms distribution %s", path);
	cur = spec_of("delay 5ms");
	cmd = spec_of(words);
	same = spec_of("delay 8ms 1ms");
	unlink(path);
	assert_int_equal(change_apply(&cur, &cmd, NULL), 0);
	kinds_fini(&cmd);
	assert_int_equal(change_apply(&cur, &same, NULL), 0);
	assert_int_equal(cur.netem.dist.kind, DIST_FILE);
	assert_int_equal(cur.netem.dist.n_values, 3);
	assert_int_equal(cur.netem.dist.values[2], 3);
	assert_string_equal(cur.netem.dist.name, path);
	kinds_fini(&cur);
	kinds_fini(&same);
}

static const struct {
	const char *has, *command, *line[2];
} warned[] = {
	{"delay 40ms rate 20mbit", "delay 40ms rate 20mbit", {NULL, NULL}},
	{"delay 40ms limit 1000", "delay 50ms", {NULL, NULL}},
	{"delay 40ms 10ms loss 1%", "limit 7",
		{"no more delay 40ms 10ms loss 1%: change sets", NULL}},
	{"delay 40ms rate 20mbit", "loss 3%",
		{"no more delay 40ms: change sets", "still rate 20Mbit: change keeps"}},
	{"limit 5 duplicate 2%", "delay 1ms",
		{"no more limit 5 duplicate 2%: change sets", NULL}},
	{"loss gemodel 1% 2%", "delay 1ms",
		{"no more loss gemodel p 1% r 2% 1-h 100% 1-k 0%: change sets", NULL}},
	{"delay 5ms reorder 20% gap 3", "delay 5ms",
		{"no more reorder 20% gap 3: change sets", NULL}},
	{"delay 5ms corrupt 1%", "delay 5ms", {"still corrupt 1%: change keeps", NULL}},
	{"delay 5ms corrupt 1%", "delay 5ms corrupt 0%", {NULL, NULL}},
	{"loss 5% ecn", "loss 1%", {"still ecn: change keeps", NULL}},
	{"slot 1ms", "delay 1ms", {"still slot 1ms 1ms: change keeps", NULL}},
	{"delay 5ms 1ms distribution normal", "delay 5ms 1ms",
		{"still distribution normal: change keeps", NULL}},
	{"delay 5ms 1ms distribution normal", "delay 5ms", {NULL, NULL}},
	{"delay 5ms 1ms distribution normal", "delay 5ms 1ms distribution pareto",
		{NULL, NULL}},
	{"loss 5% 30%", "loss 1%", {"still correlation 30% of loss: change", NULL}},
	{"loss 5% 30%", "loss 1% 2%", {NULL, NULL}},
	{"slot distribution normal 5ms 1ms", "slot 3ms",
		{"slot has a distribution, which change cannot take away", NULL}},
	{"seed 4", "seed 5", {NULL, NULL}},
};

static void what_may_surprise_is_said(void **state)
{
	char lines[WARN_LINES_MAX][WARN_LINE_BYTES];

	(void)state;
	for (size_t i = 0; i < sizeof(warned) / sizeof(warned[0]); i++) {
		struct spec has = spec_of(warned[i].has);
		struct spec command = spec_of(warned[i].command);
		unsigned n = change_warn(&has, &command, lines), k = 0;

		for (; k < 2 && warned[i].line[k]; k++)
			if (k >= n || strncmp(lines[k], warned[i].line[k],
					      strlen(warned[i].line[k])) != 0)
				fail_msg("%s, change %s: line %u of %u: %s",
					warned[i].has, warned[i].command, k, n,
					k < n ? lines[k] : "");
		if (n != k)
			fail_msg("%s, change %s: %u lines: %s", warned[i].has,
				warned[i].command, n, lines[n - 1]);
		kinds_fini(&has);
		kinds_fini(&command);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_a_change_always_sets),
		cmocka_unit_test(what_a_change_keeps_unless_named),
		cmocka_unit_test(three_correlations_travel_together),
		cmocka_unit_test(what_sleeps_is_kept),
		cmocka_unit_test(a_slot_keeps_its_table),
		cmocka_unit_test(the_words_named_are_those_of_the_command),
		cmocka_unit_test(set_starts_from_nothing_but_the_seed),
		cmocka_unit_test(set_of_nothing_lets_everything_through),
		cmocka_unit_test(without_memory_nothing_changes),
		cmocka_unit_test(a_table_of_a_file_is_copied),
		cmocka_unit_test(what_may_surprise_is_said),
	};

	return cmocka_run_group_tests_name("conf/change", tests, NULL, NULL);
}
