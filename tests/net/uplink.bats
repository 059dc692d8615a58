# SPDX-License-Identifier: GPL-2.0-or-later
# tests/net/uplink.bats - the ways out over helper programs: passt, slirp, auto, and how they fail
#
# What `uplink nat` alone does: nat.bats.
load ../lib/tool
load ../lib/world

# One world for all of them, but for two; host_state says that each leaves it as it was.
setup_file() {
	{ world_needs && need passt && need slirp4netns && need ping; } >/dev/null 2>&1 || return 0
	BATS_TEST_TMPDIR=$BATS_FILE_TMPDIR
	world_up
	export world world_host world_router world_server WORLD_HASH
	echo "${world_pids[@]}" >"$BATS_FILE_TMPDIR/pids"
}

teardown_file() {
	[ ! -e "$BATS_FILE_TMPDIR/pids" ] || read -ra world_pids <"$BATS_FILE_TMPDIR/pids"
	world_down
}

setup() {
	world_pids=()
	who_path=
	[ $EUID = 0 ] || WORLD_PLAIN_ID=$(id -u)
	world_needs
	need passt
	need slirp4netns
	need ping
	case $BATS_TEST_DESCRIPTION in
	*island*) world_up island ;;
	*"IPv4 alone"*) world_up v4 ;;
	esac
	# As systemd has it; else no helper may ping.
	host sh -c 'f=/proc/sys/net/ipv4/ping_group_range
		{ echo "0 2147483647" >$f || echo "0 0" >$f; } 2>/dev/null'
	place=$(plain_place)
	out=$BATS_TEST_TMPDIR/out
	host_state >"$BATS_TEST_TMPDIR/before"
}

teardown() {
	local bad=0
	if [ -e "$BATS_TEST_TMPDIR/before" ]; then
		wait_for 5 state_is_as_before || { bad=1 && diff "$BATS_TEST_TMPDIR/before" "$BATS_TEST_TMPDIR/after"; }
		host sh -c 'rm -rf "$1"/* && rm -f /etc/resolv.conf && echo "nameserver 203.0.113.10" >/etc/resolv.conf' sh "$place"
	fi
	world_down
	return "$bad"
}

# Helpers among them: processes are part of the state.
state_is_as_before() {
	host_state >"$BATS_TEST_TMPDIR/after"
	cmp -s "$BATS_TEST_TMPDIR/before" "$BATS_TEST_TMPDIR/after"
}

helpers() {
	local ns
	ns=$(stat -Lc %i "/proc/$world_host/ns/net")
	stat -Lc '%i %n' /proc/[0-9]*/ns/net 2>/dev/null | sed -n "s,^$ns \(/proc/[0-9]*\)/.*,\1/comm,p" |
		xargs -r grep -lE '^(passt|slirp4netns)' 2>/dev/null | tr -dc '0-9\n'
}

no_helpers() { [ -z "$(helpers)" ]; }

# who WHO RC WORD...: run farwire as root (host) or as a plain user, where $who_path is its PATH
who() {
	local who=$1 want=$2
	shift 2
	run "-$want" --separate-stderr "$who" env -C "$place" -u SUDO_UID "PATH=${who_path:-$PATH}" \
		timeout 60 "$FARWIRE" run "$@" 3>&- ||
		{ printf 'status %s: run %s\n%s\n%s\n' "$status" "$*" "$output" "$stderr" && return 1; }
}

one_line() {
	[ "$(printf '%s\n' "$stderr" | wc -l)" -eq 1 ]
	[[ $stderr == "farwire: "$1 ]]
}

# A program of ours in a directory that who_path may begin with.
fakes() {
	printf '%s\n' "$2" | host sh -c 'mkdir -p "$1/bin" && cat >"$1/bin/$2" && chmod 755 "$1/bin" "$1/bin/$2"' \
		sh "$place" "$1"
}

# A PATH with what a run of these tests needs, and the programs named.
path_of() {
	local f
	host mkdir -p "$place/path"
	for f in sh env sleep true touch cat curl timeout "$@"; do
		host ln -sf "$(command -v "$f")" "$place/path/$f"
	done
	who_path=$place/path
}

# All that a way out is for, in one run; the address of the command is $3.
goes_out() {
	who "$1" 0 uplink "$2" up netem delay 12ms down netem delay 4ms limit 5000 -- sh -c '
		curl -sf http://web.test/file -o f
		echo "down $(sha256sum <f)"
		head -c 1000000 f >part
		echo "up $(curl -sf -T part http://web.test/)"
		echo "part $(sha256sum <part)"
		rm -f f part
		echo "v4 $(curl -4 -sf http://v4.test/small) v6 $(curl -6 -sf http://v6.test/small)"
		curl -4 -sf -o /dev/null -w "connect4 %{time_connect}\n" http://203.0.113.10/small
		curl -6 -sf -o /dev/null -w "connect6 %{time_connect}\n" "http://[fd0b::10]/small"
		ip -o addr show dev eth0'
	assert_line "down $WORLD_HASH  -"
	[[ ${lines[1]#up } == "$(echo "${lines[2]}" | awk '{print $2}')"* ]]
	assert_line "v4 small v6 small"
	assert_line --partial "$3"
	between "$(ms connect4)" 16 400
	between "$(ms connect6)" 16 400
}

# Seconds in the output's line NAME, in ms.
ms() { echo "$output" | awk -v n="$1" '$1 == n {print int($2 * 1000)}'; }

@test "passt, root: lookup, download and upload with equal hash, IPv6, RTT" {
	goes_out host passt 10.71.0.2/24
	[[ $stderr == *"uplink passt (one TCP flow: "*" a round trip)"* ]]
}

@test "passt, plain user: lookup, download and upload with equal hash, IPv6, RTT" {
	goes_out plain passt fd71::2/64
}

@test "slirp, root: lookup, download and upload with equal hash, IPv6, RTT" {
	goes_out host slirp 10.0.2.100/24
	[[ $stderr == *"uplink slirp (one TCP flow: "*" a round trip)"* ]]
}

@test "slirp, plain user: lookup, download and upload with equal hash, IPv6, RTT" {
	goes_out plain slirp fd00::100/64
}

@test "up and down are impaired, each by its own SPEC" {
	local way dir
	for way in passt slirp; do
		for dir in up down; do
			who plain 0 --report r uplink "$way" "$dir" netem delay 80ms -- \
				ping -c 3 -i 0.2 203.0.113.10
			between "$(echo "$output" | sed -n 's,^rtt.*= \([0-9]*\).*,\1,p')" 80 400
		done
		who plain 1 uplink "$way" up netem loss 100% -- ping -c 1 -W 1 203.0.113.10
		who plain 1 uplink "$way" down netem loss 100% -- ping -c 1 -W 1 203.0.113.10
	done
}

@test "the first frame costs one round trip, and an idle link carries nothing" {
	local way
	for way in passt slirp; do
		who plain 0 --report r uplink "$way" netem delay 50ms -- \
			curl -sf -o /dev/null -w 'connect %{time_connect}\n' http://203.0.113.10/small
		between "$(ms connect)" 100 190
		who plain 0 --report r uplink "$way" netem -- sleep 0.5
		[ "$(host cat "$place/r" | value in)" -eq 0 ]
	done
}

@test "auto: a plain user has passt, else slirp, else one line that says what to install" {
	who plain 0 netem delay 1ms -- true
	one_line "eth0: *, uplink passt (*"
	who plain 0 uplink auto -- true
	[[ $stderr == *"uplink passt"* ]]
	who plain 0 -q -- curl -sf http://web.test/small
	[ "$output" = small ]
	[ -z "$stderr" ]
	path_of slirp4netns
	who plain 0 -- curl -sf http://web.test/small
	[ "$output" = small ]
	[[ $stderr == *"uplink slirp"* ]]
	host rm "$place/path/slirp4netns"
	who plain 125 -- touch "$place/ran"
	one_line "uplink: neither passt nor slirp4netns is installed, and nat needs root; install passt, *"
	who plain 125 uplink passt -- touch "$place/ran"
	one_line "uplink passt: it is not installed; install the package passt"
	who plain 125 uplink slirp -- touch "$place/ran"
	one_line "uplink slirp: it is not installed; install the package slirp4netns"
	who_path=
	who plain 125 uplink nat -- touch "$place/ran"
	one_line "uplink nat: needs CAP_NET_ADMIN and CAP_SYS_ADMIN; run as root, or write uplink passt"
	refute host test -e "$place/ran"
}

@test "doctor says which ways out there are" {
	run -0 plain "$FARWIRE" doctor 3>&-
	assert_line --regexp '^uplinks +yes +nat no \(needs root\), passt yes, slirp yes$'
	run -0 host "$FARWIRE" doctor 3>&-
	assert_line --regexp '^uplinks +yes +nat yes, passt yes, slirp yes$'
	path_of
	run -0 plain env "PATH=$who_path" "$FARWIRE" doctor 3>&-
	assert_line --regexp '^uplinks +no +nat no \(needs root\), passt no \(not installed\), slirp no \(slirp4netns is not installed\)$'
	assert_line --regexp '^ +fix: install passt, or run as root$'
}

@test "auto: root has nat" {
	who host 0 netem delay 1ms -- curl -sf http://web.test/small
	[ "$output" = small ]
	[[ $stderr == *", uplink nat"* ]]
}

@test "a helper that hangs has a time limit; auto goes on to the next" {
	local way name
	who_path=$place/bin:$PATH
	for way in passt slirp; do
		name=$way
		[ "$way" = passt ] || name=slirp4netns
		fakes "$name" '#!/bin/sh
			exec sleep 600'
		SECONDS=0
		who plain 125 uplink "$way" -- touch "$place/ran"
		one_line "uplink $way: it does not answer: *"
		between "$SECONDS" 4 15
		no_helpers
		host rm "$place/bin/$name"
	done
	fakes passt '#!/bin/sh
		exec sleep 600'
	SECONDS=0
	who plain 0 -- curl -sf http://web.test/small
	between "$SECONDS" 2 6
	[ "$output" = small ]
	[ "$(wc -l <<<"$stderr")" -eq 2 ]
	[[ $stderr == "farwire: warning: uplink auto: slirp instead of passt: it does not answer: "*$'\n'*", uplink slirp"* ]]
	[[ $stderr != *"another way"* ]]
	fakes slirp4netns '#!/bin/sh
		exec sleep 600'
	SECONDS=0
	who plain 125 -- touch "$place/ran"
	between "$SECONDS" 4 7
	one_line "uplink auto: none stands: passt: it does not answer: *; slirp: it does not answer: *; mend one of them, run as root, or write uplink none for a private far end"
	no_helpers
	refute host test -e "$place/ran"
	[ -z "$(find /tmp /run /dev/shm -maxdepth 1 -name 'farwire.*' -newer "$BATS_TEST_TMPDIR/before")" ]
}

@test "a helper that ends at once: its last line, or its status" {
	who_path=$place/bin:$PATH
	fakes passt '#!/bin/sh
		echo one >&2; echo "two: no such luck" >&2; exit 3'
	who plain 125 uplink passt -- true
	one_line "uplink passt: it ended: two: no such luck; mend it, or take another way out by uplink"
	# passt says more in passing.
	fakes passt "#!/bin/sh
		echo 'no such luck' >&2; echo \"Don't run as root. Changing to nobody...\" >&2
		echo 'Failed to send 40 bytes to syslog' >&2; echo >&2; exit 3"
	who plain 125 uplink passt -- true
	one_line "uplink passt: it ended: no such luck; mend it, or take another way out by uplink"
	fakes passt '#!/bin/sh
		exit 3'
	who plain 125 uplink passt -- true
	one_line "uplink passt: it ended with status 3; mend it, or take another way out by uplink"
	fakes slirp4netns '#!/bin/sh
		kill -9 $$'
	who plain 125 uplink slirp -- true
	one_line "uplink slirp: it was killed by signal 9; mend it, or take another way out by uplink"
	fakes passt '#!/bin/sh
		exec cat /dev/zero >&3'
	who plain 125 uplink passt -- true
	one_line "uplink passt: it *"
	host sh -c 'printf "not a program" >"$1"' sh "$place/bin/passt"
	who plain 125 uplink passt -- true
	one_line "uplink passt: '*/bin/passt': Exec format error"
}

# As a wrapper script does.
@test "what a helper started ends with it" {
	local real how
	who_path=$place/bin:$PATH
	real=$(command -v passt)
	fakes passt '#!/bin/sh
		sleep 217 &
		exit 3'
	who plain 125 uplink passt -- true
	one_line "uplink passt: it ended with status 3; *"
	wait_for 5 no_sleeps
	for how in "exec $real" "$real"; do
		fakes passt "#!/bin/sh
			sleep 217 &
			$how \"\$@\""
		who plain 0 -q uplink passt -- curl -sf http://web.test/small
		[ "$output" = small ]
		wait_for 5 no_sleeps
		plain sh -c 'echo $$ >pid; exec "$@"' sh env "PATH=$who_path" "$FARWIRE" run -q \
			uplink passt -- sh -c 'echo ready; exec sleep 600' >"$out" 2>&1 3>&- &
		wait_for 10 grep -q ready "$out"
		sleeps | grep -q .
		host kill -KILL "$(host cat "$place/pid")"
		rm -f "$out"
		wait_for 5 no_helpers
		# The leader may be reaped by then, where only a kernel since 6.9 knows its group.
		{ can_signal_groups && wait_for 5 no_sleeps; } || sleeps | xargs -r kill
	done
}

sleeps() { grep -zl '^217$' /proc/[0-9]*/cmdline 2>/dev/null | tr -dc '0-9\n'; }
no_sleeps() { [ -z "$(sleeps)" ]; }
can_signal_groups() { [ "$(printf '6.9\n%s\n' "$(uname -r)" | sort -V | head -n 1)" = 6.9 ]; }

@test "auto says which helper did not start and why, in one line, and takes the next" {
	who_path=$place/bin:$PATH
	fakes passt '#!/bin/sh
		echo "two; no such luck" >&2; exit 3'
	who plain 0 -- curl -sf http://web.test/small
	[ "$output" = small ]
	[ "$(wc -l <<<"$stderr")" -eq 2 ]
	[[ $stderr == "farwire: warning: uplink auto: slirp instead of passt: it ended: two; no such luck"$'\n'* ]]
	who plain 0 -q -- curl -sf http://web.test/small
	[ -z "$stderr" ]
	fakes passt '#!/no/such/interpreter'
	who plain 0 -- true
	[[ $stderr == "farwire: warning: uplink auto: slirp instead of passt: '$place/bin/passt': No such file"* ]]
	fakes slirp4netns '#!/bin/sh
		kill -9 $$'
	who plain 125 -- true
	one_line "uplink auto: none stands: passt: '*/bin/passt': No such file or directory; slirp: it was killed by signal 9; mend one of them, run as root, or write uplink none *"
	path_of
	who_path=$place/bin:$place/path
	host rm "$place/bin/slirp4netns"
	who plain 125 -- true
	one_line "uplink auto: none stands: passt: *; slirp: it is not installed; install slirp4netns, run as root, or write uplink none *"
}

@test "slirp4netns that never takes a port has the same time limit" {
	host sh -c 'cat >"$1/mute.py" && mkdir -p "$1/bin"' sh "$place" <<-'END'
		import socket, sys, os, subprocess
		api = [a[13:] for a in sys.argv if a.startswith("--api-socket=")][0]
		s = socket.socket(socket.AF_UNIX)
		s.bind(api)
		s.listen(8)
		subprocess.run([sys.argv[1]] + [a for a in sys.argv[2:] if not a.startswith("--api-socket=")], close_fds=False)
	END
	fakes slirp4netns "#!/bin/sh
		exec python3 '$place/mute.py' '$(command -v slirp4netns)' \"\$@\""
	who_path=$place/bin:$PATH
	SECONDS=0
	who plain 125 --listen 8200,8201 uplink slirp -- touch "$place/ran"
	between "$SECONDS" 4 7
	one_line "uplink slirp: it does not answer: *; mend it, *"
	refute host test -e "$place/ran"
	wait_for 5 no_helpers
}

@test "a helper that dies in the middle: TERM for the command, one line, 125" {
	local way
	for way in passt slirp; do
		plain "$FARWIRE" run -q --report r uplink "$way" netem -- sh -c '
			trap "echo term; exit 0" TERM
			echo ready
			while :; do sleep 0.1; done' >"$out" 2>"$out.err" 3>&- &
		wait_for 10 grep -q ready "$out"
		helpers | xargs kill -KILL
		status=0
		wait $! || status=$?
		[ "$status" -eq 125 ]
		grep -qx term "$out"
		[ "$(grep -v ^Terminated "$out.err")" = "farwire: run: the link broke: $way has ended" ]
		grep -q '"broke": *true' <(host cat "$place/r")
		state_is_as_before
	done
}

@test "kill -9 of farwire leaves no helper, not even one that is stopped" {
	local way stop
	for way in passt slirp; do
		for stop in no yes; do
			plain sh -c 'echo $$ >pid; exec "$@"' sh "$FARWIRE" run -q uplink "$way" netem -- \
				sh -c 'echo ready; exec sleep 600' >"$out" 2>&1 3>&- &
			wait_for 10 grep -q ready "$out"
			[ -n "$(helpers)" ]
			[ "$stop" = no ] || helpers | xargs kill -STOP
			host kill -KILL "$(host cat "$place/pid")"
			wait_for 5 no_helpers
			wait_for 5 state_is_as_before
			rm -f "$out"
		done
	done
}

@test "who waits for farwire finds no helper afterwards" {
	local way i
	for way in passt slirp; do
		for i in 1 2 3; do
			who plain 7 -q uplink "$way" -- sh -c 'exit 7'
			no_helpers
		done
	done
}

@test "a stub on 127.0.0.53 answers, and search and options are kept" {
	local way
	host ip addr add 127.0.0.53/8 dev lo 2>/dev/null || true
	# Without a shell between: it alone would be ended.
	(exec nsenter -t "$world_host" "${world_ns[@]}" -m -n -- dnsmasq -d --conf-file=/dev/null \
		--pid-file= --no-hosts --no-resolv --bind-interfaces --listen-address=127.0.0.53 \
		--except-interface=lo --server=203.0.113.10 3>&- >"$out.stub" 2>&1) &
	world_pids+=($!)
	host sh -c 'mkdir -p /run/systemd/resolve
		printf "# stub\nnameserver 127.0.0.53\noptions edns0 trust-ad\nsearch test\n" >/run/systemd/resolve/stub-resolv.conf
		ln -sf ../run/systemd/resolve/stub-resolv.conf /etc/resolv.conf'
	wait_for 5 host curl -sf http://web.test/small
	host_state >"$BATS_TEST_TMPDIR/before"
	for way in passt slirp; do
		who plain 0 -q uplink "$way" netem delay 1ms -- sh -c 'cat /etc/resolv.conf; curl -sf http://web/small'
		assert_line small
		assert_line "options edns0 trust-ad"
		assert_line "search test"
		refute_line --partial 127.0.0.53
		[ "$(echo "$output" | grep -c '^nameserver ')" -eq 1 ]
	done
	host grep -q 127.0.0.53 /etc/resolv.conf
}

@test "a resolv.conf that leads nowhere is one line; one that is missing, none" {
	host ln -sf /run/nowhere/resolv.conf /etc/resolv.conf
	who plain 125 uplink passt -- touch "$place/ran"
	one_line "/etc/resolv.conf: a link to '/run/nowhere/resolv.conf', which leads nowhere: *"
	who plain 125 -- touch "$place/ran"
	one_line "/etc/resolv.conf: a link to *"
	refute host test -e "$place/ran"
	host rm /etc/resolv.conf
	who plain 0 -q uplink passt -- curl -sf http://203.0.113.10/small
	[ "$output" = small ]
	host mkdir /etc/resolv.conf
	who plain 125 uplink passt -- true
	one_line "/etc/resolv.conf: Is a directory"
	host rmdir /etc/resolv.conf
	host sh -c 'echo "nameserver 203.0.113.10" >/etc/resolv.conf && chmod 0 /etc/resolv.conf'
	who plain 125 uplink passt -- true
	one_line "/etc/resolv.conf: Permission denied: no names would be found; make it readable (chmod a+r), or write uplink none"
}

@test "an island: no route to anywhere is one line" {
	host ip addr flush dev wan0
	host_state >"$BATS_TEST_TMPDIR/before"
	for way in auto passt slirp; do
		who plain 125 uplink "$way" -- true
		one_line "uplink: this host has no route to anywhere; *"
	done
}

@test "an island with neighbours: one warning, and what passt needs is said" {
	local way
	for way in auto slirp; do
		who plain 0 uplink "$way" -- ping -c 1 -W 5 192.0.2.1
		[ "$(grep -c warning <<<"$stderr")" -eq 1 ]
		[[ $stderr == "farwire: warning: uplink slirp: the host has no default route, so the command reaches the host's own networks and nothing beyond"$'\n'* ]]
	done
	who plain 0 -q -- true
	[ -z "$stderr" ]
	who plain 125 uplink passt -- true
	one_line "uplink passt: the host has no default route, without which it does not start (*External interface not usable*); add one, or write uplink slirp"
	path_of passt
	who plain 125 -- true
	one_line "uplink auto: none stands: passt: the host has no default route, *; install slirp4netns, *"
	who_path=
	host ip route add 128.0.0.0/1 via 192.0.2.1
	host ip route add 0.0.0.0/1 via 192.0.2.1
	host_state >"$BATS_TEST_TMPDIR/before"
	who plain 0 uplink slirp -- true
	one_line "eth0: *"
}

@test "no default route of one family: passt's reason and what to do" {
	need passt
	host ip route del default
	who plain 125 uplink passt -- true
	one_line "uplink passt: the host has no default route for IPv4 (it does not answer: No external routable interface for IPv4); add one, or write uplink slirp, or addr fd71::2/64 uplink passt for IPv6 alone"
	who plain 0 -q addr fd71::2/64 uplink passt -- curl -sf 'http://[fd0b::10]/small'
	host ip route add default via 192.0.2.1
}

@test "passt in a run over passt: why it does not answer, and what to write" {
	who plain 125 -q uplink passt -- "$FARWIRE" run uplink passt -- true
	one_line "uplink passt: the host has no link-local address, which it needs for IPv6 (it does not answer: *); add one, or write uplink slirp, or addr 10.71.0.2/24 uplink passt for IPv4 alone"
	who plain 0 -q uplink passt -- "$FARWIRE" run -q addr 10.71.0.2/24 uplink passt -- curl -4 -sf http://203.0.113.10/small
	[ "$output" = small ]
}

@test "a host with IPv4 alone gives IPv4 alone" {
	local way
	for way in passt slirp; do
		who plain 0 -q uplink "$way" -- sh -c 'curl -sf http://web.test/small; ip -o -6 addr show dev eth0'
		[ "$output" = small ]
	done
}

@test "the host's loopback is not at the gateway" {
	local way gw
	world_serve host python3 -m http.server --bind 127.0.0.1 8099 --directory "$world"
	wait_for 5 host curl -sf -o /dev/null http://127.0.0.1:8099/
	host_state >"$BATS_TEST_TMPDIR/before"
	for way in passt:10.71.0.1 slirp:10.0.2.2; do
		gw=${way#*:}
		run -0 plain "$FARWIRE" run -q uplink "${way%:*}" -- \
			sh -c "curl -s --max-time 2 http://$gw:8099/; curl -s --max-time 2 http://127.0.0.1:8099/; true" 3>&-
		[ -z "$output" ]
	done
}

@test "passt under loss or disorder is warned of, once, and not where -q is" {
	who plain 0 uplink passt down netem loss 0.1% -- true
	[ "$(grep -c 'uplink passt: its TCP has no congestion control' <<<"$stderr")" -eq 1 ]
	who plain 0 -q uplink passt netem loss 0.1% -- true
	[ -z "$stderr" ]
	who plain 0 uplink slirp netem loss 0.1% -- true
	[[ $stderr != *warning* ]]
	for words in 'up netem delay 10ms 3ms' 'netem delay 10ms reorder 5%'; do
		# shellcheck disable=SC2086 # words
		who plain 0 uplink passt $words -- true
		[ "$(grep -c 'uplink passt: its TCP takes nothing out of order' <<<"$stderr")" -eq 1 ]
		[[ $stderr != *congestion* ]]
	done
	who plain 0 uplink passt netem delay 10ms 3ms rate 10mbit -- true
	[[ $stderr != *warning* ]]
	who plain 0 uplink passt netem delay 10ms 3ms loss 1% -- true
	[ "$(grep -c warning <<<"$stderr")" -eq 1 ]
}

@test "addr, mac, mtu, dev lo beside it; what does not fit is refused" {
	who plain 0 -q addr 192.168.9.7/24 mac 02:00:00:00:00:99 mtu 1400 uplink passt netem -- \
		sh -c 'curl -sf http://web.test/small; ip addr show dev eth0; ip route'
	assert_line small
	assert_line --partial "inet 192.168.9.7/24"
	assert_line --partial "02:00:00:00:00:99"
	assert_line --partial "mtu 1400"
	assert_line --partial "default via 192.168.9.1"
	who plain 0 --report r dev lo uplink passt netem delay 30ms -- \
		sh -c 'curl -sf http://web.test/small; ping -c 1 127.0.0.1'
	assert_line small
	between "$(echo "$output" | sed -n 's,^rtt.*= \([0-9]*\).*,\1,p')" 60 300
	who plain 125 addr 192.168.9.7/24 addr 192.168.9.8/24 uplink passt -- true
	one_line "uplink passt: takes one IPv4 and one IPv6 address; *"
	who plain 125 addr 192.168.9.7/24 uplink slirp -- true
	one_line "uplink slirp: its addresses are fixed, *"
	who plain 125 --io uring uplink passt -- true
	one_line "--io uring: passt is spoken to over a socket, *"
	who plain 125 --gso whole uplink slirp -- true
	one_line "--gso whole: slirp takes no super-frames; leave it out"
}

# passt takes an upload badly that loses or reorders: the manual says so.
@test "flows under loss, reordering and duplicates arrive whole" {
	who plain 0 -q uplink slirp netem delay 2ms 1ms loss 1% duplicate 1% reorder 5% -- sh -c '
		head -c 2000000 /dev/urandom >f
		sha256sum <f
		curl -sf -T f http://web.test/
		rm -f f'
	[[ ${lines[1]} == "${lines[0]%% *}"* ]]
	who plain 0 -q uplink passt up netem delay 2ms down netem delay 2ms loss 1% duplicate 1% -- sh -c '
		curl -sf http://web.test/file | sha256sum'
	[ "$output" = "$WORLD_HASH  -" ]
}

# By datagrams: an upload over passt that loses something takes its time.
@test "what corrupt damages on its way up is dropped, not delivered" {
	local to
	cat >"$out.serve" <<-'END'
		import socket, sys
		s = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
		s.bind(("::", 7000))
		count = {}
		while True:
		    b, who = s.recvfrom(2000)
		    n = count.setdefault(who, [0, 0])
		    if b == b"end":
		        s.sendto(b"right %d wrong %d" % tuple(n), who)
		    else:
		        n[b != b"x" * 1000] += 1
	END
	host sh -c 'cat >"$1/send"' sh "$place" <<-'END'
		import socket, sys
		to = socket.getaddrinfo(sys.argv[1], 7000, type=socket.SOCK_DGRAM)[0]
		s = socket.socket(to[0], socket.SOCK_DGRAM)
		s.connect(to[4])
		s.settimeout(0.5)
		for i in range(200):
		    s.send(b"x" * 1000)
		for i in range(20):
		    try:
		        s.send(b"end")
		        print(s.recv(100).decode())
		        break
		    except TimeoutError:
		        pass
	END
	world_serve server python3 "$out.serve"
	wait_for 10 server grep -q ':1B58 ' /proc/net/udp6
	for to in 'passt 203.0.113.10' 'passt fd0b::10' 'slirp 203.0.113.10' 'slirp fd0b::10'; do
		who plain 0 -q --report r uplink "${to% *}" up netem corrupt 50% delay 1ms down netem -- \
			python3 send "${to#* }"
		[[ $output == *" wrong 0" ]] || { echo "$to: $output" && false; }
		between "$(cut -d " " -f 2 <<<"$output")" 40 160
		between "$(host cat "$place/r" | value out)" 200 250
	done
	who plain 0 -q uplink passt up netem corrupt 5% seed 2 down netem -- sh -c '
		head -c 60000 /dev/urandom >f
		sha256sum <f
		curl -sf -T f http://web.test/
		rm -f f'
	[ "${lines[1]}" = "${lines[0]%% *}" ]
}

@test "under sudo the helper is the command's user's" {
	need root
	local way
	for way in passt slirp; do
		host env -C "$place" SUDO_UID="$WORLD_PLAIN_ID" SUDO_GID="$WORLD_PLAIN_ID" SUDO_USER=somebody \
			sh -c 'echo $$ >pid; exec "$@"' sh "$FARWIRE" run uplink "$way" -- \
			sh -c 'echo ready; id -u; curl -sf http://web.test/small; exec sleep 600' \
			>"$out" 2>"$out.err" 3>&- &
		wait_for 10 grep -q small "$out"
		grep -qx "$WORLD_PLAIN_ID" "$out"
		[ "$(stat -c %u "/proc/$(helpers | head -n 1)")" = "$WORLD_PLAIN_ID" ]
		kill -TERM "$(host cat "$place/pid")"
		wait $! || true
		state_is_as_before
		rm -f "$out"
	done
}
