/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conf/dist_file.h - the table behind a jitter: built in, or read from a file
 */
#ifndef FW_CONF_DIST_FILE_H
#define FW_CONF_DIST_FILE_H

#include "base/err.h"
#include "conf/conf.h"

/**
 * dist_read() - Find the table that @name means, and read it if it is a file
 * @d:    what it held is freed first; unchanged on failure
 * @name: with a `/` a file; else a built-in table; else NAME.dist in $TC_LIB_DIR,
 *        LIBDIR/tc, /usr/lib/tc of any architecture, /usr/lib/tc, /usr/share/tc
 * @e:    the reason without the name
 *
 * Return: 0 or a negative errno.
 */
int dist_read(struct dist_conf *d, const char *name, struct err *e);

/** dist_copy() - @to takes a copy of its own. Return: 0, or -ENOMEM, @to then empty. */
int dist_copy(struct dist_conf *to, const struct dist_conf *from);

/** dist_free() - Free what @d owns; it is uniform without a name then */
void dist_free(struct dist_conf *d);

#endif
