/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/dir.h - a directory of control sockets, open and locked
 */
#ifndef FW_HOST_DIR_H
#define FW_HOST_DIR_H

#include "base/err.h"

#include <stdbool.h>

enum dir_use { DIR_MAKE, DIR_LOOK };

/**
 * dir_open() - Open a directory after a look at whose it is
 * @path:   its name
 * @use:    DIR_MAKE makes it where it is missing and wants it to be the caller's own;
 *          for DIR_LOOK it may be root's
 * @shared: of several users: they may look a file up whose name they know
 *
 * Return: an O_PATH file, or -errno: -EACCES where somebody else could change it.
 */
int dir_open(const char *path, enum dir_use use, bool shared, struct err *e);

/** dir_lock_open() - A file of one's own to lock @dir_fd by, or -errno. */
int dir_lock_open(int dir_fd);

/** dir_lock() - Take the lock, or wait 2 s for it. 0 or -errno. */
int dir_lock(int lock_fd);

/** dir_unlock() - Give it back. */
void dir_unlock(int lock_fd);

/** dir_locked() - Open and lock. Return: a file whose closing unlocks, or -errno. */
int dir_locked(int dir_fd);

#endif
