# SPDX-License-Identifier: GPL-2.0-or-later
# tests/net/far.bats - uplink none: two namespaces, a TAP in each, a command at the far end
#
# "standfar" is host/ with a wire that does nothing to frames, and counts them.
load ../lib/tool

setup() {
	need tun
	[ $EUID = 0 ] || need userns
	standfar=$FW_BUILD/tests/net/standfar
	export MARK=fwf-$BATS_TEST_NUMBER-$$-$RANDOM XDG_RUNTIME_DIR=$BATS_TEST_TMPDIR
	cd "$BATS_TEST_TMPDIR" || return
	pids=()
}

teardown() {
	local p
	for p in "${pids[@]}" $(marked); do kill -KILL "$p" 2>/dev/null || true; done
}

# Every process of this test: MARK is in its environment. The dead ones have none.
marked() {
	grep -lzxF "IN=$MARK" /proc/[0-9]*/environ 2>/dev/null | sed 's,/proc/\([0-9]*\)/.*,\1,' |
		grep -vx "$$"
	return 0
}

nobody_left() { [ -z "$(marked)" ]; }

far() {
	local expect=()
	[[ $* != */no/such/* ]] || expect=(-127) # else bats takes it for a slip of the test
	run "${expect[@]}" --separate-stderr env IN="$MARK" "$standfar" "$@" 3>&-
}

far_bg() {
	(exec env IN="$MARK" "$standfar" "$@" 3>&- 2>err) &
	pids+=($!)
}

says() { [[ $output == *"$1"* ]] || { printf 'no "%s" in: %s\n' "$1" "$output"; false; }; }
errs() { [[ $stderr == *"$1"* ]] || { printf 'no "%s" in: %s\n' "$1" "$stderr"; false; }; }
passed() { errs "standfar: lo $1 near $2 far $3"; }

@test "both ends are there, with addresses, routes and neighbours" {
	far far 'ip -o addr; ip -o link; ip route; ip -6 route; ip neigh; ls /sys/class/net' -- \
		sh -c 'ip -o addr; ip -o link; ip route; ip -6 route; ip neigh; ls /sys/class/net'
	[ "$status" = 0 ]
	says 'eth0    inet 10.71.0.2/24 '
	says 'eth0    inet6 fd71::2/64 '
	says 'lo    inet 127.0.0.1/8 '
	says 'lo    inet6 ::1/128 '
	says 'eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 '
	says 'link/ether 02:71:00:00:00:02 '
	says 'default via 10.71.0.1 dev eth0 '
	says 'default via fd71::1 dev eth0 '
	says '10.71.0.1 dev eth0 lladdr 02:71:00:00:00:01 PERMANENT'
	says 'fd71::1 dev eth0 lladdr 02:71:00:00:00:01 PERMANENT'
	[[ $output != *fe80* ]]
	[[ $output == *$'\n'eth0$'\n'lo ]]
	errs 'eth0    inet 10.71.0.1/24 '
	errs 'eth0    inet6 fd71::1/64 '
	errs 'lo    inet 127.0.0.1/8 '
	errs 'link/ether 02:71:00:00:00:01 '
	errs '10.71.0.2 dev eth0 lladdr 02:71:00:00:00:02 PERMANENT'
	errs 'fd71::2 dev eth0 lladdr 02:71:00:00:00:02 PERMANENT'
	[[ $stderr != *"default via"* ]]
	[[ $stderr == *$'far: eth0\nfar: lo\n'* ]]
}

# 3 s: the kernel's reports of groups come within one second, and again within one.
@test "an idle link carries no frame" {
	far -- sleep 3
	[ "$status" = 0 ]
	passed 0 0 0
}

@test "dev lo beside it: an idle link carries no frame" {
	far lo far 'sleep 10' -- sleep 3
	[ "$status" = 0 ]
	passed 0 0 0
}

@test "the first packet costs one round trip: nobody is looked for" {
	far -- sh -c 'ping -q -c 1 -W 5 10.71.0.1 && sleep 1.5'
	[ "$status" = 0 ]
	passed 0 1 1
	far -- sh -c 'ping -q -c 1 -W 5 fd71::1 && sleep 1.5'
	[ "$status" = 0 ]
	passed 0 1 1
}

@test "the far end reaches the near one first, too" {
	far far 'ping -q -c 1 -W 5 10.71.0.2; ping -q -c 1 -W 5 fd71::2' -- sleep 2
	errs '1 packets transmitted, 1 received'
	passed 0 2 2
}

@test "what is sent to a stranger ends at the far end" {
	far -- ping -q -c 2 -i 0.2 -W 1 192.0.2.1
	[ "$status" = 1 ]
	passed 0 2 0
}

@test "dev, mac and mtu; the far end has the same MTU" {
	far dev wan0 mac 02:00:00:00:00:aa mtu 9000 far 'ip -o link; ip neigh' -- \
		sh -c 'ip -o link; ping -q -c 1 -W 5 -M "do" -s 8972 10.71.0.1'
	[ "$status" = 0 ]
	says 'wan0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 9000 '
	says '02:00:00:00:00:aa'
	errs 'eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 9000 '
	errs '10.71.0.2 dev eth0 lladdr 02:00:00:00:00:aa PERMANENT'
	passed 0 1 1
}

@test "the smallest and the largest MTU" {
	far mtu 68 -- sh -c 'ip -o addr; ping -q -c 1 -W 5 -M "do" -s 40 10.71.0.1'
	[ "$status" = 0 ]
	[[ $output != *fd71* ]]
	passed 0 1 1
	far mtu 1280 -- ping -q -c 1 -W 5 -M "do" -s 1232 fd71::1
	[ "$status" = 0 ]
	passed 0 1 1
	far mtu 65521 -- ping -q -c 1 -W 5 -M "do" -s 65493 10.71.0.1
	[ "$status" = 0 ]
	passed 0 1 1
}

@test "both ends have different MACs when the near one asks for the far one's" {
	far mac 02:71:00:00:00:01 -- ping -q -c 1 -W 5 10.71.0.1
	[ "$status" = 0 ]
	passed 0 1 1
}

@test "own addresses take the place of the usual ones" {
	far addr 192.168.7.1/24 -- sh -c 'ip -o addr; ip route; ping -q -c 1 -W 5 192.168.7.2'
	[ "$status" = 0 ]
	says 'eth0    inet 192.168.7.1/24 '
	says 'default via 192.168.7.2 '
	[[ $output != *10.71.0* && $output != *fd71* ]]
	passed 0 1 1
	far addr 2001:db8::5/64 -- sh -c 'ip -6 route; ip addr; ping -q -c 1 -W 5 2001:db8::1'
	[ "$status" = 0 ]
	says 'default via 2001:db8::1 '
	[[ $output != *10.71.0* && $output != *fd71* ]]
	passed 0 1 1
}

@test "many addresses, networks of two and of one: all reach the far end" {
	local a=(addr 10.1.0.9/24 addr 10.1.0.1/24 addr 10.2.0.1/31 addr 10.3.0.3/32
		addr 2001:db8::1/64 addr 2001:db8:1::1/127 addr 2001:db8:2::7/128)
	far "${a[@]}" far 'ip -o addr; for i in 10.1.0.9 10.1.0.1 10.2.0.1 10.3.0.3; do ping -q -c 1 -W 5 $i; done' -- sh -c '
		set -e
		ping -q -c 1 -W 5 -I 10.1.0.1 10.1.0.2
		ping -q -c 1 -W 5 -I 10.2.0.1 10.2.0.0
		ping -q -c 1 -W 5 -I 10.3.0.3 10.71.0.1
		ping -q -c 1 -W 5 -I 2001:db8::1 2001:db8::2
		ping -q -c 1 -W 5 -I 2001:db8:1::1 2001:db8:1::
		ping -q -c 1 -W 5 -I 2001:db8:2::7 fd71::1
		ip route; ip -6 route
		sleep 2'
	[ "$status" = 0 ]
	[ "$(grep -c 'default via' <<<"$output")" = 2 ]
	[ "$(grep -c '1 packets transmitted, 1 received' <<<"$stderr")" = 4 ]
	passed 0 10 10
}

@test "dev lo beside it: each by its own TAP" {
	far lo -- sh -c 'ping -q -c 2 -i 0.2 127.0.0.1; ping -q -c 3 -i 0.2 10.71.0.1;
		ping -q -c 1 10.71.0.2; cat /sys/class/net/lo/mtu'
	[ "$status" = 0 ]
	[[ $output == *$'\n1500' ]]
	# The own address of eth0 is reached over lo as well.
	passed 6 3 3
}

@test "dev lo beside it: the MTU is lo's" {
	far lo mtu 4000 -- cat /sys/class/net/lo/mtu /sys/class/net/eth0/mtu
	[ "$output" = $'4000\n1500' ]
}

@test "refused: a device, an MTU and a MAC that cannot be" {
	far dev "a b" -- true
	[ "$status" = 125 ]
	errs "standfar: device 'a b'"
	far mtu 67 -- true
	[ "$status" = 125 ]
	errs "standfar: device 'eth0'"
	far mac 01:00:00:00:00:01 -- true
	[ "$status" = 125 ]
	errs "standfar: device 'eth0'"
	far dev 'eth%d' -- true
	[ "$status" = 125 ]
	errs "standfar: device 'eth%d': % is not for names"
	wait_for 5 nobody_left
}

@test "the far command: output, stdin, directory, environment, a session of its own" {
	export SOME_WORD=some
	far far 'echo "<$(cat)>"; pwd; echo $SOME_WORD; ps -o sid=,pid= -p $$ | { read s p; [ $s = $p ] && echo leads; }; echo no newline >&2' -- \
		sh -c 'sleep 1; echo out'
	[ "$status" = 0 ]
	[ "$output" = out ]
	[[ $stderr == *$'far: <>\nfar: '"$PWD"$'\nfar: some\nfar: leads\nfar: no newline\n'* ]]
	errs 'standfar: far ended 0'
}

@test "the far command's end is its own affair" {
	far far 'exit 3' -- sh -c 'sleep 0.5; exit 7'
	[ "$status" = 7 ]
	errs 'standfar: far ended 3'
}

@test "a far command that cannot be run: 125 before the command starts, nothing left" {
	local word PATH=/usr/bin:/bin # of a directory that may not be searched a shell says 126
	: >plain-file
	for word in fw-no-such-program 'true && ./no-such-dir/server' 'sleep 0.3; exec fw-no-such'; do
		far far "$word" -- touch ran
		[ "$status" = 125 ]
		errs "farwire: run: --far '$word': not found (status 127 of the shell); the command was not started; "
	done
	far far ./plain-file -- touch ran
	[ "$status" = 125 ]
	errs "farwire: run: --far './plain-file': not executable (status 126 of the shell); "
	[ ! -e ran ]
	wait_for 5 nobody_left
	run --separate-stderr "$FARWIRE" run uplink none --far fw-no-such-program -- touch ran 3>&-
	[ "$status" = 125 ]
	[ ! -e ran ]
	[ "$(grep -c '^farwire: run: --far' <<<"$stderr")" = 1 ]
	errs "far: "
}

@test "a far command that ended badly is told of, one that ended well is not" {
	far far 'exit 3' -- true
	[ "$status" = 0 ]
	errs 'farwire: warning: --far: it ended with status 3 before the command started'
	errs 'standfar: far ended 3'
	far far 'kill -9 $$' -- true
	errs 'farwire: warning: --far: it was killed by signal 9 before the command started'
	far far true -- true
	[[ $stderr != *warning* ]]
}

@test "the far command is no child of the command" {
	far far 'exec sleep 20' -- sh -c 'read c </proc/$$/task/$$/children; echo "<$c>"; ps -o comm= --ppid $PPID'
	[ "$status" = 0 ]
	[[ $output == "<>"$'\n'* ]]
	says sleep # it is the forwarder's
	wait_for 5 nobody_left
}

@test "the command finds no signal about a child" {
	# Blocked it would wait for the command; else it is gone as soon as it comes.
	run --separate-stderr env --block-signal=CHLD IN="$MARK" "$standfar" far 'sleep 20' -- \
		grep -hE 'SigPnd|ShdPnd' /proc/self/status 3>&-
	[ "$output" = $'SigPnd:\t0000000000000000\nShdPnd:\t0000000000000000' ]
}

@test "what listens at the far end listens before the command begins" {
	need socat
	far far 'sleep 0.4; exec socat -u TCP-LISTEN:5007,reuseaddr,fork -' -- \
		sh -c 'echo hello | socat -u - TCP:10.71.0.1:5007'
	[ "$status" = 0 ]
	errs 'far: hello'
	far far 'sleep 0.4; exec socat -u UDP6-RECV:5007 -' -- \
		sh -c 'echo hello | socat -u - "UDP6:[fd71::1]:5007"; sleep 0.2'
	[ "$status" = 0 ]
	errs 'far: hello'
}

@test "a far command without a socket is waited for three seconds, one that ended not at all" {
	local t=$EPOCHREALTIME
	far far 'sleep 20' -- true
	[ $((${EPOCHREALTIME/./} - ${t/./})) -ge 3000000 ]
	errs 'farwire: warning: --far: it has opened no socket so far; the command starts'
	far far 'date +%s%N' -- date +%s%N
	[ $((output - $(sed -n 's/^far: \([0-9]*\)$/\1/p' <<<"$stderr"))) -lt 2900000000 ]
}

@test "the far command is ended with the run, and not told of" {
	far far 'sleep 1000 & exec sleep 1001' -- true
	[ "$status" = 0 ]
	wait_for 5 nobody_left
	[[ $stderr != *left* ]]
	far far 'trap "" TERM; sleep 1000 & while :; do wait; done' -- \
		sh -c 'setsid sleep 1003 >/dev/null 2>&1 & sleep 0.5; exit 4'
	[ "$status" = 4 ]
	errs 'standfar: 1 process left by the command was ended: sleep'
	wait_for 5 nobody_left
}

@test "kill -9 of the forwarder ends both ends" {
	far_bg lo name "$MARK" far 'echo ready; trap "" TERM; sleep 1000 & while :; do wait; done' -- sleep 1002
	wait_for 5 grep -q socket err
	wait_for 5 grep -q ready err
	kill -KILL "${pids[0]}"
	wait_for 5 nobody_left
	wait_for 5 test ! -e "$(sed -n 's/.*socket //p' err)"
}

@test "FARWIRE_FAR leads to the far end" {
	far far 'sleep 20' -- sh -c 'echo $FARWIRE_FAR; ls -l /proc/self/ns/net'
	[[ $output == /proc/[0-9]*/fd/[0-9]* ]]
	need root
	far -- sh -c 'ip -br addr show eth0; nsenter --net=$FARWIRE_FAR ip -br addr show eth0'
	says 10.71.0.2/24
	says 10.71.0.1/24
}

@test "what the command left at the far end is ended, too" {
	need root
	far -- sh -c 'nsenter --net=$FARWIRE_FAR sleep 1004 >/dev/null 2>&1 & sleep 0.3'
	[ "$status" = 0 ]
	wait_for 5 nobody_left
}

@test "as another user, the far command too" {
	need root
	STANDIN_USER=nobody far far 'id -un; grep CapEff /proc/self/status; ping -q -c 1 10.71.0.2' -- \
		sh -c 'id -un; sleep 1; ping -q -c 1 10.71.0.1'
	[ "$status" = 0 ]
	says nobody
	errs 'far: nobody'
	errs $'far: CapEff:\t0000000000000000'
	errs 'far: 1 packets transmitted, 1 received'
}

@test "a plain user has no capability at either end, and ping" {
	need plain
	far far 'grep CapEff /proc/self/status; ping -q -c 1 10.71.0.2' -- \
		sh -c 'grep CapEff /proc/self/status; ping -q -c 1 fd71::1; sleep 1'
	[ "$status" = 0 ]
	says $'CapEff:\t0000000000000000'
	errs $'far: CapEff:\t0000000000000000'
	errs 'far: 1 packets transmitted, 1 received'
}

@test "a shell that cannot be had is our failure" {
	need root
	: >dead
	run --separate-stderr unshare -m --propagation private sh -c '
		mount --bind dead "$(readlink -f /bin/sh)" && exec "$@"' sh \
		env IN="$MARK" "$standfar" far 'true' -- true 3>&-
	[ "$status" = 125 ]
	[[ $stderr == *"standfar: --far: '/bin/sh': Permission denied"* ]]
	wait_for 5 nobody_left
}

@test "a command that cannot be had is not the far end's" {
	far far 'sleep 1000' -- /no/such/command
	[ "$status" = 127 ]
	errs "farwire: run: '/no/such/command': "
	wait_for 5 nobody_left
}

@test "a run has a name and a socket, as long as it lives" {
	local path
	far name "$MARK" -- find /run/farwire "$BATS_TEST_TMPDIR/farwire" -name "$MARK.sock" -printf '%m '
	path=$(sed -n 's/^standfar: socket //p' <<<"$stderr")
	[ "${path##*/}" = "$MARK.sock" ]
	[ "$output" = '600 ' ]
	wait_for 5 test ! -e "$path"
}

@test "a name that is taken is refused, and the one who has it lives on" {
	far_bg name "$MARK" -- sleep 1005
	wait_for 5 grep -q socket err
	far name "$MARK" -- true
	[ "$status" = 125 ]
	errs "standfar: name '$MARK': a running link has it (process ${pids[0]}); "
	test -e "$(sed -n 's/.*socket //p' err)"
	kill -0 "${pids[0]}"
}

@test "where there is no place for a socket a run has none, but not one with a name" {
	need plain
	need unshare
	# Root of its own user namespace, whose place in /tmp anybody may write to.
	local place
	place=/tmp/farwire-$(id -u)
	local no_place="mount -t tmpfs -o mode=1777 tmpfs $place"' && exec "$@"'
	mkdir -p "$place"
	XDG_RUNTIME_DIR=/proc/self run --separate-stderr unshare -rm sh -c "$no_place" sh \
		env IN="$MARK" "$standfar" -- true 3>&-
	[ "$status" = 0 ]
	XDG_RUNTIME_DIR=/proc/self run --separate-stderr unshare -rm sh -c "$no_place" sh \
		env IN="$MARK" "$standfar" name "$MARK" -- true 3>&-
	rmdir "$place" 2>/dev/null || true
	[ "$status" = 125 ]
	errs "control socket '$place': the directory is another user's, or others may"
}
