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
 * SPEC is spec[DIR_UP], spec[DIR_DOWN] is IMPAIR_NONE. `run` without a SPEC reads as
 * netem alone: nothing impaired.
 *
 * Return: 0, -EINVAL, -ENOMEM or what opening a distribution file gave. Opens such
 * files, touches nothing else.
 */
int conf_read(struct conf *c, int argc, char **argv, struct err *e);

#endif
