/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/tap.h - one TAP device: open, read its address
 */
#ifndef FW_HOST_TAP_H
#define FW_HOST_TAP_H

#include "base/err.h"
#include "conf/conf.h"
#include "host/fail.h"
#include "host/host.h"

/* Bytes of the virtio-net header that precedes each frame: struct virtio_net_hdr. */
#define TAP_VNET_HDR_BYTES 10

/**
 * tap_open() - Make a TAP device in the network namespace of the caller
 * @name: device name, shorter than IFNAMSIZ
 * @p:    fd (non-blocking, close-on-exec, owned by the caller), dev and mac are filled
 * @ctx:  the machine, for the message
 * @e:    filled on failure
 *
 * The device has the virtio-net header and no offloads, is down, and goes when its last
 * fd is closed. Return: 0, -EBUSY where there is a device of that name, or another
 * -errno.
 */
int tap_open(const char *name, struct host_port *p, const struct fail_ctx *ctx,
	struct err *e);

/**
 * tap_offload() - Let the kernel hand out super-frames and partial checksums
 * @fd:   TAP from tap_open(); needs no privilege
 * @wish: GSO_OFF changes nothing
 *
 * As many kinds as this kernel has; without any, frames come one by one. What may be
 * written to a TAP does not depend on it.
 */
void tap_offload(int fd, enum gso_wish wish);

/**
 * tap_offloads() - Try which offloads a TAP takes
 * @fd:   TAP with a virtio-net header
 * @tcp:  both versions of TCP segmentation
 * @udp:  both versions of UDP segmentation
 *
 * Leaves the offloads off.
 */
void tap_offloads(int fd, bool *tcp, bool *udp);

#endif
