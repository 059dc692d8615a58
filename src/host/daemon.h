/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/daemon.h - into the background, with a word when all stands
 *
 *   switch (daemon_fork(&fd, &pid, &e)) {
 *   case DAEMON_PARENT: daemon_go(fd);
 *                       daemon_hear(&fd, &e) until it is not DAEMON_MADE; print e.text
 *   case DAEMON_CHILD:  daemon_turn(fd); make what others may want, too;
 *                       daemon_made(fd); the rest; daemon_detach(); host_link_drop();
 *                       daemon_ready(&fd, "the start line")    or daemon_fail(&fd, &e)
 *   default:            -errno
 *   }
 */
#ifndef FW_HOST_DAEMON_H
#define FW_HOST_DAEMON_H

#include "base/err.h"

#include <sys/types.h>

#define DAEMON_CHILD 0
#define DAEMON_PARENT 1
/* Of daemon_hear(). */
#define DAEMON_MADE 1

/**
 * daemon_fork() - Go on in a process of a session of its own
 * @fd:    the word's way: for daemon_hear() in the parent, else for the child's end
 * @child: filled in the parent
 *
 * The child has stdin and stdout on /dev/null and no other file of the caller's but
 * stderr; directory and environment are the caller's until daemon_detach(). It is a
 * child of the caller's; those that have ended are reaped by the next call, with any
 * other child that has ended. Return: DAEMON_CHILD, DAEMON_PARENT or -errno.
 */
int daemon_fork(int *fd, pid_t *child, struct err *e);

/** daemon_go() - Let the child at the other end of @fd leave daemon_turn() */
void daemon_go(int fd);

/** daemon_turn() - In the child: wait for daemon_go(). 0, or -EPIPE: nobody waits */
int daemon_turn(int fd);

/** daemon_made() - In the child: nothing that the next one wants will be taken any more */
void daemon_made(int fd);

/**
 * daemon_hear() - Wait for the child's next word
 * @fd: closed with the last
 * @e:  the child's: on success the text is the note that it gave to daemon_ready()
 *
 * Return: DAEMON_MADE when there will be another; else 0, or the -errno the child failed
 * with (-ECHILD: it went without a word).
 */
int daemon_hear(int *fd, struct err *e);

/**
 * daemon_forget() - Have the child undo what it made
 * @fd: closed, which ends it
 *
 * Returns when it has ended.
 */
void daemon_forget(int *fd, pid_t child);

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
