/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conf/args.c - a command line read into a struct conf
 *
 * Theory of operation
 *   Options, the verb, more options, then the words of the verb, each part by a reader
 *   of its own that moves one cursor. Everything goes into a new conf that replaces the
 *   caller's only when the whole line was right.
 */
#include "config.h"

#include "conf/args.h"

#include "conf/cursor.h"
#include "conf/kinds.h"
#include "conf/words.h"

#include <errno.h>
#include <string.h>

#define BIT(id) (1u << (id))

/* What was found so far. */
struct line {
	struct conf conf;
	struct cursor at;
	unsigned options; /* BIT() of each that was given */
	bool has_verb;
	bool wants_help;
	bool wants_version;
};

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

/* "run: 'WORD': " in front of what is wrong with the next word. */
static int wrong_word(
	const struct line *l, const char *where, struct err *e, const char *why)
{
	char room[WORDS_QUOTE_BYTES];

	return err_set(e, -EINVAL, "%s: '%s': %s", where,
		words_quote(cursor_peek(&l->at), room), why);
}

/* The value of --option VALUE or --option=VALUE; NULL with the error filled. */
static const char *option_value(
	struct line *l, const struct word *o, const char *equals, struct err *e)
{
	const char *value = equals ? equals + 1 : cursor_peek(&l->at);

	if (value && !equals)
		l->at.at++;
	if (value && *value)
		return value;
	err_set(e, -EINVAL, "%s: a value is missing; write %s %s", o->name, o->name,
		o->values);
	return NULL;
}

static int take_option(
	struct line *l, const struct word *o, const char *equals, struct err *e)
{
	struct conf *c = &l->conf;
	const char *value = NULL;

	if (o->id != OPTION_STATS && (l->options & BIT(o->id)))
		return err_set(e, -EINVAL, "%s: given twice", o->name);
	l->options |= BIT(o->id);
	if (*o->values) {
		value = option_value(l, o, equals, e);
		if (!value)
			return -EINVAL;
	} else if (equals) {
		return err_set(e, -EINVAL, "%s: takes no value", o->name);
	}
	switch ((enum option_id)o->id) {
	case OPTION_QUIET:
		c->quiet = true;
		break;
	case OPTION_STATS:
		c->stats++;
		break;
	case OPTION_JSON:
		c->json = true;
		break;
	case OPTION_PRETTY:
		c->pretty = true;
		break;
	case OPTION_REPORT:
		c->report_path = value;
		break;
	case OPTION_USER:
		c->user = value;
		break;
	case OPTION_HELP:
		l->wants_help = true;
		break;
	case OPTION_VERSION:
		l->wants_version = true;
		break;
	}
	return 0;
}

static bool at_option(const struct cursor *c)
{
	const char *text = cursor_peek(c);

	return text && text[0] == '-' && text[1] && strcmp(text, "--") != 0;
}

static int unknown_option(const char *text, struct err *e)
{
	const struct word *near = words_nearest(&words_options, text);
	char room[WORDS_QUOTE_BYTES];

	words_quote(text, room);
	if (near)
		return err_set(e, -EINVAL, "'%s': no such option; did you mean %s?",
			room, near->name);
	return err_set(e, -EINVAL, "'%s': no such option; see farwire help", room);
}

static int read_options(struct line *l, struct err *e)
{
	while (at_option(&l->at)) {
		const char *text = cursor_peek(&l->at);
		const char *equals = strncmp(text, "--", 2) ? NULL : strchr(text, '=');
		char name[32];
		size_t len = equals ? (size_t)(equals - text) : strlen(text);
		const struct word *o = NULL;
		int rc;

		if (len < sizeof(name)) {
			memcpy(name, text, len);
			name[len] = '\0';
			o = words_find(&words_options, name);
		}
		if (!o)
			return unknown_option(text, e);
		l->at.at++;
		rc = take_option(l, o, equals, e);
		if (rc)
			return rc;
	}
	return 0;
}

/* Options that a verb has a use for, besides -q, --help and --version. */
static const unsigned verb_options[] = {
	[VERB_RUN] = BIT(OPTION_STATS) | BIT(OPTION_REPORT) | BIT(OPTION_USER),
	[VERB_CHECK] = BIT(OPTION_JSON) | BIT(OPTION_PRETTY),
	[VERB_DOCTOR] = BIT(OPTION_JSON) | BIT(OPTION_PRETTY),
	[VERB_HELP] = 0,
	[VERB_VERSION] = 0,
};

static int options_fit_verb(
	const struct line *l, const struct word *verb, struct err *e)
{
	unsigned good = verb_options[verb->id] | BIT(OPTION_QUIET) | BIT(OPTION_HELP) |
			BIT(OPTION_VERSION);

	for (size_t i = 0; i < words_options.n_words; i++) {
		const struct word *o = &words_options.words[i];

		if (l->options & ~good & BIT(o->id))
			return err_set(e, -EINVAL,
				"%s: not with %s; see farwire help %s", o->name,
				verb->name, o->name);
	}
	return 0;
}

static int read_verb(struct line *l, struct err *e)
{
	const char *text = cursor_peek(&l->at);
	const struct word *verb, *near;
	char room[WORDS_QUOTE_BYTES];

	if (!text)
		return err_set(e, -EINVAL,
			"nothing to do; write run, check, doctor or help behind "
			"farwire");
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
		"'%s': no such verb; write run, check, doctor or help", room);
}

/* Behind a SPEC something stands that neither belongs to it nor ends it. */
static int second_spec(const struct line *l, const char *where, struct err *e)
{
	return wrong_word(l, where, e,
		"there is a SPEC without a direction already; write up netem ... down "
		"netem ...");
}

/* up SPEC or down SPEC, the cursor at the direction. */
static int read_direction(struct line *l, const char *where, struct err *e)
{
	enum direction dir = cursor_is(&l->at, "up") ? DIR_UP : DIR_DOWN;
	const char *name = dir == DIR_UP ? "up" : "down";
	int rc;

	if (l->conf.has_direction[dir])
		return wrong_word(l, where, e, "named twice");
	if (l->conf.near_lo && dir == DIR_DOWN)
		return wrong_word(l, where, e,
			"a loopback has one direction; write up, or netem alone");
	l->at.at++;
	if (!kinds_at(&l->at))
		return err_set(e, -EINVAL,
			"%s %s: no SPEC behind it; write %s netem ...", where, name,
			name);
	rc = kinds_read(&l->conf.spec[dir], &l->at, e);
	if (rc)
		return rc;
	l->conf.has_direction[dir] = true;
	return 0;
}

/* [SPEC | up SPEC [down SPEC] | down SPEC [up SPEC]] */
static int read_impair(struct line *l, const char *where, struct err *e)
{
	struct conf *c = &l->conf;
	int rc;

	if (kinds_at(&l->at)) {
		rc = kinds_read(&c->spec[DIR_UP], &l->at, e);
		if (rc)
			return rc;
		if (!c->near_lo &&
			kinds_copy_for_down(&c->spec[DIR_DOWN], &c->spec[DIR_UP]))
			return err_set(e, -ENOMEM, "%s: no memory for a SPEC", where);
		if (cursor_is(&l->at, "up") || cursor_is(&l->at, "down"))
			return second_spec(l, where, e);
		return 0;
	}
	while (cursor_is(&l->at, "up") || cursor_is(&l->at, "down")) {
		rc = read_direction(l, where, e);
		if (rc)
			return rc;
	}
	return 0;
}

static int read_near(struct line *l, struct err *e)
{
	if (!cursor_is(&l->at, "dev")) {
		if (!cursor_peek(&l->at) || cursor_is(&l->at, "--"))
			return err_set(e, -EINVAL,
				"run: no device named; write run dev lo netem ... -- "
				"COMMAND");
		return wrong_word(l, "run", e,
			kinds_at(&l->at) || cursor_ends_spec(&l->at)
				? "no device named before it; write dev lo before it"
				: "no such word here; write dev lo");
	}
	l->at.at++;
	if (!cursor_peek(&l->at))
		return err_set(e, -EINVAL, "run dev: a name is missing; write dev lo");
	if (!cursor_is(&l->at, "lo"))
		return wrong_word(l, "run dev", e,
			"the one device there is in a fresh network is lo; write dev "
			"lo");
	l->at.at++;
	l->conf.near_lo = true;
	return 0;
}

/* dev lo [IMPAIR] -- COMMAND [ARG...] */
static int read_run(struct line *l, struct err *e)
{
	int rc;

	l->at.lacks_dashes = !cursor_has_dashes(&l->at);
	rc = read_near(l, e);
	if (rc == 0)
		rc = read_impair(l, "run", e);
	if (rc)
		return rc;
	if (!cursor_peek(&l->at))
		return err_set(
			e, -EINVAL, "run: no command; write -- before the command");
	if (!cursor_is(&l->at, "--"))
		return wrong_word(l, "run", e,
			l->at.lacks_dashes
				? "neither netem nor a direction; write -- before the "
				  "command"
				: "no such word here; write netem before the options");
	l->at.at++;
	if (!cursor_peek(&l->at))
		return err_set(e, -EINVAL, "run: no command behind --");
	if (l->conf.spec[DIR_UP].kind == IMPAIR_NONE)
		kinds_default(&l->conf.spec[DIR_UP]);
	l->conf.command = l->at.words + l->at.at;
	l->at.at = l->at.end;
	return 0;
}

static int read_check(struct line *l, struct err *e)
{
	int rc;

	if (!cursor_peek(&l->at))
		return err_set(
			e, -EINVAL, "check: nothing to check; write check netem ...");
	if (!kinds_at(&l->at) && !cursor_is(&l->at, "up") && !cursor_is(&l->at, "down"))
		return wrong_word(
			l, "check", e, "no such word here; write netem before it");
	rc = read_impair(l, "check", e);
	if (rc == 0 && cursor_is(&l->at, "--"))
		return wrong_word(l, "check", e, "takes no command; only run does");
	return rc;
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
	[VERB_CHECK] = read_check,
	[VERB_DOCTOR] = read_nothing,
	[VERB_HELP] = read_help,
	[VERB_VERSION] = read_nothing,
};

static int read_line(struct line *l, struct err *e)
{
	const struct word *verb = NULL;
	int rc = read_options(l, e);

	if (rc)
		return rc;
	if (cursor_peek(&l->at) || (!l->wants_help && !l->wants_version)) {
		rc = read_verb(l, e);
		if (rc)
			return rc;
		verb = &words_verbs.words[0];
		while (verb->id != (int)l->conf.verb)
			verb++;
		/* Behind help an option is a word to be explained. */
		rc = l->conf.verb == VERB_HELP ? 0 : read_options(l, e);
		if (rc)
			return rc;
	}
	if (l->wants_version || l->wants_help) {
		/* `farwire run --help` is help on run; the rest of the line is idle. */
		if (verb && verb->id != VERB_HELP)
			l->conf.help_word = verb->name;
		l->conf.verb = l->wants_version ? VERB_VERSION : VERB_HELP;
		return 0;
	}
	rc = options_fit_verb(l, verb, e);
	if (rc == 0)
		rc = verb_readers[verb->id](l, e);
	if (rc == 0 && cursor_peek(&l->at))
		return wrong_word(l, verb->name, e, "one word too many");
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

int conf_read(struct conf *c, int argc, char **argv, struct err *e)
{
	struct line l = {.at = {.words = argv, .at = argc > 0 ? 1 : 0, .end = argc}};
	int rc;

	conf_init(&l.conf);
	rc = read_line(&l, e);
	if (rc) {
		c->verb = l.has_verb ? l.conf.verb : guess_verb(&l.at);
		conf_fini(&l.conf);
		return rc;
	}
	conf_fini(c);
	*c = l.conf;
	return 0;
}
