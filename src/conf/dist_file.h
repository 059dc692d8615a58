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

/**
 * dist_name_file() - As dist_read(), but a file is not looked for
 *
 * @d is then a DIST_FILE without values, for dist_file_from_fd(). Return: 0 or -errno.
 */
int dist_name_file(struct dist_conf *d, const char *name, struct err *e);

/**
 * dist_file_from_fd() - The values of a table from an open file
 * @d:  a DIST_FILE; keeps its name; unchanged on failure
 * @fd: read from its start to its end, at most 1 MiB; its offset stays
 * @e:  the reason without the name
 *
 * Needs nothing but pread(). Return: 0 or -errno.
 */
int dist_file_from_fd(struct dist_conf *d, int fd, struct err *e);

/**
 * dist_file_to_fd() - The values of a DIST_FILE as a file of sealed memory
 *
 * Text that dist_file_from_fd() reads back to the same values. Return: a file, the
 * caller's, or -errno.
 */
int dist_file_to_fd(const struct dist_conf *d, struct err *e);

/** dist_copy() - @to takes a copy of its own. Return: 0, or -ENOMEM, @to then empty. */
int dist_copy(struct dist_conf *to, const struct dist_conf *from);

/** dist_free() - Free what @d owns; it is uniform without a name then */
void dist_free(struct dist_conf *d);

#endif
