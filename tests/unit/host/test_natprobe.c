/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests/unit/host/test_natprobe.c - mirrors src/host/natprobe.c
 */
#include "config.h"

#include "host/natprobe.h"
#include "unit/unit.h"

#include <string.h>
#include <sys/socket.h>

#define VNET_BYTES 10

static struct plan usual(void)
{
	const struct link_end near = {0};
	struct plan p;

	plan_make(&p, &near, true);
	return p;
}

/* Of 16-bit words, as each sum in a good packet comes to 0xffff. */
static unsigned sum(unsigned s, const unsigned char *p, unsigned n)
{
	unsigned i;

	for (i = 0; i < n; i += 2)
		s += p[i] * 256u + p[i + 1];
	while (s > 0xffff)
		s = (s & 0xffff) + (s >> 16);
	return s;
}

static void ipv4(void **state)
{
	static const unsigned char to[4] = {198, 51, 100, 1};
	struct plan p = usual();
	unsigned char f[NATPROBE_BYTES], *ip = f + VNET_BYTES + 14;

	(void)state;
	assert_int_equal(natprobe_frame(&p, AF_INET, f), VNET_BYTES + 14 + 20 + 8 + 8);
	assert_memory_equal(f + VNET_BYTES, p.far.mac, 6);
	assert_memory_equal(f + VNET_BYTES + 6, p.near.mac, 6);
	assert_memory_equal(ip + 12, p.near.addr[0].bytes, 4);
	assert_memory_equal(ip + 16, to, 4);
	assert_int_equal(sum(0, ip, 20), 0xffff);
	assert_int_equal(sum(sum(17 + 16, ip + 12, 8), ip + 20, 16), 0xffff);
}

static void ipv6(void **state)
{
	static const unsigned char to[16] = {0x20, 0x01, 0x0d, 0xb8, [15] = 1};
	struct plan p = usual();
	unsigned char f[NATPROBE_BYTES], *ip = f + VNET_BYTES + 14;

	(void)state;
	assert_int_equal(natprobe_frame(&p, AF_INET6, f), VNET_BYTES + 14 + 40 + 8 + 8);
	assert_memory_equal(ip + 8, p.near.addr[1].bytes, 16);
	assert_memory_equal(ip + 24, to, 16);
	assert_int_equal(sum(sum(17 + 16, ip + 8, 32), ip + 40, 16), 0xffff);
}

static void none_without_an_address(void **state)
{
	const struct link_end near = {0};
	unsigned char f[NATPROBE_BYTES];
	struct plan p;

	(void)state;
	plan_make(&p, &near, false);
	assert_int_equal(natprobe_frame(&p, AF_INET6, f), 0);
}

/* To the gateway, of both families, and what comes back from there. */
static void to_the_far_end(void **state)
{
	struct natprobe_tcp t = {.near_port = 7,
		.far_port = 53,
		.flags = TH_SYN,
		.seq = 0x10203,
		.ack = 9};
	struct natprobe_tcp back = {.near_port = 53, .flags = TH_SYN};
	struct plan p = usual(), other;
	unsigned char f[NATPROBE_BYTES], *ip = f + VNET_BYTES + 14;
	size_t n;

	(void)state;
	other = p;
	other.near = p.far;
	other.far = p.near;
	for (int v6 = 0; v6 < 2; v6++) {
		int family = v6 ? AF_INET6 : AF_INET;
		unsigned head = v6 ? 40 : 20, addrs = v6 ? 8 : 12,
			 n_addrs = v6 ? 32 : 8;

		n = natprobe_segment(&p, family, &t, f);
		assert_int_equal(n, VNET_BYTES + 14 + head + 20);
		assert_memory_equal(
			ip + addrs + n_addrs / 2, p.far.addr[v6].bytes, n_addrs / 2);
		assert_int_equal(
			sum(sum(6 + 20, ip + addrs, n_addrs), ip + head, 20), 0xffff);
		/* Seen from the other side it is an answer. */
		back.far_port = 0;
		assert_true(natprobe_is_segment(&other, family, &back, f, n));
		assert_int_equal(back.far_port, 7);
		assert_int_equal(back.seq, 0x10203);
		ip[head + 13] |= 0xc0;
		assert_true(natprobe_is_segment(&other, family, &back, f, n));
		ip[head + 13] |= TH_ACK;
		assert_false(natprobe_is_segment(&other, family, &back, f, n));
		assert_false(natprobe_is_segment(&p, family, &back, f, n));
		for (size_t cut = 0; cut < n; cut++)
			assert_false(
				natprobe_is_segment(&other, family, &back, f, cut));

		n = natprobe_datagram(&p, family, 50071, f);
		assert_int_equal(
			sum(sum(17 + 16, ip + addrs, n_addrs), ip + head, 16), 0xffff);
		assert_true(natprobe_is_datagram(&other, family, 50071, f, n));
		assert_false(natprobe_is_datagram(&other, family, 53, f, n));
		assert_false(natprobe_is_datagram(&p, family, 50071, f, n));
		assert_false(natprobe_is_segment(&other, family, &back, f, n));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ipv4),
		cmocka_unit_test(ipv6),
		cmocka_unit_test(none_without_an_address),
		cmocka_unit_test(to_the_far_end),
	};

	return cmocka_run_group_tests_name("host/natprobe", tests, NULL, NULL);
}
