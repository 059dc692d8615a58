# SPDX-License-Identifier: GPL-2.0-or-later
# tests/net/loopback.bats - the loopback of a run: every packet once through the TAP
#
# "standin" is host/ with a forwarder that holds nothing back: it can be told which
# redirect to take, and counts the frames.
load ../lib/tool

setup() {
	need tun
	[ $EUID = 0 ] || need userns
	standin=$FW_BUILD/tests/net/standin
	cd "$BATS_TEST_TMPDIR" || return
}

# frames of the last run of the stand-in
frames() { sed -n 's/.*redirect [a-z]*, frames \([0-9]*\),.*/\1/p' <<<"$stderr"; }

standin() { run --separate-stderr "$standin" "$@" 3>&-; }

idle() {
	standin "$1" sleep 3
	[ "$status" = 0 ]
	[[ $stderr == *"redirect $1,"* ]]
	[ "$(frames)" = 0 ]
}

@test "tc: an idle link carries no frame" { idle tc; }
@test "nft: an idle link carries no frame" { idle nft; }

pings() {
	standin "$1" ping -q -c 4 -i 0.2 "$2"
	[ "$status" = 0 ]
	[[ $stderr == *"redirect $1,"* ]]
	# Four requests and four answers, each once; IPv6 asks for no neighbour on lo.
	[ "$(frames)" = 8 ]
}

@test "tc: IPv4, every packet passes once" { pings tc 127.0.0.1; }
@test "nft: IPv4, every packet passes once" { pings nft 127.0.0.1; }
@test "tc: IPv6, every packet passes once" { pings tc ::1; }
@test "nft: IPv6, every packet passes once" { pings nft ::1; }
@test "tc: another address of 127/8" { pings tc 127.9.8.7; }
@test "nft: another address of 127/8" { pings nft 127.9.8.7; }

# Two MB each way over TCP, in segments as a wire has them.
tcp() {
	need socat
	head -c 2000000 /dev/urandom >there
	head -c 2000000 /dev/urandom >back
	standin "$1" sh -c "
		socat -u OPEN:back TCP$2-LISTEN:5001,reuseaddr </dev/null &
		socat -u TCP$2-LISTEN:5002,reuseaddr OPEN:there.got,creat </dev/null &
		n=0; until [ \$(ss -Hltn | wc -l) = 2 ]; do
			n=\$((n+1)); [ \$n -lt 100 ] || exit 9; sleep 0.05; done
		socat -u OPEN:there 'TCP$2:$3:5002' && socat -u 'TCP$2:$3:5001' OPEN:back.got,creat
		wait"
	[ "$status" = 0 ]
	cmp there there.got
	cmp back back.got
	# 2 MB are 1370 segments of 1460 bytes: less would be super-frames.
	[ "$(frames)" -ge 2700 ]
}

@test "tc: TCP both ways, IPv4" { tcp tc 4 127.0.0.1; }
@test "nft: TCP both ways, IPv4" { tcp nft 4 127.0.0.1; }
@test "tc: TCP both ways, IPv6" { tcp tc 6 '[::1]'; }
@test "nft: TCP both ways, IPv6" { tcp nft 6 '[::1]'; }

# The redirect takes super-frames as well: many segments a frame.
supers() {
	export STANDIN_SUPERS=1
	standin "$1" "$PROBE" stream "$2" 20000000
	[ "$status" = 0 ]
	[ "$output" = "sent=20000000 back=20000000 equal=1" ]
	[ "$(frames)" -lt 15000 ]
}

@test "tc: super-frames, IPv4" { supers tc 127.0.0.1; }
@test "nft: super-frames, IPv4" { supers nft 127.0.0.1; }
@test "tc: super-frames, IPv6" { supers tc ::1; }
@test "nft: super-frames, IPv6" { supers nft ::1; }

datagram() {
	need socat
	head -c 65507 /dev/urandom >big
	standin "$1" sh -c '
		timeout 5 socat -u -b 65507 UDP4-RECVFROM:5003 OPEN:big.got,creat </dev/null &
		n=0; until ss -Hlun | grep -q 5003; do
			n=$((n+1)); [ $n -lt 100 ] || exit 9; sleep 0.05; done
		socat -u -b 65507 OPEN:big UDP4:127.0.0.1:5003; wait'
	[ "$status" = 0 ]
	cmp big big.got
	# 65515 bytes in fragments of 1480.
	[ "$(frames)" = 45 ]
}

@test "tc: a datagram of 65507 bytes" { datagram tc; }
@test "nft: a datagram of 65507 bytes" { datagram nft; }

@test "a refused connection is refused at once" {
	need socat
	local start=$SECONDS
	run "$FARWIRE" run -q dev lo netem delay 10ms -- \
		socat -u OPEN:/dev/null TCP4:127.0.0.1:9 3>&-
	[ "$status" = 1 ]
	[[ $output == *"Connection refused"* ]]
	[ $((SECONDS - start)) -le 2 ]
}

@test "UNIX sockets are untouched" {
	need socat
	standin auto sh -c '
		socat -u UNIX-LISTEN:sock OPEN:got,creat </dev/null &
		n=0; until [ -S sock ]; do n=$((n+1)); [ $n -lt 100 ] || exit 9; sleep 0.05; done
		echo hello | socat -u STDIN UNIX-CONNECT:sock; wait'
	[ "$status" = 0 ]
	[ "$(cat got)" = hello ]
	[ "$(frames)" = 0 ]
}

@test "lo has the MTU of a wire" {
	run "$FARWIRE" run -q dev lo netem delay 1ms -- cat /sys/class/net/lo/mtu 3>&-
	run "$FARWIRE" run -q dev lo netem delay 1ms -- ip -o link show lo 3>&-
	[[ $output == *"mtu 1500"* ]]
}

@test "ping needs no privilege inside" {
	run_tool 0 run -q dev lo netem delay 1ms -- cat /proc/sys/net/ipv4/ping_group_range
	[ "$output" = "$(id -g)"$'\t'"$(id -g)" ]
}

@test "under sudo the command is the caller's" {
	need root
	SUDO_UID=65533 SUDO_GID=65532 SUDO_USER=fw-caller run_tool 0 run dev lo netem delay 1ms -- \
		sh -c 'id -u; id -g; id -G; echo "$USER $LOGNAME"; grep CapEff /proc/self/status
			cat /proc/sys/net/ipv4/ping_group_range'
	[ "$output" = $'65533\n65532\n65532\nfw-caller fw-caller\nCapEff:\t0000000000000000\n65532\t65532' ]
	[[ $stderr == *"runs as fw-caller"* ]]
	SUDO_UID=65533 SUDO_GID=65532 run_tool 0 run --user root dev lo netem delay 1ms -- id -u
	[ "$output" = 0 ]
}
