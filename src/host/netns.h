/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/netns.h - the namespaces of a run
 */
#ifndef FW_HOST_NETNS_H
#define FW_HOST_NETNS_H

#include "base/err.h"
#include "host/fail.h"

#include <sys/types.h>

/**
 * netns_new() - Move the calling process into fresh namespaces
 * @ctx: ctx->rootless: make a user namespace first, in which the caller stays who it is
 * @e:   filled on failure, with the fix
 *
 * Network and mount namespaces are new; mounts made in it stay in it, those of the host
 * still arrive. /sys shows the devices of the new namespace where the system allows the
 * mount. Single-threaded callers only. Return: 0 or -errno.
 */
int netns_new(const struct fail_ctx *ctx, struct err *e);

/**
 * netns_ping_group() - Let the group @gid open ICMP sockets here
 *
 * A fresh namespace allows it to nobody. Best effort: with /proc/sys read-only ping
 * needs its file capability, as ever.
 */
void netns_ping_group(gid_t gid);

/** netns_inode() - Inode of the network namespace of the caller, 0 when unknown. */
ino_t netns_inode(void);

#endif
