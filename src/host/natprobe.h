/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/natprobe.h - the frame that shows whether the host forwards
 */
#ifndef FW_HOST_NATPROBE_H
#define FW_HOST_NATPROBE_H

#include "host/plan.h"

#include <stddef.h>

/* To addresses that nobody has: RFC 5737 and RFC 3849. */
#define NATPROBE_TO4 "198.51.100.1"
#define NATPROBE_TO6 "2001:db8::1"

#define NATPROBE_BYTES 128

/**
 * natprobe_frame() - A datagram of the near end to one of them, as from its device
 * @family: AF_INET or AF_INET6
 *
 * With a virtio header of TAP_VNET_HDR_BYTES in front. Return: its length, 0 where the
 * near end has no such address.
 */
size_t natprobe_frame(
	const struct plan *p, int family, unsigned char to[NATPROBE_BYTES]);

#endif
