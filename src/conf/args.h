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
 * @c:    initialised conf; filled on success, unchanged in what matters on failure
 * @argc: words
 * @argv: words, [0] is the program; must outlive @c
 * @e:    the one line for the user, without program name
 *
 * Return: 0, or -EINVAL. Opens distribution files, touches nothing else.
 */
int conf_read(struct conf *c, int argc, char **argv, struct err *e);

#endif
