/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests/lib/supers.h - random super-frames and lone frames, as a TAP would hand them out
 *
 * A few flows of TCP and UDP, IPv4 and IPv6, with tags, IPv4 and TCP options, IPv6
 * extension headers, PSH, FIN, CWR and ECE, wrapping sequence numbers and
 * identifications; each flow goes on where it was, so that neighbours can be joined, and
 * now and then it jumps.
 */
#ifndef FW_TESTS_SUPERS_H
#define FW_TESTS_SUPERS_H

#include <stdbool.h>
#include <stdint.h>

#define SUPERS_FLOWS 6
#define SUPERS_BYTES_MAX 65664

struct supers {
	uint64_t rng;
	const uint8_t *src_mac, *dst_mac;
	unsigned last; /* flow */
	struct supers_flow {
		bool v6, tcp;
		unsigned n_tags, ip_opt_bytes, ext_bytes, tcp_opt_bytes, gso_bytes;
		uint32_t seq, ack;
		uint16_t id, port;
	} flow[SUPERS_FLOWS];
};

/** supers_init() - Other seeds, other flows. The addresses must stay. */
void supers_init(struct supers *s, uint64_t seed, const uint8_t *src_mac,
	const uint8_t *dst_mac);

/** supers_below() - A random number below @n */
uint32_t supers_below(struct supers *s, uint32_t n);

/**
 * supers_next() - The next one
 * @to: room for SUPERS_BYTES_MAX: virtio header and frame
 *
 * Return: bytes of both.
 */
uint32_t supers_next(struct supers *s, uint8_t *to);

#endif
