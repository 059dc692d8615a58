#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# tests/lib/as-user.sh - run a command as a plain user who may open /dev/net/tun
#
#   as-user.sh CMD [ARG...]          needs root
#
# The user is number AS_USER_ID (default 65534 minus 1: nobody's files), without groups,
# capabilities or a home but a temporary one. /dev/net/tun is made in a private mount
# namespace: the machine's own keeps its mode. AS_USER_TUN=closed leaves it closed (0600),
# AS_USER_TUN=none leaves it out. Exits with the command's status and leaves nothing.
set -eu

: "${AS_USER_ID:=65533}" "${AS_USER_TUN:=open}"
[ $# -gt 0 ] || { echo "usage: as-user.sh CMD [ARG...]" >&2; exit 125; }
[ "$(id -u)" = 0 ] || { echo "as-user.sh: needs root" >&2; exit 125; }

home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM
chown "$AS_USER_ID:$AS_USER_ID" "$home"

export AS_USER_ID AS_USER_TUN
status=0
# shellcheck disable=SC2016 # the inner shell expands it
HOME=$home unshare -m --propagation private sh -c '
	set -eu
	mkdir -p /dev/net
	mount -t tmpfs -o mode=755 tmpfs /dev/net
	case $AS_USER_TUN in
	open) mknod -m 666 /dev/net/tun c 10 200 ;;
	closed) mknod -m 600 /dev/net/tun c 10 200 ;;
	none) ;;
	esac
	unset SUDO_UID SUDO_GID SUDO_USER
	exec setpriv --reuid "$AS_USER_ID" --regid "$AS_USER_ID" --clear-groups \
		--inh-caps=-all --bounding-set=+all -- "$@"
' sh "$@" || status=$?
exit "$status"
