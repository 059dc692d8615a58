# SPDX-License-Identifier: GPL-2.0-or-later
# tests/lib/world.bash - a host with a world behind it, in namespaces that a test makes
#
#   host (wan0) ---- (wan) router (dmz) ---- (eth0) server
#   192.0.2.2        192.0.2.1   203.0.113.1        203.0.113.10   IPv4
#   fd0a::2          fd0a::1     fd0b::1            fd0b::10       IPv6
#
# Loaded behind tool.bash. The host has a network and a mount namespace of its own: its own
# /etc (all of the machine's, with a resolv.conf that may be replaced), an empty /run, a
# TUN device open to all. The server answers DNS (dnsmasq: web.test has A and AAAA, v4.test
# and v6.test one of them) and HTTP on port 80 (world.py: GET /file gives 20 MB, GET /small
# few bytes, PUT / answers with the SHA-256 of what came). Made by root or, in a user
# namespace, by a plain user: then "root" of the host is root in there.
#
#   world_needs          need all that it takes
#   world_up [WORD...]   make it; `ra`: the host's IPv6 address and default route come by
#                        router advertisements; `v4`: the host has no IPv6 address; `island`:
#                        it has no default route at all
#   world_down           end the processes that world_up started, which is all there is
#   host CMD...          run in the host with all its capabilities
#   plain CMD...         run in the host as a plain user without any; cwd is $HOME there
#   router, server CMD...
#   host_state           what a run may not change: rules, sysctls, routes, addresses,
#                        neighbours that are permanent, devices, processes
#   plain_place          a directory of the plain user, where the test may write too
#
# $WORLD_HASH is the SHA-256 of /file; $WORLD_PLAIN_ID is the plain user's number.

WORLD_WEB4=203.0.113.10
WORLD_WEB6=fd0b::10
WORLD_PLAIN_ID=61235 # as root; a plain user stays who it is

world_needs() {
	local p
	for p in tun ip nft nsenter unshare setpriv dnsmasq curl python3; do need "$p"; done
	[ $EUID = 0 ] || need userns
}

world_up() {
	local how=(-nm) setup
	world=$BATS_TEST_TMPDIR/world
	mkdir -p "$world"
	world_pids=()
	if [ $EUID != 0 ]; then
		how=(-Urnm)
		WORLD_PLAIN_ID=$(id -u)
	fi
	setup=$(declare -f world_host_mounts world_links)
	(exec env WORLD="$world" WORLD_USER="$WORLD_PLAIN_ID" LC_ALL=C \
		unshare "${how[@]}" bash -euc "$setup
		world_host_mounts && echo >\"\$WORLD/mounted\"; exec sleep 3600" \
		3>&- >"$world/host.log" 2>&1) &
	world_host=$!
	world_pids+=("$world_host")
	wait_for 10 test -e "$world/mounted" || { cat "$world/host.log" && return 1; }
	world_other router
	world_other server
	host bash -euc "$setup
		world_links ${world_router:?} ${world_server:?} $*" >"$world/links.log" 2>&1 ||
		{ cat "$world/links.log" && return 1; }
	world_services "$@"
}

# world_other NAME: a second and third network namespace; its process is in $world_NAME
world_other() {
	(exec nsenter -t "$world_host" "${world_ns[@]}" -m -n -- unshare -n \
		sh -c "echo >'$world/$1.up'; exec sleep 3600" \
		3>&- >"$world/$1.log" 2>&1) &
	world_pids+=($!)
	printf -v "world_$1" %s $!
	wait_for 10 test -e "$world/$1.up"
}

# In the host: what it sees of the file system.
world_host_mounts() {
	mount --make-rprivate /
	mount -t tmpfs -o mode=755 none /run
	mkdir -p /run/etc "/run/user/$WORLD_USER" /run/dev
	mount --rbind /etc /run/etc
	mount -t tmpfs -o mode=755 none /etc
	shopt -s dotglob
	ln -s /run/etc/* /etc/
	rm -f /etc/resolv.conf /etc/hosts /etc/nsswitch.conf
	printf 'nameserver 203.0.113.10\n' >/etc/resolv.conf
	printf '127.0.0.1 localhost\n::1 localhost\n' >/etc/hosts
	printf 'passwd: files\ngroup: files\nhosts: files dns\n' >/etc/nsswitch.conf
	# Root's own world; where a plain user makes it, this is so already.
	if [ -n "$(sed -n '/^ *0 *0 /p' /proc/self/uid_map)" ]; then
		chown "$WORLD_USER:$WORLD_USER" "/run/user/$WORLD_USER"
		mount -t tmpfs -o mode=755 none /dev/net
		mknod -m 666 /dev/net/tun c 10 200
	fi
}

# world_links ROUTER SERVER [WORD...]: in the host, with all rights in all three
world_links() {
	local r=$1 s=$2 mode=" ${*:3} "
	at() { nsenter -t "$1" -n -- "${@:2}"; }
	# By few processes, each of which costs more than what it does here.
	printf '%s\n' "link set lo up" "link add wan0 type veth peer name wan netns $r" | ip -batch -
	# Nobody else is there who could have a link-local address: no second of waiting until
	# it is in use, in which a router does not even ask for its neighbours.
	at "$s" sh -ec 'ip link set lo up; echo 0 >/proc/sys/net/ipv6/conf/default/accept_dad'
	at "$r" sh -ec 'echo 1 >/proc/sys/net/ipv4/ip_forward
		echo 0 >/proc/sys/net/ipv6/conf/wan/accept_dad
		echo 0 >/proc/sys/net/ipv6/conf/default/accept_dad
		echo 1 >/proc/sys/net/ipv6/conf/all/forwarding
		printf "%s\n" "link set lo up" "link add dmz type veth peer name eth0 netns $1" \
			"addr add 192.0.2.1/24 dev wan" "addr add fd0a::1/64 dev wan nodad" \
			"addr add 203.0.113.1/24 dev dmz" "addr add fd0b::1/64 dev dmz nodad" \
			"link set wan up" "link set dmz up" | ip -batch -' sh "$s"
	printf '%s\n' "addr add 203.0.113.10/24 dev eth0" "addr add fd0b::10/64 dev eth0 nodad" \
		"link set eth0 up" "route add default via 203.0.113.1" \
		"route add default via fd0b::1" | at "$s" ip -batch -
	echo 0 >/proc/sys/net/ipv6/conf/wan0/accept_dad
	{
		echo "addr add 192.0.2.2/24 dev wan0"
		case $mode in
		*" v4 "*) echo 1 >/proc/sys/net/ipv6/conf/wan0/disable_ipv6 ;;
		*" ra "*) ;;
		*)
			echo 0 >/proc/sys/net/ipv6/conf/wan0/accept_ra
			echo "addr add fd0a::2/64 dev wan0 nodad"
			;;
		esac
		echo "link set wan0 up"
		case $mode in
		*" island "*) ;;
		*" v4 "* | *" ra "*) echo "route add default via 192.0.2.1" ;;
		*) printf 'route add default via %s\n' 192.0.2.1 fd0a::1 ;;
		esac
	} | ip -batch -
}

# world_serve WHO CMD...: a process of the router or the server, ended by world_down
world_serve() {
	(world_enter "$@" 3>&- >>"$world/$1.log" 2>&1) &
	world_pids+=($!)
}

world_services() {
	# -d: it stays in the foreground and who it is; a user namespace has no other user.
	local dns=(dnsmasq -d --conf-file=/dev/null --pid-file= --no-resolv --no-hosts)
	world_serve server "${dns[@]}" --local=/test/ \
		--host-record="web.test,$WORLD_WEB4,$WORLD_WEB6" \
		--host-record="v4.test,$WORLD_WEB4" --host-record="v6.test,$WORLD_WEB6"
	world_serve server python3 -IS "$FW_SRC/tests/lib/world.py" "$world/file.sha256"
	case " $* " in
	*" ra "*)
		world_serve router "${dns[@]}" --port=0 --enable-ra --ra-param=wan,5,1800 \
			--dhcp-range=fd0a::,ra-only --dhcp-leasefile=/dev/null
		wait_for 20 world_has_ra
		;;
	esac
	wait_for 10 test -s "$world/file.sha256"
	# shellcheck disable=SC2034 # the tests'
	WORLD_HASH=$(cat "$world/file.sha256")
	wait_for 10 server curl -sf "http://$WORLD_WEB4/small"
	wait_for 10 world_answers
	wait_for 10 world_settled "$@"
}

# The kernel takes the device's link-local address into use some time after it is up.
world_settled() {
	[ -n "$(host ip -o link show dev wan0 up | grep 'state UP')" ] || return
	[[ " $* " == *" v4 "* ]] ||
		[ -n "$(host ip -6 addr show dev wan0 scope link -tentative)" ]
}

# A default route and an address in use.
world_has_ra() {
	[ -n "$(host ip -6 route show default proto ra)" ] &&
		[ -n "$(host ip -6 addr show dev wan0 scope global -tentative)" ]
}

world_answers() { server bash -c 'exec 3<>"/dev/tcp/127.0.0.1/53"'; }

world_down() {
	local p
	for p in "${world_pids[@]}"; do kill -KILL "$p" 2>/dev/null || true; done
	for p in "${world_pids[@]}"; do wait "$p" 2>/dev/null || true; done
	world_pids=()
}

[ $EUID = 0 ] && world_ns=() || world_ns=(-U --preserve-credentials)

# world_enter NAME CMD...: the shell becomes CMD, in the same working directory
world_enter() {
	local who=world_$1
	exec nsenter -t "${!who}" "${world_ns[@]}" -m -n -- env -C "$PWD" "${@:2}"
}

host() { (world_enter host "$@"); }
router() { (world_enter router "$@"); }
server() { (world_enter server "$@"); }

# A plain user of this machine is one inside, too, in a second user namespace, in which it
# has its own number again and, because of that, no capability.
plain() {
	local as
	if [ $EUID = 0 ]; then
		as=(setpriv --reuid "$WORLD_PLAIN_ID" --regid "$WORLD_PLAIN_ID" --clear-groups
			--inh-caps=-all)
	else
		as=(unshare -U "--map-user=$WORLD_PLAIN_ID" "--map-group=$(id -g)")
	fi
	host env -C "$(plain_place)" -u SUDO_UID -u SUDO_GID -u SUDO_USER "HOME=$(plain_place)" \
		"XDG_RUNTIME_DIR=$(plain_place)" "${as[@]}" "$@"
}

plain_place() { echo "/run/user/$WORLD_PLAIN_ID"; }

# As few processes as will do: it is asked for again and again.
world_state() {
	local what="neigh show nud permanent"$'\n'"rule"$'\n'"route show table all"
	nft list ruleset
	# What the kernel draws at random, counts or does by itself is not state.
	(cd /proc/sys/net && grep -H '' -r ipv4 ipv6 2>/dev/null) |
		grep -v -e stable_secret -e /neigh/ -e tcp_fastopen_key -e mc_forwarding
	{
		ip -o -batch - <<<"link"$'\n'"addr"$'\n'"$what"
		ip -6 -batch - <<<"$what"
	} | sed '
		s/ qlen.*//
		# Lifetimes of what came by router advertisements run.
		s/\(valid_lft\|preferred_lft\) [0-9]*sec//g
		s/ expires [0-9]*sec//
		/^multicast\|^ff00::\|^[0-9]*: /!s/ metric [0-9]*//'
}

host_state() {
	local ns
	host bash -c "$(declare -f world_state); PATH=\$PATH:/usr/sbin:/sbin; world_state"
	ns=$(stat -Lc %i "/proc/$world_host/ns/net")
	stat -Lc '%i %n' /proc/[0-9]*/ns/net 2>/dev/null |
		sed -n "s,^$ns \(/proc/[0-9]*\)/.*,\1/comm,p" | xargs -r cat 2>/dev/null |
		sed 's/^/process /' | sort
}
