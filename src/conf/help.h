/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conf/help.h - help from the tables of words
 */
#ifndef FW_CONF_HELP_H
#define FW_CONF_HELP_H

#include "base/err.h"

#include <stdio.h>

/**
 * help_print() - What `help` and `help WORD` print
 * @out:  stdout
 * @word: a verb, an option, or a word of the SPEC; NULL for the whole list
 * @e:    filled when there is no such word
 *
 * Return: 0, -EINVAL for an unknown word, or -errno when @out cannot be written.
 */
int help_print(FILE *out, const char *word, struct err *e);

/** help_version() - What -V prints. Return: 0 or -errno. */
int help_version(FILE *out);

#endif
