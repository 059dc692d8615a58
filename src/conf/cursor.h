/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conf/cursor.h - where a reader stands among the words
 *
 * A reader moves the cursor past what it has used. @end is the word count.
 */
#ifndef FW_CONF_CURSOR_H
#define FW_CONF_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct cursor {
	char **words;
	int at;
	int end;
	bool lacks_dashes; /* a command must follow behind --, and there is no -- */
	bool defers_tables; /* files of distributions come later: read their names only */
};

/* The next word, or NULL. */
static inline char *cursor_peek(const struct cursor *c)
{
	return c->at < c->end ? c->words[c->at] : NULL;
}

/* Is the next word exactly @text? */
static inline bool cursor_is(const struct cursor *c, const char *text)
{
	return c->at < c->end && strcmp(c->words[c->at], text) == 0;
}

/* Where an option is expected: do these words end the SPEC? */
static inline bool cursor_ends_spec(const struct cursor *c)
{
	return c->at >= c->end || cursor_is(c, "up") || cursor_is(c, "down") ||
	       cursor_is(c, "--");
}

/* Is there a "--" from here on? */
static inline bool cursor_has_dashes(const struct cursor *c)
{
	for (int i = c->at; i < c->end; i++)
		if (strcmp(c->words[i], "--") == 0)
			return true;
	return false;
}

#endif
