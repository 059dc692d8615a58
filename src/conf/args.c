/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conf/args.c - a command line read into a struct conf
 *
 * Theory of operation
 *   Options, the verb, more options, then the words of the verb, each part by a reader
 *   of its own (conf/line.h) that moves one cursor. Everything goes into a new conf that replaces the
 *   caller's only when the whole line was right.
 */
#include "config.h"

#include "conf/args.h"

#include "conf/dist_file.h"
#include "conf/kinds.h"
#include "conf/line.h"

#include <errno.h>
#include <stdio.h>

void conf_init(struct conf *c)
{
	*c = (struct conf){.verb = VERB_HELP};
}

void conf_fini(struct conf *c)
{
	for (int i = 0; i < N_DIRS; i++)
		kinds_fini(&c->spec[i]);
	conf_init(c);
}

#define OPTION_BEHIND "options stand before the name, right behind the verb"

int line_wrong(const struct line *l, const char *where, struct err *e, const char *why)
{
	char room[WORDS_QUOTE_BYTES];

	return err_set(e, -EINVAL, "%s: '%s': %s", where,
		words_quote(cursor_peek(&l->at), room), why);
}

/* The verb that was read. */
static const struct word *line_verb(const struct line *l)
{
	const struct word *verb = words_verbs.words;

	while (verb->id != (int)l->conf.verb)
		verb++;
	return verb;
}

/* Behind the words of a verb that runs nothing. */
static int no_command(const struct line *l, const char *where, struct err *e)
{
	if (!cursor_is(&l->at, "--"))
		return 0;
	return line_wrong(l, where, e, "takes no command; only run does");
}

static int read_verb(struct line *l, struct err *e)
{
	const char *text = cursor_peek(&l->at);
	const struct word *verb, *near;
	char room[WORDS_QUOTE_BYTES];

	if (!text)
		return err_set(e, -EINVAL,
			"nothing to do; write run, add, show, check, doctor or help "
			"behind farwire");
	verb = words_find(&words_verbs, text);
	if (verb) {
		l->conf.verb = (enum verb)verb->id;
		l->has_verb = true;
		l->at.at++;
		return 0;
	}
	words_quote(text, room);
	near = words_nearest(&words_verbs, text);
	if (near)
		return err_set(e, -EINVAL, "'%s': no such verb; did you mean %s?", room,
			near->name);
	return err_set(e, -EINVAL,
		"'%s': no such verb; write run, add, change, set, show, monitor, del, "
		"check, doctor or help",
		room);
}

/* @text is where netem, a direction or -- should be. */
static int stray_word(const struct line *l, const char *where, struct err *e)
{
	const char *text = cursor_peek(&l->at);
	const struct word *near = words_nearest(&words_link, text);
	char why[80];

	if (option_args_at(&l->at) && !l->at.lacks_dashes)
		return line_wrong(l, where, e, OPTION_BEHIND);
	if (!near)
		near = words_nearest(&words_kinds, text);
	if (link_args_at(&l->at))
		return line_wrong(l, where, e,
			l->conf.verb == VERB_RUN || l->conf.verb == VERB_ADD
				? "stands before netem, up and down"
				: "stands before netem, up and down, and only in "
				  "run and add");
	if (near) {
		snprintf(why, sizeof(why), "no such word here; did you mean %s?",
			near->name);
		return line_wrong(l, where, e, why);
	}
	return line_wrong(l, where, e,
		l->at.lacks_dashes
			? "neither netem nor a direction; write -- before "
			  "the command"
			: "no such word here; write netem before the options");
}

/* A new link has what it is not told: a direction that is not named lets all through. */
static void fill_directions(struct conf *c)
{
	for (int i = 0; i < N_DIRS; i++)
		if (c->spec[i].kind == IMPAIR_NONE && (i == DIR_UP || !c->near_lo))
			kinds_default(&c->spec[i]);
}

/* [NEAR] [FAR] [IMPAIR] -- COMMAND [ARG...] */
static int read_run(struct line *l, struct err *e)
{
	int rc;

	l->at.lacks_dashes = !cursor_has_dashes(&l->at);
	rc = link_args_run(l, e);
	if (rc == 0 && (l->wants_version || l->wants_help))
		return 0;
	if (rc == 0)
		rc = impair_args_read(l, "run", e);
	if (rc)
		return rc;
	if (!cursor_peek(&l->at))
		return err_set(
			e, -EINVAL, "run: no command; write -- before the command");
	if (!cursor_is(&l->at, "--"))
		return stray_word(l, "run", e);
	l->at.at++;
	if (!cursor_peek(&l->at))
		return err_set(e, -EINVAL, "run: no command behind --");
	fill_directions(&l->conf);
	l->conf.command = l->at.words + l->at.at;
	l->at.at = l->at.end;
	return 0;
}

/* NAME [NEAR] FAR [IMPAIR] */
static int read_add(struct line *l, struct err *e)
{
	int rc = link_args_name(l, "add", &l->conf.link_name, e);

	if (rc == 0)
		rc = link_args_add(l, e);
	if (rc || l->wants_version || l->wants_help)
		return rc;
	if (l->conf.far != FAR_ABSENT)
		rc = impair_args_read(l, "add", e);
	if (rc == 0)
		rc = no_command(l, "add", e);
	if (rc)
		return rc;
	if (cursor_peek(&l->at))
		return stray_word(l, "add", e);
	fill_directions(&l->conf);
	return 0;
}

/* NAME | all */
static int read_del(struct line *l, struct err *e)
{
	if (cursor_is(&l->at, "all")) {
		l->at.at++;
		return 0;
	}
	return link_args_name(l, "del", &l->conf.link_name, e);
}

/* NAME IMPAIR */
static int read_change(struct line *l, struct err *e)
{
	const char *verb = line_verb(l)->name;
	int rc = link_args_name(l, verb, &l->conf.link_name, e);

	if (rc)
		return rc;
	if (!cursor_peek(&l->at))
		return err_set(e, -EINVAL,
			"%s: nothing to change; write %s %s netem ...", verb, verb,
			l->conf.link_name);
	if (!impair_args_at(&l->at))
		return stray_word(l, verb, e);
	rc = impair_args_read(l, verb, e);
	return rc ? rc : no_command(l, verb, e);
}

/* [NAME] */
static int read_show(struct line *l, struct err *e)
{
	if (!cursor_peek(&l->at))
		return 0;
	return link_args_name(l, line_verb(l)->name, &l->conf.link_name, e);
}

static int read_check(struct line *l, struct err *e)
{
	int rc;

	if (!cursor_peek(&l->at))
		return err_set(
			e, -EINVAL, "check: nothing to check; write check netem ...");
	if (!impair_args_at(&l->at))
		return line_wrong(
			l, "check", e, "no such word here; write netem before it");
	rc = impair_args_read(l, "check", e);
	return rc ? rc : no_command(l, "check", e);
}

static int read_help(struct line *l, struct err *e)
{
	(void)e;
	l->conf.help_word = cursor_peek(&l->at);
	if (l->conf.help_word)
		l->at.at++;
	return 0;
}

static int read_nothing(struct line *l, struct err *e)
{
	(void)l;
	(void)e;
	return 0;
}

static int (*const verb_readers[])(struct line *l, struct err *e) = {
	[VERB_RUN] = read_run,
	[VERB_ADD] = read_add,
	[VERB_DEL] = read_del,
	[VERB_CHANGE] = read_change,
	[VERB_REPLACE] = read_change,
	[VERB_SET] = read_change,
	[VERB_SHOW] = read_show,
	[VERB_MONITOR] = read_show,
	[VERB_CHECK] = read_check,
	[VERB_DOCTOR] = read_nothing,
	[VERB_HELP] = read_help,
	[VERB_VERSION] = read_nothing,
};

/* `farwire run --help` is help on run; the rest of the line is idle. */
static int only_help(struct line *l, const struct word *verb)
{
	if (verb && verb->id != VERB_HELP)
		l->conf.help_word = verb->name;
	l->conf.verb = l->wants_version ? VERB_VERSION : VERB_HELP;
	return 0;
}

/* -b FILE has the verbs in its lines. */
static int read_batch(struct line *l, struct err *e)
{
	static const struct word batch = {.name = "-b", .id = VERB_BATCH};

	l->conf.verb = VERB_BATCH;
	l->has_verb = true;
	return option_args_fit(l, &batch, e);
}

static int read_line(struct line *l, struct err *e)
{
	const struct word *verb = NULL;
	int rc = option_args_read(l, e);

	if (rc)
		return rc;
	if (l->conf.batch_path && !cursor_peek(&l->at) && !l->wants_help &&
		!l->wants_version)
		return read_batch(l, e);
	if (cursor_peek(&l->at) || (!l->wants_help && !l->wants_version)) {
		rc = read_verb(l, e);
		if (rc)
			return rc;
		verb = line_verb(l);
		/* Behind help an option is a word to be explained. */
		rc = l->conf.verb == VERB_HELP ? 0 : option_args_read(l, e);
		if (rc)
			return rc;
	}
	if (l->wants_version || l->wants_help)
		return only_help(l, verb);
	rc = option_args_fit(l, verb, e);
	if (rc == 0)
		rc = verb_readers[verb->id](l, e);
	if (rc == 0 && (l->wants_version || l->wants_help))
		return only_help(l, verb);
	if (rc == 0 && cursor_peek(&l->at))
		return line_wrong(l, verb->name, e,
			option_args_at(&l->at) ? OPTION_BEHIND : "one word too many");
	return rc;
}

/* An error before the verb was reached: which verb did the user want? */
static enum verb guess_verb(const struct cursor *c)
{
	for (int i = c->at; i < c->end; i++) {
		const struct word *verb = words_find(&words_verbs, c->words[i]);

		if (verb)
			return (enum verb)verb->id;
	}
	/* "farwire rnu ... -- COMMAND": whoever waits for the command's status must not
	 * take ours for it. */
	return cursor_has_dashes(c) ? VERB_RUN : VERB_HELP;
}

static int read_all(struct conf *c, struct line *l, struct err *e)
{
	int rc;

	conf_init(&l->conf);
	rc = read_line(l, e);
	if (rc) {
		c->verb = l->has_verb ? l->conf.verb : guess_verb(&l->at);
		conf_fini(&l->conf);
	}
	return rc;
}

int conf_read(struct conf *c, int argc, char **argv, struct err *e)
{
	struct line l = {.at = {.words = argv, .at = argc > 0 ? 1 : 0, .end = argc}};
	int rc = read_all(c, &l, e);

	if (rc)
		return rc;
	conf_fini(c);
	*c = l.conf;
	return 0;
}

unsigned conf_tables(const struct conf *c, const struct dist_conf *out[CONF_TABLES_MAX])
{
	unsigned n = 0;

	for (int i = 0; i < N_DIRS; i++) {
		const struct netem_conf *netem = &c->spec[i].netem;

		if (c->spec[i].kind != IMPAIR_NETEM)
			continue;
		if (netem->dist.kind == DIST_FILE)
			out[n++] = &netem->dist;
		if (netem->slot.dist.kind == DIST_FILE)
			out[n++] = &netem->slot.dist;
	}
	return n;
}

static int fill_tables(struct conf *c, const int *files, int n_files, struct err *e)
{
	const struct dist_conf *found[CONF_TABLES_MAX];
	unsigned n = conf_tables(c, found);
	char room[WORDS_QUOTE_BYTES];

	if (n_files < 0 || n != (unsigned)n_files)
		return err_set(e, -EINVAL,
			"the words name %u tables that are files, %d came with them", n,
			n_files);
	for (unsigned i = 0; i < n; i++) {
		/* They are in @c, which is ours to fill. */
		struct dist_conf *d = (struct dist_conf *)(uintptr_t)found[i];

		if (dist_file_from_fd(d, files[i], e) < 0)
			return err_wrap(e, "netem distribution '%s'",
				words_quote(found[i]->name, room));
	}
	return 0;
}

int conf_read_files(struct conf *c, int argc, char **argv, const int *files,
	int n_files, struct err *e)
{
	struct line l = {.at = {.words = argv, .at = argc > 0 ? 1 : 0, .end = argc}};
	int rc;

	l.at.defers_tables = true;
	rc = read_all(c, &l, e);
	if (rc)
		return rc;
	rc = fill_tables(&l.conf, files, n_files, e);
	if (rc) {
		conf_fini(&l.conf);
		return rc;
	}
	conf_fini(c);
	*c = l.conf;
	return 0;
}
