/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/daemon.h - into the background, with a word when all stands
 *
 *   switch (daemon_fork(&fd, &e)) {
 *   case DAEMON_PARENT: status = daemon_wait(&fd, &e) ...      prints e.text, exits
 *   case DAEMON_CHILD:  set up; daemon_detach(); host_link_drop();
 *                       daemon_ready(&fd, "the start line")    or daemon_fail(&fd, &e)
 *   default:            -errno
 *   }
 */
#ifndef FW_HOST_DAEMON_H
#define FW_HOST_DAEMON_H

#include "base/err.h"

#define DAEMON_CHILD 0
#define DAEMON_PARENT 1

/**
 * daemon_fork() - Go on in a process of a session of its own
 * @fd: the word's way: for daemon_wait() in the parent, else for the child's end
 *
 * The child has stdin and stdout on /dev/null and no other file of the caller's but
 * stderr; directory and environment are the caller's until daemon_detach(). It is a
 * child of the caller's; those that have ended are reaped by the next call, with any
 * other child that has ended. Return: DAEMON_CHILD, DAEMON_PARENT or -errno.
 */
int daemon_fork(int *fd, struct err *e);

/**
 * daemon_wait() - Wait for the child's word
 * @fd: closed
 * @e:  the child's: on success the text is the note that it gave to daemon_ready()
 *
 * Return: 0, or the -errno the child failed with (-ECHILD: it went without a word).
 */
int daemon_wait(int *fd, struct err *e);

/** daemon_detach() - Leave the caller's directory and stderr. 0 or -errno. */
int daemon_detach(struct err *e);

/**
 * daemon_ready() - All stands
 * @fd:   closed
 * @note: for daemon_wait(), cut at ERR_TEXT_BYTES
 *
 * Makes no system call that a running link may not. Return: 0, or -EPIPE when the one
 * who waited is gone: the link is to end too.
 */
int daemon_ready(int *fd, const char *note);

/** daemon_fail() - Nothing stands; @e is why. @fd is closed. */
void daemon_fail(int *fd, const struct err *e);

#endif
