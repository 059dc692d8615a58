/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests/unit/conf/test_link_args.c - mirrors src/conf/link_args.c
 */
#include "config.h"

#include "conf/args.h"
#include "unit/conf/command.h"
#include "unit/unit.h"

#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

static void both_ends_of_a_link(void **state)
{
	static const uint8_t mac[6] = {0x02, 0xab, 0, 0, 0, 0xfe};
	static const uint8_t ip4[4] = {10, 1, 2, 3};
	static const uint8_t ip6[16] = {0xfd, 1, [15] = 0x2a};
	struct command s;
	struct conf c;

	(void)state;
	command_good(&c, &s,
		"farwire run --name a.B-_9 --far server --memory 64m --priority nice "
		"--io uring --gso off dev wan0 addr 10.1.2.3/24 addr fd01::2a/128 mac "
		"02:AB:00:00:00:fe mtu 1280 uplink none down netem delay 5ms up netem "
		"loss 1% -- true");
	assert_string_equal(c.name, "a.B-_9");
	assert_string_equal(c.far_command, "server");
	assert_int_equal(c.memory_bytes, 64 << 20);
	assert_int_equal(c.rank, RANK_NICE);
	assert_int_equal(c.io, IO_URING);
	assert_int_equal(c.gso, GSO_OFF);
	assert_int_equal(c.far, FAR_UPLINK_NONE);
	assert_false(c.near_lo);
	assert_string_equal(c.near.dev, "wan0");
	assert_int_equal(c.near.n_addrs, 2);
	assert_int_equal(c.near.addr[0].family, AF_INET);
	assert_memory_equal(c.near.addr[0].bytes, ip4, sizeof(ip4));
	assert_int_equal(c.near.addr[0].prefix, 24);
	assert_int_equal(c.near.addr[1].family, AF_INET6);
	assert_memory_equal(c.near.addr[1].bytes, ip6, sizeof(ip6));
	assert_int_equal(c.near.addr[1].prefix, 128);
	assert_true(c.near.has_mac);
	assert_memory_equal(c.near.mac, mac, sizeof(mac));
	assert_int_equal(c.near.mtu_bytes, 1280);
	assert_int_equal(c.spec[DIR_DOWN].netem.latency_ns, 5000000);
	assert_int_equal(c.spec[DIR_UP].netem.loss.p32, 42949673);
	conf_fini(&c);
}

static void what_a_link_is_not_told(void **state)
{
	struct command s;
	struct conf c;

	(void)state;
	command_good(&c, &s, "farwire run uplink none -- true");
	assert_null(c.near.dev);
	assert_null(c.name);
	assert_null(c.far_command);
	assert_int_equal(c.near.n_addrs, 0);
	assert_false(c.near.has_mac);
	assert_int_equal(c.near.mtu_bytes, 0);
	assert_int_equal(c.memory_bytes, 0);
	assert_int_equal(c.rank, RANK_AUTO);
	assert_int_equal(c.io, IO_AUTO);
	assert_int_equal(c.gso, GSO_SEGMENT);
	for (int i = 0; i < N_DIRS; i++) {
		assert_int_equal(c.spec[i].kind, IMPAIR_NETEM);
		assert_int_equal(c.spec[i].netem.named, 0);
	}
	conf_fini(&c);
	/* The direction that is not named is unimpaired. */
	command_good(&c, &s, "farwire run uplink none down netem delay 5ms -- true");
	assert_false(c.has_direction[DIR_UP]);
	assert_int_equal(c.spec[DIR_UP].kind, IMPAIR_NETEM);
	assert_int_equal(c.spec[DIR_UP].netem.latency_ns, 0);
	conf_fini(&c);
	/* One SPEC is for both, the seed of down follows from it. */
	command_good(&c, &s, "farwire run uplink none netem delay 5ms seed 42 -- true");
	assert_int_equal(c.spec[DIR_DOWN].netem.latency_ns, 5000000);
	assert_true(c.spec[DIR_DOWN].netem.seed == 13679457532755275413u);
	conf_fini(&c);
}

static void options_between_the_words_of_a_link(void **state)
{
	struct command s;
	struct conf c;

	(void)state;
	command_good(&c, &s,
		"farwire run -s uplink none --far server -sq up netem delay 5ms -- "
		"true");
	assert_int_equal(c.stats, 2);
	assert_true(c.quiet);
	assert_string_equal(c.far_command, "server");
	assert_int_equal(c.spec[DIR_UP].netem.latency_ns, 5000000);
	conf_fini(&c);
	command_wrong("farwire run uplink none -j -- true", VERB_RUN,
		"-j: not with run; see farwire help -j");
	command_wrong("farwire run uplink none --far", VERB_RUN,
		"--far: a value is missing; write --far COMMAND");
	command_wrong("farwire run uplink none netem --far x -- true", VERB_RUN,
		"netem: '--far': not a netem option; options of farwire stand right "
		"behind the verb");
}

static void a_loopback_with_a_far_end(void **state)
{
	struct command s;
	struct conf c;

	(void)state;
	command_good(&c, &s,
		"farwire run dev lo mtu 65521 uplink none netem delay 5ms -- true");
	assert_true(c.near_lo);
	assert_null(c.near.dev);
	assert_int_equal(c.near.mtu_bytes, 65521);
	assert_int_equal(c.far, FAR_UPLINK_NONE);
	assert_int_equal(c.spec[DIR_UP].netem.latency_ns, 5000000);
	assert_int_equal(c.spec[DIR_DOWN].kind, IMPAIR_NONE);
	conf_fini(&c);
	command_good(&c, &s, "farwire run mtu 68 dev lo -- true");
	assert_int_equal(c.near.mtu_bytes, 68);
	assert_int_equal(c.far, FAR_ABSENT);
	conf_fini(&c);
}

static void a_run_goes_out_when_nothing_is_said(void **state)
{
	static const struct {
		const char *line;
		enum far far;
	} good[] = {{"farwire run -- true", FAR_UPLINK_AUTO},
		{"farwire run netem delay 5ms -- true", FAR_UPLINK_AUTO},
		{"farwire run mtu 1400 up netem delay 5ms -- true", FAR_UPLINK_AUTO},
		{"farwire run dev wan0 -- true", FAR_UPLINK_AUTO},
		{"farwire run -s -- true", FAR_UPLINK_AUTO},
		{"farwire run uplink auto -- true", FAR_UPLINK_AUTO},
		{"farwire run uplink nat -- true", FAR_UPLINK_NAT},
		{"farwire run uplink passt -- true", FAR_UPLINK_PASST},
		{"farwire run uplink slirp -- true", FAR_UPLINK_SLIRP},
		{"farwire run uplink none -- true", FAR_UPLINK_NONE},
		{"farwire run dev lo uplink passt -- true", FAR_UPLINK_PASST},
		{"farwire run dev lo -- true", FAR_ABSENT}};
	struct conf c;
	struct command s;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		command_good(&c, &s, good[i].line);
		assert_int_equal(c.far, good[i].far);
		conf_fini(&c);
	}
}

static void ports_are_read_in_their_order(void **state)
{
	struct conf c;
	struct command s;

	(void)state;
	command_good(&c, &s,
		"farwire run --reach 5432,1,65535 --listen=8080 dev lo uplink nat -- "
		"true");
	assert_int_equal(c.reach.n, 3);
	assert_int_equal(c.reach.port[0], 5432);
	assert_int_equal(c.reach.port[1], 1);
	assert_int_equal(c.reach.port[2], 65535);
	assert_int_equal(c.listen.n, 1);
	assert_int_equal(c.listen.port[0], 8080);
	conf_fini(&c);
}

static const struct {
	const char *line;
	const char *text;
} wrong_links[] = {
	{"run dev -- true", "run dev: a value is missing; write dev lo"},
	{"run uplink", "run uplink: a value is missing; write uplink auto"},
	{"run uplink noen -- true",
		"run uplink 'noen': no such way out; write auto, nat, passt or slirp, "
		"or none for a private far end"},
	{"run --far x -- true",
		"--far: a way out has no far end to run it at; write uplink none"},
	{"run --far x uplink nat -- true",
		"--far: a way out has no far end to run it at; write uplink none"},
	{"run --reach 80 dev lo -- true",
		"--reach: dev lo alone has no way out; leave out dev lo, or write "
		"uplink auto beside it"},
	{"run --listen 80 dev lo -- true",
		"--listen: dev lo alone has no way out; leave out dev lo, or write "
		"uplink auto beside it"},
	{"run --reach= -- true", "--reach: a value is missing; write --reach PORT,..."},
	{"run --reach -- true", "--reach: a value is missing; write --reach PORT,..."},
	{"run --user -- true", "--user: a value is missing; write --user NAME"},
	{"run --listen 80,61031 -- true",
		"--listen '80,61031': 61000 to 61031 are taken for the way over the "
		"link; let the command use another port"},
	{"run --listen 61000 uplink none -- true",
		"--listen '61000': 61000 to 61031 are taken for the way over the link; "
		"let the command use another port"},
	{"run --reach 0 -- true",
		"--reach '0': not a list of ports from 1 to 65535; write 5432 or "
		"5432,6379, say"},
	{"run --reach 65536 -- true",
		"--reach '65536': not a list of ports from 1 to 65535; write 5432 or "
		"5432,6379, say"},
	{"run --listen 80, -- true",
		"--listen '80,': not a list of ports from 1 to 65535; write 5432 or "
		"5432,6379, say"},
	{"run --listen 80:81 -- true",
		"--listen '80:81': not a list of ports from 1 to 65535; write 5432 or "
		"5432,6379, say"},
	{"run --listen -80 -- true",
		"--listen '-80': not a list of ports from 1 to 65535; write 5432 or "
		"5432,6379, say"},
	{"run --reach 80,443,80 -- true",
		"--reach '80,443,80': port 80 stands there twice"},
	{"run --reach "
	 "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29"
	 ",30,31,32,33 -- true",
		"--reach '1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,"
		"24,25,26...': more than 32 ports"},
	{"run uplink none uplink none -- true", "run: 'uplink': named twice"},
	{"run dev lo dev eth0 uplink none -- true", "run: 'dev': named twice"},
	{"run uplink none mtu 1400 -- true",
		"run: 'mtu': is the near end's; write it before uplink"},
	{"run dev lo netem dev eth0 -- true",
		"netem: 'dev': not a netem option; write it before netem"},
	{"run dev lo addr 10.0.0.1/24 -- true",
		"run addr: dev lo has addresses of its own, 127.0.0.1 and ::1; leave "
		"out addr, or dev lo"},
	{"run dev lo mac 02:00:00:00:00:01 uplink none -- true",
		"run mac: dev lo has addresses of its own, 127.0.0.1 and ::1; leave "
		"out mac, or dev lo"},
	{"run dev lo uplink none down netem -- true",
		"run: 'down': a loopback has one direction; write up, or netem alone"},
	{"run --far x dev lo -- true",
		"--far: dev lo alone has no far end to run it at; write uplink none"},
	{"run --far= uplink none -- true",
		"--far: a value is missing; write --far COMMAND"},
	{"run dev abcdefghijklmnop uplink none -- true",
		"run dev 'abcdefghijklmnop': a device's name has at most 15 bytes"},
	{"run dev a/b uplink none -- true",
		"run dev 'a/b': a device's name has no blank, no / : or %; write eth0, "
		"say"},
	{"run dev eth%d uplink none -- true",
		"run dev 'eth%d': a device's name has no blank, no / : or %; write "
		"eth0, say"},
	{"run dev .. uplink none -- true",
		"run dev '..': a name with another meaning; write eth0, say"},
	{"run dev all uplink none -- true",
		"run dev 'all': a name with another meaning; write eth0, say"},
	{"run dve lo -- true", "run: 'dve': no such word here; did you mean dev?"},
	{"run dev lo nteem -- true",
		"run: 'nteem': no such word here; did you mean netem?"},
	{"run uplink none dwon netem -- true",
		"run: 'dwon': no such word here; did you mean down?"},
	{"run uplink none up netem delay 1ms dwon netem -- true",
		"netem: 'dwon': no such option; did you mean down?"},
	{"run uplink none up netem delay 1ms dwon netem",
		"run: 'dwon': neither a netem option nor a direction (did you mean "
		"down?); write -- before the command"},
	{"run addr 10.0.0.1 uplink none -- true",
		"run addr '10.0.0.1': the length of the network is missing; write "
		"10.0.0.1/24"},
	{"run addr fd00::1 uplink none -- true",
		"run addr 'fd00::1': the length of the network is missing; write "
		"fd00::1/64"},
	{"run addr 10.0.0.1/0 uplink none -- true",
		"run addr '10.0.0.1/0': a network's length is 8 to 32 here; write "
		"10.0.0.1/24"},
	{"run addr 10.0.0.1/33 uplink none -- true",
		"run addr '10.0.0.1/33': a network's length is 8 to 32 here; write "
		"10.0.0.1/24"},
	{"run addr fd00::1/129 uplink none -- true",
		"run addr 'fd00::1/129': a network's length is 7 to 128 here; write "
		"fd00::1/64"},
	{"run addr 10.0.0.1/2x uplink none -- true",
		"run addr '10.0.0.1/2x': the length of the network is no number; write "
		"10.71.0.2/24 or fd71::2/64, say"},
	{"run addr 10.0.0.1/ uplink none -- true",
		"run addr '10.0.0.1/': the length of the network is no number; write "
		"10.71.0.2/24 or fd71::2/64, say"},
	{"run addr 10.0.0.1/-8 uplink none -- true",
		"run addr '10.0.0.1/-8': the length of the network is no number; write "
		"10.71.0.2/24 or fd71::2/64, say"},
	{"run addr 10.0.0/8 uplink none -- true",
		"run addr '10.0.0/8': not an address; write 10.71.0.2/24 or "
		"fd71::2/64, say"},
	{"run addr host/24 uplink none -- true",
		"run addr 'host/24': not an address; write 10.71.0.2/24 or "
		"fd71::2/64, say"},
	{"run addr 127.0.0.2/8 uplink none -- true",
		"run addr '127.0.0.2/8': a loopback's address; write 10.71.0.2/24 or "
		"fd71::2/64, say"},
	{"run addr 0.0.0.0/8 uplink none -- true",
		"run addr '0.0.0.0/8': not an address of a device; write 10.71.0.2/24 "
		"or fd71::2/64, say"},
	{"run addr 224.0.0.1/24 uplink none -- true",
		"run addr '224.0.0.1/24': a group's address; write 10.71.0.2/24 or "
		"fd71::2/64, say"},
	{"run addr 255.255.255.255/32 uplink none -- true",
		"run addr '255.255.255.255/32': a reserved address; write "
		"10.71.0.2/24 or fd71::2/64, say"},
	{"run addr ::1/128 uplink none -- true",
		"run addr '::1/128': a loopback's address; write 10.71.0.2/24 or "
		"fd71::2/64, say"},
	{"run addr ::/64 uplink none -- true",
		"run addr '::/64': not an address of a device; write 10.71.0.2/24 or "
		"fd71::2/64, say"},
	{"run addr ff02::1/64 uplink none -- true",
		"run addr 'ff02::1/64': a group's address; write 10.71.0.2/24 or "
		"fd71::2/64, say"},
	{"run addr ::ffff:10.0.0.1/96 uplink none -- true",
		"run addr '::ffff:10.0.0.1/96': an IPv4 address in IPv6's clothes, "
		"never on a wire; write 10.71.0.2/24 or fd71::2/64, say"},
	{"run addr 10.0.0.1/24 addr 10.0.0.1/8 uplink none -- true",
		"run addr '10.0.0.1/8': named twice"},
	{"run addr 10.0.0.1/24 addr 10.0.0.2/24 addr 10.0.0.3/24 addr 10.0.0.4/24 addr "
	 "10.0.0.5/24 addr 10.0.0.6/24 addr 10.0.0.7/24 addr 10.0.0.8/24 addr "
	 "10.0.0.9/24 uplink none -- true",
		"run addr '10.0.0.9/24': one too many; an end has at most 8"},
	{"run mac 01:00:00:00:00:00 uplink none -- true",
		"run mac '01:00:00:00:00:00': a group's address, no device's; make the "
		"first pair even, as in 02:00:00:00:00:01"},
	{"run mac 00:00:00:00:00:00 uplink none -- true",
		"run mac '00:00:00:00:00:00': all zero is no device's; write "
		"02:00:00:00:00:01, say"},
	{"run mac 02:00:00:00:00 uplink none -- true",
		"run mac '02:00:00:00:00': not a hardware address; write "
		"02:00:00:00:00:01, say"},
	{"run mac 02:00:00:00:00:01:02 uplink none -- true",
		"run mac '02:00:00:00:00:01:02': not a hardware address; write "
		"02:00:00:00:00:01, say"},
	{"run mac 2:0:0:0:0:1 uplink none -- true",
		"run mac '2:0:0:0:0:1': not a hardware address; write "
		"02:00:00:00:00:01, say"},
	{"run mtu big uplink none -- true",
		"run mtu 'big': not a number of bytes; write 1500, say"},
	{"run --memory 4g dev lo -- true",
		"--memory '4g': no size from 8m to 4095m; write 64m, say"},
	{"run mtu 67 uplink none -- true",
		"run mtu '67': out of range; write 68 to 65521 bytes"},
	{"run mtu 65522 uplink none -- true",
		"run mtu '65522': out of range; write 68 to 65521 bytes"},
	{"run mtu 1279 addr fd00::2/64 uplink none -- true",
		"run mtu '1279': IPv6 needs 1280; write mtu 1280 or more, or leave out "
		"the IPv6 address"},
	{"run --name all dev lo -- true",
		"--name 'all': means every link; give this one another name"},
	{"run --name down dev lo -- true",
		"--name 'down': a word of the SPEC; give this link another name"},
	{"run --name .x dev lo -- true",
		"--name '.x': a name begins with a letter or a digit"},
	{"run --name a/b dev lo -- true",
		"--name 'a/b': a name has letters, digits, _ . - and nothing else"},
	{"run --name a12345678901234567890123456789012 dev lo -- true",
		"--name 'a12345678901234567890123456789012': a name has at most 32 "
		"characters"},
	{"run --io fast dev lo -- true",
		"--io 'fast': no such choice; write one of auto|plain|uring"},
	{"run --gso seg dev lo -- true",
		"--gso 'seg': no such choice; write one of segment|whole|off"},
	{"run --priority auto|fifo dev lo -- true",
		"--priority 'auto|fifo': no such choice; write one of "
		"auto|fifo|nice|none"},
	{"run --memory 7m dev lo -- true",
		"--memory '7m': too little to hold frames in; write 8m or more"},
	{"run -sx dev lo -- true", "'-sx': no such option; did you mean -s?"},
	{"run -sq -q dev lo -- true", "-q: given twice"},
	{"run -sj dev lo -- true", "-j: not with run; see farwire help -j"},
};

static void wrong_links_say_what_to_write(void **state)
{
	char line[512];

	(void)state;
	for (size_t i = 0; i < sizeof(wrong_links) / sizeof(wrong_links[0]); i++) {
		snprintf(line, sizeof(line), "farwire %s", wrong_links[i].line);
		command_wrong(line, VERB_RUN, wrong_links[i].text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_ends_of_a_link),
		cmocka_unit_test(what_a_link_is_not_told),
		cmocka_unit_test(options_between_the_words_of_a_link),
		cmocka_unit_test(a_loopback_with_a_far_end),
		cmocka_unit_test(a_run_goes_out_when_nothing_is_said),
		cmocka_unit_test(ports_are_read_in_their_order),
		cmocka_unit_test(wrong_links_say_what_to_write),
	};

	return cmocka_run_group_tests_name("conf/link_args", tests, NULL, NULL);
}
