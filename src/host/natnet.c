/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/natnet.c - networks that the host does not have
 */
#include "config.h"

#include "host/natnet.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

/* Both usual networks are one of 256, or of 65536, behind so many bits. */
#define SHARED_BITS 16

static unsigned length(const struct cidr *c)
{
	return c->family == AF_INET ? 4 : 16;
}

void natnet_add(struct natnet *n, const struct cidr *c)
{
	if (n->n < NATNET_MAX)
		n->net[n->n++] = *c;
}

static bool overlap(const struct cidr *a, const struct cidr *b)
{
	unsigned bits = a->prefix < b->prefix ? a->prefix : b->prefix;
	unsigned bytes = bits / 8;
	uint8_t mask = (uint8_t)(0xff00U >> bits % 8);

	return a->family == b->family && memcmp(a->bytes, b->bytes, bytes) == 0 &&
	       (bits % 8 == 0 || ((a->bytes[bytes] ^ b->bytes[bytes]) & mask) == 0);
}

static void add_alone(struct natnet *n, int family, const void *bytes, unsigned prefix)
{
	struct cidr c = {.family = family, .prefix = prefix};

	memcpy(c.bytes, bytes, length(&c));
	natnet_add(n, &c);
}

static unsigned count_bits(const uint8_t *mask, unsigned n_bytes)
{
	unsigned i, bits = 0;

	for (i = 0; i < 8 * n_bytes && mask[i / 8] & (0x80U >> i % 8); i++)
		bits++;
	return bits;
}

void natnet_routes4(struct natnet *n, FILE *from)
{
	uint32_t to, via, mask; /* as they stand in memory: no change of byte order */
	char line[256];

	while (fgets(line, sizeof(line), from)) {
		if (sscanf(line, "%*s %x %x %*x %*d %*d %*d %x", &to, &via, &mask) != 3)
			continue;
		add_alone(n, AF_INET, &to, count_bits((const uint8_t *)&mask, 4));
		if (via)
			add_alone(n, AF_INET, &via, 32);
	}
}

static bool hex16(const char *text, uint8_t to[16])
{
	unsigned i, byte;

	for (i = 0; i < 16; i++) {
		if (sscanf(text + 2 * i, "%2x", &byte) != 1)
			return false;
		to[i] = (uint8_t)byte;
	}
	return true;
}

void natnet_routes6(struct natnet *n, FILE *from)
{
	char line[256], to[33], via[33], dev[16];
	uint8_t bytes[16];
	unsigned prefix;

	while (fgets(line, sizeof(line), from)) {
		/* Over lo the kernel has a default route that refuses. */
		if (sscanf(line, "%32s %x %*s %*s %32s %*s %*s %*s %*s %15s", to,
			    &prefix, via, dev) != 4 ||
			strcmp(dev, "lo") == 0)
			continue;
		if (hex16(to, bytes))
			add_alone(n, AF_INET6, bytes, prefix);
		if (hex16(via, bytes))
			add_alone(n, AF_INET6, bytes, 128);
	}
}

static void read_addresses(struct natnet *n)
{
	struct ifaddrs *all = NULL, *a;
	const void *bytes, *mask;
	int family;

	if (getifaddrs(&all) < 0)
		return;
	for (a = all; a; a = a->ifa_next) {
		family = a->ifa_addr ? a->ifa_addr->sa_family : AF_UNSPEC;
		if ((family != AF_INET && family != AF_INET6) || !a->ifa_netmask)
			continue;
		bytes = family == AF_INET
				? (const void *)&(
					  (struct sockaddr_in *)(void *)a->ifa_addr)
					  ->sin_addr
				: &((struct sockaddr_in6 *)(void *)a->ifa_addr)
					   ->sin6_addr;
		mask = family == AF_INET
			       ? (const void *)&(
					 (struct sockaddr_in *)(void *)a->ifa_netmask)
					 ->sin_addr
			       : &((struct sockaddr_in6 *)(void *)a->ifa_netmask)
					  ->sin6_addr;
		add_alone(n, family, bytes, family == AF_INET ? 32 : 128);
		add_alone(
			n, family, bytes, count_bits(mask, family == AF_INET ? 4 : 16));
	}
	freeifaddrs(all);
}

void natnet_read(struct natnet *n)
{
	FILE *f;

	n->n = 0;
	read_addresses(n);
	f = fopen("/proc/self/net/route", "re");
	if (f) {
		natnet_routes4(n, f);
		fclose(f);
	}
	f = fopen("/proc/self/net/ipv6_route", "re");
	if (f) {
		natnet_routes6(n, f);
		fclose(f);
	}
}

/* The widest of them, which is the one that people know. */
static const struct cidr *find(
	const struct natnet *n, const struct cidr *c, unsigned min_bits)
{
	const struct cidr *found = NULL, *at;

	for (at = n->net; at < n->net + n->n; at++)
		if (at->prefix > min_bits && overlap(at, c) &&
			(!found || at->prefix < found->prefix))
			found = at;
	return found;
}

const struct cidr *natnet_has(const struct natnet *n, const struct cidr *c)
{
	return find(n, c, 0);
}

bool natnet_is_default(const struct natnet *n, int family)
{
	unsigned i;

	for (i = 0; i < n->n; i++)
		if (n->net[i].family == family && n->net[i].prefix == 0)
			return true;
	return false;
}

bool natnet_pick(const struct natnet *n, struct cidr *c4, struct cidr *c6)
{
	struct cidr t4 = *c4, t6 = *c6;
	unsigned i;

	for (i = 0; i < 256; i++) {
		t4.bytes[2] = (uint8_t)i;
		t6.bytes[3] = (uint8_t)i;
		if (find(n, &t4, SHARED_BITS) || find(n, &t6, SHARED_BITS))
			continue;
		*c4 = t4;
		*c6 = t6;
		return true;
	}
	return false;
}
