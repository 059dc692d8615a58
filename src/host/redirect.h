/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/redirect.h - what leaves lo goes to the TAP, what enters the TAP goes to lo
 *
 * Two ways with one result: tc (clsact, u32, mirred) and nftables (netdev table, hook
 * egress, Linux 5.16). Both live in the network namespace of the caller and vanish with
 * it. Only ever for a private namespace: without the TAP its localhost is dead.
 */
#ifndef FW_HOST_REDIRECT_H
#define FW_HOST_REDIRECT_H

#include "base/err.h"

#include <netlink/netlink.h>

/** redirect_tc() - By traffic control. Return: 0 or -errno, with some rules perhaps
 * left. */
int redirect_tc(struct nl_sock *sk, const char *tap, struct err *e);

/** redirect_nft() - By nftables; -EOPNOTSUPP in a build without it. As above. */
int redirect_nft(const char *tap, struct err *e);

#endif
