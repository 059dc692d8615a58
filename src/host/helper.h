/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/helper.h - a program of somebody else's that carries frames on
 *
 * It runs as the command's user, a child of the caller, in a session of its own, with
 * one socket and a stderr that is kept: no line of it reaches the user but the last one,
 * and that only when it fails. It dies with the caller (a death signal, which it may
 * lose by changing its ids), and by a guard, which knows it by a pidfd; with it die all
 * of its process group.
 */
#ifndef FW_HOST_HELPER_H
#define FW_HOST_HELPER_H

#include "base/err.h"
#include "host/ident.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct helper {
	pid_t pid;   /* 0: none */
	int pidfd;   /* -1: none; kernels before 5.3 have no pidfd */
	int err_fd;  /* what it says, non-blocking; -1: none */
	int life_fd; /* open for as long as it is to live; -1: none */
};

#define HELPER_NONE ((struct helper){.pidfd = -1, .err_fd = -1, .life_fd = -1})

/** helper_find() - Is there such a program in PATH? Fills @path. */
bool helper_find(const char *name, char *path, size_t max_bytes);

/**
 * helper_start() - Run it
 * @name:  for messages
 * @argv:  argv[0] is the path
 * @fd:    a file that it gets as number HELPER_FD; or -1
 *
 * Return: 0 or -errno. Whether it is any good is to be found out by the caller.
 */
int helper_start(struct helper *h, const char *name, char *const argv[],
	const struct ident *ident, int fd, struct err *e);

#define HELPER_FD 3

/**
 * helper_failed() - Why it did not serve: its last line, or how it ended
 * @code: -errno of who noticed it; -ETIMEDOUT
 *
 * Ends it. Return: @code.
 */
int helper_failed(struct helper *h, const char *name, int code, struct err *e);

/** helper_is_gone() - Has it ended? It is not reaped here. */
bool helper_is_gone(const struct helper *h);

/** helper_last_line() - Of what it has said, cut and printable; "" for nothing. */
void helper_last_line(int err_fd, char *text, size_t max_bytes);

/** helper_stop() - Kill it and its group; reap it where it is the caller's child. Idempotent. */
void helper_stop(struct helper *h);

#endif
