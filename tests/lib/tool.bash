# SPDX-License-Identifier: GPL-2.0-or-later
# tests/lib/tool.bash - what every .bats file loads
#
#   run_tool RC WORD...   run farwire, want exit status RC; fills $output and $stderr
#   need WHAT             skip this test where WHAT is missing (MUST_RUN=1: fail instead)
#   wait_for SECONDS CMD  until CMD succeeds; fails when the time is up
#   value NAME [FILE]     the number behind NAME= or "NAME": in what the probe or --report wrote
#   between N LOW HIGH    a whole number within bounds, both included

bats_require_minimum_version 1.5.0
# For each test anew; their load.bash would take twenty processes for it.
# shellcheck disable=SC1090 # not ours
for lib in "${BATS_LIB_PATH%%:*}"/bats-{support,assert}/src/*.bash; do source "$lib"; done

: "${FARWIRE:?the path of the binary under test}"
: "${FW_SRC:?the source tree}"
# Where a plain user's shell does not look: ip, tc, nft.
PATH=$PATH:/usr/sbin:/sbin
PROBE=${FW_BUILD-}/tests/net/probe

run_tool() {
	local want=$1 expect=()
	shift
	[ "$want" != 127 ] || expect=(-127) # else bats takes it for a slip of the test
	run "${expect[@]}" --separate-stderr "$FARWIRE" "$@" 3>&-
	if [ "$status" -ne "$want" ]; then
		printf 'status %s, wanted %s: farwire %s\nstdout: %s\nstderr: %s\n' \
			"$status" "$want" "$*" "$output" "$stderr" >&2
		return 1
	fi
}

lacks() {
	if [ "${MUST_RUN:-0}" = 1 ]; then
		printf 'needs %s, and MUST_RUN=1\n' "$1" >&2
		return 1
	fi
	skip "needs $1"
}

need() {
	case $1 in
	root) [ $EUID = 0 ] || lacks "root" ;;
	plain) [ $EUID != 0 ] || lacks "a plain user" ;;
	tun) { : <>/dev/net/tun; } 2>/dev/null || lacks "/dev/net/tun open to this user" ;;
	uring) "$FARWIRE" doctor | grep -q '^io_uring *yes' || lacks "io_uring" ;;
	userns) unshare -Urn true 2>/dev/null || lacks "user namespaces" ;;
	*) command -v "$1" >/dev/null 2>&1 || lacks "the program $1" ;;
	esac
}

wait_for() {
	local n=$(($1 * 20)) silence=$BATS_RUN_TMPDIR/silence
	shift
	while [ "$n" -gt 0 ]; do
		"$@" >/dev/null 2>&1 && return 0
		# A pipe from which nothing comes: a sleep that is no process.
		[ -p "$silence" ] || mkfifo "$silence"
		read -rt 0.05 <>"$silence" || true
		n=$((n - 1))
	done
	printf 'waited in vain for: %s\n' "$*" >&2
	return 1
}

value() {
	local n
	n=$(sed -n "s/.*\(^\|[^a-z_]\)$1\"\{0,1\}[=:] *\(-\{0,1\}[0-9]*\).*/\2/p" "${2:-/dev/stdin}" | head -n 1)
	[ -n "$n" ] || printf 'no %s there\n' "$1" >&2
	printf '%s\n' "$n"
}

between() {
	[ "$1" -ge "$2" ] && [ "$1" -le "$3" ] && return
	printf '%s is not within %s..%s\n' "$1" "$2" "$3" >&2
	return 1
}
