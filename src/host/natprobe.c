/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/natprobe.c - the frames that show what the host's firewall lets pass
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
#define TCP_BYTES 20
#define TCP_WINDOW 1024
/* Without RFC 3168's, which the host may set. */
#define FLAGS_OLD 0x3f

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

static uint8_t *put_ip4(uint8_t *p, int protocol, size_t n_bytes, const uint8_t *from,
	const uint8_t *to)
{
	p[0] = 0x45;
	put16(p + 2, (uint32_t)(20 + n_bytes));
	p[8] = 64;
	p[9] = (uint8_t)protocol;
	memcpy(p + 12, from, 4);
	memcpy(p + 16, to, 4);
	put_sum(p + 10, add(0, p, 20));
	return p + 20;
}

static uint8_t *put_ip6(uint8_t *p, int protocol, size_t n_bytes, const uint8_t *from,
	const uint8_t *to)
{
	p[0] = 0x60;
	put16(p + 4, (uint32_t)n_bytes);
	p[6] = (uint8_t)protocol;
	p[7] = 64;
	memcpy(p + 8, from, 16);
	memcpy(p + 24, to, 16);
	return p + 40;
}

static const uint8_t *address_of(const struct plan_end *end, int family)
{
	unsigned i;

	for (i = 0; i < end->n_addrs; i++)
		if (end->addr[i].family == family)
			return end->addr[i].bytes;
	return NULL;
}

/* Everything but the sum of what IP carries, which is empty. Return: where that is. */
static uint8_t *put_heads(const struct plan *p, int family, int protocol,
	size_t n_bytes, const uint8_t *dst, unsigned char to[NATPROBE_BYTES])
{
	const uint8_t *src = address_of(&p->near, family);
	uint8_t *at = to + TAP_VNET_HDR_BYTES;

	if (!src || !dst)
		return NULL;
	memset(to, 0, NATPROBE_BYTES);
	memcpy(at, p->far.mac, 6);
	memcpy(at + 6, p->near.mac, 6);
	put16(at + 12, family == AF_INET ? ETH_P_IP : ETH_P_IPV6);
	at += ETH_HLEN;
	return family == AF_INET ? put_ip4(at, protocol, n_bytes, src, dst)
				 : put_ip6(at, protocol, n_bytes, src, dst);
}

/* Both addresses are the last of the header before @at. */
static uint32_t sum_all(const uint8_t *at, int family, int protocol, size_t n_bytes)
{
	size_t n = family == AF_INET ? 8 : 32;

	return add(add((uint32_t)protocol + (uint32_t)n_bytes, at - n, n), at, n_bytes);
}

static size_t put_udp(uint8_t *udp, int family, unsigned port, const uint8_t *start)
{
	put16(udp, PORT_FROM);
	put16(udp + 2, port);
	put16(udp + 4, UDP_BYTES);
	put_sum(udp + 6, sum_all(udp, family, IPPROTO_UDP, UDP_BYTES));
	return (size_t)(udp + UDP_BYTES - start);
}

size_t natprobe_frame(
	const struct plan *p, int family, unsigned char to[NATPROBE_BYTES])
{
	uint8_t dst[16], *udp;

	inet_pton(family, family == AF_INET ? NATPROBE_TO4 : NATPROBE_TO6, dst);
	udp = put_heads(p, family, IPPROTO_UDP, UDP_BYTES, dst, to);
	return udp ? put_udp(udp, family, PORT_TO, to) : 0;
}

size_t natprobe_datagram(const struct plan *p, int family, unsigned port,
	unsigned char to[NATPROBE_BYTES])
{
	uint8_t *udp = put_heads(
		p, family, IPPROTO_UDP, UDP_BYTES, address_of(&p->far, family), to);

	return udp ? put_udp(udp, family, port, to) : 0;
}

size_t natprobe_segment(const struct plan *p, int family, const struct natprobe_tcp *t,
	unsigned char to[NATPROBE_BYTES])
{
	uint8_t *tcp = put_heads(
		p, family, IPPROTO_TCP, TCP_BYTES, address_of(&p->far, family), to);

	if (!tcp)
		return 0;
	put16(tcp, t->near_port ? t->near_port : PORT_FROM);
	put16(tcp + 2, t->far_port);
	put16(tcp + 4, t->seq >> 16);
	put16(tcp + 6, t->seq & 0xffff);
	put16(tcp + 8, t->ack >> 16);
	put16(tcp + 10, t->ack & 0xffff);
	tcp[12] = TCP_BYTES / 4 << 4;
	tcp[13] = t->flags;
	put16(tcp + 14, TCP_WINDOW);
	put_sum(tcp + 16, sum_all(tcp, family, IPPROTO_TCP, TCP_BYTES));
	return (size_t)(tcp + TCP_BYTES - to);
}

static unsigned get16(const uint8_t *p)
{
	return (unsigned)p[0] << 8 | p[1];
}

/* From our gateway to us. Return: what IP carries, or NULL. */
static const uint8_t *upper_of(const struct plan *p, int family, int protocol,
	size_t min_bytes, const unsigned char *frame, size_t n_bytes)
{
	const uint8_t *ip = frame + TAP_VNET_HDR_BYTES + ETH_HLEN;
	size_t n_addr = family == AF_INET ? 4 : 16, at = family == AF_INET ? 12 : 8;
	size_t head = TAP_VNET_HDR_BYTES + ETH_HLEN + (family == AF_INET ? 20 : 40);
	const uint8_t *far = address_of(&p->far, family);

	if (!far || n_bytes < head + min_bytes ||
		get16(ip - 2) != (family == AF_INET ? ETH_P_IP : ETH_P_IPV6) ||
		ip[family == AF_INET ? 9 : 6] != protocol ||
		memcmp(ip + at, far, n_addr) != 0)
		return NULL;
	/* The host puts no options there. */
	return frame + head;
}

bool natprobe_is_datagram(const struct plan *p, int family, unsigned port,
	const unsigned char *frame, size_t n_bytes)
{
	const uint8_t *udp = upper_of(p, family, IPPROTO_UDP, 8, frame, n_bytes);

	return udp && get16(udp) == port && get16(udp + 2) == PORT_FROM;
}

bool natprobe_is_segment(const struct plan *p, int family, struct natprobe_tcp *t,
	const unsigned char *frame, size_t n_bytes)
{
	const uint8_t *tcp =
		upper_of(p, family, IPPROTO_TCP, TCP_BYTES, frame, n_bytes);

	if (!tcp || get16(tcp + 2) != (t->near_port ? t->near_port : PORT_FROM) ||
		(t->far_port && get16(tcp) != t->far_port) ||
		(tcp[13] & FLAGS_OLD) != t->flags)
		return false;
	t->far_port = get16(tcp);
	t->seq = get16(tcp + 4) << 16 | get16(tcp + 6);
	return true;
}
