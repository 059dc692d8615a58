/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests/unit/conf/command.c - a command line read from one text
 */
#include "config.h"

#include "unit/conf/command.h"

#include "conf/args.h"
#include "unit/unit.h"

#include <errno.h>
#include <string.h>

void command_split(struct command *s, const char *line)
{
	strncpy(s->text, line, sizeof(s->text) - 1);
	s->text[sizeof(s->text) - 1] = '\0';
	s->argc = 0;
	for (char *w = strtok(s->text, " "); w; w = strtok(NULL, " ")) {
		assert_true(s->argc < COMMAND_WORDS_MAX);
		s->argv[s->argc++] = w;
	}
	s->argv[s->argc] = NULL;
}

void command_good(struct conf *c, struct command *s, const char *line)
{
	struct err e = {0};

	conf_init(c);
	command_split(s, line);
	if (conf_read(c, s->argc, s->argv, &e))
		fail_msg("%s: %s", line, e.text);
}

void command_wrong(const char *line, enum verb verb, const char *text)
{
	struct command s;
	struct conf c;
	struct err e = {0};

	conf_init(&c);
	c.stats = 77;
	command_split(&s, line);
	if (conf_read(&c, s.argc, s.argv, &e) != -EINVAL)
		fail_msg("accepted: %s", line);
	if (strcmp(e.text, text) != 0)
		fail_msg("%s\n got: %s\nwant: %s", line, e.text, text);
	assert_int_equal(c.verb, verb);
	assert_int_equal(c.stats, 77);
}
