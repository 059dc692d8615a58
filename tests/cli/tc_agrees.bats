# SPDX-License-Identifier: GPL-2.0-or-later
# tests/cli/tc_agrees.bats - this machine's tc and our reader, side by side
#
# TC_LINES and TC_SEED give more lines, and others.
load ../lib/tool

in_ns() {
	if [ $EUID = 0 ]; then unshare -n "$@"; else unshare -rn "$@"; fi
}

setup() {
	PATH=$PATH:/usr/sbin:/sbin # where a plain user does not look
	need tc
	in_ns true 2>/dev/null || need userns
	in_ns tc qdisc add dev lo root netem delay 2ms 1ms distribution normal 2>&1 |
		grep -q "No distribution data" && lacks "tc's tables"
	cd "$BATS_TEST_TMPDIR" || return
}

@test "generated lines: the same verdict, or a difference that the man page names" {
	run in_ns "$FW_BUILD/tests/cli/tc_agrees" "${TC_LINES:-10000}" "${TC_SEED:-1}"
	echo "$output"
	assert_success
	[ -z "${TC_LINES:-}" ] || echo "$output" >&3
}
