/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conf/args.h - a command line read into a struct conf
 */
#ifndef FW_CONF_ARGS_H
#define FW_CONF_ARGS_H

#include "base/err.h"
#include "conf/conf.h"

/** conf_init() - Defaults for everything; nothing to free yet. */
void conf_init(struct conf *c);

/** conf_fini() - Free what the readers allocated. The struct may be used again. */
void conf_fini(struct conf *c);

/**
 * conf_read() - Read a whole command line
 * @c:    initialised conf; filled on success. On failure only @c->verb may have
 * changed: it is the verb that the words name, or VERB_HELP where they name none, so
 * that the caller can choose the exit status
 * @argc: words
 * @argv: words, [0] is the program, [argc] is NULL; must outlive @c
 * @e:    the one line for the user, without program name
 *
 * Where one SPEC stands for both directions (no up, no down, no dev lo) spec[DIR_DOWN]
 * is a copy of spec[DIR_UP] with the seed of its own. dev lo has one direction: its
 * SPEC is spec[DIR_UP], spec[DIR_DOWN] is IMPAIR_NONE. A direction of `run` that has
 * no SPEC reads as netem alone: nothing impaired. One of `change`, `replace` and `set`
 * that is not named is IMPAIR_NONE.
 *
 * Return: 0, -EINVAL, -ENOMEM or what opening a distribution file gave. Opens such
 * files, touches nothing else.
 */
int conf_read(struct conf *c, int argc, char **argv, struct err *e);

/* Tables in one line: of delay and of slot, in two directions. */
#define CONF_TABLES_MAX 4

/**
 * conf_read_files() - Read a line that came with its tables as open files
 * @files:   memory files, read from their start; stay the caller's, offsets too
 * @n_files: how many; as many as conf_tables() has of the line
 *
 * As conf_read(), and no file is opened by name: the names are the sender's, who has
 * looked them up where only the sender can. What is a built-in name stays one.
 */
int conf_read_files(struct conf *c, int argc, char **argv, const int *files,
	int n_files, struct err *e);

/**
 * conf_tables() - The tables of a line that was read which are files
 * @out: filled, in the order in which conf_read_files() wants them: of up the delay's,
 *       then the slot's, then those of down
 *
 * A SPEC for both directions has its tables in both. What is sent is what was read and
 * checked, not the file again: see dist_file_to_fd(). Return: how many.
 */
unsigned conf_tables(
	const struct conf *c, const struct dist_conf *out[CONF_TABLES_MAX]);

#endif
