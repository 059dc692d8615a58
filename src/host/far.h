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

/* A far command that runs. */
struct far_proc {
	pid_t pid;
	pid_t between; /* our child; 0: none */
	int end_fd;    /* says how it ended; -1: none */
};

/**
 * far_run() - Start the far command; it is to be no child of the caller's but of the next
 * subreaper above
 * @far: filled; far_wait() or far_leave() end what is between
 *
 * Blocks until the shell runs. Return: 0 or -errno.
 */
int far_run(const struct far_start *f, struct far_proc *far, struct err *e);

/** far_leave() - From now on the caller has no child of it. Idempotent. */
void far_leave(struct far_proc *far);

/**
 * far_wait() - Wait until there is a socket in the far namespace, then far_leave()
 * @far:     when it has ended nobody waits; a warning tells of a bad end
 * @command: as the user wrote it
 *
 * A server that was started first should also listen first. What is none is given three
 * seconds, which a server on a busy machine may need. Return: 0; -ETIMEDOUT when they
 * passed in vain; -ENOEXEC with @e when the shell found nothing that it could run.
 */
int far_wait(const struct far_ears *ears, struct far_proc *far, const char *command,
	struct err *e);

#endif
