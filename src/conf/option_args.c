/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conf/option_args.c - the options of a command line
 */
#include "config.h"

#include "conf/line.h"

#include "base/units.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BIT(id) (1u << (id))

/* Two chunks of the pool: one that is read into while the other is held. */
#define MEMORY_MIN_BYTES (8u << 20)

/* So that now plus --for is a time, too. */
#define FOR_MAX_NS (INT64_MAX / 2)

/* Options that a verb has a use for, besides -q, --help and --version. */
static const unsigned verb_options[] = {
	[VERB_RUN] = BIT(OPTION_STATS) | BIT(OPTION_REPORT) | BIT(OPTION_USER) |
		     BIT(OPTION_NAME) | BIT(OPTION_FAR) | BIT(OPTION_REACH) |
		     BIT(OPTION_LISTEN) | BIT(OPTION_MEMORY) | BIT(OPTION_PRIORITY) |
		     BIT(OPTION_IO) | BIT(OPTION_GSO),
	[VERB_ADD] = BIT(OPTION_FOREGROUND) | BIT(OPTION_FOR) | BIT(OPTION_MEMORY) |
		     BIT(OPTION_PRIORITY) | BIT(OPTION_IO) | BIT(OPTION_GSO),
	[VERB_DEL] = 0,
	[VERB_CHANGE] = 0,
	[VERB_REPLACE] = 0,
	[VERB_SET] = 0,
	[VERB_SHOW] = BIT(OPTION_STATS) | BIT(OPTION_JSON) | BIT(OPTION_PRETTY) |
		      BIT(OPTION_EXACT),
	[VERB_MONITOR] = BIT(OPTION_JSON),
	[VERB_CHECK] = BIT(OPTION_JSON) | BIT(OPTION_PRETTY),
	[VERB_DOCTOR] = BIT(OPTION_JSON) | BIT(OPTION_PRETTY),
	[VERB_HELP] = 0,
	[VERB_VERSION] = 0,
	[VERB_BATCH] = BIT(OPTION_BATCH) | BIT(OPTION_FORCE),
};

/* The value of --option VALUE or --option=VALUE; NULL with the error filled. */
static const char *option_value(
	struct line *l, const struct word *o, const char *equals, struct err *e)
{
	const char *value = equals ? equals + 1 : cursor_peek(&l->at);

	if (value && !equals && strcmp(value, "--") == 0)
		value = NULL; /* the end of the options, never a value that was meant */
	else if (value && !equals)
		l->at.at++;
	if (value && *value)
		return value;
	err_set(e, -EINVAL, "%s: a value is missing; write %s %s", o->name, o->name,
		o->values);
	return NULL;
}

static int take_memory(uint64_t *bytes, const char *value, struct err *e)
{
	char room[WORDS_QUOTE_BYTES];
	uint32_t size;

	words_quote(value, room);
	if (units_size(value, &size, NULL))
		return err_set(e, -EINVAL,
			"--memory '%s': no size from 8m to 4095m; write 64m, say",
			room);
	if (size < MEMORY_MIN_BYTES)
		return err_set(e, -EINVAL,
			"--memory '%s': too little to hold frames in; write 8m or more",
			room);
	*bytes = size;
	return 0;
}

/*
 * Which one of the words a|b|c of @o is @value? The order of the words in the table is
 * that of the enum.
 */
static int choice(const struct word *o, const char *value, struct err *e)
{
	char room[WORDS_QUOTE_BYTES];
	size_t len = strlen(value);
	const char *w = o->values;

	for (int i = 0;; i++) {
		size_t n = strcspn(w, "|");

		if (n == len && strncmp(w, value, n) == 0)
			return i;
		if (!w[n])
			break;
		w += n + 1;
	}
	return err_set(e, -EINVAL, "%s '%s': no such choice; write one of %s", o->name,
		words_quote(value, room), o->values);
}

static int take_choice(
	struct conf *c, const struct word *o, const char *value, struct err *e)
{
	int n = choice(o, value, e);

	if (n < 0)
		return n;
	if (o->id == OPTION_PRIORITY)
		c->rank = (enum rank_wish)n;
	else if (o->id == OPTION_IO)
		c->io = (enum io_wish)n;
	else
		c->gso = (enum gso_wish)n;
	return 0;
}

/* 10min and 2h, which tc's times do not have. Return: whether @value is such. */
static bool is_long_time(const char *value, nsec_t *ns)
{
	size_t n = strspn(value, "0123456789");
	nsec_t unit_ns = strcmp(value + n, "min") == 0 ? 60 * NSEC_PER_SEC
			 : strcmp(value + n, "h") == 0 ? 3600 * NSEC_PER_SEC
						       : 0;

	/* Nine digits of hours are 100000 years, and more than there is room for. */
	if (!unit_ns || n < 1 || n > 9)
		return false;
	n = strtoul(value, NULL, 10);
	*ns = (nsec_t)n > FOR_MAX_NS / unit_ns ? FOR_MAX_NS + 1 : (nsec_t)n * unit_ns;
	return true;
}

static int take_for(nsec_t *ns, const char *value, struct err *e)
{
	char room[WORDS_QUOTE_BYTES];
	nsec_t t = 0;

	words_quote(value, room);
	if (!is_long_time(value, &t) && units_time(value, &t, NULL))
		return err_set(e, -EINVAL,
			"--for '%s': no time with a unit; write 30s, 10min or 2h, say",
			room);
	if (t <= 0)
		return err_set(e, -EINVAL,
			"--for '%s': no time at all; leave it out for a link without "
			"end",
			room);
	if (t > FOR_MAX_NS)
		return err_set(e, -EINVAL,
			"--for '%s': longer than 146 years; leave it out for a link "
			"without end",
			room);
	*ns = t;
	return 0;
}

/* 1 to 65535, up to @end. Return: 0 where it is none. */
static unsigned read_port(const char *text, const char *end)
{
	unsigned port = 0;

	if (end == text || end - text > 5 || *text == '0')
		return 0;
	for (; text < end; text++) {
		if (*text < '0' || *text > '9')
			return 0;
		port = 10 * port + (unsigned)(*text - '0');
	}
	return port > UINT16_MAX ? 0 : port;
}

static int take_ports(
	struct port_list *list, const struct word *o, const char *value, struct err *e)
{
	char room[WORDS_QUOTE_BYTES];
	struct port_list ports = {0};
	const char *at = value, *end;
	unsigned port, i;

	words_quote(value, room);
	do {
		end = at + strcspn(at, ",");
		port = read_port(at, end);
		if (!port)
			return err_set(e, -EINVAL,
				"%s '%s': not a list of ports from 1 to 65535; write "
				"5432 or 5432,6379, say",
				o->name, room);
		for (i = 0; i < ports.n && ports.port[i] != port; i++)
			;
		if (i < ports.n)
			return err_set(e, -EINVAL,
				"%s '%s': port %u stands there twice", o->name, room,
				port);
		if (ports.n == PORTS_MAX)
			return err_set(e, -EINVAL, "%s '%s': more than %d ports",
				o->name, room, PORTS_MAX);
		ports.port[ports.n++] = (uint16_t)port;
		at = end + 1;
	} while (*end);
	*list = ports;
	return 0;
}

/* The same; at some the command could not listen. */
static int take_listen(
	struct port_list *list, const struct word *o, const char *value, struct err *e)
{
	char room[WORDS_QUOTE_BYTES];
	int rc = take_ports(list, o, value, e);

	for (unsigned i = 0; !rc && i < list->n; i++)
		if (list->port[i] >= PORTS_ON_LINK &&
			list->port[i] < PORTS_ON_LINK + PORTS_MAX)
			rc = err_set(e, -EINVAL,
				"%s '%s': %d to %d are taken for the way over the "
				"link; "
				"let the command use another port",
				o->name, words_quote(value, room), PORTS_ON_LINK,
				PORTS_ON_LINK + PORTS_MAX - 1);
	return rc;
}

/* Options with a value; *value is not empty. */
static int take_value(
	struct conf *c, const struct word *o, const char *value, struct err *e)
{
	switch (o->id) {
	case OPTION_REPORT:
		c->report_path = value;
		return 0;
	case OPTION_USER:
		c->user = value;
		return 0;
	case OPTION_NAME:
		c->name = value;
		return link_args_check_name(value, "--name", e);
	case OPTION_FAR:
		c->far_command = value;
		return 0;
	case OPTION_REACH:
		return take_ports(&c->reach, o, value, e);
	case OPTION_LISTEN:
		return take_listen(&c->listen, o, value, e);
	case OPTION_BATCH:
		if (words_find(&words_options, value))
			return err_set(e, -EINVAL,
				"-b: a file is missing before %s; write -b FILE %s",
				value, value);
		c->batch_path = value;
		return 0;
	case OPTION_FOR:
		return take_for(&c->for_ns, value, e);
	case OPTION_MEMORY:
		return take_memory(&c->memory_bytes, value, e);
	default:
		return take_choice(c, o, value, e);
	}
}

static void take_flag(struct line *l, const struct word *o)
{
	struct conf *c = &l->conf;

	if (o->id == OPTION_QUIET)
		c->quiet = true;
	else if (o->id == OPTION_STATS)
		c->stats++;
	else if (o->id == OPTION_JSON)
		c->json = true;
	else if (o->id == OPTION_PRETTY)
		c->pretty = true;
	else if (o->id == OPTION_EXACT)
		c->exact = true;
	else if (o->id == OPTION_FORCE)
		c->force = true;
	else if (o->id == OPTION_FOREGROUND)
		c->foreground = true;
	else if (o->id == OPTION_HELP)
		l->wants_help = true;
	else if (o->id == OPTION_VERSION)
		l->wants_version = true;
}

static int take_option(
	struct line *l, const struct word *o, const char *equals, struct err *e)
{
	const char *value;

	if (o->id != OPTION_STATS && (l->options & BIT(o->id)))
		return err_set(e, -EINVAL, "%s: given twice", o->name);
	l->options |= BIT(o->id);
	if (*o->values) {
		value = option_value(l, o, equals, e);
		return value ? take_value(&l->conf, o, value, e) : -EINVAL;
	}
	if (equals)
		return err_set(e, -EINVAL, "%s: takes no value", o->name);
	take_flag(l, o);
	return 0;
}

bool option_args_at(const struct cursor *c)
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

/* One of -sj; NULL where there is none of that letter. */
static const struct word *short_option(char letter)
{
	const char name[] = {'-', letter, '\0'};

	return words_find(&words_options, name);
}

/* -sj for -s -j: letters that are all options; the last one may have a value. */
static bool is_cluster(const char *text)
{
	if (text[1] == '-' || !text[2])
		return false;
	for (text++; *text; text++) {
		const struct word *o = short_option(*text);

		if (!o || (*o->values && text[1]))
			return false;
	}
	return true;
}

static int read_cluster(struct line *l, const char *text, struct err *e)
{
	int rc = 0;

	for (text++; *text && !rc; text++)
		rc = take_option(l, short_option(*text), NULL, e);
	return rc;
}

int option_args_read(struct line *l, struct err *e)
{
	int rc = 0;

	while (!rc && option_args_at(&l->at)) {
		const char *text = cursor_peek(&l->at);
		const char *equals = strncmp(text, "--", 2) ? NULL : strchr(text, '=');
		char name[32];
		size_t len = equals ? (size_t)(equals - text) : strlen(text);
		const struct word *o = NULL;

		if (len < sizeof(name)) {
			memcpy(name, text, len);
			name[len] = '\0';
			o = words_find(&words_options, name);
		}
		if (!o && !is_cluster(text))
			return unknown_option(text, e);
		l->at.at++;
		rc = o ? take_option(l, o, equals, e) : read_cluster(l, text, e);
	}
	return rc;
}

int option_args_fit(const struct line *l, const struct word *verb, struct err *e)
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
	if (l->conf.exact && (l->conf.json || l->conf.stats))
		return err_set(e, -EINVAL,
			"-c: prints words alone; leave out -s and -j, or take ext.args "
			"of -j");
	return 0;
}
