/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests/unit/conf/command.h - a command line read from one text
 */
#ifndef FW_TESTS_CONF_COMMAND_H
#define FW_TESTS_CONF_COMMAND_H

#include "conf/conf.h"

#define COMMAND_WORDS_MAX 128

/* A command line from one text, words apart by single blanks. */
struct command {
	char text[4096];
	char *argv[COMMAND_WORDS_MAX + 1];
	int argc;
};

/** command_split() - The words of @line; @s must outlive what is read from them */
void command_split(struct command *s, const char *line);

/** command_good() - Read @line, which must be right; @c is the caller's to free */
void command_good(struct conf *c, struct command *s, const char *line);

/** command_wrong() - @line must be refused as one of @verb, with exactly this @text */
void command_wrong(const char *line, enum verb verb, const char *text);

#endif
