/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conf/netem_args.h - the words after `netem`, tc's grammar, into a struct netem_conf
 */
#ifndef FW_CONF_NETEM_ARGS_H
#define FW_CONF_NETEM_ARGS_H

#include "base/err.h"
#include "conf/conf.h"
#include "conf/cursor.h"

/**
 * netem_args_read() - Read options up to the end of the SPEC
 * @n: initialised; the caller frees it whatever the outcome
 * @c: behind the word netem; left at the word that ends the SPEC
 * @e: filled on failure
 *
 * A word given twice overwrites what it names anew. Rules between options are not
 * checked here but in check.c. Opens distribution files.
 *
 * Return: 0, -EINVAL, or what reading a file gave.
 */
int netem_args_read(struct netem_conf *n, struct cursor *c, struct err *e);

#endif
