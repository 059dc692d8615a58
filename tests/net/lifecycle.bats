# SPDX-License-Identifier: GPL-2.0-or-later
# tests/net/lifecycle.bats - start, stop, and what is left: nothing
load ../lib/tool

setup() {
	need tun
	need ip
	need tc
	[ $EUID = 0 ] || need userns
	export HOME=$BATS_TEST_TMPDIR MARK=fw-$BATS_TEST_NUMBER-$$-$RANDOM
	pids=()
}

teardown() {
	local p
	for p in "${pids[@]}"; do kill -KILL "$p" 2>/dev/null || true; done
	for p in $(marked); do kill -KILL "$p" 2>/dev/null || true; done
}

# Every process of this test: MARK is in its environment. The dead ones have none.
marked() {
	grep -lzxF "IN=$MARK" /proc/[0-9]*/environ 2>/dev/null | sed 's,/proc/\([0-9]*\)/.*,\1,' |
		grep -vx "$$"
	return 0
}

nobody_left() { [ -z "$(marked)" ]; }

fw() { env IN="$MARK" "$FARWIRE" run "$@"; }

# In the background, so that $! is farwire itself.
fw_bg() {
	(exec env IN="$MARK" "$FARWIRE" run "$@" 3>&-) &
	pids+=($!)
}

impair=(dev lo netem delay 1ms)

snapshot() {
	ip -o link | sed 's/^[0-9]*: \([^:@]*\).*/link \1/'
	tc qdisc show
	ip rule
	cut -d' ' -f4- /proc/self/mountinfo
	ls -A "$HOME"
}

@test "exit 0, exit 1 and a signal leave nothing" {
	local before how
	before=$(snapshot)
	for how in 'exit 0' 'exit 1' 'kill -INT $$' 'kill -TERM $$' 'kill -HUP $$'; do
		run fw -q "${impair[@]}" -- sh -c "$how" 3>&-
		wait_for 5 nobody_left
		[ "$(snapshot)" = "$before" ] || { echo "after $how"; false; }
	done
}

@test "a signal to farwire ends the command and leaves nothing" {
	local sig
	for sig in TERM HUP USR1; do
		fw_bg -q "${impair[@]}" -- sleep 100
		wait_for 5 command_runs sleep
		kill -$sig $!
		run wait $!
		[ "$status" -gt 128 ]
		wait_for 5 nobody_left
	done
}

command_runs() {
	local p
	for p in $(marked); do
		[ "$(cat "/proc/$p/comm" 2>/dev/null)" = "$1" ] && return 0
	done
	return 1
}

@test "what the command leaves running is ended and named" {
	# What it is called depends on how far it has come.
	run --separate-stderr fw "${impair[@]}" -- sh -c '(setsid sleep 100 &)' 3>&-
	[ "$status" = 0 ]
	[[ $stderr == *"1 process left by the command was ended: "s* ]]
	nobody_left_but_guards
}

nobody_left_but_guards() {
	! command_runs sleep
	wait_for 5 nobody_left
}

@test "a daemon that ignores TERM is killed, in 2 s" {
	local start=$SECONDS
	run --separate-stderr fw "${impair[@]}" -- \
		sh -c '(trap "" TERM; setsid sleep 100 &)' 3>&-
	[ "$status" = 0 ]
	[[ $stderr == *"left by the command was ended: "s* ]]
	[ $((SECONDS - start)) -le 8 ]
	nobody_left_but_guards
}

@test "the end of the output does not wait for a guard or a daemon" {
	local start=$SECONDS
	run sh -c 'env IN="$MARK" "$FARWIRE" run -q dev lo netem delay 1ms -- echo hello | cat' 3>&-
	[ "$output" = hello ]
	[ $((SECONDS - start)) -le 3 ]
}

@test "guards hold no file of the caller, sit in / and in sessions of their own" {
	local p n=0 fd
	fw_bg -q "${impair[@]}" -- sleep 100 7</etc/passwd
	wait_for 5 command_runs sleep
	wait_for 5 command_runs farwire-guard
	for p in $(marked); do
		[ "$(cat "/proc/$p/comm")" = farwire-guard ] || continue
		n=$((n + 1))
		[ "$(readlink "/proc/$p/cwd")" = / ]
		[ "$(ps -o sid= -p "$p" | tr -d ' ')" = "$p" ]
		for fd in "/proc/$p/fd"/*; do
			case $(readlink "$fd") in
			/dev/null | /dev/net/tun | socket:* | anon_inode:*pidfd*) ;;
			*/farwire | */farwire-* | */run-*.sock) ;; # to give the name back
			*) ls -l "/proc/$p/fd"; false ;;
			esac
		done
	done
	[ "$n" = 2 ]
	kill -TERM $!
	wait_for 5 nobody_left
}

@test "kill -9 of the whole process group leaves no daemon" {
	setsid env IN="$MARK" "$FARWIRE" run -q "${impair[@]}" -- \
		sh -c '(setsid sleep 100 &); exec sleep 101' 3>&- </dev/null &
	pids+=($!)
	wait_for 5 command_runs sleep
	wait_for 5 command_runs farwire-guard
	wait_for 5 two_sleeps
	local p
	for p in $(marked); do
		[ "$(ps -o comm= -p "$p")" = farwire ] &&
			kill -KILL -"$(ps -o pgid= -p "$p" | tr -d ' ')"
	done
	wait_for 5 nobody_left
}

two_sleeps() {
	local p n=0
	for p in $(marked); do
		[ "$(cat "/proc/$p/comm" 2>/dev/null)" != sleep ] || n=$((n + 1))
	done
	[ $n = 2 ]
}

# Median of round trips in whole ms, from inside a run with the words given.
rtt_ms() {
	fw -q dev lo netem "$@" -- ping -q -c 9 -i 0.2 127.0.0.1 |
		sed -n 's/^rtt min[^=]*= \([0-9]*\)\..*/\1/p'
}

@test "two runs at once do not know of each other" {
	rtt_ms delay 20ms >"$HOME/a" 3>&- &
	local a=$!
	rtt_ms delay 200ms >"$HOME/b" 3>&- &
	wait $a $!
	# The least of nine: never early, and not the other's.
	[ "$(cat "$HOME/a")" -ge 40 ] && [ "$(cat "$HOME/a")" -lt 100 ]
	[ "$(cat "$HOME/b")" -ge 400 ] && [ "$(cat "$HOME/b")" -lt 460 ]
	wait_for 5 nobody_left
}

@test "a neighbour loses nothing while others start and stop" {
	fw_bg -q "${impair[@]}" -- ping -q -c 600 -i 0.002 127.0.0.1 >"$HOME/ping"
	local p=$! i
	for i in 1 2 3 4 5 6 7 8 9 10; do fw -q "${impair[@]}" -- true 3>&-; done
	wait $p
	grep -q '600 packets transmitted, 600 received' "$HOME/ping"
}

@test "the host's own loopback is not hurt, and gets no queueing discipline" {
	local before
	before=$(tc qdisc show)
	fw_bg -q dev lo netem loss 100% -- sleep 2
	wait_for 5 command_runs sleep
	ping -q -c 5 -i 0.2 127.0.0.1
	[ "$(tc qdisc show)" = "$before" ]
	wait $!
}

@test "closed standard files are no danger" {
	run sh -c '"$FARWIRE" run dev lo netem delay 1ms -- sh -c "exit 5" <&- >&- 2>&-' 3>&-
	[ "$status" = 5 ]
}

@test "fifty runs, fifty times 0, nobody left" {
	local i
	for i in $(seq 50); do
		fw -q "${impair[@]}" -- true 3>&- || { echo "run $i"; false; }
	done
	wait_for 5 nobody_left
}

@test "/sys shows the devices of the command, and control groups are still there" {
	run fw -q "${impair[@]}" -- ls /sys/class/net 3>&-
	[ "$status" = 0 ]
	if [ $EUID = 0 ]; then
		[ "$output" = $'lo\ntplo' ]
	fi
	run fw -q "${impair[@]}" -- ls /sys/fs/cgroup 3>&-
	[ "$output" = "$(ls /sys/fs/cgroup)" ]
}
