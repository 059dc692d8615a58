/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests/unit/conf/test_words.c - mirrors src/conf/words.c
 */
#include "config.h"

#include "conf/words.h"
#include "unit/unit.h"

#include <string.h>

/* netem-semantics 16: an abbreviation means the first word in tc's order. */
static void abbreviations_mean_what_tc_takes_them_for(void **state)
{
	static const char *const pairs[][2] = {{"l", "limit"}, {"li", "limit"},
		{"la", "latency"}, {"lo", "loss"}, {"d", "delay"}, {"de", "delay"},
		{"del", "delay"}, {"dr", "drop"}, {"s", "seed"}, {"e", "ecn"},
		{"r", "reorder"}, {"re", "reorder"}, {"c", "corrupt"}, {"g", "gap"},
		{"du", "duplicate"}, {"dup", "duplicate"}, {"di", "distribution"},
		{"ra", "rate"}, {"sl", "slot"}, {"delay", "delay"}};

	(void)state;
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		const struct word *w = words_find_prefix(&words_netem, pairs[i][0]);

		assert_non_null(w);
		assert_string_equal(w->name, pairs[i][1]);
	}
	assert_null(words_find_prefix(&words_netem, ""));
	assert_null(words_find_prefix(&words_netem, "delays"));
	assert_null(words_find_prefix(&words_netem, "Delay"));
	assert_null(words_find(&words_verbs, "ru"));
}

static void a_slip_finds_the_word(void **state)
{
	static const char *const pairs[][2] = {{"dealy", "delay"}, {"dely", "delay"},
		{"delayy", "delay"}, {"dilay", "delay"}, {"lsos", "loss"},
		{"losss", "loss"}, {"duplicat3", "duplicate"},
		{"duplciate", "duplicate"}, {"distibution", "distribution"},
		{"corupt", "corrupt"}, {"LIMIT", "limit"}, {"limmit", "limit"},
		{"latancy", "latency"}, {"reoder", "reorder"}};
	static const char *const strange[] = {"pytest", "", "x", "ab", "10ms",
		"delay=5ms", "--",
		("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
		 "a"
		 "a")};

	(void)state;
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		const struct word *w = words_nearest(&words_netem, pairs[i][0]);

		if (!w || strcmp(w->name, pairs[i][1]) != 0)
			fail_msg("%s: %s", pairs[i][0], w ? w->name : "nothing");
	}
	for (size_t i = 0; i < sizeof(strange) / sizeof(strange[0]); i++)
		assert_null(words_nearest(&words_netem, strange[i]));
}

static void every_word_explains_itself(void **state)
{
	(void)state;
	for (size_t i = 0; words_all[i]; i++) {
		assert_true(words_all[i]->n_words > 0);
		for (size_t j = 0; j < words_all[i]->n_words; j++) {
			const struct word *w = &words_all[i]->words[j];

			assert_true(strlen(w->help) > 5);
			assert_non_null(w->values);
			assert_ptr_equal(words_find(words_all[i], w->name), w);
		}
	}
}

static void quoting_keeps_one_short_line(void **state)
{
	char room[WORDS_QUOTE_BYTES], long_word[300];

	(void)state;
	assert_string_equal(words_quote("a\nb\x7f\x1b[0m", room), "a?b??[0m");
	assert_string_equal(words_quote("\xc3\xa4", room), "\xc3\xa4");
	memset(long_word, 'x', sizeof(long_word) - 1);
	long_word[sizeof(long_word) - 1] = '\0';
	words_quote(long_word, room);
	assert_int_equal(strlen(room), WORDS_QUOTE_BYTES - 1);
	assert_string_equal(room + WORDS_QUOTE_BYTES - 4, "...");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(abbreviations_mean_what_tc_takes_them_for),
		cmocka_unit_test(a_slip_finds_the_word),
		cmocka_unit_test(every_word_explains_itself),
		cmocka_unit_test(quoting_keeps_one_short_line),
	};

	return cmocka_run_group_tests_name("conf/words", tests, NULL, NULL);
}
