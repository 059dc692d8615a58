/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/natprobe.h - the frames that show what the host's firewall lets pass
 *
 * All are between the near end and the far one, with a virtio header of
 * TAP_VNET_HDR_BYTES in front.
 */
#ifndef FW_HOST_NATPROBE_H
#define FW_HOST_NATPROBE_H

#include "host/plan.h"

#include <netinet/tcp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* To addresses that nobody has: RFC 5737 and RFC 3849. */
#define NATPROBE_TO4 "198.51.100.1"
#define NATPROBE_TO6 "2001:db8::1"

#define NATPROBE_BYTES 128

/**
 * natprobe_frame() - A datagram of the near end to one of them, as from its device
 * @family: AF_INET or AF_INET6
 *
 * Return: its length, 0 where the near end has no such address.
 */
size_t natprobe_frame(
	const struct plan *p, int family, unsigned char to[NATPROBE_BYTES]);

/** natprobe_datagram() - A datagram of the near end to @port of the far end */
size_t natprobe_datagram(const struct plan *p, int family, unsigned port,
	unsigned char to[NATPROBE_BYTES]);

struct natprobe_tcp {
	unsigned near_port; /* 0: that of all probes */
	unsigned far_port;
	uint8_t flags; /* TH_SYN and the like */
	uint32_t seq, ack;
};

/** natprobe_segment() - An empty segment of the near end to the far end */
size_t natprobe_segment(const struct plan *p, int family, const struct natprobe_tcp *t,
	unsigned char to[NATPROBE_BYTES]);

/** natprobe_is_datagram() - Is @frame one of @port of the far end to our probes'? */
bool natprobe_is_datagram(const struct plan *p, int family, unsigned port,
	const unsigned char *frame, size_t n_bytes);

/**
 * natprobe_is_segment() - Is @frame a segment of the far end with those ports and flags?
 * @t: far_port 0: any; its port and seq are filled
 */
bool natprobe_is_segment(const struct plan *p, int family, struct natprobe_tcp *t,
	const unsigned char *frame, size_t n_bytes);

#endif
