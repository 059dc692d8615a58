/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/knock.h - does a helper answer at its socket, and with which hardware address?
 */
#ifndef FW_HOST_KNOCK_H
#define FW_HOST_KNOCK_H

#include "base/clock.h"
#include "base/err.h"
#include "host/host.h"
#include "host/plan.h"

/* How long a helper program may take until it carries frames. */
#define KNOCK_NS (5 * NSEC_PER_SEC)

/**
 * knock() - Ask for the far end's gateways, as the near end would, until all answer
 * @p:        near.mac, near.addr and far.addr are set; far.mac is filled
 * @fd:       its socket, of kind @kind; may block or not
 * @until_ns: absolute time to give up
 *
 * One ARP request and one neighbour solicitation, where the near end has such addresses.
 * By them the helper learns the near end's hardware address, too. Whatever else it sends
 * meanwhile is thrown away. Return: 0, -EPIPE when it is gone, -ETIMEDOUT or -errno.
 */
int knock(struct plan *p, enum port_kind kind, int fd, nsec_t until_ns);

#endif
