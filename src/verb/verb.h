/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * verb/verb.h - the verbs that do something to a link, each its own story
 *
 * This room may include all others: it hands open files from host/ to run/, and what
 * run/ counted to report/. Each function returns the exit status, having said on stderr
 * what was wrong.
 */
#ifndef FW_VERB_VERB_H
#define FW_VERB_VERB_H

#include "conf/conf.h"

#include <errno.h>

#define EXIT_WRONG_WORDS 1
#define EXIT_SYSTEM 2
#define EXIT_BROKE 3  /* of add -f: it ran, and broke */
#define EXIT_OURS 125 /* of run: everything that is not the command's own */

/** verb_status() - Exit status for a negative errno; -EINVAL is about the words */
static inline int verb_status(int code)
{
	return code == -EINVAL ? EXIT_WRONG_WORDS : EXIT_SYSTEM;
}

/** verb_run() - A command on a bad wire. Returns only where that failed. */
int verb_run(const struct conf *c);

/**
 * verb_add() - A link that stays; returns when it carries frames, with -f when it ends
 *
 * Where @c->deferred says so it only begins: see verb/adds.h.
 */
int verb_add(const struct conf *c);

/** verb_del() - Remove one link, or all; returns when their devices are gone */
int verb_del(const struct conf *c);

/** verb_show() - Settings and statistics of one link, or of all that run */
int verb_show(const struct conf *c);

/** verb_change() - change, replace or set a running link; @argv as main() got it */
int verb_change(const struct conf *c, int argc, char **argv);

/**
 * verb_batch() - Do what the lines of a file say, one after another
 * @do_one: does one; as main() would. Return: its status
 *
 * The first line that fails ends it, with --force none does. Return: the first status
 * that was not 0.
 */
int verb_batch(const struct conf *c,
	int (*do_one)(const struct conf *c, int argc, char **argv));

/** verb_monitor() - Follow one link, or all that run now, until Ctrl-C */
int verb_monitor(const struct conf *c);

#endif
