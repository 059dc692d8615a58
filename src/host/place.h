/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/place.h - the directory of control sockets
 *
 * A run is reached by its name: NAME.sock in the first of three directories that the
 * one who starts it can make or use. Who looks for it looks in all three, in the same
 * order.
 */
#ifndef FW_HOST_PLACE_H
#define FW_HOST_PLACE_H

#include "base/err.h"

#include <stdbool.h>
#include <sys/types.h>

#define PLACE_DIRS 3
#define PLACE_PATH_BYTES 256
#define PLACE_NAME_BYTES 33 /* 32 characters and the end */
#define PLACE_SUFFIX ".sock"
#define PLACE_FILE_BYTES (PLACE_NAME_BYTES + 5)

/* The candidates in their order; "" is none. */
struct place {
	char dir[PLACE_DIRS][PLACE_PATH_BYTES];
};

/* A socket that listens under a name. */
struct place_socket {
	int fd;     /* SOCK_STREAM, listening, non-blocking, close-on-exec; -1: none */
	int dir_fd; /* its directory (O_PATH), for place_unlink(); -1: none */
	/* The socket's file (O_PATH): while it is held, no other file gets its inode
	 * number, so that it is known again should the name be taken meanwhile. */
	int file_fd;
	int lock_fd; /* of dir_fd, for a process that can open nothing; -1: none */
	int last_fd; /* NAME.last, see host/last.h; -1: none */
	char file[PLACE_FILE_BYTES];
	char path[PLACE_PATH_BYTES + PLACE_FILE_BYTES]; /* for people */
};

#define PLACE_SOCKET_NONE                                                              \
	((struct place_socket){                                                        \
		.fd = -1, .dir_fd = -1, .file_fd = -1, .lock_fd = -1, .last_fd = -1})

/**
 * place_usual() - The candidates of this caller
 *
 * /run/farwire, $XDG_RUNTIME_DIR/farwire when that is an absolute path, and
 * /tmp/farwire-UID, by the user outside where we are in a user namespace.
 */
void place_usual(struct place *p);

/** place_name_ok() - Whether @name may name a link: [A-Za-z0-9][A-Za-z0-9_.-]{0,31} */
bool place_name_ok(const char *name);

/**
 * place_tidy() - Clear the sockets of those that were killed
 *
 * In the directory that place_listen() would take. Looks at every link there: once for
 * a batch, not once for each of its links.
 */
void place_tidy(const struct place *p);

/**
 * place_listen() - Take a name
 * @p:    candidates; the first that can be made or used is taken
 * @name: see place_name_ok()
 * @s:    filled; the caller owns its files
 * @e:    filled on failure
 *
 * The socket is 0600. What a dead link left under the name is cleared, NAME.last too.
 * Return: 0, -EADDRINUSE when a living link has the name in any of the places, or -errno.
 */
int place_listen(
	const struct place *p, const char *name, struct place_socket *s, struct err *e);

/** place_give() - Let the user @uid own the socket, who could else not connect to it. */
int place_give(const struct place_socket *s, uid_t uid, gid_t gid, struct err *e);

/**
 * place_unlink() - Give the name back, if it still is this socket's
 *
 * Needs dir_fd, file_fd and file only, so that another process than the listening one
 * can do it; after last_hold() nothing is opened for it. Leaves the files open.
 */
void place_unlink(const struct place_socket *s);

/** place_close() - Close all files. */
void place_close(struct place_socket *s);

/**
 * place_connect() - Reach a link by its name
 * @p:    candidates
 * @name: any text
 * @e:    filled on failure
 *
 * What a dead link left under the name is cleared on the way. Sending and receiving give
 * up after 2 s. Return: a blocking socket, or -errno: -ENOENT when there is no such link.
 */
int place_connect(const struct place *p, const char *name, struct err *e);

#endif
