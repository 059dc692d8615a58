/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests/unit/host/test_host_link.c - mirrors src/host/host_link.c: the words alone
 *
 * The rest, with devices, is tests/net/ends.bats.
 */
#include "config.h"

#include "host/host_link.h"
#include "unit/unit.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>

static void give(struct link_end *end, const char *text, unsigned prefix)
{
	struct cidr *c = &end->addr[end->n_addrs++];

	c->family = strchr(text, ':') ? AF_INET6 : AF_INET;
	c->prefix = prefix;
	assert_int_equal(inet_pton(c->family, text, c->bytes), 1);
}

static void assert_refused(const struct conf *c, const char *text)
{
	struct err e = {0};

	assert_int_equal(host_link_check(c, &e), -EINVAL);
	if (strncmp(e.text, text, strlen(text)) != 0)
		fail_msg("'%s' instead of '%s'", e.text, text);
}

static void what_can_be_is_taken(void **state)
{
	struct conf c = {.far = FAR_PEER, .near.dev = "eth0", .peer.dev = "eth0"};
	struct conf b = {.far = FAR_BRIDGE, .bridge = "br-0.1"};
	struct err e;

	(void)state;
	give(&c.near, "10.0.0.1", 24);
	give(&c.near, "10.0.0.3", 24);
	/* The first four bytes are those of 10.0.0.1. */
	give(&c.near, "a00:1::", 64);
	give(&c.peer, "10.0.0.2", 24);
	assert_int_equal(host_link_check(&c, &e), 0);
	c.near.dev = "123456789012345";
	assert_int_equal(host_link_check(&c, &e), 0);
	assert_int_equal(host_link_check(&b, &e), 0);
}

static void names_no_device_can_have(void **state)
{
	static const char *const names[] = {"", ".", "..", "a b", "a\tb", "a/b", "a:b",
		"eth%d", "1234567890123456", "a\xa0\n"};
	struct conf c = {.far = FAR_PEER};
	struct conf b = {.far = FAR_BRIDGE};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		c.near.dev = names[i];
		c.peer.dev = NULL;
		assert_refused(&c, "dev '");
		c.near.dev = NULL;
		c.peer.dev = names[i];
		assert_refused(&c, "dev '");
		b.bridge = names[i];
		assert_refused(&b, "bridge '");
	}
}

static void an_address_given_twice(void **state)
{
	struct conf c = {.far = FAR_PEER};

	(void)state;
	give(&c.near, "10.0.0.1", 24);
	give(&c.peer, "fd00::1", 64);
	give(&c.peer, "10.0.0.1", 8);
	assert_refused(&c, "addr '10.0.0.1/8': both ends cannot have it");
	c.peer.n_addrs--;
	give(&c.peer, "fd00::1", 128);
	assert_refused(&c, "addr 'fd00::1/128': given twice");
}

static void one_mac_for_both(void **state)
{
	struct conf c = {.far = FAR_PEER,
		.near = {.has_mac = true, .mac = {2, 0, 0, 0, 0, 1}},
		.peer = {.has_mac = true, .mac = {2, 0, 0, 0, 0, 1}}};

	(void)state;
	assert_refused(&c, "mac: both ends cannot have the same");
}

static void a_failed_start_leaves_a_link_that_can_be_aborted(void **state)
{
	struct conf c = {.far = FAR_PEER, .link_name = "x", .near.dev = "a b"};
	struct host_link h;
	struct err e;

	(void)state;
	memset(&h, 0x55, sizeof(h));
	assert_int_equal(host_link_start(&c, NULL, NULL, &h, &e), -EINVAL);
	assert_int_equal(h.port[LINK_NEAR].fd, -1);
	assert_int_equal(h.place.fd, -1);
	host_link_abort(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_can_be_is_taken),
		cmocka_unit_test(names_no_device_can_have),
		cmocka_unit_test(an_address_given_twice),
		cmocka_unit_test(one_mac_for_both),
		cmocka_unit_test(a_failed_start_leaves_a_link_that_can_be_aborted),
	};

	return cmocka_run_group_tests_name("host/host_link", tests, NULL, NULL);
}
