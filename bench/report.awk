# SPDX-License-Identifier: GPL-2.0-or-later
# bench/report.awk - a report of farwire as one line of name=value pairs
#
# Of the directions up_ and down_ stand in front; the loopback has up_ alone.
# One name a line; those of the histogram are passed over.
{
	gsub(/[",]/, "")
	split($0, part, ":")
	key = part[1]; value = part[2]
	gsub(/ /, "", key); gsub(/ /, "", value)
}
key == "direction" { way = value == "down" ? "down_" : "up_"; next }
key ~ /^(carrier|rank|wakeups|idle_wakeups|timer_arms)$/ { line = line " " key "=" value }
key == "limit" { line = line " " way key "=" value }
key ~ /^(in|out|lost|drop_limit|drop_mem|drop_io|drop_ring|duplicated|backlog)$/ ||
key ~ /^(p99_ns|p99\.9_ns)$/ { line = line " " way key "=" value }
END { print line }
