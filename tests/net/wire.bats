#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# tests/net/wire.bats - uplink none end to end: frames, directions, names, changes
#
# As a plain user, what needs raw sockets runs in a user namespace of its own, where
# farwire is root.
load ../lib/tool

setup() {
	need tun
	FRAMES=$FW_BUILD/tests/net/frames
	cd "$BATS_TEST_TMPDIR" || return 1
	as_root=()
	[ $EUID = 0 ] || as_root=(unshare -Urm)
}

# frames_at MTU SPEC...: all kinds of frames, up; what came of it in $said
frames_at() {
	local mtu=$1
	shift
	rm -f said
	"${as_root[@]}" "$FARWIRE" run -q --far "'$FRAMES' recv eth0 $mtu said" --report report \
		mtu "$mtu" uplink none "$@" -- sh -c '"$1" send eth0 "$2" said
		for i in $(seq 100); do [ -s said ] && exit; sleep 0.2; done; exit 1' \
		sh "$FRAMES" "$mtu" 3>&-
	said=$(cat said)
}

@test "frames of every kind come out as they went in: MTU 1500, no SPEC" {
	frames_at 1500
	assert_regex "$said" '^sent [0-9]{3} missing 0 strange 0$'
}

@test "frames of every kind come out as they went in: MTU 68 to 65521, delayed" {
	for mtu in 68 1280 9000 65521; do
		frames_at $mtu netem delay 5ms limit 100000
		assert_regex "$said" '^sent [0-9]{3} missing 0 strange 0$'
	done
}

@test "a frame that does not arrive was counted" {
	frames_at 1500 up netem loss 20% seed 5
	
	n=$(sed 's/.*missing \([0-9]*\) .*/\1/' said)
	between "$n" 60 140
	assert_regex "$said" 'strange 0$'
	[ "$(value lost report)" = "$n" ]
}

# far end's `said` after a ping: RTT in whole ms, the smallest
rtt_ms() { sed -n 's/.*time=\([0-9]*\).*/\1/p' <<<"$output" | sort -n | head -n 1; }

@test "each direction has its own SPEC, and the start line says both" {
	run -0 --separate-stderr "$FARWIRE" run uplink none up netem delay 10ms seed 1 \
		down netem delay 30ms seed 2 -- ping -c 2 -i 0.2 10.71.0.1 3>&-
	[ "${stderr_lines[0]}" = "farwire: eth0: up netem delay 10ms, limit 1000, seed 1; down netem delay 30ms, limit 1000, seed 2, RTT +40ms" ]
	between "$(rtt_ms)" 40 400
}

@test "one SPEC stands for both directions, each with a seed of its own" {
	run -0 --separate-stderr "$FARWIRE" run uplink none netem delay 20ms seed 42 \
		-- ping -c 2 -i 0.2 fd71::1 3>&-
	[ "${stderr_lines[0]}" = "farwire: eth0: netem delay 20ms each way, RTT +40ms, limit 1000, seed 42/13679457532755275413" ]
	between "$(rtt_ms)" 40 400
}

@test "a direction that is not named is unimpaired" {
	run -0 --separate-stderr "$FARWIRE" run --report report uplink none \
		down netem delay 30ms -- ping -c 2 -i 0.2 10.71.0.1 3>&-
	between "$(rtt_ms)" 30 200
	assert_regex "${stderr_lines[0]}" 'eth0: up netem, limit 1000, seed [0-9]+; down netem delay 30ms,'
}

@test "counters and statistics of both directions, no frame but the user's" {
	run -0 --separate-stderr "$FARWIRE" run -q -s -s --report report uplink none \
		up netem loss 100% -- sh -c 'ping -c 3 -i 0.2 -W 1 10.71.0.1 >/dev/null; true' 3>&-
	assert_regex "$stderr" 'eth0 up  in 3 \([0-9]* B\)  out 0  lost 3 '
	assert_regex "$stderr" 'eth0 down  in 0 '
	[ "$(grep -c '"direction": *"' report)" = 2 ]
	[ "$(grep -c '"seed": *[0-9]' report)" = 2 ]
}

@test "what is dropped by limit is said with the device and the direction" {
	run -0 --separate-stderr "$FARWIRE" run uplink none down netem delay 200ms limit 2 -- \
		sh -c 'ping -q -c 20 -i 0.01 -W 1 10.71.0.1; true' 3>&-
	assert_regex "$stderr" 'warning: eth0 down: [0-9]+ frames dropped by limit 2 \('
}

@test "dev lo beside a wire: lo is impaired, eth0 is not" {
	run -0 --separate-stderr "$FARWIRE" run --report report dev lo uplink none netem delay 50ms -- \
		sh -c 'ping -c 1 127.0.0.1; ping -c 1 10.71.0.1' 3>&-
	assert_regex "${stderr_lines[0]}" 'lo: netem delay 50ms, RTT \+100ms'
	[ "$(grep -c ' 0% packet loss' <<<"$output")" = 2 ]
	mapfile -t ms < <(sed -n 's/.*time=\([0-9]*\).*/\1/p' <<<"$output")
	[ "${ms[0]}" -ge 100 ]
	[ "${ms[1]}" -lt 50 ]
	[ "$(grep -c '"direction": *"' report)" = 3 ]
}

@test "device, address, MAC and MTU are those that were named" {
	run -0 "$FARWIRE" run -q dev wan0 addr 192.0.2.7/24 addr 2001:db8::7/64 mac 02:00:00:00:00:77 \
		mtu 1400 uplink none netem delay 1ms -- sh -c 'ip addr show wan0; ping -c 1 192.0.2.1' 3>&-
	assert_output --partial 'mtu 1400'
	assert_output --partial '02:00:00:00:00:77'
	assert_output --partial 'inet 192.0.2.7/24'
	assert_output --partial 'inet6 2001:db8::7/64'
	assert_output --partial ' 0% packet loss'
}

@test "the far command: its words on stderr behind a prefix, its end with the run" {
	run -0 --separate-stderr "$FARWIRE" run -q --far 'echo hello; echo oops >&2; exec sleep 60' \
		uplink none netem delay 1ms -- sh -c 'sleep 0.5; echo mine' 3>&-
	[ "$output" = mine ]
	[ "$stderr" = $'far: hello\nfar: oops' ]
}

# transfer SPEC...: a megabyte of noise and back over TCP, compared
transfer() {
	[ -f noise ] || head -c 1000000 /dev/urandom >noise
	run -0 --separate-stderr timeout 100 "$FARWIRE" run -q --report report \
		--far 'exec socat TCP6-LISTEN:7000,ipv6only=0,fork EXEC:cat' uplink none "$@" -- \
		sh -c 'socat -t 60 - TCP:10.71.0.1:7000 <noise >four &&
			socat -t 60 - "TCP6:[fd71::1]:7000" <noise >six' 3>&-
	cmp noise four
	cmp noise six
}

@test "TCP comes through loss, reordering, duplicates and corruption as it went in" {
	need socat
	transfer netem delay 2ms 1ms loss 1% reorder 5% duplicate 2% corrupt 1% seed 11 limit 100000
	for what in lost duplicated corrupted reordered; do
		[ "$(value $what report)" -gt 0 ]
	done
}

# --- while it runs

# a run under the name $1 with the SPEC that follows, until `stop`
start() {
	local name=$1
	shift
	rm -f stop
	"$FARWIRE" run -q --report report --name "$name" uplink none "$@" -- \
		sh -c 'while [ ! -e stop ]; do sleep 0.05; done' 3>&- &
	run_pid=$!
	wait_for 5 "$FARWIRE" show "$name"
}

stop() {
	touch stop
	wait $run_pid
}

@test "show: a running link, its text, JSON and exact words" {
	start show-$$ netem delay 20ms loss 1% seed 7
	run_tool 0 show show-$$
	assert_regex "${lines[0]}" "^show-$$: near command/eth0 far far/eth0 pid $run_pid up [0-9]+s$"
	[ "${lines[1]}" = '  up   netem limit 1000 delay 20ms loss 1% seed 7' ]
	assert_regex "${lines[2]}" '^  down netem limit 1000 delay 20ms loss 1% seed [0-9]+$'
	[ -z "$stderr" ]
	run_tool 0 -s show show-$$
	assert_output --partial ' Sent 0 bytes 0 pkt (dropped 0, overlimits 0 requeues 0)'
	run_tool 0 show -j show-$$
	assert_regex "$output" '^\[\{"kind":"netem","handle":"1:","root":true,"options":\{"limit":1000,'
	run_tool 0 show -s -s -j -p show-$$
	assert_output --partial "\"link\": \"show-$$\""
	run_tool 0 show -c show-$$
	exact=$output
	run_tool 0 change show-$$ netem delay 1ms
	# shellcheck disable=SC2086 # words by intent
	run_tool 0 $exact
	run_tool 0 show -c show-$$
	[ "$output" = "$exact" ]
	stop
}

@test "change is partial, set is complete, replace is change, a refused one changes nothing" {
	start change-$$ netem delay 20ms rate 1mbit loss 1% seed 7
	run_tool 0 change change-$$ up netem delay 5ms
	assert_regex "$stderr" 'up: warning|warning: .*up: '
	run_tool 0 show change-$$
	[ "${lines[1]}" = '  up   netem limit 1000 delay 5ms rate 1Mbit seed 7' ]
	assert_regex "${lines[2]}" '^  down netem limit 1000 delay 20ms loss 1% rate 1Mbit seed '
	run_tool 0 -q replace change-$$ down netem loss 3%
	[ -z "$stderr" ]
	run_tool 0 show change-$$
	assert_regex "${lines[2]}" '^  down netem limit 1000 loss 3% rate 1Mbit seed '
	before=${output#*$'\n'}
	run_tool 1 change change-$$ up netem dealy 5ms
	run_tool 1 change change-$$ up netem loss 101%
	run_tool 0 show change-$$
	[ "${output#*$'\n'}" = "$before" ]
	run_tool 0 set change-$$ up netem delay 1ms
	run_tool 0 show change-$$
	[ "${lines[1]}" = '  up   netem limit 1000 delay 1ms seed 7' ]
	assert_regex "${lines[2]}" '^  down netem limit 1000 seed [0-9]+$'
	stop
}

@test "a table of one's own is handed over as an open file" {
	{ echo '# own'; seq -4000 125 4000; } >own.dist
	start table-$$ netem delay 20ms 5ms seed 7
	chmod 600 own.dist
	run_tool 0 change table-$$ up netem delay 20ms 5ms distribution ./own.dist
	rm own.dist
	run_tool 0 show -c table-$$
	assert_output --partial 'own.dist'
	run_tool 1 change table-$$ up netem delay 20ms 5ms distribution ./own.dist
	stop
}

@test "queued frames keep their time, and the generator goes on" {
	need socat
	"$FARWIRE" run -q --report report --name queue-$$ \
		--far "exec socat -u UDP-RECV:5009 /dev/null" uplink none \
		up netem delay 2s loss 10% seed 42 limit 10000 -- bash -c '
		exec 9>/dev/udp/10.71.0.1/5009
		start=$(date +%s%N)
		for ((i = 0; i < 500; i++)); do echo $i >&9; done 2>/dev/null
		"$1" -q change "$2" up netem loss 10%
		for ((i = 0; i < 500; i++)); do echo $i >&9; done 2>/dev/null
		"$1" show -s -j -p "$2" >mid
		sent=$(($(date +%s%N) - start))
		sleep 2.2
		"$1" show -s -j -p "$2" >late
		echo $sent >sent' sh "$FARWIRE" queue-$$ 3>&-
	# Of 1000 frames under seed 42 the same are lost as without the change.
	"$FARWIRE" run -q --report twin --name twin-$$ \
		--far "exec socat -u UDP-RECV:5009 /dev/null" uplink none \
		up netem loss 10% seed 42 limit 10000 -- bash -c '
		exec 9>/dev/udp/10.71.0.1/5009
		for ((i = 0; i < 1000; i++)); do echo $i >&9; done 2>/dev/null' 3>&-
	[ "$(value in report)" = 1000 ]
	[ "$(value lost report)" = "$(value lost twin)" ]
	if [ "$(cat sent)" -lt 1900000000 ]; then # else the machine was too busy to tell
		between "$(value backlog_peak report)" 400 500
		between "$(value qlen mid)" 400 500
	fi
	[ "$(value qlen late)" = 0 ]
}

@test "monitor: a line a direction and second on a pipe, and its end with the link" {
	start mon-$$ netem delay 1ms
	"$FARWIRE" monitor mon-$$ >mon.out 2>mon.err 3>&- &
	mon=$!
	wait_for 10 grep -q down mon.out
	stop
	wait $mon || true
	assert_regex "$(head -n 1 mon.out)" "mon-$$ .*up"
	[ -s mon.err ]
	"$FARWIRE" -q monitor no-such-link >out 2>&1 && false
	assert_regex "$(cat out)" "^farwire: link 'no-such-link': no such link"
}

@test "names: what is wrong is said in one line" {
	start name-$$ netem
	run_tool 125 run --name name-$$ uplink none netem -- true
	assert_regex "$stderr" "name 'name-$$': a running link has it"
	stop
	run_tool 2 show name-$$
	[ "${#stderr_lines[@]}" = 1 ]
	run_tool 2 change name-$$ netem delay 1ms
	[ "${#stderr_lines[@]}" = 1 ]
	run_tool 2 replace name-$$ netem delay 1ms
	run_tool 125 run --name a/b uplink none netem -- true
	[ "${#stderr_lines[@]}" = 1 ]
}
