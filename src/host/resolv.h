/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/resolv.h - the command's /etc/resolv.conf
 *
 * Theory of operation
 *   The name servers of the host may be ones that nobody reaches from inside, as that of
 *   a resolver on its loopback. So the command sees a file of its own in that place:
 *   `nameserver` lines of ours, every other line as the host has it. It is a file on a
 *   tmpfs that has no place in the tree, mounted over the host's in the command's mount
 *   namespace alone. A link is followed: the file is mounted over what it leads to.
 *
 * Limits   when the host replaces the file by renaming another over it, the mount goes
 *          away with it, and the command sees the host's.
 */
#ifndef FW_HOST_RESOLV_H
#define FW_HOST_RESOLV_H

#include "base/err.h"
#include "conf/conf.h"

#include <stdbool.h>

#define RESOLV_PATH "/etc/resolv.conf"
#define RESOLV_SERVERS_MAX 3 /* as in the C library */
#define RESOLV_KEPT_BYTES 4096

struct resolv {
	bool is_there; /* else it does not exist, and there is nothing to mount over */
	unsigned n_servers;
	struct cidr server[RESOLV_SERVERS_MAX]; /* prefix is the address's length */
	unsigned scope[RESOLV_SERVERS_MAX];     /* a device of the host's, or 0 */
	char kept[RESOLV_KEPT_BYTES];           /* all lines but those, as they stand */
};

/**
 * resolv_read() - Read @path (RESOLV_PATH, but for tests)
 * @r: filled; a file that is not there is no error. Where no server is named it is
 *     127.0.0.1, as for the C library
 *
 * Return: 0 or -errno: a link that leads nowhere, a file that cannot be read.
 */
int resolv_read(struct resolv *r, const char *path, struct err *e);

/** resolv_has() - Is one of the servers of this family? */
bool resolv_has(const struct resolv *r, int family);

/** resolv_is_loopback() - Is @server one that nobody reaches from inside? */
bool resolv_is_loopback(const struct cidr *server);

/** resolv_is_of_link() - Is @server one of a link of the host's own (fe80::/10)? */
bool resolv_is_of_link(const struct cidr *server);

/** resolv_is_local() - Are all of them addresses of the loopback? */
bool resolv_is_local(const struct resolv *r);

/**
 * resolv_give() - Mount a file with @dns and r->kept over RESOLV_PATH
 *
 * In a mount namespace of the caller's own. A file that does not exist has nothing to
 * mount over: then a warning says that no names are found. Where mounts are forbidden,
 * servers that are not on the loopback are left as they are. Return: 0 or -errno.
 */
int resolv_give(
	const struct resolv *r, const struct cidr *dns, unsigned n_dns, struct err *e);

#endif
