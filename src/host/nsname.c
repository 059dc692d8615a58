/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/nsname.c - the name by which a network namespace was given, and its removal
 *
 * Theory of operation
 *   `ip netns add` binds the namespace to a file, as container tools do; that mount is
 *   the name. `ip netns del` takes mount and file away. What can be watched without
 *   holding the namespace is the directory: by the signal of fcntl(F_NOTIFY), which
 *   unlike inotify has no limit on how many of a user's processes may have it (128 by
 *   default, and links are many). The signal says little, so the name is looked at.
 */
#include "config.h"

#include "host/nsname.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fd.h"

/* Since Linux 5.8; older headers lack it. */
#ifndef STATX_ATTR_MOUNT_ROOT
#define STATX_ATTR_MOUNT_ROOT 0x2000
#endif

static bool is_mount(int dir_fd, const char *base)
{
	struct statx sx;

	return statx(dir_fd, base, AT_SYMLINK_NOFOLLOW, STATX_TYPE, &sx) == 0 &&
	       (sx.stx_attributes & STATX_ATTR_MOUNT_ROOT);
}

static int open_dir(const char *path, size_t dir_bytes)
{
	char dir[PATH_MAX];

	if (dir_bytes >= sizeof(dir))
		return -1;
	snprintf(dir, sizeof(dir), "%.*s", (int)dir_bytes, path);
	return open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

bool nsname_watch(struct nsname *n, const char *path, dev_t dev, ino_t ino)
{
	const char *slash = strrchr(path, '/');
	int got;

	*n = NSNAME_NONE;
	got = slash ? snprintf(n->base, sizeof(n->base), "%s", slash + 1) : 0;
	if (got <= 0 || (size_t)got >= sizeof(n->base))
		return false;
	n->dev = dev;
	n->ino = ino;
	n->dir_fd = open_dir(path, (size_t)(slash + 1 - path));
	/* Watched first, then looked at: it cannot go unseen between. */
	if (n->dir_fd >= 0 && is_mount(n->dir_fd, n->base) &&
		fcntl(n->dir_fd, F_SETSIG, SIGIO) == 0 &&
		fcntl(n->dir_fd, F_NOTIFY, DN_DELETE | DN_RENAME | DN_MULTISHOT) == 0 &&
		!nsname_gone(n))
		return true;
	nsname_close(n);
	return false;
}

bool nsname_gone(const struct nsname *n)
{
	struct stat st;

	if (n->dir_fd < 0)
		return false;
	return fstatat(n->dir_fd, n->base, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
	       st.st_dev != n->dev || st.st_ino != n->ino;
}

void nsname_close(struct nsname *n)
{
	fd_close(&n->dir_fd);
}
