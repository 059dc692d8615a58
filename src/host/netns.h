/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/netns.h - the namespaces of a run
 */
#ifndef FW_HOST_NETNS_H
#define FW_HOST_NETNS_H

#include "base/err.h"
#include "host/fail.h"

#include <stdbool.h>
#include <sys/types.h>

/**
 * netns_user() - Make a user namespace when @ctx->rootless, in which the caller stays
 * who it is
 * @e: filled on failure, with the fix; so by all that follow
 *
 * Single-threaded callers only. Return: 0 or -errno.
 */
int netns_user(const struct fail_ctx *ctx, struct err *e);

/** netns_net() - Move the caller into a fresh network namespace. 0 or -errno. */
int netns_net(const struct fail_ctx *ctx, struct err *e);

/**
 * netns_mount() - Move the caller into a mount namespace of its own
 *
 * Mounts made in it stay in it, those of the host still arrive. /sys shows the devices of
 * the caller's network namespace where the system allows the mount. Return: 0 or -errno.
 */
int netns_mount(const struct fail_ctx *ctx, struct err *e);

/** netns_new() - All three in this order. 0 or -errno. */
int netns_new(const struct fail_ctx *ctx, struct err *e);

/**
 * netns_ping_group() - Let the group @gid open ICMP sockets here
 *
 * A fresh namespace allows it to nobody. Best effort: with /proc/sys read-only ping
 * needs its file capability, as ever.
 */
void netns_ping_group(gid_t gid);

/**
 * netns_tcp_window() - Bound what others may send unacknowledged to a TCP socket here
 * @bytes: of a socket's memory, of which the window is half
 *
 * Best effort, as above; a kernel before 4.15 has one bound for all.
 */
void netns_tcp_window(unsigned bytes);

/** netns_has_ipv6() - Whether addresses of it can be had here. */
bool netns_has_ipv6(void);

/** netns_inode() - Inode of the network namespace of the caller, 0 when unknown. */
ino_t netns_inode(void);

#endif
