/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests/lib/supers.c - random super-frames and lone frames, as a TAP would hand them out
 */
#include "lib/supers.h"

#include <string.h>

#define VNET_BYTES 10

static uint64_t next(struct supers *s)
{
	/* xorshift64* (Vigna) */
	s->rng ^= s->rng >> 12;
	s->rng ^= s->rng << 25;
	s->rng ^= s->rng >> 27;
	return s->rng * 0x2545f4914f6cdd1dull;
}

uint32_t supers_below(struct supers *s, uint32_t n)
{
	return (uint32_t)((next(s) >> 32) * n >> 32);
}

static bool chance(struct supers *s, unsigned one_in)
{
	return supers_below(s, one_in) == 0;
}

static void new_flow(struct supers *s, struct supers_flow *f)
{
	*f = (struct supers_flow){.v6 = chance(s, 2),
		.tcp = !chance(s, 3),
		.n_tags = chance(s, 4) ? 1 + supers_below(s, 2) : 0,
		.tcp_opt_bytes = 4 * supers_below(s, 10),
		.gso_bytes = 1 + supers_below(s, 1440),
		.seq = (uint32_t)next(s),
		.ack = (uint32_t)next(s),
		.id = (uint16_t)next(s),
		.port = (uint16_t)(1024 + supers_below(s, 60000))};
	if (chance(s, 3))
		f->gso_bytes = 1448;
	if (chance(s, 4))
		f->ip_opt_bytes = 4 * supers_below(s, 11);
	if (chance(s, 4))
		f->ext_bytes = 8 * (1 + supers_below(s, 4));
	if (chance(s, 4)) { /* both about to wrap */
		f->seq = 0xffffffff - supers_below(s, 3000);
		f->id = (uint16_t)(0xffff - supers_below(s, 10));
	}
}

void supers_init(
	struct supers *s, uint64_t seed, const uint8_t *src_mac, const uint8_t *dst_mac)
{
	unsigned i;

	*s = (struct supers){
		.rng = seed * 2 + 1, .src_mac = src_mac, .dst_mac = dst_mac};
	for (i = 0; i < 10; i++)
		next(s);
	for (i = 0; i < SUPERS_FLOWS; i++)
		new_flow(s, &s->flow[i]);
}

static void put16(uint8_t *p, unsigned v)
{
	p[0] = (uint8_t)(v >> 8);
	p[1] = (uint8_t)v;
}

static unsigned add(unsigned sum, const uint8_t *p, unsigned n)
{
	unsigned i;

	for (i = 0; i < n; i++)
		sum += i % 2 ? p[i] : p[i] * 256u;
	while (sum > 0xffff)
		sum = (sum & 0xffff) + (sum >> 16);
	return sum;
}

static uint8_t *put_ethernet(
	const struct supers *s, const struct supers_flow *f, uint8_t *p)
{
	unsigned i;

	memcpy(p, s->dst_mac, 6);
	memcpy(p + 6, s->src_mac, 6);
	p += 12;
	for (i = 0; i < f->n_tags; i++, p += 4) {
		put16(p, i + 1 < f->n_tags ? 0x88a8 : 0x8100);
		put16(p + 2, 100 + i);
	}
	put16(p, f->v6 ? 0x86dd : 0x0800);
	return p + 2;
}

static uint8_t *put_ipv4(const struct supers_flow *f, uint8_t *p, unsigned rest)
{
	static const uint8_t ends[8] = {10, 1, 2, 3, 10, 1, 2, 4};
	unsigned n = 20 + f->ip_opt_bytes;

	memset(p, 0, n);
	p[0] = (uint8_t)(0x40 + n / 4);
	p[1] = 2;
	put16(p + 2, n + rest);
	put16(p + 4, f->id);
	p[6] = 0x40;
	p[8] = 64;
	p[9] = f->tcp ? 6 : 17;
	memcpy(p + 12, ends, sizeof(ends));
	memset(p + 20, 1, f->ip_opt_bytes); /* no operation */
	put16(p + 10, 0xffff - add(0, p, n));
	return p + n;
}

static uint8_t *put_ipv6(const struct supers_flow *f, uint8_t *p, unsigned rest)
{
	unsigned proto = f->tcp ? 6 : 17;

	memset(p, 0, 40 + f->ext_bytes);
	p[0] = 0x60;
	p[1] = 0x20;
	put16(p + 4, f->ext_bytes + rest);
	p[6] = (uint8_t)(f->ext_bytes ? 60 : proto);
	p[7] = 64;
	p[8] = p[24] = 0xfd; /* fd00::1 to fd00::2 */
	p[23] = 1;
	p[39] = 2;
	p += 40;
	if (f->ext_bytes) { /* one destination options header, padded */
		p[0] = (uint8_t)proto;
		p[1] = (uint8_t)(f->ext_bytes / 8 - 1);
		p[2] = 1;
		p[3] = (uint8_t)(f->ext_bytes - 4);
	}
	return p + f->ext_bytes;
}

/* The pseudo header's sum, where the TCP or UDP sum belongs. */
static void put_partial(const struct supers_flow *f, const uint8_t *ip, uint8_t *field,
	unsigned l4_bytes)
{
	unsigned sum = (f->tcp ? 6u : 17u) + l4_bytes;

	sum = f->v6 ? add(sum, ip + 8, 32) : add(sum, ip + 12, 8);
	put16(field, sum);
}

static uint8_t *put_tcp(struct supers *s, struct supers_flow *f, uint8_t *p)
{
	unsigned n = 20 + f->tcp_opt_bytes;

	memset(p, 0, n);
	put16(p, f->port);
	put16(p + 2, 80);
	put16(p + 4, f->seq >> 16);
	put16(p + 6, f->seq & 0xffff);
	put16(p + 8, f->ack >> 16);
	put16(p + 10, f->ack & 0xffff);
	p[12] = (uint8_t)(n / 4 << 4);
	p[13] = 0x10;
	if (chance(s, 4))
		p[13] |= 8; /* PSH */
	if (chance(s, 8))
		p[13] |= 0x80; /* CWR */
	if (chance(s, 20))
		p[13] |= 1; /* FIN */
	if (chance(s, 20))
		p[13] |= 0x40; /* ECE */
	put16(p + 14, 500);
	memset(p + 20, 1, f->tcp_opt_bytes);
	return p + n;
}

static uint8_t *put_udp(const struct supers_flow *f, uint8_t *p, unsigned rest)
{
	put16(p, f->port);
	put16(p + 2, 53);
	put16(p + 4, rest);
	put16(p + 6, 0);
	return p + 8;
}

static unsigned header_bytes(const struct supers_flow *f)
{
	return (f->v6 ? 40 + f->ext_bytes : 20 + f->ip_opt_bytes) +
	       (f->tcp ? 20 + f->tcp_opt_bytes : 8);
}

/* How much payload: often one frame, else up to what an IP packet holds. */
static unsigned payload(struct supers *s, const struct supers_flow *f)
{
	unsigned most = 65535 - header_bytes(f), n_segs = 1;

	if (chance(s, 2))
		n_segs = 2 + supers_below(s, chance(s, 3) ? 62 : 8);
	if (f->gso_bytes * n_segs > most)
		n_segs = most / f->gso_bytes;
	if (chance(s, 3) && f->gso_bytes > 1) /* the last one short */
		return f->gso_bytes * (n_segs - 1) + 1 +
		       supers_below(s, f->gso_bytes - 1);
	return f->gso_bytes * n_segs;
}

uint32_t supers_next(struct supers *s, uint8_t *to)
{
	struct supers_flow *f;
	unsigned n, l4_bytes, n_segs, i;
	uint8_t *p, *ip, *l4, *b = to + VNET_BYTES;
	uint16_t v[4];

	if (chance(s, 3))
		s->last = supers_below(s, SUPERS_FLOWS);
	f = &s->flow[s->last];
	if (chance(s, 50))
		new_flow(s, f);
	n = payload(s, f);
	n_segs = (n + f->gso_bytes - 1) / f->gso_bytes;
	l4_bytes = (f->tcp ? 20 + f->tcp_opt_bytes : 8) + n;
	ip = put_ethernet(s, f, b);
	l4 = f->v6 ? put_ipv6(f, ip, l4_bytes) : put_ipv4(f, ip, l4_bytes);
	p = f->tcp ? put_tcp(s, f, l4) : put_udp(f, l4, l4_bytes);
	put_partial(f, ip, l4 + (f->tcp ? 16 : 6), l4_bytes);
	for (i = 0; i < n; i++)
		p[i] = (uint8_t)next(s);
	to[0] = 1; /* NEEDS_CSUM */
	to[1] = n_segs == 1 ? 0 : !f->tcp ? 5 : f->v6 ? 4 : 1;
	if (n_segs > 1 && f->tcp && l4[13] & 0x80)
		to[1] |= 0x80;
	v[0] = (uint16_t)supers_below(s, (uint32_t)(p + n - b) + 1); /* linear part */
	v[1] = n_segs == 1 ? 0 : (uint16_t)f->gso_bytes;
	v[2] = (uint16_t)(l4 - b);
	v[3] = f->tcp ? 16 : 6;
	memcpy(to + 2, v, sizeof(v));
	f->id = (uint16_t)(f->id + n_segs);
	f->seq += n;
	if (chance(s, 20))
		f->ack++;
	if (chance(s, 40))
		f->seq += 7;
	return (uint32_t)(p + n - to);
}
