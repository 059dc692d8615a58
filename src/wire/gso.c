/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wire/gso.c - super-frames: what a read says, and the headers of single segments
 */
#include "config.h"

#include "wire/gso.h"

#include "wire/be.h"
#include "wire/csum.h"
#include "wire/proto.h"

#include <assert.h>
#include <linux/virtio_net.h>
#include <netinet/in.h>
#include <string.h>

/* Since Linux 6.2; older headers lack it. */
#ifndef VIRTIO_NET_HDR_GSO_UDP_L4
#define VIRTIO_NET_HDR_GSO_UDP_L4 5
#endif

#define IPV4_BYTES 20
#define IPV6_BYTES 40
#define TCP_BYTES 20
#define UDP_BYTES 8
#define TCP_CSUM_OFFSET 16
#define UDP_CSUM_OFFSET 6
/* UDP_MAX_SEGMENTS: no kernel makes or takes more in one. */
#define N_DATAGRAMS_MAX 128
/* More fragments, and the offset: either makes a fragment. */
#define IPV4_FRAGMENT 0x3fff

/* Byte 13 of a TCP header. */
#define TCP_FIN 0x01
#define TCP_PSH 0x08
#define TCP_ACK 0x10
#define TCP_ECE 0x40
#define TCP_CWR 0x80
/* What a frame with payload may carry besides in the middle of a stream. */
#define TCP_STREAM (TCP_FIN | TCP_PSH | TCP_ACK | TCP_ECE | TCP_CWR)

static_assert(BUF_VNET_BYTES == sizeof(struct virtio_net_hdr), "what a TAP has");
static_assert(BUF_VNET_BYTES + 22 + IPV6_BYTES + 60 <= GSO_HEAD_BYTES,
	"the usual headers fit");

/* What stands before the payload. */
struct heads {
	size_t l4_offset;
	uint8_t l4;
};

static bool find_ipv4(
	const struct proto *p, const uint8_t *bytes, size_t n_bytes, struct heads *h)
{
	const uint8_t *ip = bytes + p->ip_offset;
	size_t ip_bytes = (ip[0] & 15u) * 4u;

	if (ip[0] >> 4 != 4 || ip_bytes < IPV4_BYTES ||
		p->ip_offset + ip_bytes > n_bytes ||
		be_get16(ip + 2) != n_bytes - p->ip_offset ||
		be_get16(ip + 6) & IPV4_FRAGMENT)
		return false;
	h->l4_offset = p->ip_offset + ip_bytes;
	h->l4 = ip[9];
	return true;
}

static bool find_ipv6(
	const struct proto *p, const uint8_t *bytes, size_t n_bytes, struct heads *h)
{
	const uint8_t *ip = bytes + p->ip_offset;
	size_t at = p->ip_offset + IPV6_BYTES;
	uint8_t next = ip[6];

	if (ip[0] >> 4 != 6 || be_get16(ip + 4) != n_bytes - at)
		return false;
	while (next == IPPROTO_HOPOPTS || next == IPPROTO_ROUTING ||
		next == IPPROTO_DSTOPTS) {
		if (at + 8 > n_bytes)
			return false;
		next = bytes[at];
		at += (bytes[at + 1] + 1u) * 8u;
	}
	h->l4_offset = at;
	h->l4 = next;
	return true;
}

/* As the kernel would make it; another sum is not ours to heal. */
static bool is_sum_right(const uint8_t *ip, size_t ip_bytes)
{
	uint32_t sum = csum_add(0, ip, 10);

	sum = csum_add(sum, ip + 12, ip_bytes - 12);
	return (uint16_t)~sum == be_get16(ip + 10);
}

/* May a lone frame leave in one super-frame with others? */
static bool is_lone_joinable(const struct buf *b, const struct heads *h)
{
	const uint8_t *bytes = buf_bytes(b), *l4 = bytes + h->l4_offset;
	unsigned ip = gso_ip_offset(b);

	if (b->n_bytes == b->hdr_bytes)
		return false;
	if (b->flags & BUF_IPV4 && !is_sum_right(bytes + ip, h->l4_offset - ip))
		return false;
	return !(b->flags & BUF_TCP) || l4[13] & TCP_ACK;
}

/* TCP or UDP with a sum that is to be made, right where @v says? Fills in @b. */
static bool parse_l4(
	struct buf *b, const struct heads *h, const struct virtio_net_hdr *v)
{
	const uint8_t *l4 = buf_bytes(b) + h->l4_offset;
	size_t hdr_bytes = h->l4_offset;

	if (h->l4_offset != v->csum_start)
		return false;
	if (h->l4 == IPPROTO_TCP) {
		if (v->csum_offset != TCP_CSUM_OFFSET ||
			h->l4_offset + TCP_BYTES > b->n_bytes || l4[12] >> 4 < 5)
			return false;
		hdr_bytes += (l4[12] >> 4) * 4u;
		b->flags |= BUF_TCP;
		if (!(l4[13] & ~TCP_STREAM))
			b->flags |= BUF_JOIN;
	} else if (h->l4 == IPPROTO_UDP) {
		if (v->csum_offset != UDP_CSUM_OFFSET ||
			h->l4_offset + UDP_BYTES > b->n_bytes ||
			be_get16(l4 + 4) != b->n_bytes - h->l4_offset)
			return false;
		hdr_bytes += UDP_BYTES;
		b->flags |= BUF_JOIN;
	} else {
		return false;
	}
	if (hdr_bytes > b->n_bytes || BUF_VNET_BYTES + hdr_bytes > GSO_HEAD_BYTES)
		return false;
	b->hdr_bytes = (uint16_t)hdr_bytes;
	return true;
}

/* The type that super-frames of @b's kind have. */
static uint8_t gso_type(const struct buf *b)
{
	if (!(b->flags & BUF_TCP))
		return VIRTIO_NET_HDR_GSO_UDP_L4;
	return b->flags & BUF_IPV4 ? VIRTIO_NET_HDR_GSO_TCPV4
				   : VIRTIO_NET_HDR_GSO_TCPV6;
}

static bool parse(struct buf *b)
{
	struct virtio_net_hdr v;
	struct heads h = {0};
	struct proto p;
	uint32_t payload_bytes;

	memcpy(&v, buf_vnet(b), sizeof(v));
	if (!(v.flags & VIRTIO_NET_HDR_F_NEEDS_CSUM) || v.hdr_len > b->n_bytes)
		return false;
	p = proto_parse(buf_bytes(b), b->n_bytes);
	if (p.ip == PROTO_NOT_IP || !(p.ip == PROTO_IPV4 ? find_ipv4 : find_ipv6)(
					    &p, buf_bytes(b), b->n_bytes, &h))
		return false;
	b->flags = (uint16_t)((p.ip_offset - 14) / 4 << BUF_TAGS_SHIFT);
	if (p.ip == PROTO_IPV4)
		b->flags |= BUF_IPV4;
	if (!parse_l4(b, &h, &v))
		return false;
	if (v.gso_type == VIRTIO_NET_HDR_GSO_NONE)
		return is_lone_joinable(b, &h);
	payload_bytes = b->n_bytes - b->hdr_bytes;
	if (b->flags & BUF_TCP)
		v.gso_type &= (uint8_t)~VIRTIO_NET_HDR_GSO_ECN;
	if (v.gso_type != gso_type(b) || !v.gso_size || payload_bytes <= v.gso_size)
		return false;
	payload_bytes += v.gso_size - 1u;
	if (!(b->flags & BUF_TCP) && payload_bytes / v.gso_size > N_DATAGRAMS_MAX)
		return false;
	b->gso_bytes = v.gso_size;
	b->n_segs = (uint16_t)(payload_bytes / v.gso_size);
	return true;
}

void gso_parse(struct buf *b)
{
	if (parse(b))
		return;
	b->hdr_bytes = 0;
	b->flags = 0;
}

unsigned gso_l4_offset(const struct buf *b)
{
	struct virtio_net_hdr v;

	memcpy(&v, buf_vnet(b), sizeof(v));
	return v.csum_start;
}

static void put_vnet(const struct gso_run *r, uint8_t *to, bool has_cwr)
{
	struct virtio_net_hdr v;

	memcpy(&v, to, sizeof(v));
	v.flags = VIRTIO_NET_HDR_F_NEEDS_CSUM;
	v.hdr_len = r->buf->hdr_bytes;
	v.gso_type = VIRTIO_NET_HDR_GSO_NONE;
	v.gso_size = 0;
	if (r->n_frames > 1) {
		v.gso_type = gso_type(r->buf);
		if (has_cwr)
			v.gso_type |= VIRTIO_NET_HDR_GSO_ECN;
		v.gso_size = (uint16_t)r->gso_bytes;
	}
	memcpy(to, &v, sizeof(v));
}

static void put_ip(const struct gso_run *r, uint8_t *ip, size_t l4_offset)
{
	size_t ip_bytes = l4_offset - gso_ip_offset(r->buf);
	uint32_t n_bytes = r->buf->hdr_bytes - gso_ip_offset(r->buf) + r->payload_bytes;

	if (!(r->buf->flags & BUF_IPV4)) {
		be_put16(ip + 4, n_bytes - IPV6_BYTES);
		return;
	}
	be_put16(ip + 2, n_bytes);
	be_put16(ip + 4, be_get16(ip + 4) + r->seg);
	be_put16(ip + 10, 0);
	be_put16(ip + 10, ~csum_add(0, ip, ip_bytes));
}

/* Return: has the run the CWR of its super-frame? */
static bool put_tcp(const struct gso_run *r, uint8_t *tcp, size_t l4_offset)
{
	const uint8_t *end = buf_bytes(r->end) + l4_offset;

	be_put32(tcp + 4, be_get32(tcp + 4) + r->seg * r->gso_bytes);
	tcp[13] &= (uint8_t) ~(TCP_PSH | TCP_FIN);
	if (r->has_end)
		tcp[13] |= end[13] & (TCP_PSH | TCP_FIN);
	if (r->seg)
		tcp[13] &= (uint8_t)~TCP_CWR;
	return tcp[13] & TCP_CWR;
}

size_t gso_head(const struct gso_run *r, uint8_t *to)
{
	const struct buf *b = r->buf;
	size_t l4_offset = gso_l4_offset(b);
	uint8_t *l4 = to + BUF_VNET_BYTES + l4_offset, *sum;
	uint32_t from = b->n_bytes - (uint32_t)l4_offset;
	uint32_t n_bytes = b->hdr_bytes - (uint32_t)l4_offset + r->payload_bytes;
	bool has_cwr = false;

	memcpy(to, buf_vnet(b), BUF_VNET_BYTES + (size_t)b->hdr_bytes);
	put_ip(r, to + BUF_VNET_BYTES + gso_ip_offset(b), l4_offset);
	if (b->flags & BUF_TCP) {
		has_cwr = put_tcp(r, l4, l4_offset);
		sum = l4 + TCP_CSUM_OFFSET;
	} else {
		be_put16(l4 + 4, n_bytes);
		sum = l4 + UDP_CSUM_OFFSET;
	}
	/* What is there is not inverted; csum_replace16() takes and gives inverted. */
	be_put16(sum, ~csum_replace16((uint16_t)~be_get16(sum), (uint16_t)from,
			      (uint16_t)n_bytes));
	put_vnet(r, to, has_cwr);
	return BUF_VNET_BYTES + (size_t)b->hdr_bytes;
}

size_t gso_lone_head(const struct frame *f, uint8_t *to)
{
	const struct buf *b = f->buf;
	const struct gso_run r = {.buf = b,
		.seg = f->seg,
		.end = b,
		.has_end = f->seg + 1u == b->n_segs,
		.n_frames = 1,
		.gso_bytes = b->gso_bytes,
		.payload_bytes = frame_bytes(f) - b->hdr_bytes};

	return gso_head(&r, to);
}
