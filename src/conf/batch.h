/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conf/batch.h - a file of command lines, read one by one
 *
 * Theory of operation
 *   A line holds what stands behind `farwire` on the command line, and is read by the
 *   same reader. Blanks and tabs part words; a # at the start of a word ends the line;
 *   '...', "..." and \ do what they do in a shell, and nothing else does: no variable,
 *   no pattern, no second line.
 */
#ifndef FW_CONF_BATCH_H
#define FW_CONF_BATCH_H

#include "base/err.h"
#include "conf/conf.h"

#include <stdbool.h>
#include <stddef.h>

/* Far more than a link can have; a longer line is an error. */
#define BATCH_WORDS_MAX 256
#define BATCH_LINE_BYTES 16384

struct batch {
	int fd;
	bool at_end; /* nothing more can be read */
	const char *path;
	unsigned line; /* the one that was read last, from 1 */
	/* Read and not yet taken: [at] to [end]. */
	char in[BATCH_LINE_BYTES];
	size_t at, end;
	char text[BATCH_LINE_BYTES];
	/* Its words as main() would get them: [0] is the program, [argc] is NULL. They
	 * point into text. */
	char *argv[BATCH_WORDS_MAX + 2];
	int argc;
};

/**
 * batch_split() - The words of one line
 * @line: is cut into words in place
 * @argv: filled; has room for @max words and a NULL
 *
 * Return: how many words; 0 for an empty line or a comment; -EINVAL for a quote that is
 * not closed, a \ with nothing behind it, or too many words.
 */
int batch_split(char *line, char *argv[], int max, struct err *e);

/**
 * batch_open() - Begin to read
 * @path: "-" is stdin; must outlive @b
 *
 * Return: 0 or -errno.
 */
int batch_open(struct batch *b, const char *path, struct err *e);

/**
 * batch_next() - Read the next line that says something
 * @c: initialised; filled where 1 is returned, with pointers into @b: conf_fini() it
 *     before the next call
 * @e: begins with "FILE:LINE: "
 *
 * A line has one of the verbs add, change, replace, set, del and show. Return: 1; 0
 * behind the last line; a negative errno as of conf_read() where a line is wrong, the
 * next call then goes on behind it; -EIO where the file could not be read, the next call
 * then gives 0.
 */
int batch_next(struct batch *b, struct conf *c, struct err *e);

/**
 * batch_at_hand() - Whether batch_next() would wait for nobody
 *
 * False where the writer of a pipe or a terminal has not written another line yet; he
 * may be waiting for this one.
 */
bool batch_at_hand(struct batch *b);

/**
 * batch_wrong() - Put "FILE:LINE: " of the last line in front of the text that @e holds
 *
 * For what went wrong when the line was done. Return: the code that @e holds.
 */
int batch_wrong(const struct batch *b, struct err *e);

/** batch_close() - Done with it, wherever it was; stdin stays open. */
void batch_close(struct batch *b);

#endif
