/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run/client.h - asking a running link through its control socket
 *
 * Theory of operation
 *   The other side of run/ctl.h: a greeting is checked, then one line goes out and one
 *   object comes back, as often as wanted. Nothing here waits longer than
 *   CLIENT_WAIT_NS, whatever the link does.
 *
 *   A table that the words name is a file of the asker. What was read from it goes along
 *   in sealed memory, which the link can read without waiting and nobody can change under
 *   it.
 */
#ifndef FW_RUN_CLIENT_H
#define FW_RUN_CLIENT_H

#include "base/clock.h"
#include "base/err.h"
#include "conf/conf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct json_object;

/* A link that is alive answers in a turn of its loop; a stopped one never. */
#define CLIENT_WAIT_NS (2 * NSEC_PER_SEC)

struct client {
	int fd;
	char version[32]; /* of the link's farwire */
	char name[64];    /* of the link */
	char *text;       /* what has come, owned */
	size_t n_text, room;
};

/**
 * client_open() - Take a connected socket and read the greeting
 * @c:    filled on success
 * @fd:   connected to a control socket; taken over on success
 * @name: the link's; NULL: whatever it says
 *
 * Return: 0, -ETIMEDOUT, -EPIPE (the link has ended), -EPROTO (it is no farwire, or has
 * another name).
 */
int client_open(struct client *c, int fd, const char *name, struct err *e);

void client_close(struct client *c);

/**
 * client_words() - The line that asks what a command line asks
 * @argv:      as main() got it: options, verb, options, NAME, words
 * @line:      filled, without a newline
 * @max_bytes: its size; a line that a link takes has 4095 at the most
 *
 * The options of the asker's own (-q, -p) are left out. Return: 0, or -EINVAL where a
 * word cannot be in a line (a blank, a control character, nothing at all) or the line is
 * too long.
 */
int client_words(int argc, char **argv, char *line, size_t max_bytes, struct err *e);

/** client_show_words() - The same for `show` of one link, whether named or not */
void client_show_words(
	const struct conf *conf, const char *name, char *line, size_t max_bytes);

/**
 * client_ask() - Send a line and wait for its answer
 * @files:   sealed memory (dist_file_to_fd()) for the tables that the line names
 * @answer:  set to the object on success, the caller's
 *
 * Warnings in the answer are said (log_warn). Return: 0; -EINVAL: the link refuses the
 * words, which is said in @e; -EIO: it could not do it; or as client_open(), and then the
 * connection is of no use any more.
 */
int client_ask(struct client *c, const char *line, const int *files, int n_files,
	struct json_object **answer, struct err *e);

/**
 * client_wait_end() - Wait until the link is gone
 *
 * Its process closes the connection last, when its devices are gone. Return: 0, or
 * -ETIMEDOUT after CLIENT_WAIT_NS.
 */
int client_wait_end(struct client *c, struct err *e);

#endif
