# SPDX-License-Identifier: GPL-2.0-or-later
# tests/net/ends.bats - both ends of a link in namespaces that others made
#
# "standlink" is host/ with a wire that does nothing to frames, and counts them. Root's
# namespaces are made by `unshare -n`, a plain user's by `unshare -Urn`.
load ../lib/tool
load ../lib/ns

setup() {
	need tun
	need ip
	need nsenter
	[ $EUID = 0 ] || need userns
	standlink=$FW_BUILD/tests/net/standlink
	cd "$BATS_TEST_TMPDIR" || return
	ns_setup
}

teardown() { ns_teardown; }

has_device() { [[ " $(devices "$1")" == *" $2 "* ]]; }
lacks_device() { ! has_device "$1" "$2"; }

# link RC WORD...: in the background, once it stands
link() {
	local want=$1
	shift
	run --separate-stderr "$standlink" -b "$@" 3>&-
	[ "$status" = "$want" ] || { printf 'status %s: %s\n' "$status" "$stderr" && false; }
}

errs() { [[ $stderr == *"$1"* ]] || { printf 'no "%s" in: %s\n' "$1" "$stderr" && false; }; }
one_line() { [ "$(wc -l <<<"$stderr")" = 1 ] || { printf 'lines: %s\n' "$stderr" && false; }; }
places() { find /run/farwire "$BATS_TEST_TMPDIR/farwire" -name "${1:-$name}$2" 2>/dev/null || true; }
last() { cat "$(places "${2:-$name}" .last)" 2>/dev/null | grep -q -- "$1"; }

# frames NEAR FAR: what passed so far
frames() {
	kill -USR1 "$(links_of "$name")"
	wait_for 5 last "near $1 far $2 frames" || { cat "$(places "$name" .last)" && false; }
}

pinged() { in_ns "$1" ping -q -c 1 -W 5 "$2" >/dev/null; }
v46=(addr 10.0.0.1/24 addr fd00::1/64)
w46=(addr 10.0.0.2/24 addr fd00::2/64)

@test "by process id: both ends have traffic, the first packet costs one round trip" {
	two_ns
	link 0 "$name" netns "$a" "${v46[@]}" peer netns "$b" "${w46[@]}"
	errs "near $a/eth0 far $b/eth0: netns $a dev eth0 addr 10.0.0.1/24 addr fd00::1/64 peer netns $b dev eth0 addr 10.0.0.2/24 addr fd00::2/64"
	one_line
	pinged "$a" 10.0.0.2
	frames 1 1
	pinged "$b" fd00::1
	frames 2 2
	pinged "$a" fd00::2
	pinged "$b" 10.0.0.1
	frames 4 4
	[ "$(in_ns "$a" ip neigh | grep -c PERMANENT)" = 2 ]
}

@test "an idle link carries no frame" {
	two_ns
	link 0 "$name" netns "$a" "${v46[@]}" peer netns "$b" "${w46[@]}"
	sleep 2
	frames 0 0
	link 0 "$name-b" netns "$a" dev x0 peer netns "$b" dev x0
	sleep 2
	kill -USR1 "$(links_of "$name-b")"
	wait_for 5 last "near 0 far 0 frames" "$name-b"
}

@test "dev, mac, mtu, and a queue of frames" {
	two_ns
	link 0 "$name" netns "$a" dev wan0 mac 02:00:00:00:00:aa mtu 9000 addr 10.0.0.1/24 \
		peer netns "$b" dev wan1 mac 02:00:00:00:00:bb addr 10.0.0.2/24
	errs ": netns $a dev wan0 addr 10.0.0.1/24 mac 02:00:00:00:00:aa mtu 9000 peer netns $b dev wan1 addr 10.0.0.2/24 mac 02:00:00:00:00:bb"
	in_ns "$a" ip -o link show wan0 >o
	grep -q 'UP,LOWER_UP> mtu 9000 .*qlen 10000.*02:00:00:00:00:aa' o
	in_ns "$b" ip -o link show wan1 | grep -q 'UP,LOWER_UP> mtu 9000 .*02:00:00:00:00:bb'
	in_ns "$a" ping -q -c 1 -W 5 -M "do" -s 8972 10.0.0.2
	frames 1 1
}

@test "default names are the first that are free" {
	two_ns
	link 0 "$name" netns "$a" peer netns "$b"
	errs "near $a/eth0 far $b/eth0"
	link 0 "$name-2" netns "$a" dev eth2 peer netns "$b"
	errs "near $a/eth2 far $b/eth1"
	link 0 "$name-3" netns "$a" peer netns "$b"
	errs "near $a/eth1 far $b/eth2"
	link 0 "$name-4" netns "$a" peer netns "$b"
	errs "near $a/eth3 far $b/eth3"
}

@test "addresses that do not meet have no neighbours, and are found by asking" {
	two_ns
	link 0 "$name" netns "$a" addr 10.0.0.1/24 addr fd00::1/64 peer netns "$b" addr 10.9.0.2/24
	[ -z "$(in_ns "$a" ip neigh | grep PERM)" ]
	in_ns "$b" ip addr add fd00::2/64 nodad dev eth0
	pinged "$b" fd00::1
}

@test "two ends in one namespace: allowed if their names differ" {
	two_ns
	link 0 "$name" netns "$a" peer netns "$a" dev eth0
	errs "near $a/eth1 far $a/eth0"
	link 0 "$name-2" netns "$a" dev v0 peer netns "$a" dev v1
	link 1 "$name-3" netns "$a" dev v5 peer netns "$a" dev v5
	errs "dev 'v5': both ends are to be one device of one namespace; "
	one_line
}

@test "refused by the words alone: status 1, one line, nothing made" {
	two_ns
	local long
	long=$(printf 'x%.0s' {1..300})
	while IFS='|' read -r words want; do
		# shellcheck disable=SC2086 # words
		link 1 "$name" $words
		errs "$want"
		one_line
	done <<-LIST
		netns $a dev a/b peer netns $b|dev 'a/b': a device name has
		netns $a peer netns $b dev 1234567890123456|dev '1234567890123456': a device name has
		netns $a dev e%d peer netns $b|dev 'e%d': a device name has
		netns $a dev .. peer netns $b|dev '..': a device name has
		netns $a bridge 1234567890123456|bridge '1234567890123456': a device name
		netns $a addr 10.0.0.1/24 addr 10.0.0.1/8 peer netns $b|addr '10.0.0.1/8': given twice
		netns $a addr fd00::1/64 peer netns $b addr fd00::1/64|addr 'fd00::1/64': both ends cannot
		netns $a mac 02:00:00:00:00:01 peer netns $b mac 02:00:00:00:00:01|mac: both ends cannot
		netns .. peer netns $b|netns '..': not a name
		netns /$long peer netns $b|: longer than 255 bytes
	LIST
	link 1 "$name/x" netns "$a" peer netns "$b"
	errs "name '$name/x': letters"
	link 1 all netns "$a" peer netns "$b"
	errs "name 'all': "
	[ "$(devices "$a")$(devices "$b")" = "lo lo " ]
	[ -z "$(places "$name*" '')" ]
	none_of "$name"
}

@test "refused by the system: status 2, one line, all undone" {
	two_ns
	in_ns "$b" ip tuntap add mode tap there
	in_ns "$b" ip addr add 10.5.0.2/24 dev there
	in_ns "$b" ip addr add fd05::2/64 dev there
	local before words want
	before=$(devices "$a")$(devices "$b")
	: >plain-file
	while IFS='|' read -r words want; do
		# shellcheck disable=SC2086 # words
		link 2 "$name" $words
		errs "$want"
		one_line
		[ "$(devices "$a")$(devices "$b")" = "$before" ]
		[ -z "$(places "$name*" '')" ]
	done <<-LIST
		netns $a peer netns no-such-ns|netns 'no-such-ns': no such name in /run/netns or /var/run/netns; a path has a /
		netns $a peer netns 999999999|netns '999999999': neither a name in /run/netns or /var/run/netns nor a process
		netns /no/such peer netns $b|netns '/no/such': No such file
		netns ./plain-file peer netns $b|/plain-file': is no network namespace
		netns /proc/self/ns/mnt peer netns $b|netns '/proc/self/ns/mnt': is no network namespace
		netns $a peer netns $b dev there|dev 'there': netns '$b' has a device of that name
		netns $a dev lo peer netns $b|device 'lo'
		netns $a addr 10.5.0.1/24 peer netns $b addr 10.5.0.2/16|addr '10.5.0.2/16': there in netns '$b' has it already
		netns $a peer netns $b addr fd05::2/64|addr 'fd05::2/64': there in netns '$b' has it already
		netns $a mtu 67 peer netns $b|device 'eth0'
		netns $a peer netns $b mac 01:00:00:00:00:01|device 'eth0'
		netns $a addr fd00::1/64 mtu 1000 peer netns $b|address 'fd00::1/64'
	LIST
	none_of "$name"
}

@test "a name that is taken: status 2, and the one who has it lives on" {
	two_ns
	link 0 "$name" netns "$a" "${v46[@]}" peer netns "$b" "${w46[@]}"
	link 2 "$name" netns "$a" peer netns "$b"
	errs "name '$name': a running link has it (process $(links_of "$name")); "
	one_line
	[ "$(devices "$a")" = "eth0 lo " ]
	pinged "$a" 10.0.0.2
}

@test "of two that want one name at once exactly one wins" {
	two_ns
	local i n who=()
	for n in 1 2 3; do
		for i in 0 1; do
			(rc=0; "$standlink" -b "$name-$n" netns "$a" peer netns "$b" 2>err$i 3>&- || rc=$?; echo $rc >rc$i) &
			who[i]=$!
		done
		wait "${who[@]}"
		[ "$(sort rc0 rc1 | tr '\n' ' ')" = "0 2 " ]
		[ "$(links_of "$name-$n" | wc -l)" = 1 ]
	done
	[ "$(devices "$a")" = "eth0 eth1 eth2 lo " ]
}

@test "SIGTERM: nothing is left but why" {
	two_ns
	link 0 "$name" netns "$a" peer netns "$b"
	[ "$(stat -c %a "$(places "$name" .sock)")" = 600 ]
	kill "$(links_of "$name")"
	wait_for 5 none_of "$name"
	[ "$(devices "$a")$(devices "$b")" = "lo lo " ]
	[ -z "$(places "$name" .sock)" ]
	last ": term"
	[ "$(stat -c %a "$(places "$name" .last)")" = 600 ]
	link 0 "$name" netns "$a" peer netns "$b"
	[ ! -s "$(places "$name" .last)" ]
}

@test "kill -9: the devices go, the next command clears the rest" {
	two_ns
	link 0 "$name" netns "$a" peer netns "$b"
	kill -KILL "$(links_of "$name")"
	wait_for 5 lacks_device "$a" eth0
	wait_for 5 lacks_device "$b" eth0
	link 0 "$name" netns "$a" peer netns "$b"
}

@test "a namespace that goes away ends the link, and nothing is left" {
	two_ns
	link 0 "$name" netns "$a" "${v46[@]}" peer netns "$b" "${w46[@]}"
	kill -KILL "$b"
	wait_for 10 none_of "$name"
	last ": far"
	[ "$(devices "$a")" = "lo " ]
	[ -z "$(places "$name" .sock)" ]
}

@test "a device that is deleted ends the link" {
	two_ns
	link 0 "$name" netns "$a" peer netns "$b"
	in_ns "$a" ip link del eth0
	wait_for 10 none_of "$name"
	last ": near"
	[ "$(devices "$b")" = "lo " ]
}

@test "the drops of a device's own ring can be read while its namespace is there" {
	two_ns
	link 0 "$name" netns "$a" "${v46[@]}" peer netns "$b" "${w46[@]}"
	kill -USR1 "$(links_of "$name")"
	wait_for 5 last "rings 0 0: lives"
}

@test "the link runs without a capability, under the filter, detached" {
	two_ns
	exec 7<>lock
	link 0 "$name" netns "$a" peer netns "$b"
	local p
	p=/proc/$(links_of "$name")
	grep -q $'^CapEff:\t0000000000000000' "$p/status"
	grep -q $'^CapPrm:\t0000000000000000' "$p/status"
	grep -q $'^NoNewPrivs:\t1' "$p/status"
	[ "$(readlink "$p/cwd")" = / ]
	[ "$(cut -d' ' -f6 "$p/stat")" != "$(cut -d' ' -f6 /proc/$$/stat)" ]
	ls -l "$p/fd" >fds
	run ! grep -q -e "$BATS_TEST_TMPDIR/lock" -e pipe: -e 'net:\[' fds
	exec 7>&-
}

@test "an idle link has less than 3 MiB of its own" {
	two_ns
	link 0 "$name" netns "$a" peer netns "$b"
	local kib
	kib=$(awk '/^Private_(Clean|Dirty)/ { n += $2 } END { print n }' "/proc/$(links_of "$name")/smaps_rollup")
	echo "private: $kib KiB"
	between "$kib" 1 3071
}

@test "foreground: ready and stopping are told to the service manager" {
	need socat
	two_ns
	socat -u UNIX-RECV:notify CREATE:told 3>&- &
	pids+=($!)
	wait_for 5 test -S notify
	(NOTIFY_SOCKET=$PWD/notify exec "$standlink" -n "$name" netns "$a" peer netns "$b" 3>&- 2>err) &
	pids+=($!)
	wait_for 5 grep -q READY=1 told
	has_device "$a" eth0
	kill "${pids[-1]}"
	wait_for 5 grep -q STOPPING=1 told
}

# inside SCRIPT: uid 0 of a fresh user namespace with a network and mounts of its own (or
# what $how says), and a /run of its own, where `ip netns` works; names are $name.
inside() {
	run --separate-stderr unshare "${how[@]:--Urnm}" sh -eu -c '
		mount -t tmpfs tmpfs /run
		mkdir /run/netns
		standlink=$1 name=$2
		last() { cat /run/farwire/$name.last; }
		ended() { i=0; while [ -e /run/farwire/$name.sock ] && [ $i -lt 100 ]; do sleep 0.05; i=$((i + 1)); done; [ ! -e /run/farwire/$name.sock ]; }
		'"$1" sh "$standlink" "$name" 3>&-
	[ "$status" = 0 ] || { printf 'status %s\n%s\n%s\n' "$status" "$output" "$stderr" && false; }
}

@test "by name, by path and the caller's own, from within a user namespace" {
	need userns
	inside '
		ip netns add a; ip netns add b
		"$standlink" -b $name netns a addr 10.0.0.1/24 peer netns b addr 10.0.0.2/24
		ip netns exec a ping -q -c 1 -W 5 10.0.0.2
		"$standlink" -b $name-2 netns /run/netns/a addr 10.1.0.1/24 peer netns . addr 10.1.0.2/24
		ping -q -c 1 -W 5 10.1.0.1
		cd /run; "$standlink" -b $name-3 addr 10.2.0.1/24 peer netns ./netns/b addr 10.2.0.2/24
		ip netns exec b ping -q -c 1 -W 5 10.2.0.1
		kill $(pidof -x "$standlink")'
	errs "near a/eth0 far b/eth0: netns a dev eth0 addr 10.0.0.1/24 peer netns b dev eth0 "
	errs "near /run/netns/a/eth1 far ./eth0: netns /run/netns/a dev eth1 addr 10.1.0.1/24 peer dev eth0 "
	errs "near ./eth1 far /run/./netns/b/eth1: dev eth1 addr 10.2.0.1/24 peer netns /run/./netns/b dev eth1 "
}

@test "a name of digits is a name first" {
	need userns
	inside '
		ip netns add 1
		"$standlink" -b $name netns 1 addr 10.0.0.1/24 peer addr 10.0.0.2/24
		ip netns exec 1 ping -q -c 1 -W 5 10.0.0.2
		kill $(pidof -x "$standlink")'
}

@test "ip netns del ends the link, also from within the namespace it was started in" {
	need userns
	inside '
		ip netns add a; ip netns add b
		ip netns exec a "$standlink" -b $name peer netns b
		ip netns exec a ip link show eth0
		ip netns del a
		ended
		last
		! ip netns exec b ip link show eth0
		"$standlink" -b $name dev x0 peer netns b
		ip netns del b
		ended
		last
		! ip link show x0'
	[[ $output == *"near 0 far 0 frames"*": near"*"gone at the far end" ]]
}

@test "a name that is removed ends the link, whoever is still inside" {
	need userns
	inside '
		for n in a b c; do ip netns add $n; done
		ip netns exec a sleep 1000 & p=$!
		i=0; while [ "$(ip netns pids a)" != $p ] && [ $i -lt 100 ]; do sleep 0.05; i=$((i + 1)); done
		"$standlink" -b $name netns a peer netns /run/netns/b
		ip netns del c
		ip netns exec b ip link show eth0 >/dev/null
		sleep 0.2; [ -e /run/farwire/$name.sock ]
		ip netns del a
		ended
		last
		kill -0 $p; nsenter -t $p -n ip -br link
		kill $p
		ip netns add a
		"$standlink" -b $name netns a peer netns /run/netns/b
		mv /run/netns/a /run/netns/d 2>/dev/null || { umount /run/netns/b; rm /run/netns/b; }
		ended
		last'
	[[ $output == *"gone at the near end"*"lo "*"gone at the far end" ]]
	run ! grep -q eth0 <<<"$output"
}

@test "why a link broke is in the log of the system" {
	need userns
	need socat
	inside '
		mkdir /run/dev; mount --rbind /dev /run/dev; mount -t tmpfs tmpfs /dev
		mkdir /dev/net; for f in net/tun null; do touch /dev/$f; mount --bind /run/dev/$f /dev/$f; done
		socat -u UNIX-RECV:/dev/log CREATE:/run/said & p=$!
		i=0; while [ ! -S /dev/log ] && [ $i -lt 100 ]; do sleep 0.05; i=$((i + 1)); done
		ip netns add a; ip netns add b
		"$FARWIRE" -q add $name netns a peer netns b 2>&1
		ip netns del b
		ended
		i=0; while [ ! -s /run/said ] && [ $i -lt 100 ]; do sleep 0.05; i=$((i + 1)); done
		kill $p
		cat /run/said'
	# Priority: daemon, error.
	assert_regex "$output" "^<27>.* farwire\\[[0-9]+\\]: $name: the link broke: the namespace is gone at the far end"
}

@test "a device that is there already, made to last, is not taken" {
	need userns
	inside '
		ip netns add a; ip netns add b
		ip netns exec a ip tuntap add mode tap eth0
		rc=0; "$standlink" -b $name netns a dev eth0 peer netns b || rc=$?; echo "rc $rc"
		"$standlink" -b $name netns a peer netns b
		kill $(pidof -x "$standlink"); ended
		ip netns exec a ip -br link | wc -l'
	[[ $output == $'rc 2\n2' ]]
	errs "dev 'eth0': netns 'a' has a device of that name"
	errs "near a/eth1 far b/eth0"
}

@test "a bridge with two links on it" {
	need userns
	inside '
		ip link add br0 type bridge; ip addr add 10.0.0.254/24 dev br0; ip link set br0 up mtu 1400
		ip -br link show br0 >/run/before
		ip netns add a; ip netns add b
		"$standlink" -b $name netns a addr 10.0.0.1/24 addr fd00::1/64 bridge br0
		"$standlink" -b $name-2 netns b addr 10.0.0.2/24 addr fd00::2/64 bridge br0
		ip netns exec a ping -q -c 1 -W 5 10.0.0.254
		ip netns exec a ping -q -c 1 -W 5 10.0.0.2
		ip netns exec b ping -q -c 1 -W 5 fd00::1
		ip -o link show master br0
		ip netns exec a ip -o link show eth0
		[ "$(ip -o -6 addr | grep -c inet6.fe80)" -le 1 ]
		kill $(pidof -x "$standlink"); ended; name=$name-2; ended
		sleep 0.3; ip -o link show master br0 | wc -l'
	local port=${name:0:15}
	[[ $output == *"$port: "*"master br0"*"fw0: "*"master br0"* ]]
	[[ $output == *"eth0: "*"mtu 1400 "* ]]
	[[ $output == *$'\n0' ]]
	errs "near a/eth0 far ./$port: netns a dev eth0 addr 10.0.0.1/24 addr fd00::1/64 bridge br0"
}

# leave_bridge: a port that is taken out, and a bridge that is deleted
leave_bridge='
	for how in "ip link set \$port nomaster" "ip link del br0"; do
		ip link add br0 type bridge; ip link set br0 up
		ip netns add a
		ip link add x type veth peer y; ip link set x master br0
		"$standlink" -b $name netns a dev p0 bridge br0
		port=$(ip -o link show master br0 | sed -n "s/^[0-9]*: \\(fw[^:@]*\\).*/\\1/p")
		ip link set x nomaster; ip link del y; ip link set $port mtu 1400
		sleep 0.2; [ -e /run/farwire/$name.sock ]
		eval "$how"
		ended
		last
		i=0; while ip link show $port && [ $i -lt 100 ]; do sleep 0.05; i=$((i + 1)); done >/dev/null
		[ $i -lt 100 ]
		ip link del br0 || :
		ip netns del a
	done 2>/dev/null'
left_twice='*: the link broke: its device left the bridge at the far end'$'\n''near*: the link broke: its device left the bridge at the far end'

@test "a port taken out of its bridge, or a bridge deleted, ends the link" {
	need userns
	inside "$leave_bridge"
	# shellcheck disable=SC2053 # a pattern
	[[ $output == $left_twice ]]
}

@test "the same in the namespace of process 1, where the device was made in place" {
	need userns
	how=(-Urnmpf --mount-proc)
	inside "$leave_bridge"
	# shellcheck disable=SC2053 # a pattern
	[[ $output == $left_twice ]]
}

@test "a link on a bridge keeps nobody's namespace" {
	need userns
	inside '
		ip netns add a
		unshare -n sh -c "ip link add br0 type bridge; $standlink -b $name netns a bridge br0"
		ended
		last'
	[[ $output == *": far" ]]
}

@test "a bridge that is none, or not there: status 2, undone" {
	need userns
	inside '
		ip tuntap add mode tap there
		rc=0; "$standlink" -b $name peer netns . bridge there || rc=$?; echo "rc $rc"
		rc=0; "$standlink" -b $name bridge br0 || rc=$?; echo "rc $rc"
		ip -o link | wc -l
		ls /run/farwire'
	[ "$output" = $'rc 2\nrc 2\n2' ]
	errs "bridge 'there': that device is no bridge"
	errs "bridge 'br0': no such device; make it first (ip link add br0 type bridge)"
}

@test "a plain user: both namespaces by unshare, each in a user namespace of its own" {
	need plain
	two_ns
	[ "$(readlink "/proc/$a/ns/user")" != "$(readlink "/proc/$b/ns/user")" ]
	link 0 "$name" netns "$a" "${v46[@]}" peer netns "$b" "${w46[@]}"
	pinged "$a" fd00::2
	frames 1 1
}

@test "a plain user: refused with the right that is missing, undone" {
	need plain
	new_ns
	link 2 "$name" netns "$ns" peer
	errs "netns '.': needs CAP_SYS_ADMIN and CAP_NET_ADMIN over it: run as root, or use namespaces made by unshare -Urn"
	one_line
	link 2 "$name" netns "$ns" peer netns 1
	errs "netns '1': the process is another user's; needs CAP_SYS_PTRACE over it"
	[ "$(devices "$ns")" = "lo " ]
	[ -z "$(places "$name*" '')" ]
}

@test "a namespace of an outer user namespace is refused" {
	need userns
	inside '
		rc=0; "$standlink" -b $name netns . peer netns '"$$"' || rc=$?; echo "rc $rc"; ip -o link | wc -l'
	[ "$output" = $'rc 2\n1' ]
}

@test "root reaches a plain user's namespaces" {
	need root
	need setpriv
	local how=(setpriv --reuid 65533 --regid 65533 --clear-groups unshare -Urn)
	("${how[@]}" sleep 1000 3>&- >/dev/null) &
	pids+=($!)
	("${how[@]}" sleep 1000 3>&- >/dev/null) &
	pids+=($!)
	wait_for 5 eval '[ "$(readlink /proc/${pids[0]}/ns/net)" != "$(readlink /proc/self/ns/net)" ]'
	wait_for 5 eval '[ "$(readlink /proc/${pids[1]}/ns/net)" != "$(readlink /proc/self/ns/net)" ]'
	link 0 "$name" netns "${pids[0]}" "${v46[@]}" peer netns "${pids[1]}" "${w46[@]}"
	pinged "${pids[0]}" fd00::2
	frames 1 1
}
