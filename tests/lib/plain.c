/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests/lib/plain.c - what a kernel makes of a frame with a virtio header: plain frames
 */
#include "lib/plain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NEEDS_CSUM = 1, ECN = 0x80, TCPV4 = 1, TCPV6 = 4, UDP_L4 = 5 };

/* The fields of struct virtio_net_hdr, in the machine's byte order. */
struct vnet {
	uint8_t flags, type;
	uint16_t hdr_len, size, start, offset;
};

/* Where things are in a frame. */
struct place {
	unsigned version, ip, l4, payload, proto;
};

struct plain_list *plain_list_new(unsigned max_frames, uint32_t max_bytes)
{
	struct plain_list *l = calloc(1, sizeof(*l));

	if (l) {
		l->bytes = malloc(max_bytes);
		l->frame = malloc(max_frames * sizeof(*l->frame));
	}
	if (!l || !l->bytes || !l->frame)
		exit(99);
	l->max_bytes = max_bytes;
	l->max_frames = max_frames;
	return l;
}

void plain_list_free(struct plain_list *l)
{
	free(l->bytes);
	free(l->frame);
	free(l);
}

static unsigned word(const uint8_t *p)
{
	return p[0] * 256u + p[1];
}

static void set_word(uint8_t *p, unsigned v)
{
	p[0] = (uint8_t)(v / 256 % 256);
	p[1] = (uint8_t)(v % 256);
}

/* Sum of words modulo 0xffff, as the Internet checksum has it. */
static unsigned sum(const uint8_t *p, unsigned n)
{
	unsigned long s = 0;
	unsigned i;

	for (i = 0; i < n; i++)
		s += i % 2 ? p[i] : p[i] * 256ul;
	return (unsigned)(s % 0xffff);
}

static const char *find_ipv6(const uint8_t *b, unsigned n, struct place *p)
{
	unsigned next;

	p->l4 = p->ip + 40;
	if (p->l4 > n || word(b + p->ip + 4) != n - p->l4)
		return "IPv6 payload length";
	next = b[p->ip + 6];
	while (next == 0 || next == 43 || next == 60) {
		if (p->l4 + 8 > n)
			return "IPv6 extension headers";
		next = b[p->l4];
		p->l4 += b[p->l4 + 1] * 8u + 8u;
	}
	p->proto = next;
	return NULL;
}

static const char *find_ipv4(const uint8_t *b, unsigned n, struct place *p)
{
	if (b[p->ip] % 16 < 5 || word(b + p->ip + 2) != n - p->ip)
		return "IPv4 lengths";
	p->l4 = p->ip + b[p->ip] % 16 * 4u;
	p->proto = b[p->ip + 9];
	return NULL;
}

/* Finds the headers of a frame that shall be TCP or UDP. */
static const char *find(const uint8_t *b, unsigned n, struct place *p)
{
	const char *wrong = "not IP";
	unsigned at = 12;

	while (at + 6 < n && (word(b + at) == 0x8100 || word(b + at) == 0x88a8))
		at += 4;
	p->ip = at + 2;
	if (p->ip + 20 > n)
		return "too short for IP";
	p->version = b[p->ip] / 16;
	if (word(b + at) == 0x0800 && p->version == 4)
		wrong = find_ipv4(b, n, p);
	else if (word(b + at) == 0x86dd && p->version == 6)
		wrong = find_ipv6(b, n, p);
	if (wrong)
		return wrong;
	if (p->proto != 6 && p->proto != 17)
		return "neither TCP nor UDP";
	if (p->l4 + (p->proto == 6 ? 20 : 8) > n)
		return "too short for its headers";
	p->payload = p->l4 + (p->proto == 6 ? b[p->l4 + 12] / 16 * 4u : 8u);
	if (p->payload > n || (p->proto == 6 && p->payload < p->l4 + 20))
		return "TCP data offset";
	if (p->proto == 17 && word(b + p->l4 + 4) != n - p->l4)
		return "UDP length";
	return NULL;
}

static uint8_t *append(struct plain_list *l, unsigned n_bytes)
{
	uint8_t *to = l->bytes + l->n_bytes;

	if (l->n_frames == l->max_frames || n_bytes > l->max_bytes - l->n_bytes) {
		fprintf(stderr, "plain: the list is full\n");
		exit(99);
	}
	l->frame[l->n_frames++] =
		(struct plain_at){.at = l->n_bytes, .n_bytes = n_bytes};
	l->n_bytes += n_bytes;
	return to;
}

/* The sum from @start on, into @field, which holds the pseudo header's. */
static void finish_sum(uint8_t *b, unsigned n, unsigned start, unsigned field)
{
	unsigned s = 0xffff - sum(b + start, n - start);

	set_word(b + field, s % 0xffff ? s : 0xffff);
}

static const char *check(const struct vnet *v, const struct place *p, unsigned n)
{
	unsigned want = p->proto == 17 ? UDP_L4 : p->version == 4 ? TCPV4 : TCPV6;

	if (v->start != p->l4)
		return "csum_start";
	if (v->offset != (p->proto == 17 ? 6 : 16))
		return "csum_offset";
	if ((v->type & ~ECN) != (int)want || (v->type & ECN && p->proto == 17))
		return "gso_type";
	if (v->size == 0 || n - p->payload <= v->size)
		return "gso_size";
	if (p->proto == 17 && (n - p->payload - 1) / v->size >= 128)
		return "too many datagrams";
	return NULL;
}

/* Segment @i of @b, which is @n long, with @size of payload from @from on. */
static void segment(struct plain_list *l, const uint8_t *b, const struct vnet *v,
	const struct place *p, unsigned n, unsigned i)
{
	unsigned from = p->payload + i * v->size;
	unsigned size = n - from < v->size ? n - from : v->size;
	unsigned total = p->payload + size;
	uint8_t *to = append(l, total);
	unsigned long seq;
	unsigned s;

	memcpy(to, b, p->payload);
	memcpy(to + p->payload, b + from, size);
	if (p->version == 4) {
		set_word(to + p->ip + 2, total - p->ip);
		set_word(to + p->ip + 4, word(to + p->ip + 4) + i);
		set_word(to + p->ip + 10, 0);
		s = 0xffff - sum(to + p->ip, p->l4 - p->ip);
		set_word(to + p->ip + 10, s % 0xffff);
	} else {
		set_word(to + p->ip + 4, total - p->ip - 40);
	}
	/* The pseudo header's length: less by what is not here. */
	s = word(to + p->l4 + v->offset) + 0xffff - (n - total) % 0xffff;
	set_word(to + p->l4 + v->offset, s % 0xffff);
	if (p->proto == 17) {
		set_word(to + p->l4 + 4, total - p->l4);
	} else {
		seq = word(to + p->l4 + 4) * 65536ul + word(to + p->l4 + 6) +
		      (unsigned long)i * v->size;
		set_word(to + p->l4 + 4, (unsigned)(seq / 65536 % 65536));
		set_word(to + p->l4 + 6, (unsigned)(seq % 65536));
		if (from + size < n)
			to[p->l4 + 13] &= 0xff - 9; /* FIN, PSH */
		if (i)
			to[p->l4 + 13] &= 0xff - 0x80; /* CWR */
	}
	finish_sum(to, total, p->l4, p->l4 + v->offset);
}

const char *plain_add(struct plain_list *l, const uint8_t *in, uint32_t n_bytes)
{
	const uint8_t *b = in + PLAIN_VNET_BYTES;
	unsigned n = n_bytes - PLAIN_VNET_BYTES, i;
	const char *wrong;
	struct place p;
	struct vnet v;
	uint8_t *to;

	memcpy(&v, in, sizeof(v));
	if (v.hdr_len > n)
		return "hdr_len";
	if (v.flags & NEEDS_CSUM && v.start + v.offset + 2u > n)
		return "csum_start and csum_offset";
	if (v.type == 0) {
		to = append(l, n);
		memcpy(to, b, n);
		if (v.flags & NEEDS_CSUM)
			finish_sum(to, n, v.start, v.start + v.offset);
		return NULL;
	}
	if (!(v.flags & NEEDS_CSUM))
		return "a super-frame without NEEDS_CSUM";
	wrong = find(b, n, &p);
	if (!wrong)
		wrong = check(&v, &p, n);
	if (wrong)
		return wrong;
	for (i = 0; p.payload + i * v.size < n; i++)
		segment(l, b, &v, &p, n, i);
	return NULL;
}

void plain_same_zero(uint8_t *frame, uint32_t n_bytes)
{
	struct place p;

	if (!find(frame, n_bytes, &p) && p.proto == 6 && !word(frame + p.l4 + 16))
		set_word(frame + p.l4 + 16, 0xffff);
}
