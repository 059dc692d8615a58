/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/last.h - NAME.last: why a link ended
 *
 * A file beside the socket, 0600, there until the name is taken again. It is empty while
 * the link lives: made then, because a running link can open nothing. One that was
 * killed leaves it empty, which is as good as none, and whoever clears the dead socket
 * clears it too.
 */
#ifndef FW_HOST_LAST_H
#define FW_HOST_LAST_H

#include "base/err.h"
#include "host/place.h"

#include <stdbool.h>
#include <stddef.h>

#define LAST_TEXT_BYTES 512

/**
 * last_hold() - Open what last_write() and place_unlink() need, while that is allowed
 * @s: a socket that listens; place_close() closes these files too
 *
 * By the process that will call those two, not by one it is forked from: heirs of a file
 * share its lock. Return: 0 or -errno.
 */
int last_hold(struct place_socket *s, struct err *e);

/**
 * last_write() - Say why, in one line; a later call takes its place
 *
 * Before place_unlink(). Nothing where last_hold() was not called.
 */
void last_write(const struct place_socket *s, const char *text);

/**
 * last_read() - What the last link of this name said at its end
 * @text: filled without a line end
 *
 * Return: 0, or -ENOENT when there is nothing or it is not for the caller to read.
 */
int last_read(const struct place *p, const char *name, char text[LAST_TEXT_BYTES]);

/**
 * last_is_held() - Does a living link hold the NAME.last beside the socket @file?
 *
 * It locks it for as long as it lives. False where there is none, as for a run.
 */
bool last_is_held(int dir_fd, const char *file);

/**
 * last_forget() - Remove it
 * @file:  the socket's file, NAME.sock
 * @empty: only an empty one
 */
void last_forget(int dir_fd, const char *file, bool empty);

#endif
