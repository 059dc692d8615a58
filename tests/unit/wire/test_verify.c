/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests/unit/wire/test_verify.c - mirrors src/wire/verify.c
 *
 * Frames are made whole here, by a sum of this file's own, and then damaged bit by bit.
 */
#include "config.h"

#include "unit/unit.h"
#include "wire/verify.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define ETH 14
#define TCP 6
#define UDP 17
#define ICMP 1
#define ICMP6 58
#define PAYLOAD 33 /* odd */
#define FRAME_MAX 256

static void put16(uint8_t *p, unsigned v)
{
	p[0] = (uint8_t)(v >> 8);
	p[1] = (uint8_t)v;
}

static unsigned sum_of(unsigned long s, const uint8_t *b, size_t n)
{
	for (size_t i = 0; i < n; i++)
		s += (unsigned long)b[i] << (i % 2 ? 0 : 8);
	while (s >> 16)
		s = (s & 0xffff) + (s >> 16);
	return (unsigned)s;
}

/* @options: words of IPv4's, or a hop-by-hop header where there is any. */
struct shape {
	int version;
	unsigned protocol, options;
	bool no_sum, is_fragment;
};

static const size_t field[] = {[TCP] = 16, [UDP] = 6, [ICMP] = 2, [ICMP6] = 2};

static size_t head_bytes(const struct shape *s)
{
	return s->version == 4 ? 20 + 4 * s->options : 40 + (s->options ? 8 : 0);
}

static void put_ip(const struct shape *s, uint8_t *ip, size_t upper_bytes)
{
	size_t head = head_bytes(s);

	ip[0] = (uint8_t)(s->version == 4 ? 0x40 | head / 4 : 0x60);
	if (s->version == 4) {
		put16(ip + 2, (unsigned)(head + upper_bytes));
		put16(ip + 6, s->is_fragment ? 0x2000 : 0x4000);
		ip[9] = (uint8_t)s->protocol;
		put16(ip + 10, 0);
		put16(ip + 10, ~sum_of(0, ip, head) & 0xffff);
		return;
	}
	put16(ip + 4, (unsigned)(head - 40 + upper_bytes));
	ip[6] = (uint8_t)(s->options ? 0 : s->protocol);
	if (s->options) {
		ip[40] = (uint8_t)s->protocol;
		ip[41] = 0;
	}
}

/* Return: its length, with four bytes behind the packet, as of padding. */
static size_t make(const struct shape *s, uint8_t *b)
{
	uint8_t *ip = b + ETH, *up = ip + head_bytes(s), *at = up + field[s->protocol];
	size_t n = (s->protocol == TCP ? 20 : 8) + PAYLOAD;
	unsigned long pseudo = 0;

	for (size_t i = 0; i < FRAME_MAX; i++)
		b[i] = (uint8_t)random();
	put16(b + 12, s->version == 4 ? 0x0800 : 0x86dd);
	put_ip(s, ip, n);
	if (s->protocol == UDP)
		put16(up + 4, (unsigned)n);
	if (s->protocol != ICMP)
		pseudo = s->protocol + n +
			 (s->version == 4 ? sum_of(0, ip + 12, 8)
					  : sum_of(0, ip + 8, 32));
	put16(at, 0);
	if (!s->no_sum)
		put16(at, ~sum_of(pseudo, up, n) & 0xffff);
	return (size_t)(up - b) + n + 4;
}

static const struct shape shapes[] = {
	{4, TCP, 0, false, false},
	{4, TCP, 3, false, false},
	{4, UDP, 0, false, false},
	{4, ICMP, 0, false, false},
	{6, TCP, 0, false, false},
	{6, UDP, 0, false, false},
	{6, ICMP6, 0, false, false},
	{6, TCP, 1, false, false},
};
#define N_SHAPES (sizeof(shapes) / sizeof(shapes[0]))

static void whole_frames_are_right(void **state)
{
	uint8_t b[FRAME_MAX];

	(void)state;
	srandom(3);
	for (unsigned round = 0; round < 200; round++)
		for (size_t i = 0; i < N_SHAPES; i++) {
			size_t n = make(&shapes[i], b);

			assert_true(verify_frame(b, n));
			assert_true(verify_frame(b, n - 4));
			assert_false(verify_frame(b, n - 5));
		}
}

/* Bits that no sum covers: the class, the flow and the hops of IPv6, what makes another
 * protocol of it, of which nothing is known, and its length where UDP has its own. */
static bool is_covered(const struct shape *s, size_t at, unsigned bit)
{
	if (s->version == 4)
		return true;
	if (at == 0)
		return bit >= 4;
	if (at < 4 || at == 6 || at == 7 || (s->protocol == UDP && at < 6))
		return false;
	return !s->options || at < 40 || at >= 48;
}

static void any_bit_that_a_sum_covers_shows(void **state)
{
	uint8_t b[FRAME_MAX];

	(void)state;
	srandom(4);
	for (size_t i = 0; i < N_SHAPES; i++) {
		size_t n = make(&shapes[i], b);

		for (size_t at = ETH; at < n - 4; at++)
			for (unsigned bit = 0; bit < 8; bit++) {
				if (!is_covered(&shapes[i], at - ETH, bit))
					continue;
				b[at] ^= (uint8_t)(1u << bit);
				assert_false(verify_frame(b, n));
				b[at] ^= (uint8_t)(1u << bit);
			}
		assert_true(verify_frame(b, n));
	}
}

static void what_has_no_sum_is_right(void **state)
{
	static const struct shape udp4 = {4, UDP, 0, true, false},
				  udp6 = {6, UDP, 0, true, false},
				  part = {4, TCP, 0, true, true};
	uint8_t b[FRAME_MAX];
	size_t n;

	(void)state;
	n = make(&udp4, b);
	assert_true(verify_frame(b, n));
	n = make(&udp6, b);
	assert_false(verify_frame(b, n));
	n = make(&part, b);
	assert_true(verify_frame(b, n));
	put16(b + 12, 0x0806);
	assert_true(verify_frame(b, n));
}

/* The sanitizers see a read beyond the end. */
static void nothing_is_read_beyond_the_frame(void **state)
{
	uint8_t all[FRAME_MAX], *b;

	(void)state;
	srandom(5);
	for (unsigned round = 0; round < 300; round++)
		for (size_t i = 0; i < N_SHAPES; i++) {
			size_t n = make(&shapes[i], all), m = (size_t)random() % n + 1;

			for (unsigned k = 0; k < 4; k++)
				all[ETH + (size_t)random() % 60] = (uint8_t)random();
			b = malloc(m);
			assert_non_null(b);
			memcpy(b, all, m);
			(void)verify_frame(b, m);
			free(b);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_frames_are_right),
		cmocka_unit_test(any_bit_that_a_sum_covers_shows),
		cmocka_unit_test(what_has_no_sum_is_right),
		cmocka_unit_test(nothing_is_read_beyond_the_frame),
	};

	return cmocka_run_group_tests_name("wire/verify", tests, NULL, NULL);
}
