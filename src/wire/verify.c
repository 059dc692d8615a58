/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wire/verify.c - would the host that gets this frame take what it carries?
 *
 * RFC 791, 8200 (IP), 768 (UDP: a sum of 0 is none, but not over IPv6), 4443 (ICMPv6).
 */
#include "config.h"

#include "wire/verify.h"

#include "wire/csum.h"
#include "wire/proto.h"

#include <netinet/in.h>

#define IPV4_BYTES 20
#define IPV6_BYTES 40
#define ADDR4_BYTES 4
#define ADDR6_BYTES 16
/* "More fragments" and the offset. */
#define IPV4_FRAGMENT 0x3fff
/* Of the options before the upper layer, no host sends more. */
#define EXTENSIONS_MAX 8

static unsigned be16(const uint8_t *p)
{
	return (unsigned)p[0] << 8 | p[1];
}

/* What IP carries, and the sum of both addresses before it. */
struct upper {
	const uint8_t *at;
	size_t n_bytes;
	unsigned protocol;
	uint32_t addrs;
	bool has_zero_sum; /* UDP's 0 means none */
};

static bool sums_up(const struct upper *u, bool has_pseudo)
{
	uint32_t sum = has_pseudo ? csum_add(u->addrs,
					    (const uint8_t[]){0, (uint8_t)u->protocol,
						    (uint8_t)(u->n_bytes >> 8),
						    (uint8_t)u->n_bytes},
					    4)
				  : 0;

	return csum_add(sum, u->at, u->n_bytes) == 0xffff;
}

static bool verify_udp(struct upper *u)
{
	if (u->n_bytes < 8 || be16(u->at + 4) < 8 || be16(u->at + 4) > u->n_bytes)
		return false;
	u->n_bytes = be16(u->at + 4);
	return be16(u->at + 6) ? sums_up(u, true) : u->has_zero_sum;
}

static bool verify_upper(struct upper *u)
{
	switch (u->protocol) {
	case IPPROTO_TCP:
		return u->n_bytes >= 20 && sums_up(u, true);
	case IPPROTO_UDP:
		return verify_udp(u);
	case IPPROTO_ICMP:
		return sums_up(u, false);
	case IPPROTO_ICMPV6:
		return sums_up(u, true);
	default:
		return true;
	}
}

static bool verify_ipv4(const uint8_t *ip, size_t n_bytes)
{
	size_t head = (size_t)(ip[0] & 15) * 4, all = be16(ip + 2);
	struct upper u = {.protocol = ip[9], .has_zero_sum = true};

	if (ip[0] >> 4 != 4 || head < IPV4_BYTES || head > all || all > n_bytes ||
		csum_add(0, ip, head) != 0xffff)
		return false;
	if (be16(ip + 6) & IPV4_FRAGMENT)
		return true;
	u.at = ip + head;
	u.n_bytes = all - head;
	u.addrs = csum_add(0, ip + 12, (size_t)2 * ADDR4_BYTES);
	return verify_upper(&u);
}

static bool is_extension(unsigned protocol)
{
	return protocol == IPPROTO_HOPOPTS || protocol == IPPROTO_ROUTING ||
	       protocol == IPPROTO_DSTOPTS;
}

static bool verify_ipv6(const uint8_t *ip, size_t n_bytes)
{
	struct upper u = {.at = ip + IPV6_BYTES,
		.n_bytes = be16(ip + 4),
		.protocol = ip[6],
		.addrs = csum_add(0, ip + 8, (size_t)2 * ADDR6_BYTES)};
	size_t n;

	if (ip[0] >> 4 != 6 || u.n_bytes > n_bytes - IPV6_BYTES)
		return false;
	for (unsigned i = 0; i < EXTENSIONS_MAX && is_extension(u.protocol); i++) {
		n = u.n_bytes < 2 ? SIZE_MAX : ((size_t)u.at[1] + 1) * 8;
		if (n > u.n_bytes)
			return false;
		/* A routing header hides whom the sum is for. */
		if (u.protocol == IPPROTO_ROUTING && u.at[3])
			return true;
		u.protocol = u.at[0];
		u.at += n;
		u.n_bytes -= n;
	}
	return verify_upper(&u);
}

bool verify_frame(const uint8_t *bytes, size_t n_bytes)
{
	struct proto p = proto_parse(bytes, n_bytes);

	if (p.ip == PROTO_NOT_IP)
		return true;
	n_bytes -= p.ip_offset;
	bytes += p.ip_offset;
	return p.ip == PROTO_IPV4 ? verify_ipv4(bytes, n_bytes)
				  : verify_ipv6(bytes, n_bytes);
}
