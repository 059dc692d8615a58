/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests/unit/wire/test_gso.c - mirrors src/wire/gso.c: vectors worked out by hand
 */
#include "config.h"

#include "unit/unit.h"
#include "wire/gso.h"

#include <linux/virtio_net.h>
#include <stdlib.h>
#include <string.h>

/* 10.0.0.1 to 10.0.0.2: "abcde" in segments of 2. The sequence number and the
 * identification wrap, and all four flags of the ends are there. */
static const uint8_t tcp4[] = {
	/* Ethernet */ 2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 0x08, 0x00,
	/* IPv4 */ 0x45, 0, 0, 0x2d, 0xff, 0xfe, 0x40, 0, 0x40, 6, 0x26, 0xca,
	/* */ 10, 0, 0, 1, 10, 0, 0, 2,
	/* TCP */ 0, 1, 0, 2, 0xff, 0xff, 0xff, 0xfe, 0, 0, 0, 5, 0x50, 0x99, 1, 0,
	/* */ 0x14, 0x22, 0, 0, 'a', 'b', 'c', 'd', 'e'};

/* fd00::1 to fd00::2, "abcde" in datagrams of 2 */
static const uint8_t udp6[] = {
	/* Ethernet */ 2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 0x86, 0xdd,
	/* IPv6 */ 0x60, 2, 0x34, 0x56, 0, 13, 17, 64,
	/* */ 0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1,
	/* */ 0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2,
	/* UDP */ 3, 0xe8, 0, 53, 0, 13, 0xfa, 0x22, 'a', 'b', 'c', 'd', 'e'};

enum { IP = 14, TCP4 = 34, UDP6 = 54 };

static const struct virtio_net_hdr vnet_tcp4 = {
	.flags = VIRTIO_NET_HDR_F_NEEDS_CSUM,
	.gso_type = VIRTIO_NET_HDR_GSO_TCPV4 | VIRTIO_NET_HDR_GSO_ECN,
	.hdr_len = 54,
	.gso_size = 2,
	.csum_start = TCP4,
	.csum_offset = 16,
};
static const struct virtio_net_hdr vnet_udp6 = {
	.flags = VIRTIO_NET_HDR_F_NEEDS_CSUM,
	.gso_type = 5,
	.hdr_len = 62,
	.gso_size = 2,
	.csum_start = UDP6,
	.csum_offset = 6,
};

static struct buf_pool *pool;

static int pool_up(void **state)
{
	struct err e;

	(void)state;
	pool = buf_pool_new(0, 0, &e);
	return !pool;
}

static int pool_down(void **state)
{
	(void)state;
	buf_pool_free(pool);
	return 0;
}

static struct buf *take(const struct virtio_net_hdr *v, const uint8_t *bytes, size_t n)
{
	uint8_t *room = buf_room(pool, BUF_VNET_BYTES + n);
	struct buf *b;

	assert_non_null(room);
	memcpy(room, v, BUF_VNET_BYTES);
	memcpy(room + BUF_VNET_BYTES, bytes, n);
	b = buf_commit(pool, BUF_VNET_BYTES + n);
	gso_parse(b);
	return b;
}

static void segments_are_counted_and_measured(void **state)
{
	struct buf *b = take(&vnet_tcp4, tcp4, sizeof(tcp4));
	static const uint32_t want[] = {56, 56, 55};

	(void)state;
	assert_int_equal(b->n_segs, 3);
	assert_int_equal(b->hdr_bytes, 54);
	assert_int_equal(gso_wire_bytes(b), 56 + 56 + 55);
	for (uint16_t i = 0; i < 3; i++) {
		struct frame f = {.buf = b, .seg = i};

		assert_int_equal(frame_bytes(&f), want[i]);
		assert_int_equal(*gso_payload(b, i), "ace"[i]);
	}
	assert_int_equal(
		frame_bytes(&(struct frame){.buf = b, .flags = FRAME_WHOLE}), 167);
	buf_unref(pool, b);
}

struct want {
	unsigned first, count;
	uint8_t type, total, id[2], ip_sum[2], seq[4], flags, sum[2];
};

static void check_tcp4(const struct buf *b, const struct want *w)
{
	struct gso_run r = {.buf = b,
		.seg = w->first,
		.end = b,
		.has_end = w->first + w->count == 3,
		.n_frames = w->count,
		.gso_bytes = 2,
		.payload_bytes = w->total - 40u};
	uint8_t got[GSO_HEAD_BYTES], *f = got + BUF_VNET_BYTES, want[54];
	struct virtio_net_hdr v;

	assert_int_equal(gso_head(&r, got), BUF_VNET_BYTES + 54);
	memcpy(&v, got, sizeof(v));
	assert_int_equal(v.flags, VIRTIO_NET_HDR_F_NEEDS_CSUM);
	assert_int_equal(v.gso_type, w->type);
	assert_int_equal(v.gso_size, w->count > 1 ? 2 : 0);
	assert_int_equal(v.csum_start, TCP4);
	assert_int_equal(v.csum_offset, 16);
	assert_true(v.hdr_len <= 54);
	memcpy(want, tcp4, 54);
	want[IP + 3] = w->total;
	memcpy(want + IP + 4, w->id, 2);
	memcpy(want + IP + 10, w->ip_sum, 2);
	memcpy(want + TCP4 + 4, w->seq, 4);
	want[TCP4 + 13] = w->flags;
	memcpy(want + TCP4 + 16, w->sum, 2);
	assert_memory_equal(f, want, 54);
}

static void headers_of_runs_are_those_of_a_wire(void **state)
{
	static const struct want t[] = {
		{0, 1, 0, 0x2a, {0xff, 0xfe}, {0x26, 0xcd}, {0xff, 0xff, 0xff, 0xfe},
			0x90, {0x14, 0x1f}},
		{1, 1, 0, 0x2a, {0xff, 0xff}, {0x26, 0xcc}, {0, 0, 0, 0}, 0x10,
			{0x14, 0x1f}},
		{2, 1, 0, 0x29, {0, 0}, {0x26, 0xcd}, {0, 0, 0, 2}, 0x19, {0x14, 0x1e}},
		{0, 2, 0x81, 0x2c, {0xff, 0xfe}, {0x26, 0xcb}, {0xff, 0xff, 0xff, 0xfe},
			0x90, {0x14, 0x21}},
		{1, 2, 1, 0x2b, {0xff, 0xff}, {0x26, 0xcb}, {0, 0, 0, 0}, 0x19,
			{0x14, 0x20}},
		{0, 3, 0x81, 0x2d, {0xff, 0xfe}, {0x26, 0xca}, {0xff, 0xff, 0xff, 0xfe},
			0x99, {0x14, 0x22}},
	};
	struct buf *b = take(&vnet_tcp4, tcp4, sizeof(tcp4));

	(void)state;
	for (unsigned i = 0; i < sizeof(t) / sizeof(t[0]); i++)
		check_tcp4(b, &t[i]);
	buf_unref(pool, b);
}

static void a_lone_datagram_has_lengths_of_its_own(void **state)
{
	struct buf *b = take(&vnet_udp6, udp6, sizeof(udp6));
	struct frame f = {.buf = b, .seg = 2};
	uint8_t got[GSO_HEAD_BYTES], want[62];
	struct virtio_net_hdr v;

	(void)state;
	assert_int_equal(b->n_segs, 3);
	assert_int_equal(gso_lone_head(&f, got), BUF_VNET_BYTES + 62);
	memcpy(&v, got, sizeof(v));
	assert_int_equal(v.flags, VIRTIO_NET_HDR_F_NEEDS_CSUM);
	assert_int_equal(v.gso_type, VIRTIO_NET_HDR_GSO_NONE);
	memcpy(want, udp6, sizeof(want));
	want[IP + 5] = 9;
	want[UDP6 + 5] = 9;
	want[UDP6 + 7] = 0x1e;
	assert_memory_equal(got + BUF_VNET_BYTES, want, sizeof(want));
	buf_unref(pool, b);
}

/* One byte or field changed: not understood, so one frame, as it came. */
static void what_is_not_understood_is_one_frame(void **state)
{
	static const struct {
		const char *what;
		unsigned at;
		uint8_t to;
		int16_t type, size, start, offset;
	} t[] = {
		{"no NEEDS_CSUM", 0, 2, -1, -1, -1, -1},
		{"the type of IPv6", 0, 2, 4, -1, -1, -1},
		{"the type of UDP", 0, 2, 5, -1, -1, -1},
		{"the old UDP type", 0, 2, 3, -1, -1, -1},
		{"an unknown type", 0, 2, 2, -1, -1, -1},
		{"segments of 0", 0, 2, -1, 0, -1, -1},
		{"one segment", 0, 2, -1, 5, -1, -1},
		{"the sum from the IP header on", 0, 2, -1, -1, 14, -1},
		{"the sum from the TCP options on", 0, 2, -1, -1, 54, -1},
		{"the sum from beyond the frame on", 0, 2, -1, -1, 0x7fff, -1},
		{"the sum elsewhere", 0, 2, -1, -1, -1, 6},
		{"IP version 5", IP, 0x55, -1, -1, -1, -1},
		{"an IP header of 16 bytes", IP, 0x44, -1, -1, -1, -1},
		{"an IP header of 60 bytes", IP, 0x4f, -1, -1, -1, -1},
		{"a length that is not the frame's", IP + 3, 0x2c, -1, -1, -1, -1},
		{"a fragment", IP + 6, 0x20, -1, -1, -1, -1},
		{"a later fragment", IP + 7, 1, -1, -1, -1, -1},
		{"GRE", IP + 9, 47, -1, -1, -1, -1},
		{"a TCP header of 16 bytes", TCP4 + 12, 0x40, -1, -1, -1, -1},
		{"a TCP header of 60 bytes", TCP4 + 12, 0xf0, -1, -1, -1, -1},
		{"not IP", 13, 6, -1, -1, -1, -1},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		struct virtio_net_hdr v = vnet_tcp4;
		uint8_t bytes[sizeof(tcp4)];
		struct buf *b;

		memcpy(bytes, tcp4, sizeof(bytes));
		bytes[t[i].at] = t[i].to;
		if (i == 0)
			v.flags = VIRTIO_NET_HDR_F_DATA_VALID;
		if (t[i].type >= 0)
			v.gso_type = (uint8_t)t[i].type;
		if (t[i].size >= 0)
			v.gso_size = (uint16_t)t[i].size;
		if (t[i].start >= 0)
			v.csum_start = (uint16_t)t[i].start;
		if (t[i].offset >= 0)
			v.csum_offset = (uint16_t)t[i].offset;
		b = take(&v, bytes, sizeof(bytes));
		if (b->n_segs != 1 || b->hdr_bytes || b->flags)
			fail_msg("%s: taken for %u segments", t[i].what, b->n_segs);
		buf_unref(pool, b);
	}
}

/* Whatever stands there and wherever it ends: the pool's fences watch, if sanitized. */
static void nothing_beyond_the_frame_is_read(void **state)
{
	(void)state;
	srand(1);
	for (unsigned i = 0; i < 200000; i++) {
		bool v6 = i & 1;
		const uint8_t *from = v6 ? udp6 : tcp4;
		size_t n = v6 ? sizeof(udp6) : sizeof(tcp4);
		struct virtio_net_hdr v = v6 ? vnet_udp6 : vnet_tcp4;
		uint8_t bytes[sizeof(udp6)], head[GSO_HEAD_BYTES];
		struct buf *b;

		memcpy(bytes, from, n);
		n = 14 + (size_t)rand() % (n - 13);
		for (unsigned k = 0; k < 3; k++)
			bytes[(size_t)rand() % n] = (uint8_t)rand();
		/* Lengths that fit, or hardly anything would pass the first look. */
		if (v6)
			bytes[IP + 5] = (uint8_t)(n - 54);
		else
			bytes[IP + 3] = (uint8_t)(n - 14);
		if (rand() % 4 == 0)
			((uint8_t *)&v)[rand() % 10] = (uint8_t)rand();
		b = take(&v, bytes, n);
		for (uint16_t s = 0; b->n_segs > 1 && s < b->n_segs; s++) {
			struct frame f = {.buf = b, .seg = s};

			assert_true(gso_lone_head(&f, head) <= sizeof(head));
			assert_true(gso_payload(b, s) - buf_bytes(b) +
					    (frame_bytes(&f) - b->hdr_bytes) <=
				    (ptrdiff_t)n);
		}
		buf_unref(pool, b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(segments_are_counted_and_measured),
		cmocka_unit_test(headers_of_runs_are_those_of_a_wire),
		cmocka_unit_test(a_lone_datagram_has_lengths_of_its_own),
		cmocka_unit_test(what_is_not_understood_is_one_frame),
		cmocka_unit_test(nothing_beyond_the_frame_is_read),
	};

	return cmocka_run_group_tests_name("wire/gso", tests, pool_up, pool_down);
}
