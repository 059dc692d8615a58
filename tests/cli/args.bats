# SPDX-License-Identifier: GPL-2.0-or-later
# tests/cli/args.bats - mirrors src/conf/args.c, help.c and show.c: the line as a whole
load ../lib/tool

one_line() {
	[ "$(printf '%s\n' "$stderr" | wc -l)" -eq 1 ]
	[ "$stderr" = "farwire: $1" ]
}

@test "nothing to do is an error that says what there is" {
	run_tool 1
	one_line "nothing to do; write run, add, show, check, doctor or help behind farwire"
	[ -z "$output" ]
}

@test "--version and --help end with 0 and speak on stdout, wherever they stand" {
	run_tool 0 --version
	assert_output --regexp '^farwire [0-9]+\.[0-9]+'
	run_tool 0 -V
	assert_output --regexp '^farwire [0-9]+\.[0-9]+'
	run_tool 0 --help
	assert_line --index 0 --partial "farwire run netem"
	run_tool 0 run --help
	assert_line --index 0 --partial "run [dev lo]"
	[ -z "$stderr" ]
}

@test "help on a word that is none names the nearest" {
	run_tool 1 help lsos
	one_line "help: 'lsos': no such word; did you mean loss?"
	run_tool 1 help xyzzy
	one_line "help: 'xyzzy': no such word; see farwire help"
	[ -z "$output" ]
}

@test "wrong words of run end with 125, those of other verbs with 1" {
	run_tool 125 run dev lo netem dealy 50ms -- true
	one_line "netem: 'dealy': no such option; did you mean delay?"
	run_tool 125 -x run dev lo netem -- true
	one_line "'-x': no such option; see farwire help"
	run_tool 125 --reprot f run dev lo -- true
	one_line "'--reprot': no such option; did you mean --report?"
	run_tool 1 check netem dealy 50ms
	run_tool 1 -x check netem
	run_tool 1 chekc netem
	one_line "'chekc': no such verb; did you mean check?"
	# Whoever waits for the command's status must not take ours for it.
	run_tool 125 rnu dev lo netem -- true
	one_line "'rnu': no such verb; did you mean run?"
}

@test "without -- the command is not run, and the message says what to write" {
	run_tool 125 run dev lo netem loss 5% touch "$BATS_TEST_TMPDIR/ran"
	one_line "run: 'touch': neither a netem option nor a direction; write -- before the command"
	run_tool 125 run dev lo touch "$BATS_TEST_TMPDIR/ran"
	one_line "run: 'touch': neither netem nor a direction; write -- before the command"
	run_tool 125 run dev lo netem loss 5%
	one_line "run: no command; write -- before the command"
	run_tool 125 run dev lo netem loss 5% --
	one_line "run: no command behind --"
	refute test -e "$BATS_TEST_TMPDIR/ran"
}

@test "a loopback has one direction" {
	run_tool 125 run dev lo down netem delay 5ms -- true
	one_line "run: 'down': a loopback has one direction; write up, or netem alone"
	run_tool 125 run dev lo up netem delay 5ms down netem -- true
	run_tool 125 run dev lo uplink none down netem -- true
	one_line "run: 'down': a loopback has one direction; write up, or netem alone"
}

@test "the ends of a link: each wrong word is one line, and nothing runs" {
	local n=0 words why

	while IFS='=' read -r words why; do
		# shellcheck disable=SC2086
		run_tool 125 run $words -- touch "$BATS_TEST_TMPDIR/ran"
		one_line "$why"
		n=$((n + 1))
	done <<-'END'
		uplink wifi=run uplink 'wifi': no such way out; write auto, nat, passt or slirp, or none for a private far end
		addr 10.0.0.1 uplink none=run addr '10.0.0.1': the length of the network is missing; write 10.0.0.1/24
		addr 224.0.0.1/4 uplink none=run addr '224.0.0.1/4': a group's address; write 10.71.0.2/24 or fd71::2/64, say
		mac 00:00:00:00:00:00 uplink none=run mac '00:00:00:00:00:00': all zero is no device's; write 02:00:00:00:00:01, say
		mtu 9 uplink none=run mtu '9': out of range; write 68 to 65521 bytes
		dev all uplink none=run dev 'all': a name with another meaning; write eth0, say
		--name up uplink none=--name 'up': a word of the SPEC; give this link another name
		--far x dev lo=--far: dev lo alone has no far end to run it at; write uplink none
		--reach 80,80=--reach '80,80': port 80 stands there twice
		--listen x=--listen 'x': not a list of ports from 1 to 65535; write 5432 or 5432,6379, say
		--gso on uplink none=--gso 'on': no such choice; write one of segment|whole|off
	END
	[ "$n" -eq 11 ]
	run_tool 125 run dev "eth 0" uplink none -- touch "$BATS_TEST_TMPDIR/ran"
	one_line "run dev 'eth 0': a device's name has no blank, no / : or %; write eth0, say"
	refute test -e "$BATS_TEST_TMPDIR/ran"
}

@test "wrong words to a running link end with 1" {
	run_tool 1 change
	one_line "change: no link named; write change NAME netem ... (show lists the names)"
	run_tool 1 change wan
	one_line "change: nothing to change; write change wan netem ..."
	run_tool 1 set wan dwon netem
	one_line "set: 'dwon': no such word here; did you mean down?"
	run_tool 1 replace wan netem delay 5
	one_line "netem delay '5': a time needs a unit (tc reads ns, before 2024 us); write 5ms, 5us or 5ns"
	run_tool 1 show -jc
	one_line "-c: prints words alone; leave out -s and -j, or take ext.args of -j"
	run_tool 1 monitor -c
	one_line "-c: not with monitor; see farwire help -c"
}

@test "a link that stays: each wrong word is one line, status 1, and nothing is made" {
	local n=0 words why

	while IFS='=' read -r words why; do
		# shellcheck disable=SC2086
		run_tool 1 $words
		one_line "$why"
		[ -z "$output" ]
		n=$((n + 1))
	done <<-'END'
		add=add: no link named; write add NAME netns NS peer netns NS ...
		add all peer=add 'all': means every link; give this one another name
		add -x peer='-x': no such option; see farwire help
		add w/x peer=add 'w/x': a name has letters, digits, _ . - and nothing else
		add wan=add wan: no far end; write peer netns NS ..., or bridge BR
		add wan netns a=add wan: no far end; write peer netns NS ..., or bridge BR
		add wan netns a netem delay 5ms=add wan: no far end; write peer netns NS ..., or bridge BR
		add wan uplink none=add: 'uplink': the far end of run; write peer netns NS ..., or bridge BR
		add wan dev lo peer=add dev 'lo': a loopback has no other end; write run dev lo to impair one, or another name
		add wan netns .. peer=add netns '..': no namespace's name; write a name, a path with a /, a process id, or . for the caller's own
		add wan dev all peer=add dev 'all': a name with another meaning; write eth0, say
		add wan bridge abcdefghijklmnop=add bridge 'abcdefghijklmnop': a device's name has at most 15 bytes
		add wan bridge br0 peer=add: 'peer': there is a far end already
		add wan peer mtu 1400=add: 'mtu': is for both ends; write it before peer
		add wan peer mac 01:00:00:00:00:00=add peer mac '01:00:00:00:00:00': a group's address, no device's; make the first pair even, as in 02:00:00:00:00:01
		add wan peer netem dealy 5ms=netem: 'dealy': no such option; did you mean delay?
		add wan peer netem delay 5ms -- true=add: '--': takes no command; only run does
		add --for 10 wan peer=--for '10': no time with a unit; write 30s, 10min or 2h, say
		add -s wan peer=-s: not with add; see farwire help -s
		del=del: no link named; write del NAME, or del all (show lists the names)
		del wan lan=del: 'lan': one word too many
		-b=-b: a value is missing; write -b FILE
		-b /nowhere/x show=-b: not with show; see farwire help -b
		--force show=--force: not with show; see farwire help --force
	END
	[ "$n" -eq 24 ]
	run_tool 1 add wan netns $'a\nb' peer
	one_line "add netns 'a?b': no blank, quote or backslash may be in the name of a namespace; write another path to it, say /proc/PID/ns/net"
	run_tool 125 run netns a dev lo -- true
	one_line "run: 'netns': run makes its own; a link into one that is there is farwire add NAME netns NS ..."
	run_tool 125 run peer -- true
	one_line "run: 'peer': the far end of add; write uplink auto or none, or farwire add NAME ..."
}

@test "short options may stand in one word" {
	run_tool 0 check -jp netem
	assert_line --index 0 "["
	run_tool 1 check -jx netem
	one_line "'-jx': no such option; did you mean -j?"
}

@test "a direction named twice, or beside a SPEC without one, is an error" {
	run_tool 1 check up netem up netem
	one_line "check: 'up': named twice"
	run_tool 1 check netem delay 5ms up netem
	one_line "check: 'up': there is a SPEC without a direction already; write up netem ... down netem ..."
	run_tool 1 check up delay 5ms
	one_line "check up: no SPEC behind it; write up netem ..."
}

@test "check prints one line a direction in the order up, down" {
	run_tool 0 check netem
	[ "$output" = "netem limit 1000" ]
	run_tool 0 check down netem delay 5ms up netem loss 1%
	[ "$output" = "up netem limit 1000 loss 1%
down netem limit 1000 delay 5ms" ]
	run_tool 0 check down netem delay 5ms
	[ "$output" = "down netem limit 1000 delay 5ms" ]
}

@test "a value may be a word that ends a SPEC elsewhere" {
	mkdir -p "$BATS_TEST_TMPDIR/t"
	printf '%s\n' 0 1 2 >"$BATS_TEST_TMPDIR/t/up.dist"
	TC_LIB_DIR=$BATS_TEST_TMPDIR/t run_tool 0 check netem delay 5ms 1ms distribution up
	[ "$output" = "netem limit 1000 delay 5ms  1ms" ]
}

@test "options stand before the verb or behind it, and only with a verb that has a use for them" {
	run_tool 0 -j check netem
	run_tool 0 check -j netem
	run_tool 1 check netem -j
	one_line "netem: '-j': not a netem option; options of farwire stand right behind the verb"
	run_tool 125 run -j dev lo netem -- true
	one_line "-j: not with run; see farwire help -j"
	run_tool 1 check --report f netem
	run_tool 1 check -q -q netem
	one_line "-q: given twice"
}

@test "check -j is one JSON array with tc's keys and exact words" {
	run_tool 0 check -j netem delay 100ms 10ms loss 1% 25% seed 42
	[ "$output" = '[{"kind":"netem","handle":"1:","root":true,"options":{"limit":1000,"delay":{"delay":0.1,"jitter":0.01,"correlation":0},"loss-random":{"loss":0.01,"correlation":0.25},"seed":42,"ecn":false,"gap":0,"ext":{"delay_ns":100000000,"jitter_ns":10000000,"args":"netem limit 1000 delay 100000000ns 10000000ns loss 1% 25% seed 42"}}}]' ]
	run_tool 0 check -j -p up netem loss gemodel 1% down netem rate 1gbit
	assert_line '    "direction": "down",'
	assert_line '        "1-h": 1,'
	assert_line '        "rate": 125000000,'
}

@test "a full stdout is an error" {
	[ -e /dev/full ] || skip "needs /dev/full"
	run bash -c '"$FARWIRE" check netem >/dev/full'
	[ "$status" -eq 2 ]
	run bash -c '"$FARWIRE" help >/dev/full'
	[ "$status" -eq 2 ]
}

@test "a word with control characters is quoted in one line" {
	run_tool 1 check netem $'a\nb\e[31m'
	one_line "netem: 'a?b?[31m': no such option; see farwire help netem"
	run_tool 1 check netem "$(printf '%0500d' 7)x"
	[ "${#stderr}" -lt 250 ]
}

@test "warnings stand on stderr, one line each, and -q silences them" {
	run_tool 0 check netem loss 1% 25% duplicate 2%
	[ "$output" = "netem limit 1000 loss 1% 25% duplicate 2%" ]
	one_line "warning: loss 1% with correlation 25% loses about 0.00024% in netem's arithmetic; for bursts use loss gemodel"
	run_tool 0 -q check netem loss 1% 25%
	[ -z "$stderr" ]
	run_tool 1 -q check netem loss
	[ -n "$stderr" ]
}
