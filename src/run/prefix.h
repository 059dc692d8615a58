/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run/prefix.h - what the far end's command says, as whole lines with "far: " in front
 *
 * Theory of operation
 *   A pipe is read in small pieces, lines are put together, and each goes out with its
 *   prefix in a write that the kernel does not tear. Nothing here may wait, since frames
 *   do: where the output takes no more, the pipe is left alone until it does again, and
 *   the writer at the other end of the pipe waits, as it would at a terminal.
 *
 *   stderr belongs to others too, so it is not made non-blocking: a pipe or a terminal
 *   is opened a second time, with a state of its own. A socket is written to with a flag
 *   that does the same; a file never makes one wait.
 *
 * Limits   a line of more than PREFIX_LINE_BYTES goes out as several.
 * Cost     at most PREFIX_READ_BYTES are read in one turn.
 * Owner    the pipe's end is taken over; the output is the caller's.
 */
#ifndef FW_RUN_PREFIX_H
#define FW_RUN_PREFIX_H

#include "base/err.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#define PREFIX_READ_BYTES 2048
#define PREFIX_LINE_BYTES 1000

struct prefix {
	int fd;    /* for the epoll of others: readable when there is something to do */
	int in_fd; /* -1 when nothing more comes */
	int out_fd;   /* where lines go */
	int spare_fd; /* the second opening of it, -1 for none */
	bool by_send, must_poll, stuck, lost;
	const char *text;
	char raw[PREFIX_READ_BYTES]; /* read and not looked at yet */
	size_t raw_at, n_raw;
	char line[PREFIX_LINE_BYTES]; /* the one that is not complete */
	size_t n_line;
	char out[PIPE_BUF]; /* whole lines; up to this much is not torn */
	size_t out_at, n_out;
};

/**
 * prefix_open() - Get ready; for set-up, since a file is opened
 * @p:      filled on success
 * @in_fd:  read end of a pipe, taken over on success
 * @out_fd: where lines go, stderr; stays the caller's
 * @text:   in front of each line, must outlive @p; at most 20 bytes
 *
 * Return: 0 or -errno.
 */
int prefix_open(
	struct prefix *p, int in_fd, int out_fd, const char *text, struct err *e);

/**
 * prefix_ready() - @p->fd is readable: pass on what has come
 * @prefix: a struct prefix (the form is that of a loop's aux)
 *
 * Does not block. Return: false when the pipe has ended and all is written.
 */
bool prefix_ready(void *prefix);

/**
 * prefix_close() - Pass on what is left, and the last line as if it were complete
 *
 * Waits for the output, but not longer than a second in all.
 */
void prefix_close(struct prefix *p);

#endif
