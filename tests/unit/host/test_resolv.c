/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests/unit/host/test_resolv.c - mirrors src/host/resolv.c: what a resolv.conf says
 *
 * How the command's own gets into its place: tests/net/uplink.bats.
 */
#include "config.h"

#include "host/resolv.h"
#include "unit/unit.h"

#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static char dir[] = "/tmp/farwire-resolv.XXXXXX";
static char path[64], other[64];

static int make_dir(void **state)
{
	(void)state;
	if (!mkdtemp(dir))
		return -1;
	snprintf(path, sizeof(path), "%s/resolv.conf", dir);
	snprintf(other, sizeof(other), "%s/other", dir);
	return 0;
}

static int remove_dir(void **state)
{
	(void)state;
	unlink(path);
	unlink(other);
	return rmdir(dir);
}

static void put(const char *to, const char *text)
{
	FILE *f = fopen(to, "w");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static void read_text(struct resolv *r, const char *text)
{
	struct err e = {0};

	unlink(path);
	put(path, text);
	memset(r, 0xa5, sizeof(*r));
	assert_int_equal(resolv_read(r, path, &e), 0);
	assert_true(r->is_there);
}

static void servers_are_taken_other_lines_kept(void **state)
{
	static const uint8_t one[4] = {192, 0, 2, 53};
	static const uint8_t six[16] = {0x20, 1, 0xd, 0xb8, [15] = 1};
	struct resolv r;

	(void)state;
	read_text(&r, "# a comment\n"
		      "search lan example.org\n"
		      "nameserver 192.0.2.53\n"
		      "\n"
		      " nameserver\t2001:db8::1  \n"
		      "options edns0 timeout:1\n"
		      "nameserver fe80::1%eth0\r\n");
	assert_int_equal(r.n_servers, 3);
	assert_int_equal(r.server[0].family, AF_INET);
	assert_memory_equal(r.server[0].bytes, one, 4);
	assert_int_equal(r.server[1].family, AF_INET6);
	assert_memory_equal(r.server[1].bytes, six, 16);
	assert_int_equal(r.server[2].bytes[0], 0xfe);
	assert_true(resolv_is_of_link(&r.server[2]));
	assert_false(resolv_is_of_link(&r.server[0]));
	assert_false(resolv_is_of_link(&r.server[1]));
	assert_string_equal(r.kept, "# a comment\n"
				    "search lan example.org\n"
				    "options edns0 timeout:1\n");
	assert_true(resolv_has(&r, AF_INET));
	assert_true(resolv_has(&r, AF_INET6));
	assert_false(resolv_is_local(&r));
}

static void the_device_of_a_link_is_read(void **state)
{
	struct resolv r;

	(void)state;
	read_text(&r, "nameserver fe80::1%lo\nnameserver fe80::2%7 # odd\n"
		      "nameserver fe80::3%no-such-device-at-all\n");
	assert_int_equal(r.n_servers, 3);
	assert_int_equal(r.scope[0], if_nametoindex("lo"));
	assert_int_equal(r.scope[1], 7);
	assert_int_equal(r.scope[2], 0);
	read_text(&r, "nameserver ::1\n");
	assert_int_equal(r.scope[0], 0);
}

static void what_is_no_server_is_none(void **state)
{
	struct resolv r;

	(void)state;
	read_text(&r, "nameserver\nnameserver \nnameserver example.org\n"
		      "nameserver 1.2.3\nnameservers 192.0.2.1\n#nameserver 192.0.2.2\n"
		      "nameserver 192.0.2.3");
	assert_int_equal(r.n_servers, 1);
	assert_int_equal(r.server[0].bytes[3], 3);
	/* A word that only begins so, and a comment, are lines as others. */
	assert_non_null(strstr(r.kept, "nameservers 192.0.2.1\n"));
	assert_non_null(strstr(r.kept, "#nameserver 192.0.2.2\n"));
	assert_false(resolv_has(&r, AF_INET6));
}

static void no_more_servers_than_the_c_library_asks(void **state)
{
	struct resolv r;

	(void)state;
	read_text(&r, "nameserver 10.0.0.1\nnameserver 10.0.0.2\nnameserver 10.0.0.3\n"
		      "nameserver fd00::1\n");
	assert_int_equal(r.n_servers, RESOLV_SERVERS_MAX);
	assert_false(resolv_has(&r, AF_INET6));
}

static void local_servers(void **state)
{
	struct resolv r;

	(void)state;
	read_text(&r, "nameserver 127.0.0.53\nnameserver ::1\n");
	assert_true(resolv_is_local(&r));
	read_text(&r, "nameserver 127.0.0.53\nnameserver 10.0.0.1\n");
	assert_false(resolv_is_local(&r));
	/* As the C library has it. */
	read_text(&r, "");
	assert_int_equal(r.n_servers, 1);
	assert_true(resolv_is_local(&r) && resolv_has(&r, AF_INET));
	read_text(&r, "search lan\n");
	assert_true(resolv_is_local(&r));
	read_text(&r, "nameserver ::2\n");
	assert_false(resolv_is_local(&r));
}

static void long_files_are_cut_at_a_line(void **state)
{
	static char text[3 * RESOLV_KEPT_BYTES];
	struct resolv r;

	(void)state;
	text[0] = '\0';
	while (strlen(text) + 100 < sizeof(text))
		strcat(text, "options a-line-that-says-nothing\n");
	strcat(text, "nameserver 10.0.0.1\n");
	read_text(&r, text);
	assert_int_equal(r.n_servers, 1);
	assert_true(strlen(r.kept) < RESOLV_KEPT_BYTES);
	assert_int_equal(r.kept[strlen(r.kept) - 1], '\n');
	assert_true(strlen(r.kept) % strlen("options a-line-that-says-nothing\n") == 0);
}

static void links_missing_files_and_directories(void **state)
{
	struct resolv r = {.n_servers = 77};
	struct err e = {0};

	(void)state;
	unlink(path);
	assert_int_equal(resolv_read(&r, path, &e), 0);
	assert_false(r.is_there);
	assert_int_equal(r.n_servers, 0);
	assert_int_equal(symlink(other, path), 0);
	r.n_servers = 77;
	assert_int_equal(resolv_read(&r, path, &e), -ENOENT);
	assert_non_null(strstr(e.text, "which leads nowhere"));
	assert_non_null(strstr(e.text, other));
	assert_int_equal(r.n_servers, 77);
	put(other, "nameserver 10.0.0.1\n");
	assert_int_equal(resolv_read(&r, path, &e), 0);
	assert_int_equal(r.n_servers, 1);
	unlink(path);
	assert_int_equal(symlink(path, path), 0);
	assert_int_equal(resolv_read(&r, path, &e), -ELOOP);
	unlink(path);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_int_equal(resolv_read(&r, path, &e), -EISDIR);
	assert_int_equal(rmdir(path), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(servers_are_taken_other_lines_kept),
		cmocka_unit_test(the_device_of_a_link_is_read),
		cmocka_unit_test(what_is_no_server_is_none),
		cmocka_unit_test(no_more_servers_than_the_c_library_asks),
		cmocka_unit_test(local_servers),
		cmocka_unit_test(long_files_are_cut_at_a_line),
		cmocka_unit_test(links_missing_files_and_directories),
	};

	return cmocka_run_group_tests_name("host/resolv", tests, make_dir, remove_dir);
}
