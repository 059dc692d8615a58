/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests/unit/conf/test_batch.c - mirrors src/conf/batch.c
 */
#include "config.h"

#include "conf/args.h"
#include "conf/batch.h"
#include "unit/unit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What a shell makes of the same text: words between bars. */
static const struct {
	const char *line;
	const char *words;
} good[] = {
	{"", ""},
	{" \t ", ""},
	{"# add wan", ""},
	{"  # add wan", ""},
	{"del wan", "del|wan"},
	{"\t del \t wan  # gone", "del|wan"},
	{"a#b #c", "a#b"},
	{"'#' \"#\" \\#", "#|#|#"},
	{"'a b' \"c d\" e\\ f", "a b|c d|e f"},
	{"a'b'\"c\"d", "abcd"},
	{"'' x \"\"", "|x|"},
	{"'a\\b' '\"' \"'\"", "a\\b|\"|'"},
	{"\"a\\\"b\\\\c\\$d\\`e\\f\"", "a\"b\\c$d`e\\f"},
	{"\\\\ \\' \\\"", "\\|'|\""},
	{"$x * ~ a;b &", "$x|*|~|a;b|&"},
};

static void words_as_a_shell_has_them(void **state)
{
	char line[128], words[128], *argv[9];
	struct err e;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		int n;

		snprintf(line, sizeof(line), "%s", good[i].line);
		n = batch_split(line, argv, 8, &e);
		if (n < 0)
			fail_msg("%s: %s", good[i].line, e.text);
		assert_null(argv[n]);
		words[0] = '\0';
		for (int j = 0; j < n; j++) {
			size_t at = strlen(words);

			snprintf(words + at, sizeof(words) - at, "%s%s", j ? "|" : "",
				argv[j]);
		}
		if (strcmp(words, good[i].words) != 0)
			fail_msg("%s: %s", good[i].line, words);
	}
}

static void what_a_line_may_not_be(void **state)
{
	static const char *const wrong[][2] = {
		{"add 'wan", "a ' that is not closed"},
		{"add \"wan'", "a \" that is not closed"},
		{"add \"wan\\\"", "a \" that is not closed"},
		{"add wan \\", "a \\ with nothing behind it; a command is one line"},
		{"1 2 3 4 5", "more than 4 words in one line"},
	};
	char line[128], *argv[5];
	struct err e;

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		snprintf(line, sizeof(line), "%s", wrong[i][0]);
		assert_int_equal(batch_split(line, argv, 4, &e), -EINVAL);
		assert_string_equal(e.text, wrong[i][1]);
	}
	snprintf(line, sizeof(line), "1 2 3 4 # 5");
	assert_int_equal(batch_split(line, argv, 4, &e), 4);
}

#define NO_BATCH ": not in a batch; add, change, replace, set, del and show are"

/* A batch of this text; bytes, since one may be 0. */
static struct batch *batch_of(const char *text, size_t n)
{
	static struct batch b;
	static char path[] = "/tmp/test_batch-XXXXXX";
	struct err e;
	int fd;

	for (size_t i = sizeof(path) - 7; i < sizeof(path) - 1; i++)
		path[i] = 'X';
	fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, n), n);
	close(fd);
	assert_int_equal(batch_open(&b, path, &e), 0);
	unlink(path);
	b.path = "f";
	return &b;
}

static void lines_are_commands_and_errors_name_their_place(void **state)
{
	static const char text[] = "# three lines\n"
				   "\n"
				   "add wan netns a peer netns 'b' netem delay 5ms\r\n"
				   "  -q change wan up netem dealy 5ms\n"
				   "run dev lo netem dealy -- true\n"
				   "add -f wan peer\n"
				   "-b x\n"
				   "monitor\n"
				   "help add\n"
				   "-V\n"
				   "rnu\n"
				   "del 'wan\n"
				   "del w\0n\n"
				   "show -s wan # look\n"
				   "del all";
	static const char *const wrong[] = {
		"f:4: netem: 'dealy': no such option; did you mean delay?",
		"f:5: run" NO_BATCH,
		"f:6: -f: not in a batch, whose other lines wait",
		"f:7: -b: no batch within a batch",
		"f:8: monitor" NO_BATCH,
		"f:9: help: not in a batch; add, change, replace, set, del and show "
		"are",
		"f:10: --version: not in a batch",
		"f:11: 'rnu': no such verb; did you mean run?",
		"f:12: a ' that is not closed",
		"f:13: no text: it holds a zero byte",
	};
	struct batch *b = batch_of(text, sizeof(text) - 1);
	struct conf c;
	struct err e;

	(void)state;
	conf_init(&c);
	assert_int_equal(batch_next(b, &c, &e), 1);
	assert_int_equal(b->line, 3);
	assert_int_equal(c.verb, VERB_ADD);
	assert_string_equal(c.link_name, "wan");
	assert_string_equal(c.peer.netns, "b");
	assert_int_equal(c.spec[DIR_DOWN].netem.latency_ns, 5000000);
	assert_int_equal(b->argc, 11);
	assert_string_equal(b->argv[10], "5ms");
	assert_null(b->argv[11]);
	conf_fini(&c);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		assert_int_equal(batch_next(b, &c, &e), -EINVAL);
		assert_string_equal(e.text, wrong[i]);
	}
	assert_int_equal(batch_next(b, &c, &e), 1);
	assert_int_equal(c.verb, VERB_SHOW);
	assert_int_equal(c.stats, 1);
	conf_fini(&c);
	assert_int_equal(batch_next(b, &c, &e), 1);
	assert_int_equal(c.verb, VERB_DEL);
	assert_null(c.link_name);
	conf_fini(&c);
	assert_int_equal(batch_next(b, &c, &e), 0);
	assert_int_equal(batch_next(b, &c, &e), 0);
	err_set(&e, -ENOENT, "wan: no such link");
	assert_int_equal(batch_wrong(b, &e), -ENOENT);
	assert_string_equal(e.text, "f:15: wan: no such link");
	batch_close(b);
}

static void a_line_has_a_longest(void **state)
{
	size_t n = BATCH_LINE_BYTES;
	char *text = malloc(n + 9);
	struct batch *b;
	struct conf c;
	struct err e;

	(void)state;
	assert_non_null(text);
	memset(text, ' ', n);
	for (size_t i = 0; i < 9; i++)
		text[n + i] = "\ndel all\n"[i];
	b = batch_of(text, n + 9);
	conf_init(&c);
	assert_int_equal(batch_next(b, &c, &e), -EINVAL);
	assert_string_equal(e.text, "f:1: longer than 16383 bytes");
	assert_int_equal(batch_next(b, &c, &e), 1);
	conf_fini(&c);
	batch_close(b);
	/* One byte less is a line; it is empty. */
	b = batch_of(text + 1, n + 8);
	assert_int_equal(batch_next(b, &c, &e), 1);
	assert_int_equal(b->line, 2);
	conf_fini(&c);
	batch_close(b);
	free(text);
}

static void a_file_that_cannot_be_read(void **state)
{
	struct batch *b = calloc(1, sizeof(*b));
	struct conf c;
	struct err e;

	(void)state;
	assert_non_null(b);
	assert_int_equal(batch_open(b, "/nowhere/x", &e), -ENOENT);
	assert_string_equal(e.text, "-b '/nowhere/x': No such file or directory");
	assert_int_equal(batch_open(b, "/", &e), 0);
	conf_init(&c);
	assert_int_equal(batch_next(b, &c, &e), -EIO);
	assert_string_equal(e.text, "/:1: cannot be read: Is a directory");
	assert_int_equal(batch_next(b, &c, &e), 0);
	batch_close(b);
	free(b);
}

/* The writer of a pipe may wait for the line before. */
static void a_line_is_at_hand_when_it_is_whole(void **state)
{
	struct batch *b = calloc(1, sizeof(*b));
	struct conf c;
	struct err e;
	int pair[2];

	(void)state;
	assert_non_null(b);
	assert_int_equal(pipe(pair), 0);
	b->fd = pair[0];
	b->path = "p";
	assert_false(batch_at_hand(b));
	assert_int_equal(write(pair[1], "del a\ndel", 9), 9);
	assert_true(batch_at_hand(b));
	conf_init(&c);
	assert_int_equal(batch_next(b, &c, &e), 1);
	conf_fini(&c);
	assert_false(batch_at_hand(b));
	assert_int_equal(write(pair[1], " b\n", 3), 3);
	assert_true(batch_at_hand(b));
	conf_init(&c);
	assert_int_equal(batch_next(b, &c, &e), 1);
	assert_int_equal(b->argc, 3);
	assert_string_equal(b->argv[2], "b");
	conf_fini(&c);
	assert_false(batch_at_hand(b));
	close(pair[1]);
	assert_true(batch_at_hand(b));
	assert_int_equal(batch_next(b, &c, &e), 0);
	batch_close(b);
	free(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_as_a_shell_has_them),
		cmocka_unit_test(what_a_line_may_not_be),
		cmocka_unit_test(lines_are_commands_and_errors_name_their_place),
		cmocka_unit_test(a_line_has_a_longest),
		cmocka_unit_test(a_file_that_cannot_be_read),
		cmocka_unit_test(a_line_is_at_hand_when_it_is_whole),
	};

	return cmocka_run_group_tests_name("conf/batch", tests, NULL, NULL);
}
