# SPDX-License-Identifier: GPL-2.0-or-later
# tests/net/supers.bats - super-frames over a bad loopback: streams and datagrams as they were
load ../lib/tool

setup() {
	need tun
	need userns
	datagrams=$FW_BUILD/tests/net/datagrams
	cd "$BATS_TEST_TMPDIR" || return 1
	export LC_ALL=C
}

# over GSO 'SPEC' COMMAND...: its output is in `out`, the statistics are in `report`
over() {
	local gso=$1 spec=$2
	shift 2
	# shellcheck disable=SC2086 # words by intent
	timeout 120 "$FARWIRE" run -q --report report --gso "$gso" dev lo netem $spec -- \
		"$@" >out 2>err 3>&- || { echo "status $? of: $spec, $*"; cat out err; return 1; }
}

balanced() {
	local sum=0 name
	for name in out lost drop_limit drop_mem drop_io backlog; do
		sum=$((sum + $(value $name report)))
	done
	[ $(($(value in report) + $(value duplicated report))) = $sum ]
}

per_read() { echo $(($(value frames_read report) / $(value reads report))); }
per_write() { echo $(($(value frames_written report) / $(value writes report))); }

@test "a stream travels in super-frames, each wire frame counted" {
	for to in 127.0.0.1 ::1; do
		over segment 'delay 2ms limit 100000' "$PROBE" stream $to 50000000
		[ "$(cat out)" = "sent=50000000 back=50000000 equal=1" ]
		[ "$(value in report)" -ge $((100000000 / 1500)) ]
		[ "$(per_read)" -ge 3 ] && [ "$(per_write)" -ge 3 ]
		[ $(($(value copied_bytes report) / $(value out report))) -lt 80 ]
		balanced
	done
}

@test "a stream survives delay, loss, reorder, duplicate and corrupt" {
	for to in 127.0.0.1 ::1; do
		over segment 'delay 1ms 200us loss 0.2% reorder 1% duplicate 0.5% corrupt 0.1% seed 3 limit 100000' \
			"$PROBE" stream $to 10000000
		[ "$(cat out)" = "sent=10000000 back=10000000 equal=1" ]
		for name in lost reordered duplicated corrupted; do
			[ "$(value $name report)" -gt 0 ]
		done
		balanced
	done
}

@test "loss without jitter leaves runs: fewer writes than frames, no payload copied" {
	over segment 'delay 2ms loss 1% seed 4 limit 100000' "$PROBE" stream 127.0.0.1 20000000
	[ "$(cat out)" = "sent=20000000 back=20000000 equal=1" ]
	[ "$(value lost report)" -gt 50 ]
	[ $(($(value copied_bytes report) / $(value out report))) -lt 80 ]
	balanced
}

@test "off: frames come and go one by one" {
	over off 'delay 1ms limit 100000' "$PROBE" stream 127.0.0.1 5000000
	[ "$(cat out)" = "sent=5000000 back=5000000 equal=1" ]
	[ "$(value frames_read report)" -le "$(value reads report)" ]
	[ "$(value frames_written report)" = "$(value writes report)" ]
	[ "$(value copied_bytes report)" = 0 ]
}

@test "whole: one verdict for a super-frame" {
	over whole 'delay 1ms loss 0.5% corrupt 0.5% seed 1 limit 100000' \
		"$PROBE" stream 127.0.0.1 20000000
	[ "$(cat out)" = "sent=20000000 back=20000000 equal=1" ]
	[ "$(value in report)" -lt $((40000000 / 1500)) ]
	[ "$(value in_bytes report)" -gt 40000000 ]
	[ "$(value lost report)" -gt 0 ] && [ "$(value corrupted report)" -gt 0 ]
	balanced
}

@test "datagrams cut by the kernel arrive each as it was, in order" {
	for to in 127.0.0.1 ::1; do
		for shape in '2 18' '40 18' '40 1000' '30 1472'; do
			[ "$to $shape" != '::1 30 1472' ] || shape='30 1452'
			# shellcheck disable=SC2086
			over segment 'delay 1ms limit 100000' "$datagrams" $to 200 $shape
			n=$((200 * ${shape% *}))
			grep -q "^sent=$n got=$n wrong=0 overtaken=0 twice=0 " out
			[ "$(value in report)" = $n ]
		done
		[ "$(per_read)" -ge 5 ]
	done
}

@test "plain datagrams of one flow are joined across reads, and arrive as they were" {
	for to in 127.0.0.1 ::1; do
		over segment 'delay 3ms limit 100000' "$datagrams" $to 5000 1 100
		grep -q '^sent=5000 got=5000 wrong=0 overtaken=0 twice=0 ' out
		[ "$(value in report)" = 5000 ]
		[ "$(value writes report)" -lt 4000 ]
	done
}

@test "the same seed loses the same frames, one by one or in super-frames" {
	for gso in segment off; do
		over $gso 'delay 1ms loss 20% seed 9 limit 100000' "$datagrams" 127.0.0.1 100 20 500
		cat out >>all
		[ "$(value lost report)" -gt 300 ]
		value lost report >>lost
	done
	[ "$(sed -n 1p lost)" = "$(sed -n 2p lost)" ]
	[ "$(sed -n 1p all)" = "$(sed -n 2p all)" ]
}
