/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conf/words.h - every word of the command line, once
 *
 * The readers look words up here, help prints from here, and tests hold the man page
 * and the completions to it. What a word does is in a table of its reader, by @id.
 */
#ifndef FW_CONF_WORDS_H
#define FW_CONF_WORDS_H

#include <stdbool.h>
#include <stddef.h>

struct word {
	const char *name;
	int id;             /* which reader; an enum of the table's own */
	const char *values; /* what follows, as in a synopsis; "" for nothing */
	const char *help;   /* one line: what it does, range, default */
};

struct word_table {
	const char *title; /* as `help` says it */
	const struct word *words;
	size_t n_words;
};

/* Words of words_options, a bit each in what a verb allows. */
enum option_id {
	OPTION_QUIET,
	OPTION_STATS,
	OPTION_JSON,
	OPTION_PRETTY,
	OPTION_REPORT,
	OPTION_USER,
	OPTION_EXACT,
	OPTION_NAME,
	OPTION_FAR,
	OPTION_REACH,
	OPTION_LISTEN,
	OPTION_MEMORY,
	OPTION_PRIORITY,
	OPTION_IO,
	OPTION_GSO,
	OPTION_BATCH,
	OPTION_FORCE,
	OPTION_FOREGROUND,
	OPTION_FOR,
	OPTION_HELP,
	OPTION_VERSION,
};

enum netem_word_id {
	NETEM_LIMIT,
	NETEM_DELAY,
	NETEM_LOSS,
	NETEM_SEED,
	NETEM_ECN,
	NETEM_REORDER,
	NETEM_CORRUPT,
	NETEM_GAP,
	NETEM_DUPLICATE,
	NETEM_DISTRIBUTION,
	NETEM_RATE,
	NETEM_SLOT,
	N_NETEM_WORDS,
};

extern const struct word_table words_verbs;   /* ids are enum verb */
extern const struct word_table words_options; /* ids are enum option_id */
extern const struct word_table words_link;    /* what stands between verb and options */
/* Of uplink; no part of words_all: they stand in its values. */
extern const struct word_table words_ways;
extern const struct word_table words_kinds; /* ids are enum impair_kind */
extern const struct word_table words_netem; /* ids are enum netem_word_id; tc's order */
extern const struct word_table words_netem_sub; /* words among netem's values */
extern const struct word_table words_dist;      /* ids are enum dist_kind */

/* All of them, in the order in which help shows them; ends with NULL. */
extern const struct word_table *const words_all[];

/** words_find() - The entry whose name is exactly @text, or NULL */
const struct word *words_find(const struct word_table *t, const char *text);

/** words_find_prefix() - The first entry that begins with @text, or NULL; "" finds none
 */
const struct word *words_find_prefix(const struct word_table *t, const char *text);

/**
 * words_nearest() - The entry that was most likely meant by @text
 *
 * Return: the one with the fewest typing errors (a letter wrong, missing, too many, or
 * two swapped), or NULL when even that one is too far away to be named.
 */
const struct word *words_nearest(const struct word_table *t, const char *text);

#define WORDS_QUOTE_BYTES 72

/** words_quote() - @text for a message: cut, one line, printable. Return: @room. */
const char *words_quote(const char *text, char room[WORDS_QUOTE_BYTES]);

#endif
