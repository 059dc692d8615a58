/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wire/proto.c - headers of a frame
 */
#include "config.h"

#include "wire/proto.h"

#include "wire/csum.h"

#include <linux/if_ether.h>
#include <string.h>

#define VLAN_TAG_BYTES 4
#define N_VLAN_TAGS_MAX 2
#define IPV4_BYTES 20
#define IPV6_BYTES 40
#define ECN_BITS 3
/* The ECN bits of an IPv6 traffic class, in the second byte of the header. */
#define IPV6_ECN_SHIFT 4

static unsigned be16(const uint8_t *p)
{
	return (unsigned)p[0] << 8 | p[1];
}

struct proto proto_parse(const uint8_t *bytes, size_t n_bytes)
{
	const struct proto none = {PROTO_NOT_IP, 0};
	size_t at = 2 * ETH_ALEN;
	unsigned type;

	for (unsigned tags = 0;; tags++) {
		if (at + 2 > n_bytes)
			return none;
		type = be16(bytes + at);
		if ((type != ETH_P_8021Q && type != ETH_P_8021AD) ||
			tags == N_VLAN_TAGS_MAX)
			break;
		at += VLAN_TAG_BYTES;
	}
	at += 2;
	if (type == ETH_P_IP && at + IPV4_BYTES <= n_bytes)
		return (struct proto){PROTO_IPV4, (uint16_t)at};
	if (type == ETH_P_IPV6 && at + IPV6_BYTES <= n_bytes)
		return (struct proto){PROTO_IPV6, (uint16_t)at};
	return none;
}

enum proto_ecn proto_ecn(const struct proto *p, const uint8_t *bytes)
{
	const uint8_t *ip = bytes + p->ip_offset;

	if (p->ip == PROTO_IPV4)
		return (enum proto_ecn)(ip[1] & ECN_BITS);
	if (p->ip == PROTO_IPV6)
		return (enum proto_ecn)(ip[1] >> IPV6_ECN_SHIFT & ECN_BITS);
	return PROTO_NOT_ECT;
}

void proto_set_ce(const struct proto *p, uint8_t *bytes)
{
	uint8_t *ip = bytes + p->ip_offset;
	uint16_t from, csum;

	if (p->ip == PROTO_IPV6)
		ip[1] |= ECN_BITS << IPV6_ECN_SHIFT;
	if (p->ip != PROTO_IPV4)
		return;
	from = (uint16_t)be16(ip);
	ip[1] |= ECN_BITS;
	csum = csum_replace16((uint16_t)be16(ip + 10), from, (uint16_t)be16(ip));
	ip[10] = (uint8_t)(csum >> 8);
	ip[11] = (uint8_t)csum;
}
