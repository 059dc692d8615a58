/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests/unit/host/test_plan.c - mirrors src/host/plan.c
 */
#include "config.h"

#include "host/plan.h"
#include "unit/unit.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
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

static const char *text_of(const struct cidr *c)
{
	static char text[64];
	char host[INET6_ADDRSTRLEN];

	assert_non_null(inet_ntop(c->family, c->bytes, host, sizeof(host)));
	snprintf(text, sizeof(text), "%s/%u", host, c->prefix);
	return text;
}

/* @want: the far end's address across from each, "!" behind it: no common network. */
static void assert_across(const char *const *near, const char *const *want)
{
	struct link_end n = {0};
	struct plan p;
	char got[80];
	unsigned i;

	for (i = 0; near[i]; i++)
		n.addr[n.n_addrs++] = cidr(near[i]);
	plan_make(&p, &n, true);
	assert_int_equal(p.near.n_addrs, n.n_addrs);
	for (i = 0; near[i]; i++) {
		assert_true(p.across[i] < p.far.n_addrs);
		snprintf(got, sizeof(got), "%s%s", text_of(&p.far.addr[p.across[i]]),
			p.apart[i] ? "!" : "");
		assert_string_equal(got, want[i]);
	}
}

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void the_usual_link(void **state)
{
	struct link_end n = {0};
	struct plan p;

	(void)state;
	plan_make(&p, &n, true);
	assert_string_equal(p.near.dev, "eth0");
	assert_string_equal(p.far.dev, "eth0");
	assert_int_equal(p.near.mtu_bytes, 1500);
	assert_int_equal(p.near.n_addrs, 2);
	assert_int_equal(p.far.n_addrs, 2);
	assert_string_equal(text_of(&p.near.addr[0]), "10.71.0.2/24");
	assert_string_equal(text_of(&p.near.addr[1]), "fd71::2/64");
	assert_string_equal(text_of(&p.far.addr[0]), "10.71.0.1/24");
	assert_string_equal(text_of(&p.far.addr[1]), "fd71::1/64");
	assert_false(p.apart[0] || p.apart[1]);
}

static void without_ipv6_there_is_one_family(void **state)
{
	struct link_end n = {0};
	struct plan p;

	(void)state;
	plan_make(&p, &n, false);
	assert_int_equal(p.near.n_addrs, 1);
	assert_int_equal(p.far.n_addrs, 1);
	n.mtu_bytes = 1279;
	plan_make(&p, &n, true);
	assert_int_equal(p.near.n_addrs, 1);
	n.mtu_bytes = 1280;
	plan_make(&p, &n, true);
	assert_int_equal(p.near.n_addrs, 2);
	/* Asked for it is not left out: the kernel says why it cannot be. */
	n.addr[n.n_addrs++] = cidr("2001:db8::1/64");
	plan_make(&p, &n, false);
	assert_int_equal(p.near.n_addrs, 1);
	assert_int_equal(p.near.addr[0].family, AF_INET6);
}

static void the_far_end_takes_the_first_free_one(void **state)
{
	(void)state;
	assert_across(WORDS("192.168.7.9/24"), WORDS("192.168.7.1/24"));
	assert_across(WORDS("192.168.7.1/24"), WORDS("192.168.7.2/24"));
	assert_across(WORDS("172.16.5.6/12"), WORDS("172.16.0.1/12"));
	assert_across(WORDS("10.0.0.200/27"), WORDS("10.0.0.193/27"));
	assert_across(WORDS("2001:db8::1/64"), WORDS("2001:db8::2/64"));
	assert_across(WORDS("2001:db8::f1/124"), WORDS("2001:db8::f2/124"));
	assert_across(WORDS("10.0.0.1/24", "10.0.0.3/24", "10.0.0.2/24"),
		WORDS("10.0.0.4/24", "10.0.0.4/24", "10.0.0.4/24"));
}

static void small_networks(void **state)
{
	(void)state;
	assert_across(WORDS("10.0.0.253/30"), WORDS("10.0.0.254/30"));
	assert_across(WORDS("10.0.0.254/30"), WORDS("10.0.0.253/30"));
	assert_across(WORDS("10.0.0.4/31"), WORDS("10.0.0.5/31"));
	assert_across(WORDS("10.0.0.5/31"), WORDS("10.0.0.4/31"));
	assert_across(WORDS("fd00::/127"), WORDS("fd00::1/127"));
	assert_across(WORDS("fd00::1/127"), WORDS("fd00::/127"));
	/* The broadcast address is none. */
	assert_across(WORDS("10.0.0.1/30", "10.0.0.2/30"),
		WORDS("10.71.0.1/32!", "10.71.0.1/32!"));
}

static void networks_of_one(void **state)
{
	(void)state;
	assert_across(WORDS("192.0.2.1/32"), WORDS("10.71.0.1/32!"));
	assert_across(WORDS("10.71.0.1/32"), WORDS("10.71.0.2/32!"));
	assert_across(WORDS("fd00::7/128"), WORDS("fd71::1/128!"));
	assert_across(WORDS("192.0.2.1/32", "192.0.2.2/32"),
		WORDS("10.71.0.1/32!", "10.71.0.1/32!"));
}

static void networks_within_each_other(void **state)
{
	(void)state;
	assert_across(WORDS("10.0.0.2/24", "10.0.5.3/16"),
		WORDS("10.0.0.1/16", "10.0.0.1/16"));
}

static void the_macs_differ(void **state)
{
	struct link_end n = {.has_mac = true, .mac = {0x02, 0x71, 0, 0, 0, 1}};
	struct plan p;

	(void)state;
	plan_make(&p, &n, true);
	assert_memory_equal(p.near.mac, n.mac, 6);
	assert_memory_not_equal(p.far.mac, n.mac, 6);
	n.has_mac = false;
	plan_make(&p, &n, true);
	assert_memory_not_equal(p.far.mac, p.near.mac, 6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_usual_link),
		cmocka_unit_test(without_ipv6_there_is_one_family),
		cmocka_unit_test(the_far_end_takes_the_first_free_one),
		cmocka_unit_test(small_networks),
		cmocka_unit_test(networks_of_one),
		cmocka_unit_test(networks_within_each_other),
		cmocka_unit_test(the_macs_differ),
	};

	return cmocka_run_group_tests_name("host/plan", tests, NULL, NULL);
}
