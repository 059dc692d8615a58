# SPDX-License-Identifier: GPL-2.0-or-later
# tests/net/netem.bats - each impairment on a real loopback, end to end
#
# What happened is read from the report's exact counters and from what ping saw, never from
# a clock alone: "not earlier than" is all that is asked of times.

load ../lib/tool

setup() {
	need tun
	need ping
	[ $EUID = 0 ] || need userns
	cd "$BATS_TEST_TMPDIR" || return
}

# counter NAME: of the last report
counter() { sed -n 's/^ *"'"$1"'": *\([0-9]*\),*$/\1/p' report | head -n 1; }

@test "duplicate 100%: exactly two of each, and the receiver sees them" {
	run_tool 0 run -q --report report dev lo netem duplicate 100% -- \
		ping -c 4 -i 0.2 127.0.0.1
	[[ $output == *DUP!* ]]
	[ "$(counter in)" -gt 0 ]
	[ "$(counter out)" = $((2 * $(counter in))) ]
	[ "$(counter duplicated)" = "$(counter in)" ]
}

@test "corrupt 100%: every frame damaged, and the receiver's checksum shows it" {
	run_tool 1 run -q --report report dev lo netem corrupt 100% seed 5 -- \
		ping -c 3 -i 0.2 -W 1 127.0.0.1
	[[ $output == *" 0 received"* ]]
	[ "$(counter in)" = 3 ]
	[ "$(counter corrupted)" = 3 ]
	[ "$(counter out)" = 3 ]
}

@test "ecn: who can be marked is marked, who cannot is lost" {
	run_tool 1 run -q --report report dev lo netem loss 100% ecn -- \
		ping -c 3 -i 0.2 -W 1 127.0.0.1
	[ "$(counter lost)" = 3 ]
	[ "$(counter ecn_marked)" = 0 ]
	run --separate-stderr "$FARWIRE" run -q --report report dev lo netem loss 100% ecn -- \
		ping -Q 2 -c 3 -i 0.2 -W 1 127.0.0.1 3>&-
	[ "$(counter ecn_marked)" -ge 3 ]
	[ "$(($(counter ecn_marked) + $(counter lost)))" = "$(counter in)" ]
}

@test "reorder with a gap: every second frame goes at once, counted" {
	run_tool 0 run -q --report report dev lo netem delay 50ms reorder 100% gap 2 -- \
		ping -c 4 -i 0.2 127.0.0.1
	[ "$(counter in)" = 8 ]
	[ "$(counter reordered)" = 4 ]
	[ "$(counter delayed)" = 4 ]
}

@test "rate: a frame of 1250 bytes takes its time, each way" {
	run_tool 0 run -q dev lo netem rate 100kbit -- ping -c 2 -s 1208 127.0.0.1
	# 1208 + 8 + 20 + 14 bytes at 12500 bytes/s: 100 ms, there and back
	[ "$(sed -n 's/.*time=\([0-9]*\).*/\1/p' <<<"$output" | sort -n | head -n 1)" -ge 200 ]
}

@test "rate: a queue of frames never leaves faster than the rate" {
	run_tool 0 run -q --report report dev lo netem rate 5mbit limit 10000 -- \
		ping -q -c 200 -i 0.002 -s 1208 -W 5 127.0.0.1
	[ "$(counter out)" -ge 400 ]
	# 5 Mbit/s and a thousandth, over the time in which frames waited
	[ $(($(counter out_bytes) * 8 * 1000)) -le $(($(counter busy_ns) / 1000 * 5005)) ]
}

@test "slot: nothing leaves before its slot" {
	run_tool 0 run -q dev lo netem slot 60ms 60ms -- ping -c 2 -i 0.3 127.0.0.1
	[ "$(sed -n 's/.*time=\([0-9]*\).*/\1/p' <<<"$output" | sort -n | head -n 1)" -ge 120 ]
}
