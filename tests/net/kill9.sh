#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# tests/net/kill9.sh - kill -9 of one process of farwire at each of its system calls
#
#   kill9.sh WHICH      0 the forwarder, 1 the child up to exec, 2 and 3 the guards
#
# After each kill nobody may be left, at the end no device, rule, mount or file. A
# double-forked grandchild is alive whenever the command has run. Steps grow with the
# number of the call; KILL9=all tries every one of them. Says "WHICH: N kills".
set -u
which=$1
run='(setsid sleep 1000 >/dev/null 2>&1 &); sleep 0.02'

snapshot() {
	ip -o link | sed 's/^[0-9]*: \([^:@]*\).*/link \1/'
	tc qdisc show
	nft list ruleset 2>/dev/null
	ip rule
	cut -d' ' -f4- /proc/self/mountinfo
	ls -A "$HOME"
	ls -A /run/farwire "${XDG_RUNTIME_DIR:-/nonexistent}" 2>&1
	ls -Ad /tmp/farwire* 2>&1
}

# How it may end when this one was killed: itself dead, or the status said.
may() {
	case $which:$1 in
	0:) ;;
	1:'status 125' | 1:'status 137') ;;
	[23]:'status 0') ;;
	*) return 1 ;;
	esac
}

cd "$HOME" || exit 2
before=$(snapshot)
n=1 kills=0
while :; do
	out=$("$FW_BUILD/tests/net/killat" "$which" "$n" \
		"$FARWIRE" run -q dev lo netem delay 1ms -- sh -c "$run" \
		2>/dev/null </dev/null)
	rc=$?
	[ $rc = 3 ] && break
	if [ $rc != 0 ] || ! may "$out"; then
		echo "process $which killed at call $n: exit $rc, said '$out'"
		exit 1
	fi
	kills=$((kills + 1))
	if [ "${KILL9:-}" = all ]; then n=$((n + 1)); else n=$((n + 2 + n / 3)); fi
done
[ "$out" = "status 0" ] || { echo "not killed, it said '$out'"; exit 1; }
after=$(snapshot)
[ "$before" = "$after" ] || { echo "before: $before"; echo "after: $after"; exit 1; }
echo "$which: $kills kills"
