/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wire/csum.c - checksums
 */
#include "config.h"

#include "wire/csum.h"

#include <linux/virtio_net.h>
#include <string.h>

static uint16_t get_be16(const uint8_t *p)
{
	return (uint16_t)(p[0] << 8 | p[1]);
}

static void put_be16(uint8_t *p, uint16_t v)
{
	p[0] = (uint8_t)(v >> 8);
	p[1] = (uint8_t)v;
}

static uint32_t fold(uint64_t sum)
{
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint32_t)sum;
}

uint32_t csum_add(uint32_t sum, const uint8_t *bytes, size_t n_bytes)
{
	uint64_t s = sum;

	for (; n_bytes >= 2; bytes += 2, n_bytes -= 2)
		s += get_be16(bytes);
	if (n_bytes)
		s += (uint64_t)bytes[0] << 8;
	return fold(s);
}

/* RFC 1624, equation 3. */
uint16_t csum_replace16(uint16_t csum, uint16_t from, uint16_t to)
{
	return (uint16_t)~fold(
		(uint64_t)(uint16_t)~csum + (uint16_t)~from + (uint64_t)to);
}

void csum_complete(uint8_t *vnet, uint8_t *bytes, size_t n_bytes)
{
	struct virtio_net_hdr h;
	size_t field;
	uint16_t csum;

	memcpy(&h, vnet, sizeof(h));
	/* Both numbers are in the byte order of the machine, as a TAP has them. */
	field = (size_t)h.csum_start + h.csum_offset;
	if (h.flags & VIRTIO_NET_HDR_F_NEEDS_CSUM && field + 2 <= n_bytes) {
		/* The field holds the sum of the pseudo header; it is part of the
		 * range. */
		csum = (uint16_t)~csum_add(
			0, bytes + h.csum_start, n_bytes - h.csum_start);
		/* 0 would mean "none" to UDP; the other 0 is as good for all. */
		put_be16(bytes + field, csum ? csum : 0xffff);
	}
	h.flags &=
		(uint8_t) ~(VIRTIO_NET_HDR_F_NEEDS_CSUM | VIRTIO_NET_HDR_F_DATA_VALID);
	h.csum_start = 0;
	h.csum_offset = 0;
	memcpy(vnet, &h, sizeof(h));
}
