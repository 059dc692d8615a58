/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests/unit/conf/test_add_args.c - mirrors what src/conf/link_args.c and end_args.c
 * have for add, del and -b
 */
#include "config.h"

#include "conf/args.h"
#include "unit/conf/command.h"
#include "unit/unit.h"

#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

static void two_ends(void **state)
{
	static const uint8_t mac[6] = {2, 0, 0, 0, 0, 9};
	static const uint8_t ip4[4] = {10, 0, 0, 2};
	struct command s;
	struct conf c;

	(void)state;
	command_good(&c, &s,
		"farwire -q add -f --for 90s --memory 16m --priority none --io plain "
		"--gso whole wan netns a dev left addr 10.0.0.1/24 addr fd00::1/64 mtu "
		"1400 peer netns /run/b dev right addr 10.0.0.2/24 mac "
		"02:00:00:00:00:09 up netem delay 40ms down netem loss 1%");
	assert_int_equal(c.verb, VERB_ADD);
	assert_string_equal(c.link_name, "wan");
	assert_true(c.quiet && c.foreground);
	assert_true(c.for_ns == 90 * NSEC_PER_SEC);
	assert_int_equal(c.memory_bytes, 16 << 20);
	assert_int_equal(c.rank, RANK_NONE);
	assert_int_equal(c.io, IO_PLAIN);
	assert_int_equal(c.gso, GSO_WHOLE);
	assert_string_equal(c.near.netns, "a");
	assert_string_equal(c.near.dev, "left");
	assert_int_equal(c.near.n_addrs, 2);
	assert_int_equal(c.near.mtu_bytes, 1400);
	assert_false(c.near.has_mac);
	assert_int_equal(c.far, FAR_PEER);
	assert_string_equal(c.peer.netns, "/run/b");
	assert_string_equal(c.peer.dev, "right");
	assert_int_equal(c.peer.n_addrs, 1);
	assert_memory_equal(c.peer.addr[0].bytes, ip4, sizeof(ip4));
	assert_true(c.peer.has_mac);
	assert_memory_equal(c.peer.mac, mac, sizeof(mac));
	assert_int_equal(c.peer.mtu_bytes, 0);
	/* up leaves the end that was named first. */
	assert_int_equal(c.spec[DIR_UP].netem.latency_ns, 40000000);
	assert_int_equal(c.spec[DIR_DOWN].netem.loss.p32, 42949673);
	assert_null(c.command);
	conf_fini(&c);
}

static void what_is_not_told(void **state)
{
	struct command s;
	struct conf c;

	(void)state;
	command_good(&c, &s, "farwire add wan peer netns 4711");
	assert_null(c.near.netns);
	assert_null(c.near.dev);
	assert_string_equal(c.peer.netns, "4711");
	assert_int_equal(c.near.n_addrs + c.peer.n_addrs, 0);
	assert_false(c.foreground);
	assert_true(c.for_ns == 0);
	assert_false(c.near_lo);
	for (int i = 0; i < N_DIRS; i++) {
		assert_int_equal(c.spec[i].kind, IMPAIR_NETEM);
		assert_int_equal(c.spec[i].netem.named, 0);
	}
	conf_fini(&c);
	/* One SPEC is for both; an unnamed direction lets all through. */
	command_good(&c, &s, "farwire add wan netns . peer netem delay 5ms seed 42");
	assert_string_equal(c.near.netns, ".");
	assert_true(c.spec[DIR_DOWN].netem.seed == 13679457532755275413u);
	conf_fini(&c);
	command_good(&c, &s, "farwire add wan peer down netem delay 5ms");
	assert_false(c.has_direction[DIR_UP]);
	assert_int_equal(c.spec[DIR_UP].kind, IMPAIR_NETEM);
	assert_int_equal(c.spec[DIR_UP].netem.latency_ns, 0);
	conf_fini(&c);
	/* Options among the words, values that are words elsewhere. */
	command_good(&c, &s, "farwire add all2 netns dev -q dev peer --for 1ms peer");
	assert_string_equal(c.near.netns, "dev");
	assert_string_equal(c.near.dev, "peer");
	assert_int_equal(c.far, FAR_PEER);
	assert_true(c.quiet && c.for_ns == 1000000);
	conf_fini(&c);
}

static void a_bridge(void **state)
{
	struct command s;
	struct conf c;

	(void)state;
	command_good(
		&c, &s, "farwire add wan netns a mtu 9000 bridge br0 netem loss 1%");
	assert_int_equal(c.far, FAR_BRIDGE);
	assert_string_equal(c.bridge, "br0");
	assert_int_equal(c.near.mtu_bytes, 9000);
	assert_null(c.peer.dev);
	assert_int_equal(c.spec[DIR_DOWN].netem.loss.p32, 42949673);
	conf_fini(&c);
}

/* The form of `show -c`: options of the link stand behind its ends. */
static void exact_words_are_an_add(void **state)
{
	struct command s;
	struct conf c;

	(void)state;
	command_good(&c, &s,
		"farwire add wan dev eth1 addr fd00::1/64 mtu 1300 bridge br0 --memory "
		"16777216 --priority nice --io plain --gso off up netem limit 1000 "
		"delay 40000000ns rate 2500000bps seed 1 down netem limit 1000 seed 2");
	assert_int_equal(c.memory_bytes, 16 << 20);
	assert_int_equal(c.rank, RANK_NICE);
	assert_int_equal(c.gso, GSO_OFF);
	assert_int_equal(c.far, FAR_BRIDGE);
	assert_int_equal(c.spec[DIR_UP].netem.rate_byteps, 2500000);
	assert_int_equal(c.spec[DIR_DOWN].netem.seed, 2);
	conf_fini(&c);
}

static void del_and_batch(void **state)
{
	struct command s;
	struct conf c;

	(void)state;
	command_good(&c, &s, "farwire del wan");
	assert_int_equal(c.verb, VERB_DEL);
	assert_string_equal(c.link_name, "wan");
	conf_fini(&c);
	command_good(&c, &s, "farwire -q del all");
	assert_int_equal(c.verb, VERB_DEL);
	assert_null(c.link_name);
	conf_fini(&c);
	command_good(&c, &s, "farwire -qb - --force");
	assert_int_equal(c.verb, VERB_BATCH);
	assert_string_equal(c.batch_path, "-");
	assert_true(c.force && c.quiet);
	conf_fini(&c);
	command_good(&c, &s, "farwire -b list");
	assert_string_equal(c.batch_path, "list");
	assert_false(c.force);
	conf_fini(&c);
}

static void times_of_for(void **state)
{
	static const struct {
		const char *text;
		nsec_t ns;
	} good[] = {{"1ns", 1}, {"1.5s", 1500000000}, {"10min", 600 * NSEC_PER_SEC},
		{"2h", 7200 * NSEC_PER_SEC}, {"1000000h", 3600000000 * NSEC_PER_SEC}};
	char line[80];
	struct command s;
	struct conf c;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		snprintf(line, sizeof(line), "farwire add --for %s wan peer",
			good[i].text);
		command_good(&c, &s, line);
		assert_true(c.for_ns == good[i].ns);
		conf_fini(&c);
	}
}

static const struct {
	const char *line;
	const char *text;
} wrong_adds[] = {
	{"add", "add: no link named; write add NAME netns NS peer netns NS ..."},
	{"add -- true",
		"add: no link named; write add NAME netns NS peer netns NS ..."},
	{"add netns a peer netns b",
		"add: 'netns': no link named before it; write NAME before it"},
	{"add peer", "add: 'peer': no link named before it; write NAME before it"},
	{"add netem delay 5ms",
		"add: 'netem': no link named before it; write NAME before it"},
	{"add all peer", "add 'all': means every link; give this one another name"},
	{"add w/n peer",
		"add 'w/n': a name has letters, digits, _ . - and nothing else"},
	{"add _wan peer", "add '_wan': a name begins with a letter or a digit"},
	{"add a12345678901234567890123456789012 peer",
		"add 'a12345678901234567890123456789012': a name has at most 32 "
		"characters"},
	{"add wan", "add wan: no far end; write peer netns NS ..., or bridge BR"},
	{"add wan netns a netem delay 5ms",
		"add wan: no far end; write peer netns NS ..., or bridge BR"},
	{"add wan netns a -- true",
		"add wan: no far end; write peer netns NS ..., or bridge BR"},
	{"add wan peer netem delay 5ms -- true",
		"add: '--': takes no command; only run does"},
	{"add wan uplink none",
		"add: 'uplink': the far end of run; write peer netns NS ..., or bridge "
		"BR"},
	{"add wan peer uplink none",
		"add peer: 'uplink': the far end of run; write peer netns NS ..., or "
		"bridge BR"},
	{"add wan dev lo peer",
		"add dev 'lo': a loopback has no other end; write run dev lo to impair "
		"one, or another name"},
	{"add wan peer dev lo",
		"add peer dev 'lo': a loopback has no other end; write run dev lo to "
		"impair one, or another name"},
	{"add wan netns", "add netns: a value is missing; write netns NS"},
	{"add wan netns -- true", "add netns: a value is missing; write netns NS"},
	{"add wan peer dev", "add peer dev: a value is missing; write dev eth0"},
	{"add wan bridge", "add bridge: a value is missing; write bridge br0"},
	{"add wan bridge br/0",
		"add bridge 'br/0': a device's name has no blank, no / : or %; write "
		"eth0, say"},
	{"add wan netns ..  peer",
		"add netns '..': no namespace's name; write a name, a path with a /, a "
		"process id, or . for the caller's own"},
	{"add wan netns a\"b peer",
		"add netns 'a\"b': no blank, quote or backslash may be in the name of "
		"a namespace; write another path to it, say /proc/PID/ns/net"},
	{"add wan netns a\033[31m peer",
		"add netns 'a?[31m': no blank, quote or backslash may be in the name "
		"of a namespace; write another path to it, say /proc/PID/ns/net"},
	{"add wan netns a netns b peer", "add: 'netns': named twice"},
	{"add wan netns a peer netns b netns c", "add peer: 'netns': named twice"},
	{"add wan peer peer", "add: 'peer': there is a far end already"},
	{"add wan peer bridge br0", "add: 'bridge': there is a far end already"},
	{"add wan bridge br0 bridge br1", "add: 'bridge': there is a far end already"},
	{"add wan bridge br0 netns a",
		"add: 'netns': is the near end's; write it before bridge"},
	{"add wan peer mtu 1400", "add: 'mtu': is for both ends; write it before peer"},
	{"add wan peer addr 10.0.0.1",
		"add peer addr '10.0.0.1': the length of the network is missing; write "
		"10.0.0.1/24"},
	{"add wan peer addr 10.0.0.1/24 addr 10.0.0.1/24",
		"add peer addr '10.0.0.1/24': named twice"},
	{"add wan mtu 1000 peer addr fd00::1/64",
		"add mtu '1000': IPv6 needs 1280; write mtu 1280 or more, or leave out "
		"the IPv6 address"},
	{"add wan addr fd00::1/64 mtu 1000 bridge br0",
		"add mtu '1000': IPv6 needs 1280; write mtu 1280 or more, or leave out "
		"the IPv6 address"},
	{"add wan per netns b", "add: 'per': no such word here; did you mean peer?"},
	{"add wan bridge br0 br1",
		"add: 'br1': no such word here; write netem before the options"},
	{"add wan netns a 10.0.0.1/24 peer",
		"add: '10.0.0.1/24': no such word here; write netem before the "
		"options"},
	{"add wan peer delay 5ms",
		"add: 'delay': no such word here; write netem before the options"},
	{"add wan peer netem delay 5ms dev x",
		"netem: 'dev': not a netem option; write it before netem"},
	{"add wan peer up netem delay 5ms up netem", "add: 'up': named twice"},
	{"add -s wan peer", "-s: not with add; see farwire help -s"},
	{"add wan --name x peer", "--name: not with add; see farwire help --name"},
	{"add --force wan peer", "--force: not with add; see farwire help --force"},
	{"add -b f wan peer", "-b: not with add; see farwire help -b"},
	{"add -f -f wan peer", "-f: given twice"},
	{"add wan peer --for", "--for: a value is missing; write --for TIME"},
	{"add --for 10 wan peer",
		"--for '10': no time with a unit; write 30s, 10min or 2h, say"},
	{"add --for 10m wan peer",
		"--for '10m': no time with a unit; write 30s, 10min or 2h, say"},
	{"add --for h wan peer",
		"--for 'h': no time with a unit; write 30s, 10min or 2h, say"},
	{"add --for 1.5h wan peer",
		"--for '1.5h': no time with a unit; write 30s, 10min or 2h, say"},
	{"add --for -1s wan peer",
		"--for '-1s': no time with a unit; write 30s, 10min or 2h, say"},
	{"add --for 0 wan peer",
		"--for '0': no time at all; leave it out for a link without end"},
	{"add --for 999999999h wan peer",
		"--for '999999999h': longer than 146 years; leave it out for a link "
		"without end"},
};

static const struct {
	const char *line;
	enum verb verb;
	const char *text;
} wrong_others[] = {
	{"farwire del", VERB_DEL,
		"del: no link named; write del NAME, or del all (show lists the "
		"names)"},
	{"farwire del wan lan", VERB_DEL, "del: 'lan': one word too many"},
	{"farwire del all wan", VERB_DEL, "del: 'wan': one word too many"},
	{"farwire del netem", VERB_DEL,
		"del: 'netem': is no name; write the name of a link alone"},
	{"farwire del w/n", VERB_DEL,
		"del 'w/n': a name has letters, digits, _ . - and nothing else"},
	{"farwire del -s wan", VERB_DEL, "-s: not with del; see farwire help -s"},
	{"farwire -b", VERB_HELP, "-b: a value is missing; write -b FILE"},
	{"farwire -bq f", VERB_HELP, "'-bq': no such option; did you mean -q?"},
	{"farwire -b f add wan peer", VERB_ADD,
		"-b: not with add; see farwire help -b"},
	{"farwire -b f run dev lo -- true", VERB_RUN,
		"-b: not with run; see farwire help -b"},
	{"farwire -b f -j", VERB_BATCH, "-j: not with -b; see farwire help -j"},
	{"farwire -b f -f", VERB_BATCH, "-f: not with -b; see farwire help -f"},
	{"farwire -b f x", VERB_HELP,
		"'x': no such verb; write run, add, change, set, show, monitor, del, "
		"check, doctor or help"},
	{"farwire -b --force list", VERB_HELP,
		"-b: a file is missing before --force; write -b FILE --force"},
	{"farwire --force", VERB_HELP,
		"nothing to do; write run, add, show, check, doctor or help behind "
		"farwire"},
	{"farwire run netns a dev lo -- true", VERB_RUN,
		"run: 'netns': run makes its own; a link into one that is there is "
		"farwire add NAME netns NS ..."},
	{"farwire run peer netns a -- true", VERB_RUN,
		"run: 'peer': the far end of add; write uplink auto or none, or "
		"farwire add NAME ..."},
	{"farwire run uplink none bridge br0 -- true", VERB_RUN,
		"run: 'bridge': the far end of add; write uplink auto or none, or "
		"farwire add NAME ..."},
	{"farwire run -f dev lo -- true", VERB_RUN,
		"-f: not with run; see farwire help -f"},
	{"farwire run --for 10s dev lo -- true", VERB_RUN,
		"--for: not with run; see farwire help --for"},
	{"farwire change wan netns a netem", VERB_CHANGE,
		"change: 'netns': stands before netem, up and down, and only in run "
		"and add"},
};

static void wrong_lines_say_what_to_write(void **state)
{
	char line[512];

	(void)state;
	for (size_t i = 0; i < sizeof(wrong_adds) / sizeof(wrong_adds[0]); i++) {
		snprintf(line, sizeof(line), "farwire %s", wrong_adds[i].line);
		command_wrong(line, VERB_ADD, wrong_adds[i].text);
	}
	for (size_t i = 0; i < sizeof(wrong_others) / sizeof(wrong_others[0]); i++)
		command_wrong(wrong_others[i].line, wrong_others[i].verb,
			wrong_others[i].text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_ends),
		cmocka_unit_test(what_is_not_told),
		cmocka_unit_test(a_bridge),
		cmocka_unit_test(exact_words_are_an_add),
		cmocka_unit_test(del_and_batch),
		cmocka_unit_test(times_of_for),
		cmocka_unit_test(wrong_lines_say_what_to_write),
	};

	return cmocka_run_group_tests_name("conf/add_args", tests, NULL, NULL);
}
