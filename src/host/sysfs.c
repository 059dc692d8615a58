/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/sysfs.c - /sys of a fresh network namespace
 *
 * Theory of operation
 *   A sysfs shows the network namespace in which it was mounted, so a new one goes over
 *   /sys. It would hide what is mounted below: programs that look for their memory
 *   limit in /sys/fs/cgroup would find none. Each mount below is therefore cloned
 *   before, and put back after. Without the calls for it (Linux before 5.2) nothing is
 *   mounted unless nothing would be hidden.
 */
#include "config.h"

#include "host/sysfs.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fd.h"

#define BELOW_MAX 32
#define PATH_BYTES 256

struct below {
	char path[PATH_BYTES];
	int tree_fd;
};

/* Whether @path is @top or lies below it. */
static bool is_in(const char *path, const char *top)
{
	size_t n = strlen(top);

	return strncmp(path, top, n) == 0 && (path[n] == '/' || path[n] == '\0');
}

static bool is_taken(const struct below *b, unsigned n, const char *path)
{
	unsigned i;

	for (i = 0; i < n; i++)
		if (is_in(path, b[i].path))
			return true;
	return false;
}

/* Clone the topmost mounts below /sys; false when one cannot be kept. */
static bool keep_below(struct below *b, unsigned *n)
{
	FILE *f = fopen("/proc/self/mountinfo", "re");
	char line[4096], path[PATH_BYTES];
	bool ok = f != NULL;

	*n = 0;
	while (ok && fgets(line, sizeof(line), f)) {
		/* Field 5 is the mount point; a space in it is written as \040. */
		if (sscanf(line, "%*s %*s %*s %*s %255s", path) != 1)
			continue;
		if (!is_in(path, "/sys") || !strcmp(path, "/sys") ||
			is_taken(b, *n, path))
			continue;
		if (*n == BELOW_MAX || strlen(path) == PATH_BYTES - 1) {
			ok = false;
			break;
		}
		memcpy(b[*n].path, path, sizeof(path));
		b[*n].tree_fd = (int)syscall(SYS_open_tree, AT_FDCWD, path,
			OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE);
		if (b[*n].tree_fd < 0)
			ok = false;
		else
			(*n)++;
	}
	if (f)
		fclose(f);
	return ok;
}

static bool mount_sysfs(void)
{
	struct statvfs v;
	unsigned long flags = MS_NOSUID | MS_NODEV | MS_NOEXEC;

	/* A user namespace may not take "read-only" off a file system. */
	if (statvfs("/sys", &v) == 0 && (v.f_flag & ST_RDONLY))
		flags |= MS_RDONLY;
	return mount("sysfs", "/sys", "sysfs", flags, NULL) == 0;
}

void sysfs_renew(void)
{
	struct below b[BELOW_MAX];
	unsigned n, i;

	if (keep_below(b, &n) && mount_sysfs())
		for (i = 0; i < n; i++)
			(void)syscall(SYS_move_mount, b[i].tree_fd, "", AT_FDCWD,
				b[i].path, MOVE_MOUNT_F_EMPTY_PATH);
	for (i = 0; i < n; i++)
		fd_close(&b[i].tree_fd);
}
