/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * verb/adds.c - links that are being made, some at once
 *
 * Theory of operation
 *   A batch means its lines one after another. What a line can notice of those before it
 *   are names: of links and devices, who is given the next free one, who is told that his
 *   is taken; and what is in a namespace. All that is settled while a link is "made"
 *   (its ends and its socket). So that part is done in turn: each process waits for a word
 *   that the one before has done it. What it does before and after, two thirds of the
 *   time, may be done side by side, on all CPUs.
 *   When a link fails, those behind it have not begun, or can still be undone: a process
 *   whose words nobody waits for ends, and takes away what it made.
 *   What is said comes in the order of the lines.
 */
#include "config.h"

#include "verb/adds.h"

#include "base/log.h"
#include "host/daemon.h"
#include "verb/verb.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Some more than CPUs that they can keep busy: the turns depend on one another. */
#define ADDS_MAX 4

static struct pending {
	int fd; /* -1: its last word is here */
	pid_t child;
	bool has_turn;
	bool made;
	bool quiet;
	int code;
	struct err word;
	char where[ERR_TEXT_BYTES];
} queue[ADDS_MAX];

static unsigned n_queued;

/* Whose turn it is. */
static void pass_on(bool force)
{
	struct pending *p = queue;

	for (; p < queue + n_queued; p++) {
		if (!p->has_turn)
			daemon_go(p->fd);
		p->has_turn = true;
		if (!p->made || (p->code < 0 && !force))
			return;
	}
}

static void hear(struct pending *p)
{
	p->code = daemon_hear(&p->fd, &p->word);
	p->made = true;
}

/* @wait_ms: as poll() has it */
static void turn(int wait_ms, bool force)
{
	struct pollfd fds[ADDS_MAX];
	unsigned i;

	for (i = 0; i < n_queued; i++)
		fds[i] = (struct pollfd){.fd = queue[i].fd, .events = POLLIN};
	if (poll(fds, n_queued, wait_ms) > 0)
		for (i = 0; i < n_queued; i++)
			if (fds[i].revents)
				hear(&queue[i]);
	pass_on(force);
}

static void undo_rest(void)
{
	while (n_queued) {
		n_queued--;
		daemon_forget(&queue[n_queued].fd, queue[n_queued].child);
	}
}

/* Return: the exit status of the first, which is not in the queue any more. */
static int end_first(bool force)
{
	struct pending *p = queue;
	const char *where;
	bool quiet;
	int code;

	while (p->fd >= 0)
		turn(-1, force);
	where = log_where(p->where);
	quiet = log_quiet(p->quiet);
	code = p->code;
	if (code < 0)
		log_error("%s", p->word.text);
	else
		log_note("%s", p->word.text);
	log_where(where);
	log_quiet(quiet);
	n_queued--;
	memmove(queue, queue + 1, n_queued * sizeof(*queue));
	if (code < 0 && !force)
		undo_rest();
	pass_on(force);
	return code < 0 ? verb_status(code) : EXIT_SUCCESS;
}

int adds_room(bool force)
{
	if (n_queued < ADDS_MAX)
		return EXIT_SUCCESS;
	return end_first(force);
}

void adds_take(int fd, pid_t child, bool force)
{
	struct pending *p = &queue[n_queued++];
	const char *where = log_where(NULL);

	*p = (struct pending){.fd = fd, .child = child, .quiet = log_quiet(false)};
	log_where(where);
	log_quiet(p->quiet);
	snprintf(p->where, sizeof(p->where), "%s", where);
	turn(0, force);
}

int adds_end(bool force)
{
	int status, first = EXIT_SUCCESS;

	while (n_queued) {
		status = end_first(force);
		if (!first)
			first = status;
	}
	return first;
}
