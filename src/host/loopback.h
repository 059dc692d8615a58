/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/loopback.h - the loopback of a private network namespace, by way of a TAP
 */
#ifndef FW_HOST_LOOPBACK_H
#define FW_HOST_LOOPBACK_H

#include "base/err.h"
#include "host/fail.h"
#include "host/host.h"

#define LOOPBACK_DEV "tplo"

/* Which redirect to use. Anything but REDIRECT_AUTO is for tests and for the doctor. */
enum redirect { REDIRECT_AUTO, REDIRECT_TC, REDIRECT_NFT };

/**
 * loopback_make() - Lead every packet sent over lo once through a TAP
 * @want:     REDIRECT_AUTO takes tc, and nft where tc is missing
 * @mtu_bytes: of lo, 0: that of a wire
 * @p:        the TAP, its device filled
 * @redirect: "tc" or "nft", filled
 * @ctx:      the machine, for messages
 *
 * The caller stands in a fresh network namespace whose lo is down. Both devices are up
 * when it returns. Return: 0 or -errno; what it made goes with the namespace.
 */
int loopback_make(enum redirect want, unsigned mtu_bytes, struct host_port *p,
	const char **redirect, const struct fail_ctx *ctx, struct err *e);

#endif
