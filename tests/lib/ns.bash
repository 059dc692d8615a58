# SPDX-License-Identifier: GPL-2.0-or-later
# tests/lib/ns.bash - namespaces that a test makes, and what is left of its links
#
# Loaded behind tool.bash. Root's namespaces are made by `unshare -n`, a plain user's by
# `unshare -Urn`; they live as long as the test. $name begins the names of its links.
#
#   new_ns              a namespace; its process is in $ns
#   two_ns              two, in $a and $b
#   in_ns PID CMD...    run CMD in one
#   serve_ns PID CMD... CMD runs in one until the test ends
#   devices PID         the names of its devices
#   places SUFFIX       files of the links in the places of control sockets
#   links_of NAME       processes of links whose names begin so
#   none_of NAME        there are none

ns_setup() {
	export XDG_RUNTIME_DIR=$BATS_TEST_TMPDIR
	name=fw-$BATS_TEST_NUMBER-$$-$RANDOM
	pids=()
}

ns_teardown() {
	local p
	for p in "${pids[@]}" $(links_of "$name"); do kill -KILL "$p" 2>/dev/null || true; done
	rm -f /run/farwire/"$name"* 2>/dev/null || true
}

# The dead ones have no words.
links_of() { grep -lz "^$1" /proc/[0-9]*/cmdline 2>/dev/null | sed 's,/proc/\([0-9]*\)/.*,\1,' || true; }

none_of() { [ -z "$(links_of "$1")" ]; }

new_ns() {
	local how=-n
	[ $EUID = 0 ] || how=-Urn
	(exec unshare $how sh -c 'ip link set lo up; echo >"$1.up"; exec sleep 1000' \
		sh "$BATS_TEST_TMPDIR/ns${#pids[@]}" 3>&- >/dev/null) &
	ns=$!
	wait_for 5 test -e "$BATS_TEST_TMPDIR/ns${#pids[@]}.up"
	pids+=("$ns")
}

two_ns() {
	new_ns && a=$ns
	new_ns && b=$ns
}

# The shell becomes CMD.
enter_ns() {
	local how=(-n)
	[ $EUID = 0 ] || how=(-U --preserve-credentials -n)
	exec nsenter -t "$1" "${how[@]}" -- "${@:2}"
}

in_ns() { (enter_ns "$@"); }

serve_ns() {
	(enter_ns "$@" 3>&- >/dev/null 2>&1) &
	pids+=($!)
}

devices() { in_ns "$1" ip -o link | sed 's/^[0-9]*: \([^:@]*\).*/\1/' | sort | tr '\n' ' '; }

places() { find /run/farwire "$BATS_TEST_TMPDIR/farwire" -name "$name*$1" 2>/dev/null || true; }
