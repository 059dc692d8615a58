/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/plan.c - who has which address on a link that farwire makes both ends of
 */
#include "config.h"

#include "host/plan.h"

#include <string.h>
#include <sys/socket.h>

#define USUAL_DEV "eth0"
#define USUAL_MTU_BYTES 1500

/* Locally administered, and the same in every run: frames are repeatable to the byte. */
static const uint8_t near_mac[6] = {0x02, 0x71, 0, 0, 0, 2};
static const uint8_t far_mac[6] = {0x02, 0x71, 0, 0, 0, 1};
static const uint8_t other_mac[6] = {0x02, 0x71, 0, 0, 0, 3};

const struct cidr plan_usual4 = {
	.family = AF_INET, .bytes = {10, 71, 0, 2}, .prefix = 24};
const struct cidr plan_usual6 = {
	.family = AF_INET6, .bytes = {0xfd, 0x71, [15] = 2}, .prefix = 64};

static unsigned length(const struct cidr *c)
{
	return c->family == AF_INET ? 4 : 16;
}

static unsigned host_bits(const struct cidr *c)
{
	return 8 * length(c) - c->prefix;
}

static bool same_address(const struct cidr *a, const struct cidr *b)
{
	return a->family == b->family && memcmp(a->bytes, b->bytes, length(a)) == 0;
}

/* The bytes of @c with all bits behind the prefix 0. */
static struct cidr network(const struct cidr *c)
{
	struct cidr n = *c;
	unsigned i, bits;

	for (i = 0; i < length(c); i++) {
		bits = c->prefix > 8 * i ? c->prefix - 8 * i : 0;
		if (bits < 8)
			n.bytes[i] &= (uint8_t)(0xff00U >> bits);
	}
	return n;
}

static bool has(const struct plan_end *end, const struct cidr *c)
{
	unsigned i;

	for (i = 0; i < end->n_addrs; i++)
		if (same_address(&end->addr[i], c))
			return true;
	return false;
}

/*
 * The first address in the network of @of that near does not have. The network's own
 * address is not one (IPv6: it means any router), nor is IPv4's broadcast; a network of
 * two has neither.
 */
static bool first_free(
	const struct plan_end *near, const struct cidr *of, struct cidr *to)
{
	unsigned bits = host_bits(of), i, end;

	*to = network(of);
	end = bits > 5 ? END_ADDRS_MAX + 2 : 1U << bits;
	if (bits > 1 && bits <= 5 && of->family == AF_INET)
		end--;
	for (i = bits > 1 ? 1 : 0; bits > 0 && i < end; i++) {
		to->bytes[length(of) - 1] =
			(uint8_t)(network(of).bytes[length(of) - 1] + i);
		if (!has(near, to))
			return true;
	}
	return false;
}

/* An address of the usual network, alone: near's is a network of one. */
static struct cidr lone(const struct plan_end *near, int family)
{
	struct cidr c = {0};

	first_free(near, family == AF_INET ? &plan_usual4 : &plan_usual6, &c);
	c.prefix = 8 * length(&c);
	return c;
}

/* Let the far end have an address across from the near end's number @i. */
static void stand_across(struct plan *p, unsigned i)
{
	const struct cidr *a = &p->near.addr[i];
	struct plan_end *far = &p->far;
	struct cidr c;
	unsigned j;

	p->apart[i] = !first_free(&p->near, a, &c);
	if (p->apart[i])
		c = lone(&p->near, a->family);
	for (j = 0; j < far->n_addrs && !same_address(&far->addr[j], &c); j++)
		;
	p->across[i] = j;
	if (j == far->n_addrs)
		far->addr[far->n_addrs++] = c;
	/* Of networks within each other the widest holds all of them. */
	else if (far->addr[j].prefix > c.prefix)
		far->addr[j].prefix = c.prefix;
}

void plan_make(struct plan *p, const struct link_end *near, bool ipv6)
{
	unsigned i;

	memset(p, 0, sizeof(*p));
	p->near.dev = near->dev ? near->dev : USUAL_DEV;
	p->far.dev = USUAL_DEV;
	p->near.mtu_bytes = near->mtu_bytes ? near->mtu_bytes : USUAL_MTU_BYTES;
	p->far.mtu_bytes = p->near.mtu_bytes;
	memcpy(p->near.mac, near->has_mac ? near->mac : near_mac, 6);
	memcpy(p->far.mac, memcmp(p->near.mac, far_mac, 6) != 0 ? far_mac : other_mac,
		6);
	for (i = 0; i < near->n_addrs; i++)
		p->near.addr[p->near.n_addrs++] = near->addr[i];
	if (near->n_addrs == 0)
		p->near.addr[p->near.n_addrs++] = plan_usual4;
	if (near->n_addrs == 0 && ipv6 && p->near.mtu_bytes >= PLAN_IPV6_MTU_BYTES)
		p->near.addr[p->near.n_addrs++] = plan_usual6;
	for (i = 0; i < p->near.n_addrs; i++)
		stand_across(p, i);
}
