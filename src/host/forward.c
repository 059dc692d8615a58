/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/forward.c - forwarding in the caller's network namespace: on, and as it was
 */
#include "config.h"

#include "host/forward.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/fd.h"
#include "host/dir.h"
#include "host/link.h"

#define ROOT "/proc/sys/net/"
#define ALL4 "ipv4/conf/all/forwarding"
#define ALL6 "ipv6/conf/all/forwarding"
#define CONF6 "ipv6/conf"

static int sysctl_open(const char *path, int flags)
{
	char full[sizeof(ROOT) + NAME_MAX];

	snprintf(full, sizeof(full), ROOT "%s", path);
	return open(full, flags | O_CLOEXEC);
}

/* A number from 0 on, or -errno. */
static int sysctl_get(const char *path)
{
	int fd FD_AUTO = sysctl_open(path, O_RDONLY);
	char text[16];
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = read(fd, text, sizeof(text) - 1);
	if (n <= 0 || text[0] < '0' || text[0] > '9')
		return n < 0 ? -errno : -EINVAL;
	text[n] = '\0';
	return atoi(text);
}

static int sysctl_put(const char *path, int value)
{
	int fd FD_AUTO = sysctl_open(path, O_WRONLY);
	char text[16];
	int n = snprintf(text, sizeof(text), "%d", value);

	return fd < 0 || write(fd, text, (size_t)n) < 0 ? -errno : 0;
}

static int get6(const char *dev, const char *what)
{
	char path[NAME_MAX];

	snprintf(path, sizeof(path), CONF6 "/%.*s/%s", IFNAMSIZ, dev, what);
	return sysctl_get(path);
}

static int put6(const char *dev, const char *what, int value)
{
	char path[NAME_MAX];

	snprintf(path, sizeof(path), CONF6 "/%.*s/%s", IFNAMSIZ, dev, what);
	return sysctl_put(path, value);
}

struct kept6 {
	char dev[IFNAMSIZ];
	int forwarding, accept_ra;
};

/* Every device, and "default", with what it has. Return: how many; *@to is to be freed. */
static unsigned note_all6(struct kept6 **to)
{
	DIR *d = opendir(ROOT CONF6);
	struct kept6 *k = NULL, *more;
	struct dirent *at;
	unsigned n = 0;

	while (d && (at = readdir(d))) {
		if (at->d_name[0] == '.' || strcmp(at->d_name, "all") == 0)
			continue;
		more = realloc(k, (n + 1) * sizeof(*k));
		if (!more)
			break;
		k = more;
		snprintf(k[n].dev, sizeof(k[n].dev), "%.*s", IFNAMSIZ - 1, at->d_name);
		k[n].forwarding = get6(k[n].dev, "forwarding");
		k[n].accept_ra = get6(k[n].dev, "accept_ra");
		n++;
	}
	if (d)
		closedir(d);
	*to = k;
	return n;
}

/* The host forwards, or not, and each device is what it was. */
static int put_all6(int value)
{
	struct kept6 *k;
	unsigned i, n = note_all6(&k);
	int r;

	for (i = 0; i < n; i++)
		if (k[i].accept_ra == 1)
			put6(k[i].dev, "accept_ra", 2);
	r = sysctl_put(ALL6, value);
	for (i = 0; i < n && !r; i++)
		if (k[i].forwarding >= 0 &&
			get6(k[i].dev, "forwarding") != k[i].forwarding)
			put6(k[i].dev, "forwarding", k[i].forwarding);
	for (i = 0; i < n; i++)
		if (k[i].accept_ra == 1)
			put6(k[i].dev, "accept_ra", 1);
	free(k);
	return r;
}

/* In a container /proc/sys is often read-only; netlink has the switch of IPv4, too. */
static int put4_netlink(const char *dev, int value)
{
	const struct link_want want = {.forward = value, .no_forward = !value};
	struct err e;
	struct nl_sock *sk = link_open(&e);
	int r = sk ? link_set(sk, dev, &want, &e) : e.code;

	link_close(&sk);
	return r;
}

static int put(const struct forward_change *c, int value)
{
	int r = strcmp(c->path, ALL6) == 0 ? put_all6(value)
					   : sysctl_put(c->path, value);

	if ((r == -EROFS || r == -EACCES) && c->family == AF_INET)
		r = put4_netlink(c->dev, value);
	return r;
}

bool forward_can6(void)
{
	int fd FD_AUTO = sysctl_open(ALL6, O_WRONLY);

	return fd >= 0;
}

static bool can_force6(void)
{
	return sysctl_get(CONF6 "/all/force_forwarding") >= 0;
}

/* Names are the user's to choose; these stand in rules and paths as they are. */
static bool is_plain_name(const char *dev)
{
	return strlen(dev) < IFNAMSIZ &&
	       dev[strspn(dev, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
			       "0123456789_.-@+")] == '\0';
}

static void plan_one(struct forward *f, int family, const char *dev, const char *path)
{
	struct forward_change c = {.family = family, .was = sysctl_get(path)};
	unsigned i;

	if (c.was != 0 || f->n == FORWARD_MAX || strlen(path) >= sizeof(c.path))
		return;
	for (i = 0; i < f->n; i++)
		if (strcmp(f->change[i].path, path) == 0)
			return;
	snprintf(c.path, sizeof(c.path), "%s", path);
	snprintf(c.dev, sizeof(c.dev), "%s", dev);
	f->change[f->n++] = c;
}

static void plan_device(struct forward *f, const char *dev, int family)
{
	char path[NAME_MAX];

	if (family == AF_INET)
		snprintf(path, sizeof(path), "ipv4/conf/%s/forwarding", dev);
	else
		snprintf(path, sizeof(path), CONF6 "/%s/force_forwarding", dev);
	plan_one(f, family, dev, path);
}

static bool leads_out(const struct ifaddrs *a, const char *ours)
{
	const struct sockaddr_in6 *a6;

	if (!a->ifa_addr || !(a->ifa_flags & IFF_UP) || a->ifa_flags & IFF_LOOPBACK ||
		!is_plain_name(a->ifa_name) ||
		strncmp(a->ifa_name, ours, strlen(ours)) == 0)
		return false;
	a6 = (const struct sockaddr_in6 *)(const void *)a->ifa_addr;
	return a->ifa_addr->sa_family == AF_INET ||
	       (a->ifa_addr->sa_family == AF_INET6 &&
		       !IN6_IS_ADDR_LINKLOCAL(&a6->sin6_addr));
}

void forward_plan(struct forward *f, bool ipv4, bool ipv6, const char *ours)
{
	bool each6 = ipv6 && sysctl_get(ALL6) == 0 && can_force6();
	struct ifaddrs *all = NULL, *a;
	int family;

	f->n = 0;
	f->all4_was = sysctl_get(ALL4);
	if (ipv6 && !each6)
		plan_one(f, AF_INET6, "all", ALL6);
	if (getifaddrs(&all) < 0)
		return;
	for (a = all; a; a = a->ifa_next) {
		if (!leads_out(a, ours))
			continue;
		family = a->ifa_addr->sa_family;
		if (family == AF_INET ? ipv4 : each6)
			plan_device(f, a->ifa_name, family);
	}
	freeifaddrs(all);
}

void forward_note(struct forward *f, const char *text)
{
	struct forward_change c = {0};
	unsigned i;

	if (sscanf(text, "%63[^=]=%d", c.path, &c.was) != 2)
		return;
	if (strcmp(c.path, ALL4) == 0) {
		f->all4_was = c.was;
		return;
	}
	c.family = strncmp(c.path, "ipv4/", 5) == 0 ? AF_INET : AF_INET6;
	for (i = 0; i < f->n; i++)
		if (strcmp(f->change[i].path, c.path) == 0)
			return;
	if (f->n < FORWARD_MAX &&
		sscanf(c.path, "ipv%*1[46]/conf/%15[^/]/", c.dev) == 1)
		f->change[f->n++] = c;
}

bool forward_text(const struct forward *f, unsigned i, char to[FORWARD_TEXT_BYTES])
{
	const struct forward_change *c = &f->change[i];

	if (i == f->n)
		snprintf(to, FORWARD_TEXT_BYTES, ALL4 "=%d", f->all4_was);
	else if (i < f->n)
		snprintf(to, FORWARD_TEXT_BYTES, "%s=%d", c->path, c->was);
	return i <= f->n;
}

int forward_own(const char *dev, bool ipv6, struct err *e)
{
	struct forward_change c = {.family = AF_INET};
	int r;

	snprintf(c.dev, sizeof(c.dev), "%s", dev);
	snprintf(c.path, sizeof(c.path), "ipv4/conf/%s/forwarding", c.dev);
	r = put(&c, 1);
	if (r < 0)
		return err_set(e, r, "%s: %s", c.path, strerror(-r));
	/* The command of root can send whatever it likes. */
	put6(dev, "accept_ra", 0);
	put6(dev, "accept_redirects", 0);
	if (ipv6 && can_force6())
		r = put6(dev, "force_forwarding", 1);
	return r < 0 ? err_set(e, r, "IPv6 forwarding on %s: %s", dev, strerror(-r))
		     : 0;
}

int forward_on(const struct forward *f, struct err *e)
{
	unsigned i;
	int r;

	for (i = 0; i < f->n; i++) {
		r = put(&f->change[i], 1);
		if (r < 0)
			return err_set(e, r, "%s: %s", f->change[i].path, strerror(-r));
	}
	return 0;
}

void forward_back(const struct forward *f,
	bool (*in_use)(const struct forward_change *c, void *ctx), void *ctx)
{
	bool keep4 = f->all4_was == 0 && sysctl_get(ALL4) > 0;
	const struct forward_change *c;
	unsigned i;

	for (i = 0; i < f->n; i++) {
		c = &f->change[i];
		if ((c->family == AF_INET && keep4) || sysctl_get(c->path) == c->was ||
			in_use(c, ctx))
			continue;
		(void)put(c, c->was);
	}
}

/* Since Linux 5.14; older headers lack it. */
#ifndef SO_NETNS_COOKIE
#define SO_NETNS_COOKIE 71
#endif
#define BOOT_ID "/proc/sys/kernel/random/boot_id"
#define BOOT_BYTES 64

/* The cookie is this namespace's alone until the next boot; an inode number would be
 * another one's soon. Return: the directory, or -1. */
static int open_saved(char name[64], char boot[BOOT_BYTES])
{
	int fd FD_AUTO = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int boot_fd FD_AUTO = open(BOOT_ID, O_RDONLY | O_CLOEXEC);
	uint64_t cookie = 0;
	socklen_t len = sizeof(cookie);
	ssize_t n = boot_fd < 0 ? -1 : read(boot_fd, boot, BOOT_BYTES - 1);
	struct err e;

	if (n <= 0 || getsockopt(fd, SOL_SOCKET, SO_NETNS_COOKIE, &cookie, &len) < 0)
		return -1;
	boot[n] = '\0';
	snprintf(name, 64, "nat-%llu.was", (unsigned long long)cookie);
	return dir_open("/run/farwire", DIR_MAKE, true, &e);
}

void forward_save(const struct forward *f)
{
	char name[64], boot[BOOT_BYTES], text[FORWARD_TEXT_BYTES];
	int dir FD_AUTO = f->n ? open_saved(name, boot) : -1;
	int fd FD_AUTO = -1;
	unsigned i;

	if (dir < 0)
		return;
	fd = openat(
		dir, name, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return;
	dprintf(fd, "%s", boot);
	for (i = 0; forward_text(f, i, text); i++)
		dprintf(fd, "%s\n", text);
}

bool forward_load(struct forward *f)
{
	char name[64], boot[BOOT_BYTES], line[FORWARD_TEXT_BYTES];
	int dir FD_AUTO = open_saved(name, boot);
	int fd = dir < 0 ? -1 : openat(dir, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	FILE *from = fd < 0 ? NULL : fdopen(fd, "r");
	bool left = false;
	unsigned i;

	if (!from) {
		fd_close(&fd);
		return false;
	}
	if (fgets(line, sizeof(line), from) && strcmp(line, boot) == 0)
		while (fgets(line, sizeof(line), from))
			forward_note(f, line);
	fclose(from);
	for (i = 0; i < f->n; i++)
		left |= sysctl_get(f->change[i].path) > f->change[i].was;
	return left;
}

void forward_unsave(void)
{
	char name[64], boot[BOOT_BYTES];
	int dir FD_AUTO = open_saved(name, boot);

	if (dir >= 0)
		unlinkat(dir, name, 0);
}
