/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * verb/adds.h - links that are being made, some at once
 */
#ifndef FW_VERB_ADDS_H
#define FW_VERB_ADDS_H

#include <stdbool.h>
#include <sys/types.h>

/**
 * adds_room() - See to it that adds_take() can take another one
 * @force: one that failed does not end those that come behind it
 *
 * May wait for the first and say how that went. Return: 0, or the exit status when one
 * failed; without @force none is under way then.
 */
int adds_room(bool force);

/**
 * adds_take() - A process of daemon_fork() makes a link
 * @fd:    the way of its words, owned from now on
 * @child: the process
 *
 * What log_where() and log_quiet() are now holds for what will be said of it.
 */
void adds_take(int fd, pid_t child, bool force);

/**
 * adds_end() - Wait for all that are under way, say how each went
 *
 * Without @force those behind one that failed are undone. Return: the exit status of the
 * first that failed, or 0.
 */
int adds_end(bool force);

#endif
