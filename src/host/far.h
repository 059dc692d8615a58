/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/far.h - the command at the far end
 */
#ifndef FW_HOST_FAR_H
#define FW_HOST_FAR_H

#include "base/err.h"
#include "host/ident.h"

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#define FAR_EARS 9

/* The far namespace's tables of sockets, to tell when its command listens. */
struct far_ears {
	int fd[FAR_EARS];
	unsigned lines[FAR_EARS]; /* without any socket */
};

/** far_ears_open() - Open them in the network namespace of the caller. */
void far_ears_open(struct far_ears *ears);

void far_ears_close(struct far_ears *ears);

struct far_start {
	const char *command; /* for sh -c */
	const struct ident *ident;
	const sigset_t *mask; /* of the command */
	int ns_fd;            /* the far network namespace */
	int out_fd;           /* for its stdout and stderr */
	bool rootless;
};

/**
 * far_run() - Start the far command; it is no child of the caller's but of the next
 * subreaper above
 * @pid: its process id, filled
 *
 * Blocks until the shell runs. Return: 0 or -errno.
 */
int far_run(const struct far_start *f, pid_t *pid, struct err *e);

/**
 * far_wait() - Wait until there is a socket in the far namespace
 * @pid: the far command; when it is gone nobody waits
 *
 * A server that was started first should also listen first. What is none is given three
 * seconds, which a server on a busy machine may need. Return: false when they passed in
 * vain.
 */
bool far_wait(const struct far_ears *ears, pid_t pid);

#endif
