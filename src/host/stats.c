/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/stats.c - a device's count of what its own ring dropped
 *
 * Theory of operation
 *   An open /proc/net/dev or netlink socket is a reference to its network namespace: the
 *   namespace could not go, and the link in it would never be told. A file of sysfs is
 *   none. Which namespace's devices a sysfs shows is decided when it is mounted, so it
 *   is mounted for this one file, nowhere, and gone when the file is closed.
 */
#include "config.h"

#include "host/stats.h"

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fd.h"

#ifdef SYS_fsopen

#include <linux/mount.h>

/* A mount may not show more than those that are there: one read-only /sys is enough. */
#define ATTRS                                                                          \
	(MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC)

static int open_sysfs(void)
{
	int fs FD_AUTO = (int)syscall(SYS_fsopen, "sysfs", FSOPEN_CLOEXEC);

	/* In a user namespace that we entered the mounts are not ours yet. */
	if (fs < 0 && errno == EPERM && unshare(CLONE_NEWNS) == 0)
		fs = (int)syscall(SYS_fsopen, "sysfs", FSOPEN_CLOEXEC);
	if (fs < 0 || syscall(SYS_fsconfig, fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0) < 0)
		return -1;
	return (int)syscall(SYS_fsmount, fs, FSMOUNT_CLOEXEC, ATTRS);
}

#else

static int open_sysfs(void)
{
	return -1;
}

#endif

int stats_open(const char *dev)
{
	int root FD_AUTO = open_sysfs();
	char path[IFNAMSIZ + 64];

	if (root < 0)
		return -1;
	snprintf(path, sizeof(path), "class/net/%s/statistics/tx_dropped", dev);
	return openat(root, path, O_RDONLY | O_CLOEXEC);
}
