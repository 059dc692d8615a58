/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests/unit/host/test_natnet.c - mirrors src/host/natnet.c
 */
#include "config.h"

#include "host/natnet.h"
#include "host/plan.h"
#include "unit/unit.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

static struct cidr cidr(const char *text)
{
	char host[64];
	struct cidr c = {0};

	assert_int_equal(sscanf(text, "%63[^/]/%u", host, &c.prefix), 2);
	c.family = strchr(host, ':') ? AF_INET6 : AF_INET;
	assert_int_equal(inet_pton(c.family, host, c.bytes), 1);
	return c;
}

static struct natnet nets;

/* Which number is taken beside a host with these, NULL-terminated; -1: none. */
static int pick(const char *const *has)
{
	struct cidr c4 = plan_usual4, c6 = plan_usual6, one;

	nets.n = 0;
	for (; *has; has++) {
		one = cidr(*has);
		natnet_add(&nets, &one);
	}
	if (!natnet_pick(&nets, &c4, &c6))
		return -1;
	assert_int_equal(c4.bytes[2], c6.bytes[3]);
	assert_int_equal(c4.bytes[3], 2);
	assert_int_equal(c6.bytes[15], 2);
	return c4.bytes[2];
}

#define PICK(...) pick((const char *const[]){__VA_ARGS__, NULL})

static void the_first_that_is_free(void **state)
{
	(void)state;
	assert_int_equal(PICK("192.168.1.0/24", "0.0.0.0/0", "::/0"), 0);
	assert_int_equal(PICK("10.71.0.0/24"), 1);
	assert_int_equal(PICK("10.71.0.77/32"), 1);
	assert_int_equal(PICK("10.71.0.128/25", "fd71:1::/64", "10.71.2.0/23"), 4);
	assert_int_equal(PICK("fd71::5/128"), 1);
}

static void a_wide_one_counts_by_its_neighbours_alone(void **state)
{
	(void)state;
	assert_int_equal(PICK("10.0.0.0/8", "10.71.0.9/32"), 1);
	assert_int_equal(PICK("10.71.0.0/16", "fd71::/16"), 0);
	assert_int_equal(PICK("10.71.0.0/17", "10.71.128.0/17"), -1);
}

static void what_the_user_wishes_is_checked_against_all_but_the_default(void **state)
{
	struct cidr in = cidr("192.168.1.9/24"), out = cidr("192.168.2.9/24");

	(void)state;
	PICK("0.0.0.0/0", "192.168.0.0/23");
	assert_non_null(natnet_has(&nets, &in));
	assert_null(natnet_has(&nets, &out));
	out = cidr("fd00::1/64");
	assert_null(natnet_has(&nets, &out));
	assert_true(natnet_is_default(&nets, AF_INET));
	assert_false(natnet_is_default(&nets, AF_INET6));
}

static FILE *text(const char *lines)
{
	FILE *f = fmemopen((void *)(uintptr_t)lines, strlen(lines), "r");

	assert_non_null(f);
	return f;
}

static void assert_net(unsigned i, const char *want)
{
	struct cidr c = cidr(want);

	assert_true(i < nets.n);
	assert_int_equal(nets.net[i].family, c.family);
	assert_int_equal(nets.net[i].prefix, c.prefix);
	assert_memory_equal(nets.net[i].bytes, c.bytes, 16);
}

/* As the kernel writes it on a machine whose first byte is the lowest. */
static void routes4(void **state)
{
	FILE *f = text("Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask"
		       "\t\tMTU\tWindow\tIRTT\n"
		       "wan0\t00000000\t010200C0\t0003\t0\t0\t0\t00000000\t0\t0\t0\n"
		       "wan0\t000200C0\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0\n");

	(void)state;
	if (htonl(1) == 1) {
		fclose(f);
		return;
	}
	nets.n = 0;
	natnet_routes4(&nets, f);
	fclose(f);
	assert_int_equal(nets.n, 3);
	assert_net(0, "0.0.0.0/0");
	assert_net(1, "192.0.2.1/32");
	assert_net(2, "192.0.2.0/24");
}

static void routes6(void **state)
{
	FILE *f = text("fd0a0000000000000000000000000000 40 "
		       "00000000000000000000000000000000 00 "
		       "00000000000000000000000000000000 00000100 00000001 00000000 "
		       "00000001     wan0\n"
		       "00000000000000000000000000000000 00 "
		       "00000000000000000000000000000000 00 "
		       "fd0a0000000000000000000000000001 00000400 00000001 00000000 "
		       "00000003     wan0\n"
		       "00000000000000000000000000000000 00 "
		       "00000000000000000000000000000000 00 "
		       "00000000000000000000000000000000 ffffffff 00000001 00000000 "
		       "00200200       lo\n");

	(void)state;
	nets.n = 0;
	natnet_routes6(&nets, f);
	fclose(f);
	assert_int_equal(nets.n, 4);
	assert_net(0, "fd0a::/64");
	assert_net(2, "::/0");
	assert_net(3, "fd0a::1/128");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_that_is_free),
		cmocka_unit_test(a_wide_one_counts_by_its_neighbours_alone),
		cmocka_unit_test(
			what_the_user_wishes_is_checked_against_all_but_the_default),
		cmocka_unit_test(routes4),
		cmocka_unit_test(routes6),
	};

	return cmocka_run_group_tests_name("host/natnet", tests, NULL, NULL);
}
