# SPDX-License-Identifier: GPL-2.0-or-later
# tests/net/nat.bats - uplink nat: a host of the test's own, with a world behind it
load ../lib/tool
load ../lib/world

setup() {
	world_needs
	cd "$BATS_TEST_TMPDIR" || return
	pids=()
}

teardown() {
	local p
	for p in "${pids[@]}"; do kill -KILL "$p" 2>/dev/null || true; done
	world_down
}

# nat RC WORD...: a run in the host, whose ends are told by the words
nat() {
	local want=$1
	shift
	run --separate-stderr host "$FARWIRE" run "$@" 3>&-
	[ "$status" = "$want" ] ||
		{ printf 'status %s: %s\n%s\n' "$status" "$output" "$stderr" && false; }
}

# start NAME WORD...: a run in the background whose command waits until the file
# NAME.end is there; its process is in $pid
start() {
	local name=$1
	shift
	(world_enter host "$FARWIRE" run --name "$name" \
		uplink nat "$@" -- sh -c 'echo >"$1.up"; until [ -e "$1.end" ]; do sleep 0.05; done' \
		sh "$PWD/$name" 3>&- 2>"$name.err") &
	pid=$!
	pids+=("$pid")
	wait_for 10 test -e "$name.up" || { cat "$name.err" && false; }
}

end() {
	echo >"$1.end"
	wait_for 10 gone "$2"
}

gone() { ! kill -0 "$1" 2>/dev/null; }
one_line() { [ "$(wc -l <<<"$stderr")" = 1 ] || { printf 'lines: %s\n' "$stderr" && false; }; }
errs() { [[ $stderr == *"$1"* ]] || { printf 'no "%s" in: %s\n' "$1" "$stderr" && false; }; }

# The guards close the last devices when the run is over.
as_before() {
	local until=$((SECONDS + 10))
	while host_state >now; ! cmp -s before now; do
		[ $SECONDS -lt $until ] || { diff before now && false; } || return
		sleep 0.05
	done
}

is_forwarding() { [ "$(host cat "/proc/sys/net/ipv4/conf/${2:-wan0}/forwarding")" = "$1" ]; }
rtt() { sed -n 's,.*min/avg/max[^=]*= \([0-9]*\).*,\1,p' <<<"$output"; }
guards() { pgrep -P "$1" farwire-guard; }

@test "lookup, both families, and nothing of it is left" {
	world_up
	host_state >before
	nat 0 uplink nat netem delay 5ms -- sh -c 'getent ahosts web.test; curl -sS http://v4.test/who
		curl -sS http://v6.test/who; ip -o addr show dev eth0; ip route; ip -6 route'
	[[ $output == *203.0.113.10*$'\n'192.0.2.2$'\n'fd0a::2$'\n'* ]]
	[[ $output == *fd0b::10* && $output == *"10.71.0.2/24"* && $output == *"fd71::2/64"* ]]
	[[ $output == *"default via 10.71.0.1 "* && $output == *"default via fd71::1 "* ]]
	as_before
}

@test "the table is gone when the run is" {
	local i
	world_up
	host_state >before
	for i in 1 2 3 4 5 6 7 8; do
		run host sh -c '"$1" -q run uplink nat netem -- true; nft list tables' sh "$FARWIRE"
		[ "$status" = 0 ]
		[ -z "$output" ] || { echo "$output" && false; }
	done
	as_before
}

@test "round trip times: up alone, down alone, each way" {
	world_up
	nat 0 uplink nat up netem delay 40ms -- ping -q -c 3 -i 0.1 -W 5 "$WORLD_WEB4"
	between "$(rtt)" 40 55
	nat 0 uplink nat down netem delay 60ms -- ping -q -c 3 -i 0.1 -W 5 "$WORLD_WEB6"
	between "$(rtt)" 60 75
	nat 0 uplink nat netem delay 30ms -- ping -q -c 3 -i 0.1 -W 5 "$WORLD_WEB4"
	between "$(rtt)" 60 75
}

# By each carrier, whole or in segments.
moved() {
	nat 0 "$@" uplink nat netem delay 1ms -- sh -c 'curl -sS http://v4.test/file | sha256sum
		curl -sS http://v6.test/file | sha256sum
		curl -sS http://v4.test/file -o f && curl -sS -T f http://v4.test/
		curl -sS -T f http://v6.test/; rm f'
	[ "$(grep -c "^$WORLD_HASH" <<<"$output")" = 4 ] || { printf '%s\n' "$output" && false; }
}

@test "20 MB down and up, both families: equal hashes, with super-frames split" {
	world_up
	moved --io plain
}

@test "20 MB down and up: equal hashes, with super-frames whole, and without" {
	world_up
	moved --io plain --gso whole
	moved --io plain --gso off
}

@test "20 MB down and up: equal hashes, by io_uring" {
	need uring
	world_up
	moved --io uring
	moved --io uring --gso whole
}

@test "UDP in large and small datagrams" {
	world_up
	world_serve server socat -T 5 UDP6-LISTEN:7777,ipv6only=0,fork EXEC:cat
	head -c 8000 /dev/urandom >sent
	nat 0 uplink nat netem delay 1ms -- sh -c 'for to in UDP4:203.0.113.10 UDP6:[fd0b::10]; do
		socat -t 1 -b 8000 - "$to:7777" <sent | cmp - sent && echo same; done'
	[ "$(grep -c same <<<"$output")" = 2 ]
}

@test "a seed repeats" {
	world_up
	for round in 1 2; do
		nat 0 uplink nat netem loss 30% seed 5 -- \
			sh -c 'ping -n -c 40 -i 0.01 -W 1 203.0.113.10 | sed -n "s/.*icmp_seq=\([0-9]*\).*/\1/p"'
		printf '%s\n' "$output" >"got$round"
	done
	between "$(wc -l <got1)" 8 32
	cmp got1 got2
}

# Its guards come some 20 ms after the first change: here it is killed in between, too.
@test "killed in its start, as soon as forwarding is on, and before: it leaves nothing" {
	world_up
	host_state >before
	for when in 0 0 0 0.04 0.06 0.08; do
		host bash -c '"$1" run -q uplink nat netem delay 1ms -- sleep 30 2>/dev/null &
			end=$((SECONDS + 10))
			until { [ "$2" != 0 ] && sleep "$2"; } || [ $SECONDS -gt $end ] ||
				{ read -r on </proc/sys/net/ipv4/conf/wan0/forwarding && [ "$on" = 1 ]; }
			do :; done
			kill -KILL $!' bash "$FARWIRE" "$when" 3>&-
		as_before
	done
}

@test "kill -9 of farwire: all is as before" {
	world_up
	host_state >before
	start a --reach 6379 --listen 8080 netem delay 5ms
	is_forwarding 1
	kill -KILL "$pid"
	as_before
}

@test "kill -9 of one guard, or the other, and the run's end: all is as before" {
	world_up
	host_state >before
	for i in 1 2; do
		start "g$i" netem delay 5ms
		kill -KILL "$(guards "$pid" | sed -n "${i}p")"
		host nft list tables >tables
		grep -q farwire tables
		end "g$i" "$pid"
		as_before
	done
}

# kill_all: farwire and both guards, who leave forwarding as it is
kill_all() {
	local all
	all="$(guards "$pid") $pid"
	# shellcheck disable=SC2086 # one word each
	kill -KILL $all
	wait_for 10 gone "$pid"
	is_forwarding 1
}

@test "kill -9 of farwire and both guards: the next run says so, and the last puts all back" {
	local b
	world_up
	host_state >before
	start a netem delay 5ms
	kill_all
	start b netem delay 5ms
	b=$pid
	grep -q '^farwire: warning: uplink nat: a run that was killed with its guards left forwarding on; ' b.err
	start c netem delay 5ms
	[ "$(grep -c warning c.err)" = 0 ]
	end b "$b"
	is_forwarding 1
	end c "$pid"
	as_before
	nat 0 uplink nat netem delay 1ms -- true
	[[ $stderr != *warning* ]]
	as_before
	[ -z "$(host find /run/farwire -name 'nat-*')" ]
	# Of another boot it says nothing about this one.
	start d netem delay 5ms
	kill_all
	host sh -c 'sed -i 1s/^./x/ /run/farwire/nat-*.was'
	nat 0 uplink nat netem delay 1ms -- true
	[[ $stderr != *warning* ]]
	is_forwarding 1
}

@test "kill -9 of one guard and farwire: all is as before" {
	world_up
	host_state >before
	start a netem delay 5ms
	kill -KILL "$(guards "$pid" | head -n 1)"
	kill -KILL "$pid"
	as_before
}

@test "two runs at once: each has its own, and the last one puts all back" {
	world_up
	host_state >before
	for last in a b; do
		start a netem delay 5ms
		a=$pid
		start b netem delay 5ms
		b=$pid
		host ip -o addr >addrs
		grep -q 'inet 10.71.0.1/24' addrs
		grep -q 'inet 10.71.1.1/24' addrs
		grep -q 'inet6 fd71:1::1/64' addrs
		if [ $last = a ]; then end b "$b"; else end a "$a"; fi
		is_forwarding 1
		nat 0 uplink nat netem delay 1ms -- curl -sS http://v4.test/who
		is_forwarding 1
		if [ $last = a ]; then end a "$a"; else end b "$b"; fi
		as_before
		rm ./*.up ./*.end
	done
}

@test "two runs at once, both killed: the second kill puts all back" {
	world_up
	host_state >before
	start a netem delay 5ms
	a=$pid
	start b netem delay 5ms
	kill -KILL "$a"
	wait_for 5 lacks_table farwire0
	is_forwarding 1
	kill -KILL "$pid"
	as_before
}

lacks_table() { ! host nft list tables | grep -q "$1"; }

@test "forwarding that was on stays on; switched on for all meanwhile, too" {
	world_up
	host sh -c 'echo 1 >/proc/sys/net/ipv4/conf/wan0/forwarding'
	host_state >before
	nat 0 uplink nat netem delay 1ms -- curl -sS http://v4.test/who
	as_before
	host sh -c 'echo 0 >/proc/sys/net/ipv4/conf/wan0/forwarding'
	start a netem delay 1ms
	host sh -c 'echo 1 >/proc/sys/net/ipv4/ip_forward'
	end a "$pid"
	is_forwarding 1
}

@test "the host keeps what it has by router advertisements" {
	world_up ra
	host_state >before
	start a netem delay 5ms
	host ip -6 route show default proto ra | grep -q wan0
	host curl -sS -g "http://[$WORLD_WEB6]/small"
	end a "$pid"
	as_before
	nat 0 uplink nat netem delay 5ms -- curl -sS http://v6.test/small
	[ "$output" = small ]
	as_before
}

@test "the same with the IPv6 forwarding of kernels before 6.17" {
	world_up ra
	# What cannot be read is not there.
	host sh -c 'for f in /proc/sys/net/ipv6/conf/*/force_forwarding; do
		mount --bind /dev/null "$f"; done' || skip "a kernel before 6.17"
	host_state >before
	start a netem delay 5ms
	[ "$(host cat /proc/sys/net/ipv6/conf/all/forwarding)" = 1 ]
	[ "$(host cat /proc/sys/net/ipv6/conf/wan0/forwarding)" = 0 ]
	[ "$(host cat /proc/sys/net/ipv6/conf/wan0/accept_ra)" = 1 ]
	host ip -6 route show default proto ra | grep -q wan0
	start b netem delay 5ms
	end a "${pids[0]}"
	[ "$(host cat /proc/sys/net/ipv6/conf/all/forwarding)" = 1 ]
	nat 0 uplink nat netem delay 5ms -- curl -sS http://v6.test/who
	[ "$output" != "" ]
	end b "$pid"
	as_before
}

@test "the host forwards for nobody else, and nobody comes in" {
	world_up
	start a netem delay 1ms
	router sh -c 'ip route add 10.71.0.0/24 via 192.0.2.2
		ip -6 route add fd71::/64 via fd0a::2; ip route add 198.18.0.0/24 via 192.0.2.2'
	host sh -c 'ip link add lan type veth peer name lan1 && ip link set lan up
		ip link set lan1 up && ip addr add 198.18.0.1/24 dev lan
		echo 1 >/proc/sys/net/ipv4/conf/lan/forwarding'
	run ! router ping -q -c 2 -i 0.2 -W 1 10.71.0.2
	run ! router ping -q -c 2 -i 0.2 -W 1 fd71::2
	host ping -q -c 1 -W 1 10.71.0.2
	# Was it forwarded, the host would say that nobody is there.
	run router ping -q -c 2 -i 0.2 -W 4 198.18.0.77
	[[ $output != *errors* ]]
	run ! host nft flush chain inet farwire0 forward
}

@test "a forward chain with policy drop: one line, 125, all as before" {
	world_up
	for family in ip inet ip6; do
		host nft -f - <<-END
			table $family filter {
				chain FORWARD { type filter hook forward priority 0; policy drop;
				}
			}
		END
		host_state >before
		nat 125 uplink nat netem delay 1ms -- true
		one_line
		errs "by policy of chain 'FORWARD' of table '$family filter'"
		errs "write uplink passt"
		as_before
		host nft delete table $family filter
	done
}

# closed HOOK [RULE...]: a firewall of the host with policy drop there
closed() {
	host nft -f - <<-END
		table inet fw {
			chain X { type filter hook $1 priority 0; policy drop;
				iifname lo accept
				oifname lo accept
				${*:2}
			}
		}
	END
}

@test "an input or output chain with policy drop, where a relay needs it: the same" {
	local hook what known='ct state established,related accept'
	world_up
	need passt
	host sh -c 'echo "nameserver 127.0.0.53" >/etc/resolv.conf'
	for hook in input output; do
		closed $hook
		host_state >before
		nat 125 uplink nat netem delay 1ms -- true
		one_line
		errs "drops the IPv4 packets from the command that the host's name server needs, by policy of chain 'X' of table 'inet fw'; write uplink passt, or let it accept those of farwire*"
		as_before
		host sh -c 'echo "nameserver 203.0.113.10" >/etc/resolv.conf'
		nat 0 uplink nat netem delay 1ms -- true
		nat 125 --reach 5432 uplink nat netem delay 1ms -- true
		one_line
		errs "from the command that --reach 5432 needs, by policy"
		nat 125 --listen 5432 uplink nat netem delay 1ms -- true
		one_line
		errs "to the command that --listen needs, by policy"
		as_before
		host sh -c 'echo "nameserver 127.0.0.53" >/etc/resolv.conf'
		host nft delete table inet fw
	done
	host sh -c 'echo "nameserver 203.0.113.10" >/etc/resolv.conf'
	# What answers alone is let out, or in, and what begins, from the one device.
	closed output "$known"
	host_state >before
	nat 0 --reach 5432 uplink nat netem delay 1ms -- true
	nat 125 --listen 5432 uplink nat netem delay 1ms -- true
	host nft delete table inet fw
	closed input "$known"
	nat 0 --listen 5432 uplink nat netem delay 1ms -- true
	nat 125 --reach 5432 uplink nat netem delay 1ms -- true
	host nft delete table inet fw
	closed input "udp dport 5432 accept"
	nat 0 --reach 5432 uplink nat netem delay 1ms -- true
	host nft delete table inet fw
	closed input 'iifname "farwire*" accept'
	nat 0 --reach 5432 --listen 5433 uplink nat netem delay 1ms -- true
	host nft delete table inet fw
	closed input "ip6 version 6 accept"
	nat 0 --reach 5432 netem delay 1ms -- true
	errs "passt instead of nat: the host's firewall drops the IPv4 packets from the command"
	errs ", uplink passt"
}

@test "a firewall that rejects in its last rule: the same; one that accepts farwire* is fine" {
	world_up
	host nft -f - <<-END
		table inet fw {
			chain f { type filter hook forward priority 0; policy accept;
				ct state established,related accept
				reject
			}
		}
	END
	host_state >before
	nat 125 uplink nat netem delay 1ms -- true
	one_line
	errs "the host's firewall drops the IPv4 packets it should forward; write uplink passt"
	as_before
	host nft insert rule inet fw f iifname '"farwire*"' accept
	nat 0 uplink nat netem delay 1ms -- curl -sS http://v6.test/small
	nat 0 uplink nat netem delay 1ms -- curl -sS http://v4.test/small
	[ "$output" = small ]
}

@test "auto takes it, and where the firewall forwards nothing the next way" {
	need passt
	world_up
	nat 0 netem delay 1ms -- curl -sS http://v4.test/who
	errs ", uplink nat"
	host nft -f - <<-END
		table ip filter {
			chain FORWARD { type filter hook forward priority 0; policy drop;
			}
		}
	END
	host_state >before
	nat 0 netem delay 1ms -- curl -sS http://v4.test/who
	errs ", uplink passt"
	errs "farwire: warning: uplink auto: passt instead of nat: the host's firewall drops the IPv4 packets it should forward, by policy of chain 'FORWARD' of table 'ip filter'"$'\n'
	[ "$output" = 192.0.2.2 ]
	as_before
}

@test "a machine without libnftables: one line, the next way by auto, and doctor says it" {
	local libs
	need passt
	libs=$(find -L /lib /usr/lib -name 'libnftables.so.1*' 2>/dev/null || true)
	[ -n "$libs" ] || skip "libnftables is not on this machine"
	world_up
	: >no-library
	cat >bare <<-END
		for f in $(echo "$libs" | tr '\n' ' '); do mount --bind "$PWD/no-library" \$f; done
		exec "\$@"
	END
	host unshare -m sh -eu bare "$FARWIRE" help >/dev/null
	run -125 --separate-stderr host unshare -m sh -eu bare "$FARWIRE" run uplink nat netem -- true 3>&-
	[ "${#stderr_lines[@]}" = 1 ]
	assert_regex "$stderr" '^farwire: uplink nat: nft: [^;]*libnftables[^;]*; install Debian'\''s libnftables1, or write uplink passt$'
	run -0 --separate-stderr host unshare -m sh -eu bare "$FARWIRE" run netem delay 1ms -- \
		curl -sS http://v4.test/small 3>&-
	[ "$output" = small ]
	assert_regex "$stderr" ', uplink passt'
	run -0 host unshare -m sh -eu bare "$FARWIRE" doctor 3>&-
	assert_line --regexp '^uplinks +yes +nat no \(needs libnftables\), passt yes'
	# Nor another way: what to install is a package, not the way's word.
	mkdir path
	run -125 --separate-stderr host unshare -m sh -eu bare env "PATH=$PWD/path" "$FARWIRE" run netem -- /bin/true 3>&-
	assert_equal "$stderr" "farwire: uplink: neither passt nor slirp4netns is installed, and nat needs libnftables; install passt, or write uplink none for a private far end"
	printf '#!/bin/sh\necho broken >&2\nexit 1\n' >path/passt
	chmod 755 path/passt
	run -125 --separate-stderr host unshare -m sh -eu bare env "PATH=$PWD/path" "$FARWIRE" run netem -- /bin/true 3>&-
	assert_regex "$stderr" '^farwire: uplink auto: none stands: nat: nft: [^;]*libnftables[^;]*; passt: [^;]*; slirp: it is not installed; install libnftables, or write uplink none '
	[ "${#stderr_lines[@]}" = 1 ]
}

@test "a name server on the host's loopback is not what the command is told to ask" {
	world_up
	host sh -c 'printf "nameserver 127.0.0.53\nsearch test\n" >/etc/resolv.conf'
	nat 0 uplink nat netem delay 1ms -- cat /etc/resolv.conf
	[ "$(grep nameserver <<<"$output")" = "nameserver 10.71.0.1" ]
	[[ $output == *"search test"* ]]
	host sh -c 'printf "nameserver ::1\nnameserver 203.0.113.10\n" >/etc/resolv.conf'
	nat 0 uplink nat netem delay 1ms -- sh -c 'cat /etc/resolv.conf; curl -sS http://v4.test/who'
	[ "$(grep nameserver <<<"$output")" = "nameserver 203.0.113.10" ]
	[[ $output == *192.0.2.2 ]]
}

# of_link: the host's one name server is a neighbour, named by its link-local address
of_link() {
	local ll
	ll=$(router ip -6 -o addr show dev wan scope link | sed -n 's,.*inet6 \([^/]*\)/.*,\1,p')
	[ -n "$ll" ]
	world_serve router dnsmasq -d --conf-file=/dev/null --pid-file= --no-resolv --no-hosts \
		--host-record=near.test,192.0.2.77
	host sh -c 'echo "nameserver $1%wan0" >/etc/resolv.conf' sh "$ll"
	wait_for 10 host getent ahostsv4 near.test
}

@test "a name server with an address of the host's link is asked by the host" {
	world_up
	of_link
	host_state >before
	nat 0 uplink nat netem delay 1ms -- sh -c 'grep ^name /etc/resolv.conf; getent ahostsv4 near.test'
	[ "${lines[0]}" = "nameserver 10.71.0.1" ]
	[[ ${lines[1]} == 192.0.2.77* ]]
	as_before
	host sh -c 'echo "nameserver 203.0.113.10" >>/etc/resolv.conf'
	nat 0 uplink nat netem delay 1ms -- grep ^name /etc/resolv.conf
	[ "$output" = "nameserver 203.0.113.10" ]
}

@test "passt asks no such name server, which is said" {
	need passt
	world_up
	of_link
	nat 0 uplink passt netem delay 1ms -- true
	errs "farwire: warning: uplink passt: the host's name servers have link-local addresses, which it does not ask, so the command finds no names; name another in /etc/resolv.conf, or write uplink slirp"
	host sh -c 'echo "nameserver 203.0.113.10" >>/etc/resolv.conf'
	nat 0 uplink passt netem delay 1ms -- curl -sS http://v4.test/who
	[[ $stderr != *warning* ]]
}

@test "no route to anywhere: one line, 125" {
	world_up island
	nat 0 uplink nat netem delay 1ms -- ping -q -c 1 -W 5 192.0.2.1
	[ "$(grep -c warning <<<"$stderr")" = 1 ]
	errs "farwire: warning: uplink nat: the host has no default route, so the command reaches the host's own networks and nothing beyond"
	# A network of documentation addresses, as a laboratory has it, is no way to everywhere.
	host ip addr add 198.51.100.2/24 dev wan0
	host ip addr add 2001:db8::2/64 dev wan0 nodad
	nat 0 uplink nat netem delay 1ms -- true
	errs "farwire: warning: uplink nat: the host has no default route, "
	host ip addr flush dev wan0
	nat 125 uplink nat netem delay 1ms -- true
	one_line
	errs "no route"
}

@test "a host without IPv6: none inside, and nothing waits for it" {
	world_up v4
	host_state >before
	nat 0 uplink nat netem delay 1ms -- sh -c 'ip -6 -o addr show dev eth0; curl -sS http://web.test/who'
	[ "$output" = 192.0.2.2 ]
	as_before
}

@test "a network that the host has is not taken; nor may the user take it" {
	world_up
	host ip addr add 10.71.0.9/24 dev wan0
	host ip route add fd71:1::/64 via fd0a::1
	nat 0 uplink nat netem delay 1ms -- sh -c 'ip -o addr show dev eth0; curl -sS http://v4.test/small'
	[[ $output == *"10.71.2.2/24"*"fd71:2::2/64"*small ]]
	nat 125 addr 192.0.2.77/24 uplink nat netem delay 1ms -- true
	one_line
	errs "addr '192.0.2.77/24': the host has 192.0.2.2/24 itself"
	nat 0 addr 10.9.9.9/24 uplink nat netem delay 1ms -- curl -sS http://v4.test/who
	[ "$output" = 192.0.2.2 ]
}

@test "a run in a run" {
	world_up
	run -0 host "$FARWIRE" run -q uplink none netem delay 20ms -- \
		"$FARWIRE" run -q uplink nat netem delay 30ms -- \
		ping -q -c 3 -i 0.1 -W 5 10.71.0.1 3>&-
	between "$(rtt)" 100 120
	run -0 host "$FARWIRE" run -q uplink nat netem delay 20ms -- \
		"$FARWIRE" run -q uplink nat netem delay 30ms -- \
		sh -c 'ping -q -c 3 -i 0.1 -W 5 203.0.113.10; curl -sS http://v6.test/small' 3>&-
	between "$(rtt)" 100 120
	[[ $output == *small ]]
}

@test "a read-only /proc/sys: IPv4 alone" {
	world_up
	host sh -c 'mount --bind /proc/sys /proc/sys && mount -o remount,bind,ro /proc/sys'
	host_state >before
	nat 0 uplink nat netem delay 1ms -- sh -c 'curl -sS http://web.test/who; ip -6 -o addr show dev eth0'
	[ "$output" = 192.0.2.2 ]
	as_before
}

@test "dev lo beside it" {
	world_up
	nat 0 dev lo uplink nat netem delay 20ms -- sh -c 'ping -q -c 2 -i 0.1 127.0.0.1
		ping -q -c 2 -i 0.1 203.0.113.10'
	between "$(rtt | head -n 1)" 40 50
	between "$(rtt | tail -n 1)" 0 10
}
