/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/natprobe.c - the frame that shows whether the host forwards
 */
#include "config.h"

#include "host/natprobe.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

#include <linux/if_ether.h>

#include "host/tap.h"

/* What browsers send most: a new flow of it is what firewalls let pass, if any. */
#define PORT_TO 443
#define PORT_FROM 50071
#define PAYLOAD_BYTES 8
#define UDP_BYTES (8 + PAYLOAD_BYTES)

static uint32_t add(uint32_t sum, const uint8_t *p, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		sum += i % 2 ? p[i] : (uint32_t)p[i] << 8;
	return sum;
}

static void put16(uint8_t *p, uint32_t v)
{
	p[0] = (uint8_t)(v >> 8);
	p[1] = (uint8_t)v;
}

static void put_sum(uint8_t *p, uint32_t sum)
{
	while (sum > 0xffff)
		sum = (sum & 0xffff) + (sum >> 16);
	put16(p, ~sum & 0xffff);
}

static uint8_t *put_ip4(uint8_t *p, const uint8_t *from)
{
	p[0] = 0x45;
	put16(p + 2, 20 + UDP_BYTES);
	p[8] = 64;
	p[9] = IPPROTO_UDP;
	memcpy(p + 12, from, 4);
	inet_pton(AF_INET, NATPROBE_TO4, p + 16);
	put_sum(p + 10, add(0, p, 20));
	return p + 20;
}

static uint8_t *put_ip6(uint8_t *p, const uint8_t *from)
{
	p[0] = 0x60;
	put16(p + 4, UDP_BYTES);
	p[6] = IPPROTO_UDP;
	p[7] = 64;
	memcpy(p + 8, from, 16);
	inet_pton(AF_INET6, NATPROBE_TO6, p + 24);
	return p + 40;
}

size_t natprobe_frame(
	const struct plan *p, int family, unsigned char to[NATPROBE_BYTES])
{
	const struct cidr *from = NULL;
	uint8_t *at = to + TAP_VNET_HDR_BYTES, *udp;
	unsigned i;

	for (i = 0; i < p->near.n_addrs && !from; i++)
		if (p->near.addr[i].family == family)
			from = &p->near.addr[i];
	if (!from)
		return 0;
	memset(to, 0, NATPROBE_BYTES);
	memcpy(at, p->far.mac, 6);
	memcpy(at + 6, p->near.mac, 6);
	put16(at + 12, family == AF_INET ? ETH_P_IP : ETH_P_IPV6);
	at += ETH_HLEN;
	udp = family == AF_INET ? put_ip4(at, from->bytes) : put_ip6(at, from->bytes);
	put16(udp, PORT_FROM);
	put16(udp + 2, PORT_TO);
	put16(udp + 4, UDP_BYTES);
	/* Both addresses are the last of the header. */
	i = family == AF_INET ? 8 : 32;
	put_sum(udp + 6, add(add(IPPROTO_UDP + UDP_BYTES, udp - i, i), udp, UDP_BYTES));
	return (size_t)(udp + UDP_BYTES - to);
}
