# SPDX-License-Identifier: GPL-2.0-or-later
# tests/net/refusals.bats - the machine says no: one line with the fix, 125, nothing touched
#
# Each refusal is made in a namespace of the test's own or by a filter on its own
# processes; the machine's settings stay as they are.
load ../lib/tool

setup() {
	marker=$BATS_TEST_TMPDIR/ran
	without=$FW_BUILD/tests/lib/without
	# Every capability goes, also from uid 0: what is left is a plain user.
	bare=(setpriv --inh-caps=-all --bounding-set=-all --no-new-privs)
	# For tests of what a plain user meets: root becomes one, with the binary in a place
	# that everybody reaches.
	user=()
	if [ $EUID = 0 ]; then
		everyone=$(mktemp -d)
		chmod 755 "$everyone"
		install -m 755 "$FARWIRE" "$everyone/farwire"
		FARWIRE=$everyone/farwire
		user=("$FW_SRC/tests/lib/as-user.sh")
	fi
}

teardown() {
	[ -z "${everyone:-}" ] || rm -rf "$everyone"
}

# refused PATTERN COMMAND-BEFORE-FARWIRE...: what is wanted of every refusal
refused() {
	local pattern=$1
	shift
	run --separate-stderr "$@" "$FARWIRE" run dev lo netem delay 1ms -- \
		touch "$marker" 3>&-
	printf 'status %s\n%s\n' "$status" "$stderr"
	[ "$status" = 125 ]
	[ -z "$output" ]
	[ "${#stderr_lines[@]}" = 1 ]
	[[ $stderr == farwire:\ $pattern ]]
	[ ! -e "$marker" ]
}

without_device='mount -t tmpfs tmpfs /dev/net && exec "$@"'

@test "no TUN device" {
	need userns
	local start=$SECONDS
	refused "/dev/net/tun: No such file or directory: no TUN device here; modprobe tun, *" \
		unshare -Urm sh -c "$without_device" sh
	[ $((SECONDS - start)) -le 2 ]
}

@test "a closed TUN device" {
	need root
	local start=$SECONDS
	AS_USER_TUN=closed refused \
		"/dev/net/tun: Permission denied; let users open it (chmod 0666 *), or run as root" \
		"$FW_SRC/tests/lib/as-user.sh"
	[ $((SECONDS - start)) -le 2 ]
}

# limited SYSCTL: a user namespace in which it is 0, and in it a user without capabilities
limited() {
	need userns
	prefix=(unshare -Ur sh -c "echo 0 >/proc/sys/user/$1 && exec \"\$@\"" sh)
}

@test "no more user namespaces" {
	limited max_user_namespaces
	refused "user namespace: No space left on device: user.max_user_namespaces is 0 *" \
		"${prefix[@]}" "${bare[@]}"
}

@test "no more network namespaces" {
	limited max_net_namespaces
	# Root and nobody else maps itself only with a capability: so, another.
	refused "network namespace: No space left on device: user.max_net_namespaces *" \
		"${prefix[@]}" unshare -U --map-user=12 --map-group=12
}

@test "uid 0 that may not map itself" {
	need userns
	refused "/proc/self/uid_map: Operation not permitted: *CAP_SETFCAP*; *" \
		unshare -Ur "${bare[@]}"
}

@test "a container that forbids unshare, to a plain user" {
	need userns
	refused "user namespace: Operation not permitted: *seccomp*; *" \
		unshare -Ur "$without" unshare 1 "${bare[@]}"
}

@test "a container that forbids unshare, to root" {
	need root
	refused "network namespace: Operation not permitted: *container*; *seccomp*" \
		"$without" unshare 1
}

@test "a security module that forbids mounts: the run goes on without its own /sys" {
	need tun
	[ $EUID = 0 ] || need userns
	run -0 "$without" mount 1 "$FARWIRE" run -q dev lo netem delay 1ms -- ping -c 1 127.0.0.1 3>&-
	run -0 "$without" mount 1 "$FARWIRE" run -q uplink none netem delay 1ms -- ping -c 1 10.71.0.1 3>&-
}

@test "a user nobody knows" {
	run_tool 125 run --user no-such-user dev lo netem delay 1ms -- touch "$marker"
	[ "$stderr" = "farwire: --user 'no-such-user': no such user" ]
	[ ! -e "$marker" ]
}

@test "a plain user cannot run the command as root" {
	run --separate-stderr "${user[@]}" "$FARWIRE" run --user root dev lo netem delay 1ms -- \
		touch "$marker" 3>&-
	[ "$status" = 125 ]
	[ "$stderr" = "farwire: --user 'root': needs CAP_SETUID and CAP_SETGID; run as root" ]
	[ ! -e "$marker" ]
}

# What the command sees of its capabilities.
caps() { sed -n 's/^CapEff:\t//p' <<<"$output"; }

@test "uid 0 without the capabilities goes a plain user's way, and its command has none" {
	need root
	run setpriv --inh-caps=-all --bounding-set=-sys_admin \
		"$FARWIRE" run -q dev lo netem delay 1ms -- cat /proc/self/status 3>&-
	[ "$status" = 0 ]
	[ "$(caps)" = 0000000000000000 ]
}

@test "the command of a plain user has no capability" {
	[ $EUID = 0 ] || need tun
	need userns
	run "${user[@]}" "$FARWIRE" run -q dev lo netem delay 1ms -- cat /proc/self/status 3>&-
	[ "$status" = 0 ]
	[ "$(caps)" = 0000000000000000 ]
}

@test "the command of root keeps root's capabilities" {
	need root
	run_tool 0 run -q dev lo netem delay 1ms -- cat /proc/self/status
	[ "$(caps)" = "$(sed -n 's/^CapEff:\t//p' /proc/self/status)" ]
}

@test "capabilities count, not uid 0: with both of them no user namespace is made" {
	need root
	local caps=+net_admin,+sys_admin
	run unshare -m sh -c 'mount -t tmpfs tmpfs /dev/net &&
		mknod -m 666 /dev/net/tun c 10 200 &&
		exec setpriv --reuid 65533 --regid 65533 --clear-groups \
			--inh-caps="$0" --ambient-caps="$0" "$@"' "$caps" \
		"$FARWIRE" run -q dev lo netem delay 1ms -- readlink /proc/self/ns/user 3>&-
	[ "$status" = 0 ]
	[ "$output" = "$(readlink /proc/self/ns/user)" ]
}

@test "CAP_NET_ADMIN alone: the way of a plain user" {
	need root
	run unshare -m sh -c 'mount -t tmpfs tmpfs /dev/net &&
		mknod -m 666 /dev/net/tun c 10 200 &&
		exec setpriv --reuid 65533 --regid 65533 --clear-groups \
			--inh-caps=+net_admin --ambient-caps=+net_admin "$@"' sh \
		"$FARWIRE" run -q dev lo netem delay 1ms -- cat /proc/self/status 3>&-
	[ "$status" = 0 ]
	[ "$(caps)" = 0000000000000000 ]
}

@test "doctor names what is missing and how to get it" {
	need userns
	run --separate-stderr unshare -Urm sh -c "$without_device" sh "$FARWIRE" doctor 3>&-
	[ "$status" = 1 ]
	[[ ${lines[0]} == "tun device "*" no "*"No such file or directory"* ]]
	[[ ${lines[1]} == *"fix: modprobe tun"* ]]
	[[ $output == *$'\nloopback '*" no "* ]]
}

@test "doctor is content where run works" {
	need tun
	[ $EUID = 0 ] || need userns
	run_tool 0 doctor
	[[ ${lines[0]} =~ ^tun\ device\ +yes\ +/dev/net/tun,\ open\ to\ you$ ]]
	[[ $output == *$'\nloopback          yes   '*redirect* ]]
	run_tool 0 run -q dev lo netem delay 1ms -- true
}

@test "doctor and run: without the filter nothing is carried, and it is said" {
	need tun
	[ $EUID = 0 ] || need userns
	run -1 --separate-stderr "$without" seccomp 22 "$FARWIRE" doctor 3>&-
	[[ $output == *$'\nseccomp           no    cannot load the filter: '*$'\n'*' fix: a kernel with CONFIG_SECCOMP_FILTER'* ]]
	run -125 --separate-stderr "$without" seccomp 22 "$FARWIRE" run -q dev lo netem delay 1ms -- true 3>&-
	[[ $stderr == *"seccomp: cannot load the filter: "* ]]
}

@test "too few open files allowed: one line that says how many" {
	need tun
	[ $EUID = 0 ] || need userns
	for n in 4 10 20 31; do
		run --separate-stderr bash -c 'ulimit -n $1; shift; exec "$@"' sh $n \
			"$FARWIRE" run -q dev lo netem delay 1ms -- true 3>&-
		[ "$status" = 125 ]
		[ "$stderr" = "farwire: set-up: only $n open files allowed; ulimit -n 32" ]
	done
	run bash -c 'ulimit -n 32; exec "$@"' sh \
		"$FARWIRE" run -q dev lo netem delay 1ms -- true 3>&-
	[ "$status" = 0 ]
}

@test "a report into a FIFO that nobody reads is refused at once" {
	need tun
	[ $EUID = 0 ] || need userns
	cd "$BATS_TEST_TMPDIR"
	mkfifo fifo
	run_tool 125 run -q --report fifo dev lo netem delay 1ms -- true
	[ "$stderr" = "farwire: run: --report 'fifo': No such device or address" ]
	run_tool 1 check netem delay 5ms 1ms distribution ./fifo
}
