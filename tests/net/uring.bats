# SPDX-License-Identifier: GPL-2.0-or-later
# tests/net/uring.bats - both carriers carry the same: io_uring beside plain system calls
#
# Where io_uring can be had every other test uses it, too, since auto takes it; where not,
# they show the plain carrier.
load ../lib/tool

setup() {
	need tun
	need userns
	need uring
	datagrams=$FW_BUILD/tests/net/datagrams
	without=$FW_BUILD/tests/lib/without
	cd "$BATS_TEST_TMPDIR" || return 1
	export LC_ALL=C XDG_RUNTIME_DIR=$BATS_TEST_TMPDIR
	name=fwu-$BATS_TEST_NUMBER-$$-$RANDOM
	ns=()
}

teardown() {
	"$FARWIRE" del "$name" 2>/dev/null || true
	local p
	for p in "${ns[@]}"; do kill -KILL "$p" && wait "$p" || true; done 2>/dev/null
}

# over IO GSO 'SPEC' COMMAND...: its output is in `out`, the statistics are in `report`
over() {
	local io=$1 gso=$2 spec=$3
	shift 3
	# shellcheck disable=SC2086 # words by intent
	timeout 120 "$FARWIRE" run -q --report report --io "$io" --gso "$gso" dev lo netem $spec -- \
		"$@" >out 2>err 3>&- || { echo "status $? of: $io, $spec, $*"; cat out err; return 1; }
	grep -q "\"carrier\": *\"$io\"" report
}

balanced() {
	local sum=0 counter
	for counter in out lost drop_limit drop_mem drop_io backlog; do
		sum=$((sum + $(value $counter report)))
	done
	[ $(($(value in report) + $(value duplicated report))) = $sum ]
}

@test "auto takes io_uring, each wish is met, and -s -s says so" {
	for wish in 'auto uring' 'uring uring' 'plain plain'; do
		run_tool 0 run -s -s --io "${wish% *}" dev lo netem -- true
		assert_regex "$stderr" "carrier ${wish#* } "
	done
}

@test "refused by kernel or container: auto goes on without a word, uring says what to do" {
	for code in 1 38 12; do
		run -0 --separate-stderr "$without" io_uring_setup $code "$FARWIRE" run -s -s \
			dev lo netem delay 1ms -- "$PROBE" stamps 127.0.0.1 10 100 60 3>&-
		[ "$(value got <<<"$output")" = 10 ]
		assert_regex "$stderr" 'carrier plain '
		refute_regex "$stderr" 'uring'
		run -125 --separate-stderr "$without" io_uring_setup $code "$FARWIRE" run \
			--io uring dev lo netem -- touch ran 3>&-
		assert_regex "$stderr" "^farwire: --io 'uring': [A-Z].*; write --io auto, or [^"$'\n'"]*$"
		[ ! -e ran ]
	done
	run -0 "$without" io_uring_register 22 "$FARWIRE" run -s -s dev lo netem -- true 3>&-
	assert_regex "$output" 'carrier plain '
}

@test "a flood: everything in order, no system call a frame" {
	for io in plain uring; do
		over $io segment 'delay 5ms limit 100000' "$PROBE" stamps 127.0.0.1 50000 5 60
		[ "$(value min_ns out)" -ge 5000000 ]
		[ "$(value overtaken out)" = 0 ] && [ "$(value twice out)" = 0 ]
		[ $(($(value got out) + $(value overflow out))) = 50000 ]
		balanced
	done
}

@test "io_uring alone reads and writes the TAPs, many frames a call" {
	need root
	need strace
	timeout 60 strace -f -qq -o trace -e trace=read,readv,writev,io_uring_enter \
		"$FARWIRE" run -q --report report --io uring --gso off dev lo netem delay 5ms \
		limit 100000 -- "$PROBE" stream 127.0.0.1 2000000 >out 2>err 3>&-
	[ "$(cat out)" = "sent=2000000 back=2000000 equal=1" ]
	run -1 grep 'writev(' trace
	between "$(grep -c 'io_uring_enter(' trace)" 20 "$(($(value in report) / 2))"
}

@test "the same seed, the same fates: both carriers, whatever becomes of super-frames" {
	for gso in segment off whole; do
		for io in plain uring; do
			over $io $gso 'delay 1ms loss 20% seed 9 limit 100000' \
				"$datagrams" 127.0.0.1 100 20 500
			cat out >>"all.$gso"
			value lost report >>"lost.$gso"
		done
		[ "$(sed -n 1p "lost.$gso")" = "$(sed -n 2p "lost.$gso")" ]
		[ "$(sed -n 1p "all.$gso")" = "$(sed -n 2p "all.$gso")" ]
	done
	[ "$(sed -n 1p lost.segment)" -gt 300 ]
	cmp all.segment all.off
}

@test "streams survive delay, loss, reorder, duplicate and corrupt" {
	for io in plain uring; do
		for to in 127.0.0.1 ::1; do
			over $io segment 'delay 1ms 200us loss 0.2% reorder 1% duplicate 0.5% corrupt 0.1% seed 3 limit 100000' \
				"$PROBE" stream $to 5000000
			[ "$(cat out)" = "sent=5000000 back=5000000 equal=1" ]
			for counter in lost reordered duplicated corrupted; do
				[ "$(value $counter report)" -gt 0 ]
			done
			balanced
		done
	done
}

@test "super-frames out of windows: no payload is copied on the way out" {
	over uring segment 'delay 2ms limit 100000' "$PROBE" stream 127.0.0.1 50000000
	[ "$(cat out)" = "sent=50000000 back=50000000 equal=1" ]
	[ $(($(value copied_bytes report) / $(value out report))) -lt 80 ]
	balanced
}

@test "frames of every kind, over a wire" {
	local as_root=() io mtu frames=$FW_BUILD/tests/net/frames
	[ $EUID = 0 ] || as_root=(unshare -Urm)
	for io in plain uring; do
		for mtu in 68 1500 65521; do
			rm -f said
			# shellcheck disable=SC2016 # the inner shell's words
			"${as_root[@]}" "$FARWIRE" run -q --io $io --far "'$frames' recv eth0 $mtu said" \
				mtu $mtu uplink none netem delay 5ms limit 100000 -- sh -c '"$1" send eth0 "$2" said
				for i in $(seq 100); do [ -s said ] && exit; sleep 0.2; done; exit 1' \
				sh "$frames" $mtu 3>&-
			assert_regex "$(cat said)" '^sent [0-9]{3} missing 0 strange 0$'
		done
	done
}

@test "little memory: what does not fit is counted, nothing else is lost" {
	run_tool 0 run --report report --memory 8m --io uring dev lo netem delay 300ms limit 1000000 -- \
		"$PROBE" stamps 127.0.0.1 20000 5 1400
	[ "$(value drop_mem report)" -gt 0 ]
	[ "$(value got <<<"$output")" -gt 2000 ]
	balanced
}

new_ns() {
	local how=-n
	[ $EUID = 0 ] || how=-Urn
	rm -f up
	(exec unshare $how sh -c 'echo >up; exec sleep 1000' 3>&- >/dev/null) &
	ns+=($!)
	wait_for 5 test -e up
}

@test "a link that ends in order holds no device: its names are free with its process" {
	local near far i pid
	new_ns && near=$!
	new_ns && far=$!
	for i in 1 2 3 4 5; do
		"$FARWIRE" add -f "$name" --io uring netns $near dev wan0 peer netns $far dev wan0 \
			netem 2>/dev/null 3>&- &
		pid=$!
		wait_for 5 sh -c "'$FARWIRE' show -s -s $name | grep -q 'carrier uring'"
		kill -TERM $pid
		wait $pid
		# At once: no process is started to look.
		[[ $(</proc/$near/net/dev) != *wan0* ]]
		[[ $(</proc/$far/net/dev) != *wan0* ]]
	done
}

@test "a link that is killed lets its devices go" {
	local near far i pid
	new_ns && near=$!
	new_ns && far=$!
	for i in 1 2 3; do
		wait_for 5 "$FARWIRE" add "$name" --io uring netns $near dev wan0 peer netns $far dev wan0 netem
		pid=$("$FARWIRE" show -j "$name" | value pid)
		kill -KILL "$pid"
	done
}
