#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# tests/net/links.bats - links that stay: add, change, show, del, batches, and their end
#
# LINKS=200 makes as many at once (8 by itself), CHURN_SECONDS=60 goes on for as long (4).
load ../lib/tool
load ../lib/ns

setup() {
	need tun
	need ip
	need nsenter
	[ $EUID = 0 ] || need userns
	cd "$BATS_TEST_TMPDIR" || return
	ns_setup
}

teardown() { ns_teardown; }

# pair NAME [SPEC...]: a link between $a and $b
pair() {
	local n=$1
	shift
	run_tool 0 add "$n" netns "$a" addr 10.0.0.1/24 addr fd00::1/64 \
		peer netns "$b" addr 10.0.0.2/24 addr fd00::2/64 "$@"
}

rtt_ms() { in_ns "$a" ping -c 3 -i 0.2 -W 5 "$1" | sed -n 's/.*time=\([0-9]*\).*/\1/p' | sort -n | head -n 1; }

@test "add, show, change, del: a link in a script" {
	two_ns
	pair "$name" netem delay 40ms rate 20mbit seed 3
	[ -z "$output" ]
	[ "$stderr" = "farwire: $name: $a/eth0 <-> $b/eth0: netem delay 40ms rate 20Mbit each way, RTT +80ms, limit 1000, seed 3/$(down_seed)" ]
	between "$(rtt_ms 10.0.0.2)" 80 500
	between "$(rtt_ms fd00::2)" 80 500
	run_tool 0 -s show "$name"
	assert_regex "${lines[0]}" "^$name: near $a/eth0 far $b/eth0 pid [0-9]+ up [0-9]+s$"
	[ "${lines[1]}" = "  up   netem limit 1000 delay 40ms rate 20Mbit seed 3" ]
	run_tool 0 -q change "$name" netem delay 5ms rate 20mbit
	between "$(rtt_ms 10.0.0.2)" 10 79
	run_tool 0 del "$name"
	[ -z "$output$stderr" ]
	[ "$(devices "$a")" = "lo " ]
	[ "$(devices "$b")" = "lo " ]
	none_of "$name"
	[ -z "$(places .sock)" ]
	run_tool 2 show "$name"
	assert_regex "$stderr" "link '$name': it has ended: removed by del"
	run_tool 2 del "$name"
	[ "${#stderr_lines[@]}" = 1 ]
}

down_seed() { # splitmix64 of 3
	python3 -c '
z = 3 + 0x9e3779b97f4a7c15
m = 2**64 - 1
z = (z & m ^ (z & m) >> 30) * 0xbf58476d1ce4e5b9 & m
z = (z ^ z >> 27) * 0x94d049bb133111eb & m
print(z ^ z >> 31)'
}

@test "show -c is the add that makes it again" {
	two_ns
	pair "$name" up netem delay 7ms 1ms distribution normal loss 1% down netem rate 1mbit
	run_tool 0 show -c "$name"
	exact=$output
	assert_regex "$exact" "^add $name netns $a dev eth0 addr 10.0.0.1/24 addr fd00::1/64 peer netns $b dev eth0 "
	run_tool 0 del "$name"
	# shellcheck disable=SC2086 # words by intent
	run_tool 0 $exact
	run_tool 0 show -c "$name"
	[ "$output" = "$exact" ]
	between "$(rtt_ms 10.0.0.2)" 4 500
	run_tool 0 del "$name"
}

@test "a name that is taken is refused, status 2; the words alone, status 1" {
	two_ns
	pair "$name"
	run_tool 2 add "$name" netns "$a" peer netns "$b"
	assert_regex "$stderr" "name '$name': a running link has it"
	run_tool 1 add "$name-2" netns "$a" peer netns "$b" netem dealy 1ms
	run_tool 2 add "$name-2" netns /no/where peer netns "$b"
	[ "${#stderr_lines[@]}" = 1 ]
	[ "$(devices "$b")" = "eth0 lo " ]
	run_tool 0 del "$name"
}

@test "a run is not removed by del" {
	"$FARWIRE" run -q --name "$name" uplink none -- sh -c 'while [ ! -e stop ]; do sleep 0.05; done' 3>&- &
	wait_for 5 "$FARWIRE" show "$name"
	run_tool 2 del "$name"
	assert_regex "$stderr" 'it is a run and ends with its command'
	touch stop
	wait $!
}

@test "in the foreground: ready, stopping, status 0 on TERM and 3 when an end is gone" {
	need socat
	two_ns
	socat -u UNIX-RECV:notify CREATE:said 3>&- &
	pids+=($!)
	wait_for 5 test -S notify
	NOTIFY_SOCKET=$PWD/notify "$FARWIRE" add -f "$name" netns "$a" peer netns "$b" netem delay 1ms 2>err 3>&- &
	wait_for 5 grep -q READY=1 said
	assert_regex "$(cat err)" "^farwire: $name: .*netem delay 1ms each way"
	kill -TERM $!
	wait $!
	wait_for 5 grep -q STOPPING=1 said
	"$FARWIRE" add -f "$name" netns "$a" peer netns "$b" 2>err 3>&- &
	link=$!
	wait_for 5 "$FARWIRE" show "$name"
	kill -KILL "$b"
	rc=0
	wait $link || rc=$?
	[ $rc = 3 ]
	assert_regex "$(tail -n 1 err)" "the link broke: process $b has ended, and its namespace is gone at the far end"
	run_tool 2 show "$name"
	assert_regex "$stderr" "it has ended: the link broke: process $b has ended, and its namespace is gone at the far end"
	[ "$(devices "$a")" = "lo " ]
}

@test "why a link broke: its device alone, its process, or nobody is left in its namespace" {
	two_ns
	broke_by near "its device is gone" netns "$a" peer netns "$b" -- in_ns "$a" ip link del eth0
	broke_by near "process $a has ended, and its namespace is gone" \
		netns "/proc/$a/ns/net" peer netns "$b" -- kill -KILL "$a"
	in_ns "$b" "$FARWIRE" -q add "$name" dev x0 peer dev y0 3>&-
	kill -KILL "$b"
	wait_for 5 none_of "$name"
	run_tool 2 show "$name"
	assert_regex "$stderr" "the link broke: its device is gone, or the namespace, in which nobody is left, at the (near|far) end"
}

# broke_by END WHY WORD... -- COMMAND...
broke_by() {
	local end=$1 why=$2 words=()
	shift 2
	while [ "$1" != -- ]; do words+=("$1") && shift; done
	run_tool 0 -q add "$name" "${words[@]}"
	"${@:2}"
	wait_for 5 none_of "$name"
	run_tool 2 show "$name"
	assert_regex "$stderr" "it has ended: the link broke: $why at the $end end"
}

@test "--for: a link ends by itself" {
	two_ns
	run_tool 0 -q add --for 2s "$name" netns "$a" peer netns "$b"
	run_tool 0 show -c "$name"
	assert_output --partial ' --for 2000000000ns '
	wait_for 10 none_of "$name"
	none_of "$name"
	run_tool 2 show "$name"
	assert_regex "$stderr" "it has ended: its time \(--for\) was up"
}

@test "a batch: comments, quotes, one bad line ends it, --force goes on, - is stdin" {
	two_ns
	cat >script <<-WORDS
		# two links
		add $name-1 netns $a dev x1 peer netns $b dev x1 netem delay 1ms  # one
		add "$name-2" netns $a dev x2 peer netns $b dev x2

		change $name-1 netem delay 2ms
		show -c $name-1
	WORDS
	run_tool 0 -q -b script
	assert_regex "$output" "^add $name-1 netns $a dev x1 .*delay 2000000ns"
	[ "$(devices "$a")" = "lo x1 x2 " ]
	printf 'del %s-1\nfrobnicate\ndel %s-2\n' "$name" "$name" >bad
	run_tool 1 -b bad
	assert_regex "$stderr" "^farwire: bad:2: "
	[ "$(devices "$a")" = "lo x2 " ]
	run --separate-stderr sh -c '"$1" --force -b - <bad' sh "$FARWIRE" 3>&-
	[ "$status" != 0 ]
	[ "$(devices "$a")" = "lo " ]
	run_tool 2 -b no-such-file
}

@test "a batch makes links at once as if one after another: names, messages, what fails" {
	local i
	two_ns
	# The first free name is given in the order of the lines.
	for i in 0 1 2 3 4 5 6 7 8 9; do echo "add $name-$i netns $a peer netns $b netem delay 1${i}ms"; done >ten
	run_tool 0 -b ten
	[ "${#stderr_lines[@]}" = 10 ]
	for i in 0 1 2 3 4 5 6 7 8 9; do
		assert_regex "${stderr_lines[i]}" "^farwire: $name-$i: $a/eth$i <-> $b/eth$i: netem delay 1${i}ms"
	done
	# What was done before a line that fails stays, what stands behind it is not done.
	cat >clash <<-WORDS
		add $name-x netns $a dev y0 peer netns $b dev y0
		-q add $name-y netns $a dev y1 peer netns $b dev y1
		add $name-z netns $a dev eth4 peer netns $b dev y2
		add $name-u netns $a dev y3 peer netns $b dev y3
		add $name-y netns $a dev y4 peer netns $b dev y4
	WORDS
	run_tool 2 -b clash
	[ "${#stderr_lines[@]}" = 2 ]
	assert_regex "${stderr_lines[0]}" "^farwire: $name-x: $a/y0 "
	[ "${stderr_lines[1]}" = "farwire: clash:3: dev 'eth4': netns '$a' has a device of that name" ]
	[ "$(devices "$a")" = "eth0 eth1 eth2 eth3 eth4 eth5 eth6 eth7 eth8 eth9 lo y0 y1 " ]
	[ "$(devices "$b")" = "eth0 eth1 eth2 eth3 eth4 eth5 eth6 eth7 eth8 eth9 lo y0 y1 " ]
	run_tool 2 show "$name-u"
	assert_regex "$stderr" "link '$name-u': no such link"
	# With --force each is done, and each that fails is said.
	sed -i '1,2d' clash
	run_tool 2 --force -b clash
	[ "${#stderr_lines[@]}" = 3 ]
	assert_regex "${stderr_lines[0]}" "^farwire: clash:1: dev 'eth4': "
	assert_regex "${stderr_lines[1]}" "^farwire: $name-u: $a/y3 "
	assert_regex "${stderr_lines[2]}" "^farwire: clash:3: name '$name-y': a running link has it"
	# A line that is wrong waits for those before it, and they for nobody.
	printf 'add %s-v netns %s dev z1 peer netns %s dev z1\nadd %s-w netns %s dev "z 2" peer netns %s\n' \
		"$name" "$a" "$b" "$name" "$a" "$b" >wrong
	run_tool 1 -b wrong
	[ "${#stderr_lines[@]}" = 2 ]
	assert_regex "${stderr_lines[0]}" "^farwire: $name-v: "
	assert_regex "${stderr_lines[1]}" "^farwire: wrong:2: add dev 'z 2': "
	for i in 0 1 2 3 4 5 6 7 8 9 x y u v; do echo "del $name-$i"; done >all
	run_tool 0 -b all
	[ "$(devices "$a")" = "lo " ]
}

@test "a batch on a pipe: what was written is done before more is waited for" {
	two_ns
	{
		for i in 1 3; do
			printf "add $name-%d netns $a dev p%d peer netns $b dev p%d\n" \
				$i $i $i $((i + 1)) $((i + 1)) $((i + 1))
			wait_for 20 "$FARWIRE" show "$name-$((i + 1))" || exit 1
		done
		touch all-seen
	} | "$FARWIRE" -q -b - 3>&-
	[ -e all-seen ]
	[ "$(devices "$a")" = "lo p1 p2 p3 p4 " ]
	# Without an address, too, who waits for "state UP" sees it.
	[ "$(in_ns "$a" ip -o link show p4 | grep -c 'state UP')" = 1 ]
	for i in 1 2 3 4; do run_tool 0 del "$name-$i"; done
}

@test "kill -9: the devices go, the next command clears the socket" {
	two_ns
	pair "$name"
	kill -KILL "$(links_of "$name")"
	wait_for 10 none_of "$name"
	# Its socket is still there, unless a start of somebody else's has cleared it.
	[ "$(devices "$a")" = "lo " ]
	run_tool 2 show "$name"
	[ -z "$(places .sock)" ]
	pair "$name"
	run_tool 0 del "$name"
}

@test "kill -9 of links and of runs with their guards: the next add clears what all of them left" {
	local run named p
	two_ns
	run_tool 0 add "$name-live" netns "$a" peer netns "$b"
	run_tool 0 add "$name-dead" netns "$a" peer netns "$b"
	"$FARWIRE" run -q uplink none -- sleep 1000 3>&- &
	run=$!
	"$FARWIRE" run -q --name "$name-run" uplink none -- sleep 1000 3>&- &
	named=$!
	for p in "$run" "$named"; do pids+=("$p"); done
	wait_for 5 "$FARWIRE" show "run-$run"
	wait_for 5 "$FARWIRE" show "$name-run"
	# shellcheck disable=SC2046 # one word each
	kill -KILL $(pgrep -P "$run,$named" farwire-guard) "$run" "$named" "$(links_of "$name-dead")"
	wait_for 5 none_of "$name-dead"
	# Four answered above, three of them are dead now; a start of somebody else's may have
	# cleared what these left.
	run_tool 0 -s show "$name-live"
	run_tool 0 add "$name-next" netns "$a" peer netns "$b"
	[ "$(places .sock | sed 's,.*/,,' | sort | tr '\n' ' ')" = "$name-live.sock $name-next.sock " ]
	[ -z "$(find /run/farwire "$BATS_TEST_TMPDIR/farwire" -name "run-$run.sock" 2>/dev/null)" ]
	[ -z "$(places dead.last)" ]
	run_tool 0 show "$name-live"
	run_tool 0 del "$name-live"
	run_tool 0 del "$name-next"
}

@test "many links from one script: up, pinged, changed, shown, deleted; small each" {
	n=${LINKS:-8}
	two_ns
	for i in $(seq "$n"); do
		echo "add $name-$i netns $a dev w$i addr 10.$((i / 250)).$((i % 250)).1/24 peer netns $b dev w$i addr 10.$((i / 250)).$((i % 250)).2/24 netem delay 5ms"
	done >up
	# A place of one's own: del all means all.
	cat >story <<-'STORY'
		set -e
		mount -t tmpfs tmpfs /run
		"$FARWIRE" -q -b up
		for i in $(seq "$1"); do $2 ping -q -c 1 -W 5 "10.$((i / 250)).$((i % 250)).2" >/dev/null; done
		for i in $(seq "$1"); do echo "change $3-$i netem delay 1ms"; done >changes
		"$FARWIRE" -q -b changes
		"$FARWIRE" show | grep -c 'netem limit 1000 delay 1ms'
		for p in $("$FARWIRE" show | sed -n "s/^$3-.* pid \([0-9]*\) .*/\1/p"); do
			sed -n 's/^Private_[CD][a-z]*: *\([0-9]*\).*/\1/p' "/proc/$p/smaps_rollup" |
				awk '{ n += $1 } END { print "kib", n }'
		done | sort -u -k 2 -n | tail -n 1
		"$FARWIRE" del all
		! "$FARWIRE" show 2>/dev/null | grep "^$3-"
	STORY
	how=(unshare -m) enter="nsenter -t $a -n --"
	if [ $EUID != 0 ]; then
		# He shares his place with other tests, and one below his own user namespace could
		# not be entered.
		how=(env) enter="nsenter -t $a -U --preserve-credentials -n --"
		sed -i '/^mount/d; s/del all/-q -b dels/' story
		for i in $(seq "$n"); do echo "del $name-$i"; done >dels
	fi
	run --separate-stderr "${how[@]}" bash story "$n" "$enter" "$name" 3>&-
	[ "$status" = 0 ] || { echo "status $status: $output: $stderr" && false; }
	[ "${lines[0]}" -ge $((2 * n)) ]
	kib=${lines[1]#kib }
	echo "# private memory of the largest: $kib KiB" >&3
	[ "$kib" -lt 3072 ]
	[ "$(devices "$a")" = "lo " ]
	none_of "$name"
}

@test "churn: links come, change and go under traffic, and nothing is left" {
	need socat
	two_ns
	serve_ns "$b" socat TCP-LISTEN:7000,fork,reuseaddr EXEC:cat
	pair "$name-main" netem delay 1ms limit 10000
	head -c 3000000 /dev/urandom >noise
	(while [ ! -e stop ]; do
		in_ns "$a" socat -t 30 - TCP:10.0.0.2:7000 <noise >back && cmp noise back || touch differ
		touch once
	done) 3>&- >/dev/null 2>&1 &
	traffic=$!
	RANDOM=7
	end=$((SECONDS + ${CHURN_SECONDS:-4})) n=0
	while [ $SECONDS -lt $end ] || [ ! -e once ]; do
		i=$((RANDOM % 4)) n=$((n + 1))
		case $((RANDOM % 5)) in
		0 | 1) "$FARWIRE" -q add "$name-$i" netns "$a" dev c$i peer netns "$b" dev c$i netem delay 1ms ;;
		2) "$FARWIRE" -q change "$name-main" netem delay $((RANDOM % 3))ms limit 10000 ;;
		3) "$FARWIRE" -s -s show -j "$name-main" >/dev/null ;;
		4) "$FARWIRE" -q del "$name-$i" ;;
		esac 2>/dev/null || true
	done
	touch stop
	wait $traffic
	[ ! -e differ ]
	for i in 0 1 2 3 main; do "$FARWIRE" -q del "$name-$i" 2>/dev/null || true; done
	[ "$(devices "$a")" = "lo " ]
	[ "$(devices "$b")" = "lo " ]
	none_of "$name"
	[ -z "$(places .sock)" ]
	[ "$n" -ge 10 ]
}

@test "the example of three namespaces does what it says" {
	run -0 --separate-stderr sh "$FW_SRC/contrib/three-namespaces.sh" "f$((RANDOM % 1000))" 3>&-
	[ "$(grep -c ' 0% packet loss' <<<"$output")" -ge 2 ]
}

@test "the systemd unit starts a link, is told when, and ends it" {
	need socat
	two_ns
	exec_start=$(sed -n 's/^ExecStart=farwire //p' "$FW_SRC/contrib/farwire@.service")
	socat -u UNIX-RECV:notify CREATE:said 3>&- &
	pids+=($!)
	wait_for 5 test -S notify
	# shellcheck disable=SC2086 # as systemd splits $LINK
	LINK="netns $a addr 10.0.0.1/24 peer netns $b addr 10.0.0.2/24 netem delay 10ms" \
		NOTIFY_SOCKET=$PWD/notify sh -c "exec \"\$FARWIRE\" ${exec_start//%i/$name}" 3>&- 2>/dev/null &
	wait_for 5 grep -q READY=1 said
	between "$(rtt_ms 10.0.0.2)" 20 500
	kill -TERM $!
	wait $!
}
