# SPDX-License-Identifier: GPL-2.0-or-later
# tests/net/kill9.bats - whichever process of farwire is killed, and whenever, nothing is left
load ../lib/tool

setup() {
	need tun
	need ip
	need tc
	[ $EUID = 0 ] || need userns
	export HOME=$BATS_TEST_TMPDIR
}

# Root looks at devices and rules of a namespace of its own: others' come and go.
kill9() {
	local apart=()
	[ $EUID = 0 ] && apart=(unshare -n -m)
	run "${apart[@]}" sh "$FW_SRC/tests/net/kill9.sh" "$1" 3>&-
	echo "$output"
	[ "$status" = 0 ]
	# A program that ends at once would pass all of it.
	[[ $output =~ ^$1:\ ([0-9]+)\ kills\ of\ ([0-9]+)\ calls$ ]]
	[ "${BASH_REMATCH[1]}" -ge "$2" ]
}

@test "kill -9 of the forwarder" { kill9 0 20; }
@test "kill -9 of the process that becomes the command" { kill9 1 10; }
@test "kill -9 of the first guard" { kill9 2 10; }
@test "kill -9 of the second guard" { kill9 3 5; }
