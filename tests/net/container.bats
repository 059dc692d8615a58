#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# tests/net/container.bats - a container's capabilities, mounts and namespaces, and no more
#
# The emulation has what docker and podman give by default (14 capabilities, /proc/sys and
# /sys read-only, a network and a mount namespace of its own) and what the flags in the
# manual add. A seccomp profile is emulated where it matters: unshare and user namespaces.
load ../lib/tool

usual=chown,dac_override,fsetid,fowner,mknod,net_raw,setgid,setuid,setfcap,setpcap
usual=$usual,net_bind_service,sys_chroot,kill,audit_write

setup() {
	need root
	need tun
	need setpriv
	cd "$BATS_TEST_TMPDIR" || return 1
}

# in_container CAPS COMMAND...: CAPS are added to the usual ones, "" for none
in_container() {
	local caps=$usual${1:+,$1}
	shift
	unshare -mnpf --mount-proc sh -c '
		mount --bind /proc/sys /proc/sys && mount -o remount,bind,ro /proc/sys &&
		mount -t sysfs -o ro,nosuid,nodev,noexec sysfs /sys && ip link set lo up &&
		caps=$1 && shift && exec "$@"' sh "$caps" \
		setpriv --bounding-set "-all,+${caps//,/,+}" --inh-caps "-all" -- "$@" 3>&-
}

@test "the emulation has a container's limits" {
	run in_container "" sh -c 'grep CapBnd /proc/self/status; echo 1 >/proc/sys/net/ipv4/ip_forward'
	assert_output --partial 'CapBnd:	00000000a80425fb'
	assert_output --partial 'Read-only file system'
}

@test "docker's and podman's two added capabilities: dev lo" {
	run -0 in_container net_admin,sys_admin "$FARWIRE" run dev lo netem delay 20ms -- \
		sh -c 'ping -c 1 127.0.0.1 && ping -c 1 ::1'
	assert_output --partial 'lo: netem delay 20ms, RTT +40ms'
	[ "$(grep -c ' 0% packet loss' <<<"$output")" = 2 ]
	ms=$(sed -n 's/.*time=\([0-9]*\).*/\1/p' <<<"$output" | sort -n | head -n 1)
	[ "$ms" -ge 40 ]
}

@test "docker's and podman's two added capabilities: uplink none, --far, show, change" {
	run -0 in_container net_admin,sys_admin "$FARWIRE" run --name box \
		--far 'exec sleep 60' uplink none netem delay 20ms -- \
		sh -c 'ping -c 1 10.71.0.1 && "$1" change box netem delay 5ms && "$1" show box
		ping -c 1 fd71::1' sh "$FARWIRE"
	assert_output --partial 'netem limit 1000 delay 5ms'
	[ "$(grep -c ' 0% packet loss' <<<"$output")" = 2 ]
}

@test "no capability added, but user namespaces allowed: a plain user's way" {
	run -0 in_container "" "$FARWIRE" run dev lo netem delay 20ms -- ping -c 1 127.0.0.1
	assert_output --partial ' 0% packet loss'
	run -0 in_container "" "$FARWIRE" run uplink none netem delay 20ms -- ping -c 1 10.71.0.1
	assert_output --partial ' 0% packet loss'
}

@test "no capability added and unshare forbidden: one line that names the flags" {
	run -125 in_container "" "$FW_BUILD/tests/lib/without" unshare 1 \
		"$FARWIRE" run dev lo netem delay 20ms -- true
	[ "${#lines[@]}" = 1 ]
	assert_output --partial '--cap-add'
}

@test "no TUN device: one line that names the flag" {
	run -125 in_container net_admin,sys_admin sh -c \
		'mount -t tmpfs none /dev && exec "$1" run dev lo netem delay 20ms -- true' sh "$FARWIRE"
	[ "${#lines[@]}" = 1 ]
	assert_output --partial '--device /dev/net/tun'
}
