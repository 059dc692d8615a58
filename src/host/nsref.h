/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/nsref.h - a network namespace that somebody else made, by what the user calls it
 */
#ifndef FW_HOST_NSREF_H
#define FW_HOST_NSREF_H

#include "base/err.h"
#include "host/nsname.h"

#include <stdbool.h>
#include <sys/types.h>

#define NSREF_TEXT_BYTES 256

/* An open namespace. Who holds it keeps it from going away. */
struct nsref {
	int net_fd;  /* -1: none */
	int user_fd; /* the user namespace to enter first; -1: none */
	dev_t dev;
	ino_t ino;
	/* Holding it does no harm: it is that of process 1, with which we go ourselves,
	 * or its name is watched. */
	bool stays;
	struct nsname name;
	/* The process it was given by, by number or by a file of /proc; 0: none. Its pidfd
	 * tells when it has ended; -1 where there is no such process or no pidfd (Linux 5.3). */
	pid_t pid;
	int pid_fd;
	char text[NSREF_TEXT_BYTES]; /* as given, but a path is absolute; "." */
};

#define NSREF_NONE                                                                     \
	((struct nsref){.net_fd = -1, .user_fd = -1, .pid_fd = -1, .name = NSNAME_NONE})

/**
 * nsref_open() - Find a network namespace, and the way into it
 * @n:  filled; the caller owns its files
 * @ns: a path if it holds a slash, else a name as `ip netns` has it, else a process id;
 *      "." or NULL: the caller's own
 * @e:  filled on failure, with what was tried or which right is missing
 *
 * Its name is watched: see nsname_watch() for the signal. Return: 0, -EINVAL where the text can be no namespace's, -ENOENT where there is none
 * of it, -EPERM without the right to enter, or another -errno.
 */
int nsref_open(struct nsref *n, const char *ns, struct err *e);

/** nsref_same() - Whether both are one namespace. */
bool nsref_same(const struct nsref *a, const struct nsref *b);

/** nsref_own_stays() - Whether the caller's own network namespace is process 1's. */
bool nsref_own_stays(void);

/** nsref_enter_user() - Enter the user namespace where one must. 0 or -errno. */
int nsref_enter_user(const struct nsref *n, struct err *e);

/** nsref_enter() - Enter the network namespace, after that. 0 or -errno. */
int nsref_enter(const struct nsref *n, struct err *e);

/** nsref_close() - Let go of it. */
void nsref_close(struct nsref *n);

#endif
