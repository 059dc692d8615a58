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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ipv4),
		cmocka_unit_test(ipv6),
		cmocka_unit_test(none_without_an_address),
	};

	return cmocka_run_group_tests_name("host/natprobe", tests, NULL, NULL);
}
