# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# bench/groups.sh - what is measured: a group is one function, and one round of some rows
#
# take TAG COMMAND... runs one measurement and writes "ROUND TAG name=value ..." to $raw;
# bench/judge.awk makes rows of a group's tags. $s is how many seconds a load lasts. The
# link is `farwire run uplink none`, a pair of TAPs between two namespaces, the reference a
# veth pair between two, both with a txqueuelen of 10000 (veth has no queue).

: "${FARWIRE:?}" "${LOAD:?}" "${BENCH:?}" "${s:?}" "${raw:?}" "${round:?}" "${tmp:?}" \
	"${rounds:?}"

# shellcheck disable=SC2034 # read by bench/run
groups='flood sink senders4 senders32 tcp1 tcp4 bbr rr200 tcp_delay faithful loss rate_cpu
	rtt late idle burst rate inflight wirefilter turn start links micro'

take() { # the last line of output is the measurement; 77: not here
	tag=$1 && shift
	if line=$(timeout -k 5 90 "$@" 2>"$tmp/errors.$tag"); then
		line=$(printf '%s\n' "$line" | tail -n 1)
	elif [ $? -eq 77 ]; then
		line=na=1
	else
		line=failed=1
		sed "s/^/bench: $tag: /" "$tmp/errors.$tag" | tail -n 3 >&2
	fi
	printf '%s %s %s\n' "$round" "$tag" "$line" >>"$raw"
}

fw() { # TAG WORDS LOAD-WORD...: a load over the link that the words make
	tag=$1 words=$2 && shift 2
	# shellcheck disable=SC2086 # words of the command line
	take "$tag" sh -c 'report=$1 awk=$2 pre=$3 && shift 3
		"$FARWIRE" run -q --report "$report" $OPTIONS $words -- sh -c "$pre
			exec \"\$LOAD\" \"\$@\" 10.71.0.1 \"\$FARWIRE_FAR\"" sh "$@" >"$report.load" || exit 1
		echo "$(cat "$report.load")$(awk -f "$awk" "$report")"' \
		sh "$tmp/report.$tag" "$BENCH/report.awk" "${pre-}" "$@"
}

plain() { # the same without offloads, and with a ring that holds as many bytes
	# shellcheck disable=SC2016 # of the shell inside
	pre='ip link set eth0 txqueuelen 20000
		nsenter --net=$FARWIRE_FAR ip link set eth0 txqueuelen 20000'
	tag=$1 words="--gso off $2" && shift 2
	fw "$tag" "$words" "$@"
	pre=''
}

veth() { # TAG LOAD-WORD...
	tag=$1 && shift
	take "$tag" "$BENCH/between" veth "$@"
}

bare() { # TAG WAY LOAD-WORD...: two TAPs and nothing but the carrying, by bench/bare
	tag=$1 way=$2 && shift 2
	take "$tag" "$BENCH/between" "bare-$way" "$@"
}

export FARWIRE LOAD words OPTIONS="${OPTIONS-}"
none='uplink none netem limit 1000000'

group_flood() {
	veth veth -w 0.2 flood "$s"
	fw d0 "$none" -w 0.2 flood "$s"
	bare bare call -w 0.2 flood "$s"
	bare ring ring -w 0.2 flood "$s"
	bare drop drop -w 0.2 flood "$s"
	fw d1 "$none delay 1ms" -w 0.2 flood "$s"
	fw d10 "$none delay 10ms" -w 0.2 flood "$s"
}
group_sink() {
	veth veth -w 0.2 sink "$s"
	fw fw "$none" -w 0.2 sink "$s"
}
group_senders4() { fw fw "$none" -n 4 -w 0.2 flood "$s"; }
group_senders32() {
	fw fw "$none" -n 32 -w 0.2 flood "$s"
	fw none "--priority none $none" -n 32 -w 0.2 flood "$s"
}
group_tcp1() {
	veth veth -c cubic tcp1 "$s"
	fw fw "$none" -c cubic tcp1 "$s"
	bare bare call -c cubic tcp1 "$s"
	bare ring ring -c cubic tcp1 "$s"
}
group_tcp4() {
	veth veth -c cubic tcp4 "$s"
	fw fw "$none" -c cubic tcp4 "$s"
	bare bare call -c cubic tcp4 "$s"
	bare ring ring -c cubic tcp4 "$s"
}
group_bbr() {
	veth veth -c bbr tcp1 "$s"
	fw fw "$none" -c bbr tcp1 "$s"
	bare bare call -c bbr tcp1 "$s"
	bare ring ring -c bbr tcp1 "$s"
}
group_rr200() {
	veth veth -c cubic rr200 "$s"
	fw fw "$none" -c cubic rr200 "$s"
	bare bare call -c cubic rr200 "$s"
	bare ring ring -c cubic rr200 "$s"
}
group_tcp_delay() { # the window opens for a second, whatever carries it
	long=$(awk "BEGIN { print 2 * $s }")
	fw d0 "$none" -c cubic -b 33554432 tcp1 "$long"
	fw d1 "$none delay 1ms" -c cubic -b 33554432 tcp1 "$long"
}
group_faithful() { # the same seed, so that the same frames are lost
	long=$(awk "BEGIN { print 5 * $s }")
	plain plain "$none delay 5ms loss 0.1% seed $round" -c reno tcp1 "$long"
	fw fw "$none delay 5ms loss 0.1% seed $round" -c reno tcp1 "$long"
}
group_loss() {
	plain plain_1 "$none loss 1%" -c bbr tcp1 "$s"
	fw fw_1 "$none loss 1%" -c bbr tcp1 "$s"
	fw whole "--gso whole $none" -c bbr tcp1 "$s"
	fw fw_001 "$none loss 0.01%" -c bbr tcp1 "$s"
}
group_rate_cpu() {
	long=$(awk "BEGIN { print 2 * $s }")
	fw 1gbit "$none rate 1gbit" -c cubic tcp1 "$long"
	fw 100mbit "$none rate 100mbit" -c cubic tcp1 "$long"
}
group_rtt() { # on one CPU from the start it takes no real-time rank; moved there later it has one
	take veth taskset -c 0 "$BENCH/between" veth rtt "$s"
	take bare taskset -c 0 env BARE=nice "$BENCH/between" bare-call rtt "$s"
	take ring taskset -c 0 env BARE=nice "$BENCH/between" bare-chain rtt "$s"
	unpinned=$FARWIRE FARWIRE="$tmp/on_one"
	printf '#!/bin/sh\nexec taskset -c 0 "%s" "$@"\n' "$unpinned" >"$FARWIRE"
	chmod +x "$FARWIRE"
	fw fw "$none" rtt "$s"
	FARWIRE=$unpinned
	# shellcheck disable=SC2016 # of the shell inside
	pre='taskset -cp 0 $PPID >/dev/null; taskset -cp 0 $$ >/dev/null'
	fw fifo "$none" rtt "$s"
	pre=''
}
group_late() { # one busy loop a core, at normal priority; both are ended here
	long=$(awk "BEGIN { print 4 * $s }") loops=''
	for cpu in $(seq 0 $(($(nproc) - 1))); do
		timeout 90 taskset -c "$cpu" sh -c 'while :; do :; done' &
		loops="$loops $!"
	done
	fw fw "$none delay 10ms" -w 0.2 -p 2000 flood "$long"
	take timer "${MICRO}floor" late "$(awk "BEGIN { print int(2000 * $long) }")"
	# shellcheck disable=SC2086 # a list of our own children
	kill $loops && wait $loops 2>/dev/null || :
}
group_idle() { # 10 s, less what start and end take; all rounds at once, nothing else runs
	[ "$round" = 1 ] || return 0
	idlers=''
	for k in $(seq "$rounds"); do
		"$FARWIRE" run -q --report "$tmp/idle.$k.0" uplink none -- sleep 0.1
		"$FARWIRE" run -q --report "$tmp/idle.$k.10" uplink none -- sleep 10.1 &
		idlers="$idlers $!"
	done
	# shellcheck disable=SC2086 # a list of our own children
	wait $idlers
	for k in $(seq "$rounds"); do
		for t in 0 10; do
			printf '%s idle%s%s\n' "$k" "$t" "$(awk -f "$BENCH/report.awk" "$tmp/idle.$k.$t")"
		done
	done >>"$raw"
}
group_burst() { fw fw "$none" burst "$s"; }

group_rate() { # datagrams of 1472 bytes are frames of 1514; a tenth more than fits is sent
	seconds=${RATE_SECONDS:-10} slow=''
	for rate in 1 10 100; do
		(pps=$(awk "BEGIN { print 1.1 * $rate * 1e6 / 8 / 1514 }")
		fw ${rate}mbit "uplink none up netem limit 1000000 rate ${rate}mbit" \
			-b 8388608 -l 1472 -p "$pps" sink "$seconds") &
		slow="$slow $!"
	done
	# shellcheck disable=SC2086 # a list of our own children
	wait $slow
	fw 1gbit 'uplink none up netem limit 1000000 rate 1gbit' \
		-b 8388608 -l 1472 -p 90819 sink "$seconds"
}
group_inflight() { # 100000 frames a second for 10 ms, 1 s, 10 s; measured when all are there
	for d in 10ms:0.5:1000 1000ms:1.5:100000 10000ms:11:1000000; do
		rest=${d#*:}
		fw "${rest#*:}" "uplink none up netem limit 2000000 delay ${d%%:*}" \
			-p 100000 -w "${rest%:*}" flood "$s"
	done
}
group_wirefilter() {
	take wf_flood "$BENCH/between" wirefilter -w 0.2 flood "$s"
	fw fw_flood "$none" -w 0.2 flood "$s"
	take wf_tcp "$BENCH/between" wirefilter -c cubic tcp1 "$s"
	fw fw_tcp "$none" -c cubic tcp1 "$s"
}
group_turn() { printf '%s turn na=a_constant_of_src/run/port.h,_flat_from_8_on_when_it_was_chosen\n' "$round" >>"$raw"; }

ms_of() { # ten times COMMAND, in ms a time
	from=$(date +%s%N)
	for _ in 1 2 3 4 5 6 7 8 9 10; do "$@" || return 1; done
	awk "BEGIN { print \"ms=\" ($(date +%s%N) - $from) / 1e7 }"
}
group_start() {
	for tag in fw unshare; do
		case $tag in
		fw) line=$(ms_of "$FARWIRE" run -q dev lo netem -- true) || line=failed=1 ;;
		*) line=$(ms_of unshare -rn true) || line=failed=1 ;;
		esac
		printf '%s %s %s\n' "$round" "$tag" "$line" >>"$raw"
	done
}
group_links() { # 50 first: where 1000 would take minutes, the row is 20 times that
	n=50
	take links "$BENCH/links" $n
	if awk '{ split($3, up, "="); slow = $2 == "links" && up[2] > 2 } END { exit slow }' "$raw"; then
		n=1000
		take links "$BENCH/links" $n
	fi
	take bare "$BENCH/links" $n 0
	take pages "$BENCH/links" $n 100
}

group_micro() { # these repeat and take the median themselves
	[ "$round" = 1 ] || return 0
	for program in floor timeq path gso; do
		"$MICRO$program" | sed -n 's/^\([a-z0-9_]*\)=\([0-9.]*\) [^(]*(*\([0-9.]*\)[.][.]\([0-9.]*\).*/\1 \2 \3 \4/p
			s/^\([a-z0-9_]*\)=\([0-9.]*\) [a-z/]*$/\1 \2 \2 \2/p' |
			sed 's/^/1 micro /' >>"$raw"
	done
}
