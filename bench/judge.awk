# SPDX-License-Identifier: GPL-2.0-or-later
# bench/judge.awk - rows of a group from its measurements, and their verdicts
#
#   awk -f judge.awk -v group=NAME [-v only='ROW ...'] rows RAW
#
# RAW has a line "ROUND TAG name=value ..." for each load. Of each round the group's rows
# are computed, ratios included; printed is their median with the spread, then the bars,
# the circumstances, and as the last word PASS, WARN, FAIL, VOID, n/a, or - without a bar.
# A row is VOID when a load failed, when frames are missing that nobody counted, or when
# half of its rounds had a sender that was too slow. The exit status is 1 if a row is FAIL
# or VOID.

FNR == NR { # the table
	if ($0 ~ /^#/ || NF < 6) next
	n_rows++
	name[n_rows] = $1; sense[$1] = $2; must[$1] = $3; aim[$1] = $4; digits[$1] = $5
	unit[$1] = $0
	sub(/^[^ ]+ +[^ ]+ +[^ ]+ +[^ ]+ +[^ ]+ +/, "", unit[$1])
	next
}
$2 == "micro" {
	put($3, $4); low[$3] = $5; high[$3] = $6
	next
}
{
	if ($1 != round && round != "") derive()
	round = $1
	for (i = 3; i <= NF; i++) {
		at = index($i, "=")
		F[$2, substr($i, 1, at - 1)] = substr($i, at + 1)
	}
	F[$2, "is"] = 1
	gsub(/_/, " ", F[$2, "na"])
	if (F[$2, "na"]) na = F[$2, "na"]
	else if (F[$2, "failed"]) spoil("a load failed")
	else if (($2, "up_in") in F) audit($2)
}

function spoil(why) { if (void == "") void = why }
# A load that could not be what it should: this round says nothing about the row.
function pass_over(row, why) { passed_over[row]++; reason[row] = why }

# Is every frame of this load accounted for? Three in a thousand may be the kernel's own.
function audit(t,    lost, seen) {
	seen = F[t, "up_in"] + F[t, "up_duplicated"]
	lost = F[t, "up_lost"] + F[t, "up_drop_limit"] + F[t, "up_drop_mem"] + F[t, "up_drop_io"]
	if (seen != F[t, "up_out"] + lost + F[t, "up_backlog"])
		spoil("the counters do not add up")
	state(t)
	if (group ~ /^(flood|sink|senders|burst|inflight|wirefilter)/ && t !~ /tcp/) {
		lost = F[t, "total"] - F[t, "up_in"] - F[t, "up_drop_ring"]
		if (lost > 0.003 * F[t, "total"] + 10 || -lost > 0.003 * F[t, "total"] + 10)
			spoil(lost " frames sent are neither read nor counted")
	}
}

# What farwire said of itself under that load, its drops of all rounds together.
function state(t,    k, n, kind) {
	if (main == "") main = t
	carrier[t] = F[t, "carrier"]
	if (F[t, "rank"] != "") carrier[t] = carrier[t] ", " F[t, "rank"]
	limit[t] = F[t, "up_limit"]
	n = split("limit mem io ring", kind, " ")
	for (k = 1; k <= n; k++)
		drops[t] += F[t, "up_drop_" kind[k]] + F[t, "down_drop_" kind[k]]
}
# The load that a row is about: its last word's, or the group's first.
function tag_of(row,    t) {
	t = row
	sub(/^.*_/, "", t)
	if (row == "arms") return "d10"
	if (group == "tcp_delay") return "d1"
	if (row ~ /_delay_/) return t == "1ms" ? "d1" : "d10"
	return t in carrier ? t : ("fw_" t) in carrier ? "fw_" t : main
}
function circumstances(row,    t) {
	t = tag_of(row)
	if (scaled != "") return scaled
	if (row ~ /_veth$/) return " [veth, MTU 1500]"
	if (!(t in carrier)) return ""
	return " [" carrier[t] ", limit " limit[t] ", MTU 1500, drops " drops[t] + 0 "]"
}

function s(t) { return F[t, "ns"] / 1e9 }
function div(a, b) { return b > 0 ? a / b : 0 }
# Frames or datagrams a second of the time that is measured, of all that was counted.
function rate(t, key) { return div(F[t, key] * div(F[t, "near"], F[t, "total"]), s(t)) }
function gbit(t) { return div(F[t, "got"] * 8 / 1e9, s(t)) }
function cpu_us(t, key) { return div(F[t, "cpu_ns"] / 1000, F[t, key]) }
function put(row, v) { values[row] = values[row] " " v }
function cc(t, want) { if (F[t, "is"] && F[t, "cc"] != want) spoil("no congestion control " want) }

function versus(row, f, v) { put(row, div(f, v)) }
function tcp(row, want) {
	cc("veth", want); cc("fw", want); cc("bare", want); cc("ring", want)
	versus(row, gbit("fw"), gbit("veth"))
	put(row "_farwire", gbit("fw"))
	put(row "_veth", gbit("veth"))
	versus(row "_bare", gbit("bare"), gbit("veth"))
	versus(row "_ring", gbit("ring"), gbit("veth"))
}

function derive(    k, n, t, v, least, most, slow, list, pair) {
	if (na || void != "") { delete F; return }
	if (group == "flood") {
		v = rate("d0", "up_in")
		put("flood_veth", rate("veth", "device")); put("flood_farwire", v)
		versus("flood", v, rate("veth", "device"))
		versus("flood_bare", rate("bare", "device"), rate("veth", "device"))
		versus("flood_ring", rate("ring", "device"), rate("veth", "device"))
		versus("flood_sender", div(F["drop", "near"], s("drop")), rate("veth", "device"))
		versus("flood_delay_1ms", rate("d1", "up_in"), v)
		versus("flood_delay_10ms", rate("d10", "up_in"), v)
		put("flood_cpu", cpu_us("d0", "near"))
		put("arms", div(F["d10", "timer_arms"], F["d10", "up_in"]))
	} else if (group == "sink") {
		versus("sink", rate("fw", "got"), rate("veth", "got"))
		put("sink_farwire", rate("fw", "got"))
	} else if (group == "senders4") {
		versus(group, F["fw", "got"], F["fw", "total"])
		put(group "_farwire", rate("fw", "up_in"))
	} else if (group == "senders32") {
		versus(group, F["fw", "got"], F["fw", "total"])
		versus(group "_rank", div(F["fw", "got"], F["fw", "total"]), div(F["none", "got"], F["none", "total"]))
		put(group "_farwire", rate("fw", "up_in"))
	} else if (group == "tcp1" || group == "tcp4") tcp(group, "cubic")
	else if (group == "bbr") tcp(group, "bbr")
	else if (group == "rr200") {
		versus(group, div(F["fw", "near"], s("fw")), div(F["veth", "near"], s("veth")))
		put(group "_farwire", div(F["fw", "near"], s("fw")))
		versus(group "_bare", div(F["bare", "near"], s("bare")), div(F["veth", "near"], s("veth")))
		versus(group "_ring", div(F["ring", "near"], s("ring")), div(F["veth", "near"], s("veth")))
	} else if (group == "tcp_delay") {
		cc("d0", "cubic"); cc("d1", "cubic")
		versus(group, gbit("d1"), gbit("d0"))
		put(group "_farwire", gbit("d1"))
	} else if (group == "faithful") {
		cc("plain", "reno"); cc("fw", "reno")
		versus(group, gbit("fw"), gbit("plain"))
		put(group "_farwire", gbit("fw") * 1000)
	} else if (group == "loss") {
		cc("fw_1", "bbr"); cc("plain_1", "bbr"); cc("whole", "bbr"); cc("fw_001", "bbr")
		versus("loss_1", gbit("fw_1"), gbit("plain_1"))
		versus("loss_001", gbit("fw_001"), gbit("whole"))
	} else if (group == "rate_cpu") {
		n = split("1gbit 100mbit", list, " ")
		for (k = 1; k <= n; k++) {
			t = list[k]
			put("rate_cpu_" t, div(F[t, "cpu_ns"] / 1000, F[t, "up_out"] + F[t, "down_out"]))
		}
	} else if (group == "rtt") {
		put("rtt_veth", F["veth", "near"] / 1000)
		put("rtt_bare", (F["bare", "near"] - F["veth", "near"]) / 1000)
		put("rtt_ring", (F["ring", "near"] - F["veth", "near"]) / 1000)
		put("rtt_fifo", (F["fifo", "near"] - F["veth", "near"]) / 1000)
		put("rtt", (F["fw", "near"] - F["veth", "near"]) / 1000)
	} else if (group == "late") {
		put("late_p99", F["fw", "up_p99_ns"] / 1000)
		put("late_p999", F["fw", "up_p99.9_ns"] / 1000)
		put("late_timer_p99", F["timer", "p99"])
		put("late_timer_p999", F["timer", "p999"])
	} else if (group == "idle") {
		v = (F["idle10", "wakeups"] - F["idle0", "wakeups"]) / 10
		put("idle", v < 0 ? 0 : v)
	} else if (group == "burst") put(group, F["fw", "up_drop_ring"])
	else if (group == "rate") {
		n = split("1mbit 1e6 10mbit 1e7 100mbit 1e8 1gbit 1e9", list, " ")
		for (k = 1; k < n; k += 2) {
			t = list[k]
			if (F[t, "near"] * 1514 * 8e9 < 1.02 * F[t, "ns"] * list[k + 1])
				pass_over("rate_" t, "the sender offered less than the rate")
			else
				put("rate_" t, div(F[t, "bytes"] * 8e9 * 1514 / 1472, F[t, "span"] * list[k + 1]))
		}
	} else if (group == "inflight") {
		n = split("1000 100000 1000000", list, " ")
		for (k = 1; k <= n; k++) {
			v = cpu_us(list[k], "near")
			if (F[list[k], "near"] * 1e9 < 97000 * F[list[k], "ns"])
				slow = 1
			list[k] = "inflight_" list[k] " " v
			if (k == 1 || v < least) least = v
			if (k == 1 || v > most) most = v
		}
		for (k = 1; k <= n && !slow; k++) {
			split(list[k], pair, " ")
			put(pair[1], pair[2])
		}
		if (slow) pass_over(group, "a sender did not keep its rate")
		else versus(group, most, least)
	} else if (group == "wirefilter") {
		versus("wirefilter_flood", rate("fw_flood", "up_in"), rate("wf_flood", "device"))
		versus("wirefilter_tcp", gbit("fw_tcp"), gbit("wf_tcp"))
	} else if (group == "start") {
		put("start_farwire", F["fw", "ms"])
		put("start", F["fw", "ms"] - F["unshare", "ms"])
	} else if (group == "links") {
		v = div(1000, F["links", "n"])
		if (v > 1) scaled = " [" F["links", "n"] " links, times " v "]"
		put("links_up", F["links", "up"] * v); put("links_down", F["links", "down"] * v)
		put("links_bare_up", F["bare", "up"] * v)
		put("links_bare_pages_up", F["pages", "up"] * v)
		put("links_bare_down", F["bare", "down"] * v)
	}
	delete F
}

# The rows of a group are those that begin with its name; micro has those of its programs.
function mine(row) {
	if (group == "micro") return row ~ /^(floor|timeq|path|gso|join)_/
	if (group == "flood" && row == "arms") return 1
	if (group == "rate" && row ~ /^rate_cpu/) return 0
	return row == group || index(row, group "_") == 1
}

function within(v, bar,    ends) {
	split(bar, ends, /\.\./)
	return v >= ends[1] + 0 && v <= ends[2] + 0
}
# As many digits as are printed: what is shown is what is judged.
function meets(v, row, bar) {
	v = sprintf("%.*f", digits[row], v) + 0
	if (sense[row] == ">=") return v >= bar + 0
	if (sense[row] == "<=") return v <= bar + 0
	return within(v, bar)
}

function print_row(row,    n, list, i, j, t, mid, bars, why, verdict) {
	bars = sense[row] == "-" ? "" : sprintf(" must %s%s aim %s%s", \
		sense[row] == "in" ? "" : sense[row], must[row], sense[row] == "in" ? "" : sense[row], aim[row])
	n = split(values[row], list, " ")
	if (void != "" || n <= passed_over[row]) {
		if (void == "" && row in reason) { why = reason[row] } else why = void
		verdict = void == "" && na ? "n/a" : "VOID"
		if (bars == "" && verdict == "VOID") return
		if (verdict == "VOID") bad = 1
		printf "%s=%s %s%s [%s] %s\n", row, verdict, unit[row], bars, \
			why != "" ? why : na == 1 ? "not here" : na ? na : "nothing was measured", verdict
		return
	}
	for (i = 1; i <= n; i++) list[i] += 0
	for (i = 2; i <= n; i++)
		for (j = i; j > 1 && list[j] < list[j - 1]; j--) {
			t = list[j]; list[j] = list[j - 1]; list[j - 1] = t
		}
	mid = n % 2 ? list[(n + 1) / 2] : (list[n / 2] + list[n / 2 + 1]) / 2
	if (!(row in low)) { low[row] = list[1]; high[row] = list[n] }
	verdict = "-"
	if (bars != "") verdict = !meets(mid, row, must[row]) ? "FAIL" : !meets(mid, row, aim[row]) ? "WARN" : "PASS"
	if (verdict == "FAIL") bad = 1
	printf "%s=%.*f %s (%.*f..%.*f)%s%s %s\n", row, digits[row], mid, unit[row], \
		digits[row], low[row], digits[row], high[row], bars, circumstances(row), verdict
}

END {
	if (round != "") derive()
	for (i = 1; i <= n_rows; i++)
		if (mine(name[i])) print_row(name[i])
	exit bad
}
