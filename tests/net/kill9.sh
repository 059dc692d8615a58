#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# tests/net/kill9.sh - kill -9 of one process of farwire at each of its system calls
#
#   kill9.sh WHICH      0 the forwarder, 1 the child up to exec, 2 and 3 the guards
#
# After each kill nobody may be left, at the end no device, rule, mount or file. A
# double-forked grandchild is alive whenever the command has run. A sample of the calls,
# dense at both ends, is tried, with KILL9=all every one. Says "WHICH: N kills of C calls".
set -u
which=$1
name=kill9-$which-$$
run='(setsid sleep 1000 >/dev/null 2>&1 &); sleep 0.02'

snapshot() {
	ip -o link | sed 's/^[0-9]*: \([^:@]*\).*/link \1/'
	tc qdisc show
	nft list ruleset 2>/dev/null
	ip rule
	cut -d' ' -f4- /proc/self/mountinfo
	ls -A "$HOME"
	# Others have links, too; of ours a dead one is cleared by who looks for it.
	"$FARWIRE" show "$name" 2>&1
	ls -d "/run/farwire/$name"* "${XDG_RUNTIME_DIR:-/nonexistent}"/*/"$name"* \
		"/tmp/farwire-$(id -u)/$name"* 2>/dev/null
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

kill_at() { # NUMBER; the answer in $out, the status in $rc
	out=$("$FW_BUILD/tests/net/killat" "$which" "$1" \
		"$FARWIRE" run -q --name "$name" dev lo netem delay 1ms -- sh -c "$run" \
		2>/dev/null </dev/null)
	rc=$?
}

# Up to $1: all of them, or the nearer to either end the closer together.
steps() {
	if [ "${KILL9:-}" = all ]; then
		seq "$1"
		return
	fi
	n=1
	while [ "$n" -le "$1" ]; do
		echo "$n"
		echo $(($1 + 1 - n))
		n=$((n + 1 + n / 3))
	done | sort -nu
}

cd "$HOME" || exit 2
before=$(snapshot)
kill_at 1000000
calls=${out#*calls }
if [ "$rc" != 3 ] || [ "$out" != "status 0
calls $calls" ]; then
	echo "not killed: exit $rc, said '$out'"
	exit 1
fi
kills=0
for n in $(steps "$calls"); do
	kill_at "$n"
	# The number of calls is not the same each time.
	[ $rc = 3 ] && continue
	if [ $rc != 0 ] || ! may "$out"; then
		echo "process $which killed at call $n of $calls: exit $rc, said '$out'"
		exit 1
	fi
	kills=$((kills + 1))
done
after=$(snapshot)
[ "$before" = "$after" ] || { echo "before: $before"; echo "after: $after"; exit 1; }
echo "$which: $kills kills of $calls calls"
