# SPDX-License-Identifier: GPL-2.0-or-later
# tests/net/reach.bats - --reach and --listen: ports of the one side at the other, over the link
#
# The host is one of the test's own (tests/lib/world.bash), with nothing but a loopback
# where there is no way out.
load ../lib/tool
load ../lib/world

setup() {
	world_needs
	ports="python3 -IS $FW_SRC/tests/net/ports.py"
	PORT=5432 OTHER=5433
	export MARK=$BATS_TEST_TMPDIR
	world_pids=()
}

teardown() {
	local p
	world_down
	# A relay that outlived its run, so that no test leaves one.
	for p in $(relays); do kill -KILL "$p" 2>/dev/null || true; done
}

# A host and nothing else.
alone() {
	local how=(-nm)
	world=$BATS_TEST_TMPDIR/world
	mkdir -p "$world"
	if [ $EUID != 0 ]; then
		how=(-Urnm)
		WORLD_PLAIN_ID=$(id -u)
	fi
	(exec env WORLD="$world" WORLD_USER="$WORLD_PLAIN_ID" \
		unshare "${how[@]}" bash -euc "$(declare -f alone_mounts)
		alone_mounts && ip link set lo up && echo >\"\$WORLD/mounted\"; exec sleep 3600" \
		3>&- >"$world/host.log" 2>&1) &
	world_host=$!
	world_pids+=("$world_host")
	wait_for 10 test -e "$world/mounted" || { cat "$world/host.log" && return 1; }
}

alone_mounts() {
	mount --make-rprivate /
	mount -t tmpfs -o mode=755 none /run
	mkdir -p "/run/user/$WORLD_USER"
	if [ -n "$(sed -n '/^ *0 *0 /p' /proc/self/uid_map)" ]; then
		chown "$WORLD_USER:$WORLD_USER" "/run/user/$WORLD_USER"
		mount -t tmpfs -o mode=755 none /dev/net
		mknod -m 666 /dev/net/tun c 10 200
	fi
}

# serve PORT ADDR...: a server on the host
serve() {
	# shellcheck disable=SC2086 # words
	(exec nsenter -t "$world_host" "${world_ns[@]}" -m -n -- $ports serve "$world/ready$1" "$@" \
		3>&- >>"$world/serve.log" 2>&1) &
	world_pids+=($!)
	wait_for 10 test -e "$world/ready$1"
}

# host: with all capabilities; plain: as a plain user without any
runs() { # WHO RC WORD...: farwire run, want exit status RC
	local who=$1 want=$2
	shift 2
	run --separate-stderr "$who" timeout 60 "$FARWIRE" run "$@" 3>&-
	if [ "$status" -ne "$want" ]; then
		printf 'status %s, wanted %s: %s run %s\nstdout: %s\nstderr: %s\n' \
			"$status" "$want" "$who" "$*" "$output" "$stderr" >&2
		return 1
	fi
}

# named COMM: processes of this test that call themselves so; the dead have no words
named() {
	local p
	for p in $(grep -lx "$1" /proc/[0-9]*/comm 2>/dev/null); do
		p=${p%/comm}
		! grep -qz "^MARK=$MARK\$" "$p/environ" 2>/dev/null || echo "${p#/proc/}"
	done
}

relays() { named farwire-relay; }

no_relays() { [ -z "$(relays)" ]; }

# The run of bg is over, by our wish.
ended() {
	kill -TERM "$farwire" 2>/dev/null
	wait_for 10 test -s "$world/status"
	rm "$world/status"
	no_relays
}

inside() { # commands for the shell inside, each must succeed
	printf 'set -e; P=%q; %s' "$ports" "$1"
}

bg() { # WHO WORD...: farwire run in the background, its process in $farwire
	local who=$1
	shift
	rm -f "$world/err"
	(exec 3>&- >"$world/out" 2>"$world/err" && "$who" "$FARWIRE" run "$@" && true
		echo $? >"$world/status") &
	world_pids+=($!)
	wait_for 10 grep -q '^farwire: ' "$world/err"
	farwire=$(named farwire)
	[ -n "$farwire" ]
}

@test "reach: TCP and UDP, IPv4 and IPv6, delayed in both directions" {
	alone
	serve $PORT 127.0.0.1 ::1
	for who in host plain; do
		runs $who 0 --reach $PORT uplink none netem delay 40ms -- sh -c "$(inside "
			\$P rtts $PORT 127.0.0.1 ::1")"
		[ "$(wc -l <<<"$output")" = 4 ]
		for ms in $output; do between "$ms" 80 400; done
		[[ $stderr == *", reach $PORT"* ]]
		no_relays
	done
}

@test "reach: a server at one address of the loopback only, reached at both" {
	alone
	serve $PORT 127.0.0.1
	serve $OTHER ::1
	runs plain 0 --reach $PORT,$OTHER uplink none -- sh -c "$(inside "
		\$P rtts $PORT 127.0.0.1 ::1 + rtts $OTHER 127.0.0.1 ::1")"
	[ "$(wc -l <<<"$output")" = 8 ]
}

@test "reach: connect() does not wait for the link; what is refused shows as a reset" {
	alone
	serve $PORT 127.0.0.1
	runs host 0 --reach $PORT,$OTHER uplink none netem delay 300ms -- sh -c "$(inside "
		\$P connect 127.0.0.1 $PORT + reset 127.0.0.1 $OTHER + reset ::1 $OTHER
		\$P quits 127.0.0.1 $PORT")"
	between "$output" 0 299
}

@test "reach: 10 MB both ways at once, half-closed, and behind an end of file" {
	alone
	serve $PORT 127.0.0.1 ::1
	runs host 0 --reach $PORT uplink none netem delay 5ms -- sh -c "$(inside "
		\$P bytes 127.0.0.1 $PORT 10000000 + hash 127.0.0.1 $PORT 10000000
		\$P bytes ::1 $PORT 3000000")"
}

@test "reach: 200 connections at once" {
	alone
	serve $PORT 127.0.0.1
	runs plain 0 --reach $PORT uplink none netem delay 20ms -- sh -c \
		"$(inside "\$P many 127.0.0.1 $PORT 200")"
}

@test "reach: a reader that is slow costs no memory" {
	alone
	serve $PORT 127.0.0.1
	bg host --reach $PORT uplink none netem delay 5ms -- sh -c "$(inside "
		\$P slow 127.0.0.1 $PORT $world/go & \$P slow ::1 $PORT $world/go & wait \$!; wait")"
	wait_for 10 eval '[ "$(relays | wc -l)" = 2 ]'
	sleep 2 # for the flood to fill whatever is there to be filled
	for p in $(relays); do
		between "$(sed -n 's/^VmRSS:[^0-9]*\([0-9]*\) kB/\1/p' "/proc/$p/status")" 100 12000
	done
	touch "$world/go"
	wait_for 10 test -s "$world/status"
	[ "$(cat "$world/status")" = 0 ]
	no_relays
}

# served WHO WORD... -- ADDR...: farwire run --listen $PORT WORD... with a server inside
served() {
	local who=$1 words=()
	shift
	while [ "$1" != -- ]; do words+=("$1") && shift; done
	shift
	host rm -f "$(plain_place)/ready"
	# shellcheck disable=SC2086 # words
	bg "$who" --listen $PORT "${words[@]}" -- $ports serve "$(plain_place)/ready" $PORT "$@"
	wait_for 10 host test -e "$(plain_place)/ready"
}

@test "listen: a server inside on any address, TCP and UDP, at the host's localhost" {
	local at ms all
	alone
	for at in "host 127.0.0.1" "host 0.0.0.0 ::" "host ::1" "host 10.71.0.2" "plain 127.0.0.1"; do
		# shellcheck disable=SC2086 # words
		served ${at%% *} uplink none netem delay 40ms -- ${at#* }
		all=$(host $ports rtts $PORT 127.0.0.1 ::1)
		[ "$(wc -l <<<"$all")" = 4 ]
		for ms in $all; do between "$ms" 80 400; done
		ended
	done
}

@test "listen: much both ways, many at once, a refusal is a reset" {
	alone
	served host uplink none netem delay 5ms -- 127.0.0.1
	host $ports bytes 127.0.0.1 $PORT 5000000 + hash ::1 $PORT 5000000 + \
		many 127.0.0.1 $PORT 200
	ended
	bg host --listen $PORT uplink none -- sleep 60
	host $ports reset 127.0.0.1 $PORT + reset ::1 $PORT
}

@test "listen: a port that is taken: one line, 125, nothing left" {
	alone
	serve $PORT 127.0.0.1
	serve $OTHER ::1
	for who in host plain; do
		runs $who 125 --listen $OTHER,$PORT uplink none -- echo no
		[ -z "$output" ]
		[ "$stderr" = "farwire: --listen '$OTHER': TCP [::1]:$OTHER is taken on this host; end what listens there, or let the command use another port" ]
		runs $who 125 --listen $PORT uplink none -- echo no
		[ "$stderr" = "farwire: --listen '$PORT': TCP 127.0.0.1:$PORT is taken on this host; end what listens there, or let the command use another port" ]
		no_relays
	done
	[ "$(host ss -Hltu | wc -l)" = 4 ]
}

@test "listen: a port below 1024 is root's" {
	alone
	runs plain 125 --listen 80 uplink none -- echo no
	[ "$stderr" = "farwire: --listen '80': TCP 127.0.0.1:80: only root may listen there; let the command use a port from 1024 on" ]
	runs host 0 --listen 80 uplink none -- true
}

@test "one port cannot be reached and listened at" {
	runs env 125 --reach 1,80 --listen 80 uplink none -- true
	[ "$stderr" = "farwire: --listen '80': --reach takes that port inside; name it once" ]
}

@test "relays: no capability, the command's user, no file but their own, a filter" {
	local p
	alone
	for who in host plain; do
		bg $who --reach $OTHER --listen $PORT uplink none -- sleep 60
		[ "$(relays | wc -l)" = 3 ]
		for p in $(relays); do
			grep -q '^CapEff:[^0-9]*0000000000000000$' "/proc/$p/status"
			[ $who = plain ] || grep -q '^CapBnd:[^0-9]*0000000000000000$' "/proc/$p/status"
			grep -q '^NoNewPrivs:[^0-9]*1$' "/proc/$p/status"
			grep -q '^Seccomp:[^0-9]*2$' "/proc/$p/status"
			[ "$(readlink "/proc/$p/fd/0" "/proc/$p/fd/1" "/proc/$p/fd/2" | sort -u)" = /dev/null ]
			[ "$(readlink /proc/$p/fd/* | grep -v -e '^socket:' -e eventpoll | sort -u)" = /dev/null ]
			[ "$(ps -o sid= -p "$p" | tr -d ' ')" = "$p" ]
			[ "$(ps -o cls= -p "$p" | tr -d ' ')" = TS ]
			[ "$(ps -o ni= -p "$p" | tr -d ' ')" = 0 ]
		done
		ended
	done
}

@test "relays: the command has no child it never started, and nothing is left to tell of" {
	alone
	runs plain 0 --reach $OTHER --listen $PORT uplink none -- \
		python3 -c '
import os
try:
    os.waitpid(-1, os.WNOHANG)
except ChildProcessError:
    print("none")'
	[ "$output" = none ]
	[[ $stderr != *left* ]]
	no_relays
}

@test "relays: kill -9 of farwire leaves none, and gives the ports back" {
	alone
	for who in host plain; do
		bg $who --reach $OTHER --listen $PORT uplink none -- sleep 60
		[ "$(relays | wc -l)" = 3 ]
		kill -KILL "$farwire"
		wait_for 5 no_relays
		runs $who 0 --listen $PORT uplink none -- true
	done
}

@test "relays: one that is killed ends the run: TERM, 125, one line" {
	local i p
	alone
	for i in 1 2 3; do
		bg host --reach $OTHER --listen $PORT uplink none -- sh -c 'trap "echo term; exit" TERM; sleep 60 & wait'
		p=$(relays | sed -n ${i}p)
		kill -KILL "$p"
		wait_for 5 test -s "$world/status"
		[ "$(cat "$world/status")" = 125 ]
		[ "$(grep -v '^farwire: eth0: ' "$world/err")" = "farwire: run: the relay of --reach and --listen was killed, and what it carried cut" ]
		[ "$(cat "$world/out")" = term ]
		no_relays
		rm "$world/status"
	done
}

# A host that has a way out; where to is of no concern here.
with_way() {
	alone
	host sh -ec 'ip link add wan0 type veth peer name wan1 && ip link set wan1 up
		ip addr add 192.0.2.2/24 dev wan0 && ip addr add fd0a::2/64 dev wan0 nodad
		ip link set wan0 up && ip route add default via 192.0.2.1
		ip route add default via fd0a::1'
}

# over WAY WHO: all of both options that such a way can do
over() {
	local way=$1 who=$2 ms all refused=reset
	[ "$way" != passt ] || refused=ends
	runs "$who" 0 --reach $PORT,$OTHER uplink "$way" netem delay 40ms -- sh -c "$(inside "
		\$P rtts $PORT 127.0.0.1 ::1 + $refused 127.0.0.1 $OTHER + $refused ::1 $OTHER + \\
			echo 127.0.0.1 $PORT 200000 + many ::1 $PORT 30")"
	[ "$(wc -l <<<"$output")" = 4 ]
	for ms in $output; do between "$ms" 80 400; done
	[[ $stderr == *", uplink $way"*", reach $PORT $OTHER"* ]]
	no_relays
	PORT=8080 served "$who" uplink "$way" netem delay 40ms -- 127.0.0.1
	all=$(host $ports rtts 8080 127.0.0.1 ::1)
	[ "$(wc -l <<<"$all")" = 4 ]
	for ms in $all; do between "$ms" 80 400; done
	host $ports echo ::1 8080 200000 + many 127.0.0.1 8080 30
	ended
	runs "$who" 125 --listen $PORT uplink "$way" -- echo no
	[ "$stderr" = "farwire: --listen '$PORT': TCP 127.0.0.1:$PORT is taken on this host; end what listens there, or let the command use another port" ]
}

@test "passt: both, as root and as a plain user" {
	need passt
	with_way
	serve $PORT 127.0.0.1 ::1
	over passt host
	over passt plain
}

@test "slirp: both, as root and as a plain user" {
	need slirp4netns
	with_way
	serve $PORT 127.0.0.1 ::1
	over slirp host
	over slirp plain
}

@test "nat: both; what listens on the host takes nothing but what comes over the link" {
	with_way
	serve $PORT 127.0.0.1 ::1
	over nat host
	bg host --reach $PORT uplink nat -- sleep 60
	host ss -Hltnu "sport = :$PORT" | grep -v -e '127.0.0.1:' -e '\[::1\]:' >"$world/ours"
	[ "$(wc -l <"$world/ours")" = 4 ]
	[ "$(grep -c -e ' 10.71.0.1%farwire[^ ]*:' -e ' \[fd71::1\]%farwire[^ ]*:' "$world/ours")" = 4 ]
	ended
}

@test "nat: a server that has the port at all addresses of the host" {
	with_way
	serve $PORT 0.0.0.0 ::
	runs host 0 --reach $PORT uplink nat netem delay 40ms -- sh -c "$(inside "
		\$P rtts $PORT 127.0.0.1 ::1")"
	for ms in $output; do between "$ms" 80 400; done
}

# local_names ADDRESS: nat's command asks the resolver that listens there on the host
local_names() {
	(exec nsenter -t "$world_host" "${world_ns[@]}" -m -n -- dnsmasq -d --conf-file=/dev/null \
		--pid-file= --no-resolv --no-hosts --bind-interfaces "--listen-address=$1" \
		--host-record=some.test,192.0.2.77 3>&- >"$world/dns.log" 2>&1) &
	world_pids+=($!)
	wait_for 10 host bash -c "</dev/tcp/$1/53"
	runs host 0 uplink nat netem delay 40ms -- python3 -ISc '
import socket, time
at = time.monotonic()
print(socket.gethostbyname("some.test"), int((time.monotonic() - at) * 1000))'
	[ "${output% *}" = 192.0.2.77 ]
	between "${output#* }" 80 3000
	no_relays
}

@test "nat: names by a resolver on the host's loopback, over the link" {
	with_way
	echo 'nameserver 127.0.0.53' >"$world/resolv"
	host mount --bind "$world/resolv" /etc/resolv.conf
	local_names 127.0.0.53
}

@test "nat: where resolv.conf names nobody it is the host's own, as for the C library" {
	with_way
	: >"$world/resolv"
	host mount --bind "$world/resolv" /etc/resolv.conf
	local_names 127.0.0.1
}

@test "passt and slirp: without the options the host's localhost is out of reach" {
	local way gate
	need passt
	need slirp4netns
	with_way
	serve $PORT 127.0.0.1
	for way in passt slirp; do
		gate=10.71.0.1
		[ $way = passt ] || gate=10.0.2.2
		runs plain 0 uplink $way -- sh -c "! timeout 2 $ports connect $gate $PORT 2>/dev/null"
		runs plain 0 --reach $OTHER uplink $way -- sh -c "timeout 2 $ports connect $gate $PORT"
	done
}

@test "reach: a real Redis" {
	need redis-server
	need redis-cli
	alone
	(exec nsenter -t "$world_host" "${world_ns[@]}" -m -n -- redis-server --port $PORT \
		--bind 127.0.0.1 --save '' --appendonly no --dir "$world" 3>&- >"$world/redis.log") &
	world_pids+=($!)
	wait_for 10 host redis-cli -p $PORT ping
	for who in host plain; do
		runs $who 0 --reach $PORT uplink none netem delay 25ms -- sh -c "
			redis-cli -p $PORT set who $who && redis-cli -p $PORT get who &&
			redis-cli -p $PORT --raw eval 'return string.rep(\"x\", 2000000)' 0 | wc -c &&
			timeout 2 redis-cli -p $PORT --latency --raw -i 1"
		[[ $output == "OK"$'\n'"$who"$'\n'2000001$'\n'* ]]
		between "$(cut -d ' ' -f 1 <<<"${lines[3]}")" 50 300
	done
	[ "$(host redis-cli -p $PORT get who)" = plain ]
}
