# SPDX-License-Identifier: GPL-2.0-or-later
# tests/net/bytes.bats - super-frames through the loop, judged byte for byte behind a kernel
# that had to cut them
load ../lib/tool

setup() {
	need tun
	need ip
	need userns
	bytewire=$FW_BUILD/tests/net/bytewire
	cd "$BATS_TEST_TMPDIR" || return
}

# over SEED segment|whole WORDS...: bytewire between two bridges of its own namespace
over() {
	local seed=$1 gso=$2 private=-Urn
	shift 2
	[ $EUID != 0 ] || private=-n
	# Nothing but our own frames: no IPv6 of the devices, no snooping.
	timeout 60 unshare $private sh -ec '
		echo 1 >/proc/sys/net/ipv6/conf/default/disable_ipv6
		for br in near far; do
			ip link add $br type bridge mcast_snooping 0
			ip link set dev $br mtu 9000 up
		done
		for dev in in a b out; do
			case $dev in out) hdr= ;; *) hdr=vnet_hdr ;; esac
			ip tuntap add dev $dev mode tap $hdr
			case $dev in in | a) br=near ;; *) br=far ;; esac
			ip link set dev $dev mtu 9000 txqueuelen 50000 master $br up
		done
		exec "$@"' sh "$bytewire" "${MILLISECONDS-1500}" "$seed" "$gso" netem "$@" \
		>out 2>err 3>&- || { echo "status $? of $*"; cat out err; return 1; }
	cat out
}

@test "nothing done to them: every frame arrives once, byte for byte" {
	over 1 segment limit 1000000
	[ "$(value arrived out)" = "$(value sent out)" ]
	[ "$(value twice out)" = 0 ]
	[ "$(value sent out)" -gt 2000 ]
	# Joined within and across reads.
	[ "$(value writes out)" -lt "$(value injected out)" ]
}

@test "jitter and reorder: every frame arrives once, byte for byte" {
	over 2 segment delay 1ms 300us reorder 20% seed 2 limit 1000000
	[ "$(value arrived out)" = "$(value sent out)" ]
	[ "$(value twice out)" = 0 ]
	[ "$(value sent out)" -gt 2000 ]
}

@test "a little jitter and loss: runs of every length" {
	over 3 segment delay 1ms 2us loss 5% seed 3 limit 1000000
	[ "$(value lost out)" -gt 50 ]
	[ $(($(value sent out) - $(value lost out))) = "$(value arrived out)" ]
	[ "$(value twice out)" = 0 ]
}

@test "duplicates of single segments are frames like their originals" {
	over 4 segment delay 500us duplicate 10% loss 5% seed 4 limit 1000000
	[ "$(value duplicated out)" -gt 50 ]
	[ $(($(value sent out) - $(value lost out) + $(value duplicated out))) = "$(value arrived out)" ]
}

@test "whole: super-frames leave as they came" {
	over 5 whole delay 1ms 100us seed 5 limit 1000000
	[ "$(value arrived out)" = "$(value sent out)" ]
	[ "$(value in out)" -lt "$(value sent out)" ]
}

@test "the same by io_uring, segments and whole" {
	need uring
	over 6 segment+uring limit 1000000
	[ "$(value arrived out)" = "$(value sent out)" ]
	[ "$(value sent out)" -gt 2000 ]
	over 7 segment+uring delay 1ms 2us loss 5% reorder 5% duplicate 5% seed 7 limit 1000000
	[ "$(value lost out)" -gt 50 ] && [ "$(value duplicated out)" -gt 50 ]
	[ $(($(value sent out) - $(value lost out) + $(value duplicated out))) = "$(value arrived out)" ]
	over 8 whole+uring delay 1ms 100us seed 8 limit 1000000
	[ "$(value arrived out)" = "$(value sent out)" ]
}
