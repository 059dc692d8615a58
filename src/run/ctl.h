/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run/ctl.h - the control socket of a running link
 *
 * Theory of operation
 *   Who connects is greeted with "farwire VERSION NAME\n". Then one line in (see
 *   run/request.h), one line with an object out, as often as wanted, one after another.
 *   Files may come with a line: sealed memory with a distribution table, nothing else.
 *
 *   Frames come first. A turn serves one event: one connection, one piece of a line, one
 *   request, or one piece of an answer. What all turns take together is a tenth of the
 *   time at most: beyond a burst, the socket rests until that is so again. A request that
 *   is not complete is kept, an answer that is not taken is kept, and neither is waited
 *   for.
 *
 *   Only the owner of the link and root are heard. Who sends nonsense, too much, or the
 *   next line before the answer is answered that and cut off. A connection too many
 *   takes the place of the one that has been silent for longest.
 *
 * Limits   CTL_CLIENTS_MAX connections, CTL_LINE_BYTES a line, CTL_ANSWER_BYTES an answer.
 * Owner    the listening socket is taken over; the link is the caller's.
 */
#ifndef FW_RUN_CTL_H
#define FW_RUN_CTL_H

#include "base/err.h"
#include "run/request.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define CTL_CLIENTS_MAX 8
#define CTL_LINE_BYTES 4096
#define CTL_ANSWER_BYTES (256 * 1024)

struct ctl_client {
	int fd;             /* -1: a free place */
	uint64_t last_turn; /* when it was heard last */
	char *line;         /* CTL_LINE_BYTES of the server's */
	size_t n_line;
	int files[REQUEST_FILES_MAX];
	int n_files;
	char *answer; /* not sent whole yet; owned */
	size_t sent, n_answer;
	bool ends; /* with this answer */
};

struct ctl {
	int fd; /* for the epoll of others: readable when there is something to do */
	int event_fd; /* the epoll of sockets; left out of @fd during a rest */
	int rest_fd;  /* timer that ends a rest */
	int listen_fd;
	uid_t owner;
	const struct request_link *link;
	struct ctl_client client[CTL_CLIENTS_MAX];
	uint64_t turns;
	int64_t credit_ns; /* what turns may still take */
	int64_t credit_at_ns;
	bool resting;
	/* Last, and not cleared: most links never have a client, and each page of a
	 * process that is touched costs. */
	char line[CTL_CLIENTS_MAX][CTL_LINE_BYTES];
};

/**
 * ctl_open() - Serve a socket; for set-up, since files are made
 * @c:         filled
 * @listen_fd: listening UNIX stream socket, taken over on success
 * @owner:     who may ask, besides root
 * @link:      what is asked about
 *
 * Return: 0 or -errno.
 */
int ctl_open(struct ctl *c, int listen_fd, uid_t owner, const struct request_link *link,
	struct err *e);

/**
 * ctl_turn() - @c->fd is readable: serve one event
 * @ctl: a struct ctl (the form is that of a loop's aux)
 *
 * Does not block. Return: true, always.
 */
bool ctl_turn(void *ctl);

/** ctl_adopt() - Greet a connected, non-blocking socket, if its peer may ask; taken over */
void ctl_adopt(struct ctl *c, int fd);

/** ctl_close() - Cut everybody off */
void ctl_close(struct ctl *c);

#endif
