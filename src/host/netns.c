/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/netns.c - the namespaces of a run
 */
#include "config.h"

#include "host/netns.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "host/sysfs.h"

static int write_file(const char *path, const char *text)
{
	int fd FD_AUTO = open(path, O_WRONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = write(fd, text, strlen(text));
	return n < 0 ? -errno : 0;
}

/* Inside, the caller keeps its own numbers: files look as they did. */
static int map_ids(uid_t uid, gid_t gid, const struct fail_ctx *ctx, struct err *e)
{
	char line[64];
	int r;

	/* Without it an unprivileged gid_map is refused; a kernel before 3.19 has none.
	 */
	r = write_file("/proc/self/setgroups", "deny");
	if (r < 0 && r != -ENOENT)
		return fail_say(e, FAIL_INSIDE, -r, ctx, "/proc/self/setgroups");
	snprintf(line, sizeof(line), "%lu %lu 1", (unsigned long)uid,
		(unsigned long)uid);
	r = write_file("/proc/self/uid_map", line);
	if (r < 0)
		return fail_say(e, FAIL_INSIDE, -r, ctx, "/proc/self/uid_map");
	snprintf(line, sizeof(line), "%lu %lu 1", (unsigned long)gid,
		(unsigned long)gid);
	r = write_file("/proc/self/gid_map", line);
	if (r < 0)
		return fail_say(e, FAIL_INSIDE, -r, ctx, "/proc/self/gid_map");
	return 0;
}

int netns_user(const struct fail_ctx *ctx, struct err *e)
{
	uid_t uid = geteuid();
	gid_t gid = getegid();

	if (!ctx->rootless)
		return 0;
	if (unshare(CLONE_NEWUSER) < 0)
		return fail_say(e, FAIL_USERNS, errno, ctx, NULL);
	return map_ids(uid, gid, ctx, e);
}

int netns_net(const struct fail_ctx *ctx, struct err *e)
{
	if (unshare(CLONE_NEWNET) < 0)
		return fail_say(e, FAIL_NETNS, errno, ctx, NULL);
	return 0;
}

int netns_mount(const struct fail_ctx *ctx, struct err *e)
{
	if (unshare(CLONE_NEWNS) < 0)
		return fail_say(e, FAIL_NETNS, errno, ctx, NULL);
	/* Where a security module forbids mounts, as in most containers under AppArmor,
	 * /sys stays the caller's, and there is nothing to keep from spreading. */
	if (mount("none", "/", NULL, MS_REC | MS_SLAVE, NULL) == 0)
		sysfs_renew();
	return 0;
}

int netns_new(const struct fail_ctx *ctx, struct err *e)
{
	/* In steps, so that a refusal tells which of them it was. */
	int r = netns_user(ctx, e);

	if (!r)
		r = netns_net(ctx, e);
	if (!r)
		r = netns_mount(ctx, e);
	return r;
}

void netns_ping_group(gid_t gid)
{
	char line[64];

	snprintf(line, sizeof(line), "%lu %lu", (unsigned long)gid, (unsigned long)gid);
	(void)write_file("/proc/sys/net/ipv4/ping_group_range", line);
}

void netns_tcp_window(unsigned bytes)
{
	char line[64];

	/* The first two as every kernel has them. */
	snprintf(line, sizeof(line), "4096 131072 %u", bytes);
	(void)write_file("/proc/sys/net/ipv4/tcp_rmem", line);
}

/* Missing with ipv6.disable=1, not 0 with ipv6.disable_ipv6=1. */
bool netns_has_ipv6(void)
{
	int fd FD_AUTO = open(
		"/proc/sys/net/ipv6/conf/default/disable_ipv6", O_RDONLY | O_CLOEXEC);
	char c;

	return fd >= 0 && read(fd, &c, 1) == 1 && c == '0';
}

ino_t netns_inode(void)
{
	struct stat st;

	return stat("/proc/self/ns/net", &st) < 0 ? 0 : st.st_ino;
}
