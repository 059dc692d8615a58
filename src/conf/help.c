/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conf/help.c - help from the tables of words
 */
#include "config.h"

#include "conf/help.h"

#include "conf/words.h"

#include <errno.h>
#include <string.h>

/* Words with their values in this many columns, then the explanation. */
#define COLUMN 26

static void print_row(FILE *out, const struct word *w, const char *values)
{
	int used = fprintf(out, "  %s%s%s", w->name, *values ? " " : "", values);

	fprintf(out, "%*s%s\n", used < COLUMN ? COLUMN - used : 1, "", w->help);
}

/* Those that few need: their names alone, so that the list fits a screen. */
static bool is_rare(const struct word_table *t, const struct word *w)
{
	static const char *const rare[] = {"-p", "-c", "-b", "--force", "-f", "--for",
		"--user", "--memory", "--priority", "--io", "--gso", "--help", "-V",
		"--version", "addr", "mac", "mtu"};

	if (t == &words_verbs)
		return false;
	for (size_t i = 0; i < sizeof(rare) / sizeof(rare[0]); i++)
		if (strcmp(w->name, rare[i]) == 0)
			return true;
	return false;
}

static void print_table(FILE *out, const struct word_table *t, bool values)
{
	bool any = false;

	fprintf(out, "%s\n", t->title);
	for (size_t i = 0; i < t->n_words; i++)
		if (!is_rare(t, &t->words[i]))
			print_row(out, &t->words[i], values ? t->words[i].values : "");
	for (size_t i = 0; i < t->n_words; i++)
		if (is_rare(t, &t->words[i])) {
			fprintf(out, "%s%s", any ? " " : "  ", t->words[i].name);
			any = true;
		}
	if (any)
		fputc('\n', out);
}

/* Names alone, for what would take more lines than a screen has. */
static void print_names(FILE *out, const struct word_table *t)
{
	fprintf(out, "%s:", t->title);
	for (size_t i = 0; i < t->n_words; i++)
		fprintf(out, " %s", t->words[i].name);
	fputc('\n', out);
}

static int print_all(FILE *out)
{
	fputs("farwire run netem delay 50ms loss 1% -- COMMAND           (on the way "
	      "out)\n"
	      "farwire run dev lo netem delay 50ms -- COMMAND           (over its "
	      "loopback)\n"
	      "farwire add wan netns a peer netns b netem delay 50ms    (a link that "
	      "stays)\n",
		out);
	print_table(out, &words_verbs, false);
	print_table(out, &words_options, true);
	print_table(out, &words_link, false);
	print_names(out, &words_netem);
	print_names(out, &words_dist);
	fputs("farwire help WORD says more of each; the whole is in farwire(8).\n",
		out);
	return 0;
}

/* One word; of netem and uplink the words behind it, too. */
static void print_word(FILE *out, const struct word *w)
{
	const struct word_table *of = NULL;

	fprintf(out, "%s%s%s\n  %s\n", w->name, *w->values ? " " : "", w->values,
		w->help);
	if (strcmp(w->name, "netem") == 0)
		of = &words_netem;
	else if (strcmp(w->name, "uplink") == 0)
		of = &words_ways;
	for (size_t i = 0; of && i < of->n_words; i++)
		print_word(out, &of->words[i]);
}

static const struct word *nearest(const char *text)
{
	char option[WORDS_QUOTE_BYTES];
	const struct word *o;

	/* reach for --reach: two letters more would be another word. */
	snprintf(option, sizeof(option), "--%s", text);
	o = words_find(&words_options, option);
	if (o)
		return o;
	for (size_t i = 0; words_all[i]; i++) {
		const struct word *w = words_nearest(words_all[i], text);

		if (w)
			return w;
	}
	return NULL;
}

int help_print(FILE *out, const char *word, struct err *e)
{
	char room[WORDS_QUOTE_BYTES];
	const struct word *w;
	bool found = false;

	if (word) {
		/* A word may stand in two tables, as one of netem's and among values.
		 */
		for (size_t i = 0; words_all[i]; i++) {
			w = words_find(words_all[i], word);
			if (w)
				print_word(out, w);
			found = found || w;
		}
		w = found ? NULL : words_find(&words_ways, word);
		if (w) {
			print_word(out, w);
			found = true;
		}
		if (!found) {
			w = nearest(word);
			words_quote(word, room);
			if (w)
				return err_set(e, -EINVAL,
					"help: '%s': no such word; did you mean %s?",
					room, w->name);
			return err_set(e, -EINVAL,
				"help: '%s': no such word; see farwire help", room);
		}
	} else {
		print_all(out);
	}
	if (fflush(out))
		return err_sys(e, "stdout");
	return 0;
}

int help_version(FILE *out)
{
	fprintf(out, "farwire %s\n", PACKAGE_VERSION);
	return fflush(out) ? -errno : 0;
}
