/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/dir.c - a directory of control sockets, open and locked
 *
 * Why it is held open and locked: host/place.c.
 */
#include "config.h"

#include "host/dir.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"

/* Who holds a lock is stopped or hangs in a file system: not waited for. */
#define LOCK_TRIES 200
#define LOCK_WAIT_MS 10

/* To take a name it must be our own, to look for one it may be root's. */
static bool is_ours(const struct stat *st, enum dir_use use)
{
	uid_t me = geteuid();

	if (st->st_mode & (S_IWGRP | S_IWOTH))
		return false;
	return st->st_uid == me || (use == DIR_LOOK && (st->st_uid == 0 || me == 0));
}

int dir_open(const char *path, enum dir_use use, bool shared, struct err *e)
{
	int fd, code = 0;
	struct stat st;
	mode_t mask;

	if (use == DIR_MAKE) {
		mask = umask(0);
		if (mkdir(path, shared ? 0711 : 0700) < 0 && errno != EEXIST)
			code = err_sys(e, "control socket '%s'", path);
		umask(mask);
	}
	fd = open(path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return code ? code : err_sys(e, "control socket '%s'", path);
	if (fstat(fd, &st) == 0 && is_ours(&st, use))
		return fd;
	close(fd);
	return err_set(e, -EACCES,
		"control socket '%s': the directory is another user's, or others may "
		"write to it",
		path);
}

int dir_lock_open(int dir_fd)
{
	int fd = openat(dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

int dir_lock(int lock_fd)
{
	int i;

	for (i = 0; i < LOCK_TRIES; i++) {
		if (flock(lock_fd, LOCK_EX | LOCK_NB) == 0)
			return 0;
		if (errno != EWOULDBLOCK)
			return -errno;
		poll(NULL, 0, LOCK_WAIT_MS);
	}
	return -EBUSY;
}

void dir_unlock(int lock_fd)
{
	(void)flock(lock_fd, LOCK_UN);
}

int dir_locked(int dir_fd)
{
	int fd = dir_lock_open(dir_fd), r;

	if (fd < 0)
		return fd;
	r = dir_lock(fd);
	if (r < 0)
		fd_close(&fd);
	return r < 0 ? r : fd;
}
