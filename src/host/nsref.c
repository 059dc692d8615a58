/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/nsref.c - a network namespace that somebody else made
 *
 * Theory of operation
 *   Each network namespace belongs to a user namespace, and whoever has CAP_SYS_ADMIN and
 *   CAP_NET_ADMIN there may enter and change it. One who has them in his own user
 *   namespace has them in all below it. One who has not can get them by entering the
 *   owning namespace, if that is his: so a plain user reaches what he made himself by
 *   `unshare -Urn`. Entering is for short-lived children alone.
 */
#include "config.h"

#include "host/nsref.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/nsfs.h>

#include "base/fd.h"
#include "host/privs.h"

#define OWN "/proc/self/ns/net"
#define FIRST "/proc/1/ns/net"
/* A name behind the longest of the directories below. */
#define NSREF_PATH_BYTES (NSREF_TEXT_BYTES + 32)
#define RIGHTS "CAP_SYS_ADMIN and CAP_NET_ADMIN"
/* Where `ip netns` keeps them; the second is the first but on old systems. */
static const char *const name_dirs[] = {"/run/netns", "/var/run/netns"};
#define N_NAME_DIRS (sizeof(name_dirs) / sizeof(name_dirs[0]))

static int open_path(const char *path)
{
	/* A FIFO would make us wait for its writer. */
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static bool is_number(const char *s)
{
	size_t n = strspn(s, "0123456789");

	return n > 0 && n < 10 && s[n] == '\0';
}

static int said(int code, const char *ns, struct err *e)
{
	return err_set(e, code, "netns '%s': %s", ns, strerror(-code));
}

static int by_pid(const char *ns, struct err *e)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%s/ns/net", ns);
	fd = open_path(path);
	if (fd == -ENOENT)
		return err_set(e, fd,
			"netns '%s': neither a name in %s or %s nor a process", ns,
			name_dirs[0], name_dirs[1]);
	if (fd == -EACCES || fd == -EPERM)
		return err_set(e, -EPERM,
			"netns '%s': the process is another user's; needs "
			"CAP_SYS_PTRACE over it: run as root or as that user",
			ns);
	return fd < 0 ? said(fd, ns, e) : fd;
}

/* @path: where it was found; "" for a process */
static int by_name(const char *ns, char path[NSREF_PATH_BYTES], struct err *e)
{
	int fd = -ENOENT;
	size_t i;

	for (i = 0; i < N_NAME_DIRS && fd == -ENOENT; i++) {
		snprintf(path, NSREF_PATH_BYTES, "%s/%s", name_dirs[i], ns);
		fd = open_path(path);
	}
	if (fd != -ENOENT)
		return fd < 0 ? said(fd, ns, e) : fd;
	*path = '\0';
	if (is_number(ns))
		return by_pid(ns, e);
	return err_set(e, fd,
		"netns '%s': no such name in %s or %s; a path has a /, a process id is "
		"digits",
		ns, name_dirs[0], name_dirs[1]);
}

/* The text outlives the caller's directory. */
static int make_absolute(const char *ns, char text[NSREF_TEXT_BYTES], struct err *e)
{
	char dir[NSREF_TEXT_BYTES];
	int n;

	if (*ns == '/' || !strchr(ns, '/'))
		n = snprintf(text, NSREF_TEXT_BYTES, "%s", ns);
	else if (getcwd(dir, sizeof(dir)))
		n = snprintf(text, NSREF_TEXT_BYTES, "%s/%s", dir, ns);
	else
		n = NSREF_TEXT_BYTES;
	if (n >= NSREF_TEXT_BYTES)
		return err_set(e, -EINVAL, "netns '%.40s...': longer than %d bytes", ns,
			NSREF_TEXT_BYTES - 1);
	return 0;
}

/* For what is told at the end alone. That the number is another's by now is as good as
 * impossible, and does no more harm than a wrong reason. */
static void hold_process(struct nsref *n, const char *path)
{
	char digits[16];

	if (is_number(n->text) && !*path)
		n->pid = atoi(n->text);
	else if (sscanf(n->text, "/proc/%10[0-9]/", digits) == 1)
		n->pid = atoi(digits);
	if (n->pid > 0)
		n->pid_fd = (int)syscall(SYS_pidfd_open, n->pid, 0);
}

static int identify(struct nsref *n, struct err *e)
{
	struct stat st;

	if (ioctl(n->net_fd, NS_GET_NSTYPE) != CLONE_NEWNET)
		return err_set(
			e, -ENOENT, "netns '%s': is no network namespace", n->text);
	if (fstat(n->net_fd, &st) < 0)
		return err_sys(e, "netns '%s'", n->text);
	n->dev = st.st_dev;
	n->ino = st.st_ino;
	return 0;
}

static bool is_our_user(int user_fd)
{
	struct stat theirs, ours;

	return fstat(user_fd, &theirs) == 0 && stat("/proc/self/ns/user", &ours) == 0 &&
	       theirs.st_dev == ours.st_dev && theirs.st_ino == ours.st_ino;
}

/* Which way leads into it. */
static int find_way(struct nsref *n, struct err *e)
{
	int fd = ioctl(n->net_fd, NS_GET_USERNS);

	if (fd < 0 && errno == EPERM)
		return err_set(e, -EPERM,
			"netns '%s': it belongs to a user namespace outside this one; "
			"needs " RIGHTS " over it: run farwire there",
			n->text);
	if (fd < 0)
		return err_sys(e, "netns '%s': whose it is", n->text);
	if (privs_can_setup()) {
		close(fd);
		return 0;
	}
	if (is_our_user(fd)) {
		close(fd);
		return err_set(e, -EPERM,
			"netns '%s': needs " RIGHTS " over it: run as root, or use "
			"namespaces made by unshare -Urn",
			n->text);
	}
	n->user_fd = fd;
	return 0;
}

/* A path that cannot be looked at is another one's. */
static bool is_at(dev_t dev, ino_t ino, const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && st.st_dev == dev && st.st_ino == ino;
}

bool nsref_own_stays(void)
{
	struct stat own;

	return stat(OWN, &own) == 0 && is_at(own.st_dev, own.st_ino, FIRST);
}

int nsref_open(struct nsref *n, const char *ns, struct err *e)
{
	struct nsref new = NSREF_NONE;
	char path[NSREF_PATH_BYTES] = "";
	int r;

	if (!ns)
		ns = ".";
	if (!*ns || strcmp(ns, "..") == 0)
		return err_set(e, -EINVAL, "netns '%s': not a name", ns);
	r = make_absolute(ns, new.text, e);
	if (r < 0)
		return r;
	if (strcmp(ns, ".") == 0)
		r = open_path(OWN);
	else if (strchr(ns, '/')) {
		r = open_path(new.text);
		snprintf(path, sizeof(path), "%s", new.text);
	} else
		r = by_name(ns, path, e);
	if (r < 0)
		return strcmp(ns, ".") == 0 || strchr(ns, '/') ? said(r, ns, e) : r;
	new.net_fd = r;
	r = identify(&new, e);
	if (!r)
		r = find_way(&new, e);
	if (r < 0) {
		nsref_close(&new);
		return r;
	}
	new.stays = is_at(new.dev, new.ino, FIRST) ||
		    nsname_watch(&new.name, path, new.dev, new.ino);
	hold_process(&new, path);
	*n = new;
	return 0;
}

bool nsref_same(const struct nsref *a, const struct nsref *b)
{
	return a->dev == b->dev && a->ino == b->ino;
}

int nsref_enter_user(const struct nsref *n, struct err *e)
{
	if (n->user_fd < 0 || setns(n->user_fd, CLONE_NEWUSER) == 0)
		return 0;
	if (errno == EPERM)
		return err_set(e, -EPERM,
			"netns '%s': it is another user's; needs " RIGHTS " over it: "
			"run as root or as that user",
			n->text);
	return err_sys(e, "netns '%s': cannot enter its user namespace", n->text);
}

int nsref_enter(const struct nsref *n, struct err *e)
{
	if (setns(n->net_fd, CLONE_NEWNET) == 0)
		return 0;
	if (errno == EPERM)
		return err_set(
			e, -EPERM, "netns '%s': needs " RIGHTS " over it", n->text);
	return err_sys(e, "netns '%s': cannot enter", n->text);
}

void nsref_close(struct nsref *n)
{
	fd_close(&n->net_fd);
	fd_close(&n->user_fd);
	fd_close(&n->pid_fd);
	nsname_close(&n->name);
}
