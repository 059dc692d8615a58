#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# contrib/three-namespaces.sh - a client, a router and a server, with a wire between each two
#
#   client 10.1.0.2 ---- lan, 1 ms ---- 10.1.0.1 router 10.2.0.1 ---- wan, 20 ms ---- 10.2.0.2 server
#
# Makes it, measures it before and after a change of the wan, and leaves nothing. As root
# the namespaces have names of their own on this machine; a plain user gets the same within
# a user namespace. $FARWIRE names another binary, $1 a prefix for all names (default fw3).
set -eu

farwire=${FARWIRE:-farwire}
p=${1:-fw3}
PATH=$PATH:/usr/sbin:/sbin

if [ "$(id -u)" != 0 ]; then
	exec unshare -Urnm sh -c 'mount -t tmpfs tmpfs /run && exec sh "$@"' sh "$0" "$p"
fi

clean_up() {
	for link in "$p-lan" "$p-wan"; do "$farwire" -q del "$link" 2>/dev/null || true; done
	for ns in "$p-client" "$p-router" "$p-server"; do ip netns del "$ns" 2>/dev/null || true; done
}
trap clean_up EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

in_ns() {
	ns=$p-$1
	shift
	ip netns exec "$ns" "$@"
}

for ns in client router server; do ip netns add "$p-$ns"; done

# Each is there, with traffic, when its `add` returns.
"$farwire" add "$p-lan" netns "$p-client" addr 10.1.0.2/24 \
	peer netns "$p-router" addr 10.1.0.1/24 \
	netem delay 1ms
"$farwire" add "$p-wan" netns "$p-router" addr 10.2.0.1/24 \
	peer netns "$p-server" addr 10.2.0.2/24 \
	netem delay 20ms rate 20mbit

in_ns client ip route add default via 10.1.0.1
in_ns server ip route add default via 10.2.0.1
in_ns router sh -c 'echo 1 >/proc/sys/net/ipv4/ip_forward'

echo "== from the client to the server: 42 ms there and back"
in_ns client ping -q -c 5 -i 0.2 -W 2 10.2.0.2

echo "== the wan is 50 ms longer on the way back, from now on"
"$farwire" change "$p-wan" down netem delay 70ms
in_ns client ping -q -c 5 -i 0.2 -W 2 10.2.0.2

"$farwire" -s show "$p-wan"
