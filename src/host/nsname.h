/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/nsname.h - the name by which a network namespace was given, and its removal
 */
#ifndef FW_HOST_NSNAME_H
#define FW_HOST_NSNAME_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

struct nsname {
	int dir_fd; /* of the directory it is in; -1: there is no name to watch */
	dev_t dev;  /* of the namespace */
	ino_t ino;
	char base[NAME_MAX + 1];
};

#define NSNAME_NONE ((struct nsname){.dir_fd = -1})

/**
 * nsname_watch() - Hear of it when the namespace at @path loses this name
 * @n:       filled; the caller owns its file
 * @dev,ino: of the namespace that was found there
 *
 * From now on the process gets SIGIO, which it must have blocked, whenever a name is
 * taken out of that directory; then nsname_gone() tells whether it was this one. Not
 * inherited by a child.
 *
 * Return: false where @path is no name, such as a file of /proc that goes with a process,
 * or the kernel tells of no removals; then @n is NSNAME_NONE.
 */
bool nsname_watch(struct nsname *n, const char *path, dev_t dev, ino_t ino);

/** nsname_gone() - Whether the name is no longer that namespace's. NONE never is. */
bool nsname_gone(const struct nsname *n);

void nsname_close(struct nsname *n);

#endif
