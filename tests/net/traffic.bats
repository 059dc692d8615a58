# SPDX-License-Identifier: GPL-2.0-or-later
# tests/net/traffic.bats - what goes over the link, end to end, judged from its two ends
#
# Times are bounded from below without exception, from above generously: the machine may be busy.
# IDLE_SECONDS=10 watches an idle link for longer (3 by itself).
load ../lib/tool

setup() {
	need tun
	need userns
	[ -x "$PROBE" ]
	cd "$BATS_TEST_TMPDIR" || return 1
	export LC_ALL=C
	helpers=()
}

teardown() {
	local p
	for p in "${helpers[@]}"; do
		kill -KILL "$p" && wait "$p" || true # waited for: else bash tells of it
	done 2>/dev/null
}

# over 'SPEC' COMMAND...: its output is in `out`, the statistics are in `report`
over() {
	local spec=$1
	shift
	# shellcheck disable=SC2086 # words by intent
	"$FARWIRE" run -q --report report dev lo netem $spec -- "$@" >out 3>&- ||
		{ echo "status $? of: $spec, $*"; cat out; return 1; }
}

ms() { echo $(($1 * 1000000)); }

fates() { sed -n 2p out; }

# Every frame that entered has one fate or still waits, and the sums agree.
balanced() {
	local sum=0 name
	for name in out lost drop_limit drop_mem drop_io backlog; do
		sum=$((sum + $(value $name report)))
	done
	[ $(($(value in report) + $(value duplicated report))) = $sum ]
}

@test "a round trip takes the delay twice, never less" {
	for to in 127.0.0.1 127.3.2.1 ::1; do
		over 'delay 10ms' "$PROBE" rtt $to 50
		between "$(value min_ns out)" "$(ms 20)" "$(ms 30)"
	done
}

@test "ping sees it, from the first packet on" {
	need ping
	for to in 127.0.0.1 ::1; do
		over 'delay 25ms' ping -n -c 10 -i 0.05 $to
		grep -q ' 0% packet loss' out
		least=$(sed -n 's|^rtt min/avg/max/mdev = \([0-9]*\).*|\1|p' out)
		between "$least" 50 70
		sed -n 's/.*time=\([0-9]*\).*/\1/p' out | while read -r t; do [ "$t" -ge 50 ]; done
	done
}

@test "100000 frames: none early, none lost, none out of order" {
	over 'delay 20ms limit 100000' "$PROBE" stamps 127.0.0.1 100000 40 60
	[ "$(value min_ns out)" -ge "$(ms 20)" ]
	# Nor does the delay add up from frame to frame.
	[ "$(value mean_ns out)" -lt "$(ms 500)" ]
	[ "$(value overtaken out)" = 0 ] && [ "$(value twice out)" = 0 ]
	[ $(($(value got out) + $(value overflow out))) = 100000 ]
	[ "$(value in report)" = 100000 ] && [ "$(value out report)" = 100000 ]
}

@test "jitter: within its bounds, and it reorders" {
	over 'delay 20ms 10ms seed 7 limit 100000' "$PROBE" stamps ::1 10000 100 60
	between "$(value min_ns out)" "$(ms 10)" "$(ms 15)"
	[ "$(value overtaken out)" -gt 1000 ]
	balanced
}

@test "never early while the link is flooded and every core is busy" {
	for _ in $(seq "$(nproc)"); do
		# One process each, and an end of its own should nobody be left to end it.
		sh -c 'i=0; while [ $i -lt 200000000 ]; do i=$((i + 1)); done' 3>&- &
		helpers+=($!)
	done
	over 'delay 5ms limit 1000000' bash -c '
		"$1" stamps 127.0.0.1 150000 0 60 >flood &
		"$1" stamps 127.0.0.1 20000 50 200 | sed 2d && wait' sh "$PROBE"
	[ "$(value got flood)" -gt 10000 ] && [ "$(value got out)" -gt 1000 ]
	[ "$(value min_ns flood)" -ge "$(ms 5)" ]
	[ "$(value min_ns out)" -ge "$(ms 5)" ]
	balanced
}

farwires_below() { # PID: it and its descendants but the command
	local p
	for p in $1 $(cat /proc/"$1"/task/*/children); do
		[ "$(cat /proc/"$p"/comm)" = sleep ] || echo "$p"
	done
}

switches() {
	local p
	for p in "$@"; do sed -n 's/^\(non\)\{0,1\}voluntary_ctxt_switches:[[:space:]]*//p' "/proc/$p/status"; done | tr '\n' ' '
}

start_idle() {
	"$FARWIRE" run -q dev lo netem delay 50ms -- sleep 60 3>&- &
	tool=$!
	helpers+=("$tool")
	wait_for 5 sh -c "cat /proc/$tool/task/*/children | xargs -rn1 sh -c 'cat /proc/\$0/comm' | grep -qx sleep"
	sleep 0.5
	mapfile -t watched < <(farwires_below $tool)
	[ "${#watched[@]}" -ge 2 ]
}

@test "an idle link sleeps: no process of farwire is woken" {
	start_idle
	before=$(switches "${watched[@]}")
	sleep "${IDLE_SECONDS:-3}"
	[ "$(switches "${watched[@]}")" = "$before" ]
}

@test "an idle link makes no system call" {
	need root
	need strace
	start_idle
	# To be attached to is a wake-up of its own, so the first second does not count.
	timeout $((${IDLE_SECONDS:-3} + 1)) strace -f -ttt -o trace "${watched[@]/#/-p}" 2>said 3>&- || true
	[ "$(grep -c attached said)" = ${#watched[@]} ]
	[ -s trace ]
	run awk 'NR == 1 { start = $2 } $2 > start + 1 && !/(<unfinished \.\.\.>|<detached \.\.\.>)$/' trace
	[ -z "$output" ]
}

@test "datagrams of every size come back as they were, IPv4 and IPv6" {
	for to in 127.0.0.1 ::1; do
		for length in 1 18 1472 1473 9000 65507; do
			over 'delay 2ms' "$PROBE" echo $to 5 $length
			[ "$(cat out)" = "sent=5 equal=5" ]
			# Cut to the MTU of 1500, there and back.
			[ "$(value in report)" -ge $((10 * (length / 1500 + 1))) ]
		done
		balanced
	done
}

@test "a stream comes back as it was, IPv4 and IPv6" {
	for to in 127.0.0.1 ::1; do
		over 'delay 1ms' "$PROBE" stream $to 5000000
		[ "$(cat out)" = "sent=5000000 back=5000000 equal=1" ]
		[ "$(value in report)" -ge $((10000000 / 1500)) ]
		balanced
	done
}

@test "a stream survives loss and jitter" {
	over 'delay 2ms 1ms loss 1% seed 3' "$PROBE" stream 127.0.0.1 1000000
	[ "$(cat out)" = "sent=1000000 back=1000000 equal=1" ]
	[ "$(value lost report)" -gt 0 ]
	balanced
}

@test "a refused connect is refused, after a round trip" {
	for to in 127.0.0.1 ::1; do
		over 'delay 30ms' "$PROBE" refused $to
		grep -q '^errno=ECONNREFUSED ' out
		between "$(value took_ns out)" "$(ms 60)" "$(ms 160)"
	done
}

@test "UNIX sockets are not touched" {
	need socat
	over 'delay 3s loss 50%' bash -c '
		socat UNIX-LISTEN:sock EXEC:cat & while [ ! -S sock ]; do sleep 0.01; done
		SECONDS=0
		for i in $(seq 1000); do echo $i; done | socat - UNIX-CONNECT:sock | tail -n 1
		echo $SECONDS; wait'
	[ "$(sed -n 1p out)" = 1000 ]
	[ "$(sed -n 2p out)" -lt 3 ]
	[ "$(value in report)" = 0 ]
}

@test "loss: the frames that netem loses under that seed" {
	over 'loss 30% seed 42' "$PROBE" stamps 127.0.0.1 64 500 60
	[ "$(fates)" = .xxxxxx..x.x.xx............x.......x.xxx..xxx..x.xx..xx.x....... ]
	over 'loss 10% seed 12345' "$PROBE" stamps ::1 40 500 60
	[ "$(fates)" = ...x............xx...x...xx...........x. ]
	for case in '0 xx.x....x...' '1 .x.x........' '3 ...x........' '42 ............'; do
		over "loss 1% seed ${case% *}" "$PROBE" stamps 127.0.0.1 12 500 60
		[ "$(fates)" = "${case#* }" ]
	done
}

@test "loss: 10097 of the first 100000 under that seed, and the counter says so" {
	over 'loss 10% seed 12345 limit 100000' "$PROBE" stamps 127.0.0.1 100000 50 60
	[ "$(value drop_ring report)" = 0 ]
	[ "$(value lost report)" = 10097 ]
	[ $((100000 - $(value got out) - $(value overflow out))) = 10097 ]
	[ "$(value failed out)" = 0 ]
	balanced
}

@test "loss: the share is within the binomial spread, with delay and jitter too" {
	over 'delay 5ms 2ms loss 5% seed 99 limit 100000' "$PROBE" stamps 127.0.0.1 20000 50 60
	# 20000 times 5 %: 1000, five standard deviations of 30.8
	between "$(value lost report)" 846 1154
	[ $((20000 - $(value got out) - $(value overflow out))) = "$(value lost report)" ]
	balanced
}

@test "the same seed loses the same frames, another seed others" {
	for seed in 7 7 8; do
		over "loss 20% seed $seed" "$PROBE" stamps 127.0.0.1 2000 50 60
		[ "$(value overflow out)" = 0 ]
		fates >>all
	done
	[ "$(sed -n 1p all)" = "$(sed -n 2p all)" ]
	[ "$(sed -n 1p all)" != "$(sed -n 3p all)" ]
}

@test "total loss is total, from the first frame on" {
	over 'loss 100%' "$PROBE" stamps 127.0.0.1 300 100 60
	[ "$(value got out)" = 0 ] && [ "$(value lost report)" = 300 ]
	need ping
	run_tool 1 run -q dev lo netem loss 100% -- ping -n -c 1 -W 1 127.0.0.1
}

@test "limit: what does not fit is dropped, counted, and said at the end" {
	run_tool 0 run --report report dev lo netem delay 200ms limit 10 -- \
		"$PROBE" stamps 127.0.0.1 100 0 60
	[ "$(value got <<<"$output")" = 10 ]
	[ "$(value drop_limit report)" = 90 ]
	assert_regex "$stderr" 'warning: 90 frames dropped by limit 10'
	balanced
}

@test "no warning where nothing was dropped that nobody asked for" {
	run_tool 0 run --report report dev lo netem delay 1ms loss 50% seed 1 -- \
		"$PROBE" stamps 127.0.0.1 100 100 60
	[ "${#stderr_lines[@]}" = 1 ]
	[ "$(value in report)" = 100 ]
}

@test "nothing crosses the link but what the command sends" {
	over 'delay 1ms' sh -c 'sleep 2; "$1" stamps ::1 3 1000 60' sh "$PROBE"
	[ "$(value in report)" = 3 ]
}
