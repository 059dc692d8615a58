/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests/unit/wire/test_proto.c - mirrors src/wire/proto.c
 */
#include "config.h"

#include "unit/unit.h"
#include "wire/csum.h"
#include "wire/proto.h"

#include <stdlib.h>
#include <string.h>

/* Types behind the addresses; returns where the header starts. */
static unsigned put_types(uint8_t *bytes, const uint16_t *types, unsigned n)
{
	unsigned at = 12;

	memset(bytes, 0, 100);
	for (unsigned i = 0; i < n; i++) {
		bytes[at] = (uint8_t)(types[i] >> 8);
		bytes[at + 1] = (uint8_t)types[i];
		at += i + 1 < n ? 4 : 2;
	}
	return at;
}

static void the_ip_header_is_found_behind_two_tags(void **state)
{
	static const struct {
		uint16_t types[4];
		unsigned n;
		enum proto_ip ip;
		unsigned offset;
	} t[] = {
		{{0x0800}, 1, PROTO_IPV4, 14},
		{{0x86dd}, 1, PROTO_IPV6, 14},
		{{0x8100, 0x0800}, 2, PROTO_IPV4, 18},
		{{0x88a8, 0x86dd}, 2, PROTO_IPV6, 18},
		{{0x88a8, 0x8100, 0x0800}, 3, PROTO_IPV4, 22},
		{{0x8100, 0x8100, 0x8100, 0x0800}, 4, PROTO_NOT_IP, 0},
		{{0x0806}, 1, PROTO_NOT_IP, 0},
		{{0x8100, 0x0806}, 2, PROTO_NOT_IP, 0},
	};
	uint8_t bytes[100];

	(void)state;
	for (unsigned i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		struct proto p;

		put_types(bytes, t[i].types, t[i].n);
		p = proto_parse(bytes, sizeof(bytes));
		assert_int_equal(p.ip, t[i].ip);
		assert_int_equal(p.ip_offset, t[i].offset);
	}
}

static void a_header_that_is_cut_short_is_none(void **state)
{
	static const uint16_t v4[] = {0x8100, 0x0800}, v6[] = {0x86dd};
	uint8_t bytes[100];

	(void)state;
	put_types(bytes, v4, 2);
	for (size_t n = 0; n < 100; n++) {
		/* A copy on the heap, where a sanitizer sees a read too far. */
		uint8_t *cut = malloc(n ? n : 1);

		memcpy(cut, bytes, n);
		assert_int_equal(proto_parse(cut, n).ip,
			n < 18 + 20 ? PROTO_NOT_IP : PROTO_IPV4);
		free(cut);
	}
	put_types(bytes, v6, 1);
	assert_int_equal(proto_parse(bytes, 14 + 39).ip, PROTO_NOT_IP);
	assert_int_equal(proto_parse(bytes, 14 + 40).ip, PROTO_IPV6);
}

static void ce_is_set_and_the_ipv4_checksum_stays_right(void **state)
{
	static const uint16_t type[] = {0x0800};
	uint8_t bytes[100];

	(void)state;
	srandom(6);
	for (unsigned round = 0; round < 1000; round++) {
		unsigned ip = put_types(bytes, type, 1);
		struct proto p = proto_parse(bytes, sizeof(bytes));
		uint8_t tos;
		uint16_t csum;

		for (unsigned i = 0; i < 20; i++)
			bytes[ip + i] = (uint8_t)random();
		tos = bytes[ip + 1];
		bytes[ip + 10] = bytes[ip + 11] = 0;
		csum = (uint16_t)~csum_add(0, bytes + ip, 20);
		bytes[ip + 10] = (uint8_t)(csum >> 8);
		bytes[ip + 11] = (uint8_t)csum;
		assert_int_equal(proto_ecn(&p, bytes), tos & 3);
		proto_set_ce(&p, bytes);
		assert_int_equal(bytes[ip + 1], tos | 3);
		assert_int_equal(proto_ecn(&p, bytes), PROTO_CE);
		assert_int_equal(csum_add(0, bytes + ip, 20), 0xffff);
	}
}

static void ce_is_set_in_ipv6_and_nothing_else(void **state)
{
	static const uint16_t type[] = {0x86dd};
	uint8_t bytes[100];

	(void)state;
	for (unsigned ecn = 0; ecn < 4; ecn++) {
		unsigned ip = put_types(bytes, type, 1);
		struct proto p = proto_parse(bytes, sizeof(bytes));

		bytes[ip] = 0x6a;
		bytes[ip + 1] = (uint8_t)(0x8f | ecn << 4);
		assert_int_equal(proto_ecn(&p, bytes), ecn);
		proto_set_ce(&p, bytes);
		assert_int_equal(bytes[ip], 0x6a);
		assert_int_equal(bytes[ip + 1], 0xbf);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_ip_header_is_found_behind_two_tags),
		cmocka_unit_test(a_header_that_is_cut_short_is_none),
		cmocka_unit_test(ce_is_set_and_the_ipv4_checksum_stays_right),
		cmocka_unit_test(ce_is_set_in_ipv6_and_nothing_else),
	};

	return cmocka_run_group_tests_name("wire/proto", tests, NULL, NULL);
}
