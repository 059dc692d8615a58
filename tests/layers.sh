#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# tests/layers.sh - the rooms: who may include whom. Prints TAP.
#
# LAYERS_SRC names another tree, so that the test can be shown to fail. One awk reads all:
# a process a file would take seconds on a busy machine.
src=${LAYERS_SRC:-${FW_SRC:-.}/src}

# shellcheck disable=SC2016 # awk's own dollars
find "$src" -name '*.[ch]' | sort | xargs awk -v src="$src/" '
BEGIN {
	n_rooms = split("base conf wire engine relay host report run verb", rooms)
	may["conf"] = may["wire"] = may["relay"] = "base"
	may["engine"] = "base wire conf/conf.h"
	may["host"] = "base conf relay"
	may["report"] = "base conf engine"
	may["run"] = "base conf wire engine report"
	may["verb"] = "base conf wire engine report host run"
}
function allowed(room, inc,    i, n, a) {
	if (inc == "config.h" || index(inc, room "/") == 1)
		return 1
	n = split(may[room], a, " ")
	for (i = 1; i <= n; i++)
		if (inc == a[i] || index(inc, a[i] "/") == 1)
			return 1
	return 0
}
function say(bad, good) {
	printf "%s %d - %s\n", bad == "" ? "ok" : "not ok", ++tests, good bad
	failed = failed || bad != ""
}
FNR == 1 {
	file = substr(FILENAME, length(src) + 1)
	room = file ~ /\// ? substr(file, 1, index(file, "/") - 1) : ""
	files[room]++
	if (!/SPDX-License-Identifier: GPL-2.0-or-later/)
		naked = naked " " file
}
FNR == 501 { long = long " " file }
room != "" && /^[ \t]*#[ \t]*include[ \t]*"/ {
	inc = $0
	sub(/^[^"]*"/, "", inc)
	sub(/".*/, "", inc)
	if (!allowed(room, inc))
		wrong[room] = wrong[room] " " file ":" inc
}
END {
	for (i = 1; i <= n_rooms; i++)
		say(files[rooms[i]] ? wrong[rooms[i]] : " no files", \
			rooms[i] " includes only what it may")
	say(long, "no file past 500 lines")
	say(naked, "every file names its licence")
	printf "1..%d\n", tests
	exit failed
}'
