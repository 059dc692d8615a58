/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/uplink.h - the two ends of a link that farwire makes both of
 */
#ifndef FW_HOST_UPLINK_H
#define FW_HOST_UPLINK_H

#include "base/err.h"
#include "host/fail.h"
#include "host/host.h"
#include "host/plan.h"

/**
 * uplink_far() - Make the far end's TAP in the network namespace of the caller
 * @p: addresses of both ends
 * @t: the TAP, filled
 *
 * Device and loopback are up when it returns, and the kernel has sent nothing over the
 * TAP: neighbours are known, no group is joined, no router is looked for. Return: 0 or
 * -errno; what it made goes with the namespace.
 */
int uplink_far(const struct plan *p, struct host_port *t, const struct fail_ctx *ctx,
	struct err *e);

/** uplink_out() - The same in a namespace that is not ours: only the device is touched. */
int uplink_out(const struct plan *p, struct host_port *t, const struct fail_ctx *ctx,
	struct err *e);

/** uplink_near() - The same for the command's end, with the default routes. */
int uplink_near(const struct plan *p, struct host_port *t, const struct fail_ctx *ctx,
	struct err *e);

#endif
