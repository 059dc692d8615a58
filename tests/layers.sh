#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# tests/layers.sh - the rooms: who may include whom. Prints TAP.
#
# LAYERS_SRC names another tree, so that the test can be shown to fail.
# shellcheck disable=SC2044 # no name in the tree holds a blank
src=${LAYERS_SRC:-${FW_SRC:-.}/src}

allowed() {	# room: what its files may include besides their own room
	case $1 in
	base) echo "" ;;
	conf | wire) echo "base" ;;
	engine) echo "base wire conf/conf.h" ;;
	host) echo "base conf" ;;
	report) echo "base conf engine" ;;
	run) echo "base conf wire engine report" ;;
	esac
}

n=0 bad=0
ok() { n=$((n + 1)); printf 'ok %d - %s\n' $n "$1"; }
not_ok() { n=$((n + 1)); bad=1; printf 'not ok %d - %s\n' $n "$1"; }

for room in base conf wire engine host report run; do
	wrong=
	for f in "$src/$room"/*.[ch]; do
		[ -f "$f" ] || { wrong="$wrong no files in $room"; continue; }
		for inc in $(sed -n 's/^[[:space:]]*#[[:space:]]*include[[:space:]]*"\([^"]*\)".*/\1/p' "$f"); do
			[ "$inc" = config.h ] && continue
			case $inc in "$room"/*) continue ;; esac
			good=0
			for a in $(allowed $room); do
				case $inc in "$a" | "$a"/*) good=1 ;; esac
			done
			[ $good = 1 ] || wrong="$wrong ${f#"$src"/}:$inc"
		done
	done
	if [ -z "$wrong" ]; then ok "$room includes only what it may"; else not_ok "$room:$wrong"; fi
done

long=$(find "$src" -name '*.[ch]' -exec wc -l {} \; | awk '$1 > 500 {print $2 " (" $1 ")"}')
if [ -z "$long" ]; then ok "no file past 500 lines"; else not_ok "past 500 lines: $(echo $long)"; fi

naked=
for f in $(find "$src" -name '*.[ch]'); do
	head -n 1 "$f" | grep -q 'SPDX-License-Identifier: GPL-2.0-or-later' || naked="$naked ${f#"$src"/}"
done
if [ -z "$naked" ]; then ok "every file names its licence"; else not_ok "no licence tag:$naked"; fi

echo "1..$n"
exit $bad
