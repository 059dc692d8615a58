/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run/request.h - one command line to a running link, and its answer
 *
 * Theory of operation
 *   The words are those of the command line and read by the same reader. A change is
 *   put together and checked whole, for both directions, before the first field of a
 *   path is touched; it then happens between two frames.
 *
 *   The answer is one object: "status" is the exit status that the asker shall have (0
 *   done, 1 wrong words and nothing touched, 2 refused and nothing touched), then, where
 *   there is something to say, "error", "warnings", "text" and "links" (`show -j`).
 *
 * Cost     some 5 us for a change, some 50 us for a show; a table by formula 0.2 ms.
 */
#ifndef FW_RUN_REQUEST_H
#define FW_RUN_REQUEST_H

#include "conf/conf.h"
#include "engine/path.h"
#include "report/report.h"

#include <stddef.h>

struct json_object;

/* Words in one request; the longest line of a known script has some 60. */
#define REQUEST_WORDS_MAX 256
/* Tables in one request: delay and slot, in two directions. */
#define REQUEST_FILES_MAX 4

/* The link that answers. All it points to is the caller's and outlives the socket. */
struct request_link {
	const char *name;
	const char *near, *far; /* as in struct show_link */
	/* What each direction does now (IMPAIR_NETEM, with its seed), and who does it;
	 * NULL: no such direction. */
	struct spec *spec[N_DIRS];
	struct path *path[N_DIRS];
	/* Fill in the statistics of now. Called between two turns. */
	void (*look)(void *ctx, struct report *r);
	/* The settings of @dir are others now. NULL: nobody wants to know. */
	void (*changed)(void *ctx, enum direction dir);
	/* `del`: end when the answer is on its way. NULL: not a link that one can. */
	void (*end)(void *ctx);
	/* NEAR and FAR in words, for `show -c`; NULL: of a run. */
	const char *words;
	void *ctx;
};

/**
 * request_line() - Read one line, do what it says, say what came of it
 * @l:       the link
 * @line:    words with single blanks between, terminated; is cut into words
 * @files:   open files with the tables that the words name; stay the caller's
 * @n_files: 0 to REQUEST_FILES_MAX
 *
 * Return: the answer, the caller's; NULL when there is no memory for one. Does not block.
 */
struct json_object *request_line(
	const struct request_link *l, char *line, const int *files, int n_files);

/** request_run() - The same from words that were read; what is no such request is refused */
struct json_object *request_run(const struct request_link *l, const struct conf *c);

/** request_refused() - The answer to what is no request at all */
struct json_object *request_refused(int status, const char *why);

#endif
