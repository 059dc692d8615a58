# SPDX-License-Identifier: GPL-2.0-or-later
# tests/cli/words.bats - man page and completions hold every word of the tables, no others
load ../lib/tool
load ../lib/complete

setup() {
	sort -u < <("$FW_BUILD/tests/cli/print_words") >"$BATS_TEST_TMPDIR/words"
}

# Lines at which a shell is asked; between them every word has its place. The last column
# of places is the start of a word, for shells that hide what begins with a dash.
lines() {
	local line

	while read -r line; do
		printf '%s \n' "$line"
		[ -n "$1" ] && printf '%s %s\n' "$line" "$1"
	done <<-'END'
		farwire
		farwire run
		farwire run -q dev
		farwire run dev lo
		farwire run dev lo up
		farwire run dev lo uplink none
		farwire run mtu 1400
		farwire run uplink
		farwire run uplink none
		farwire run uplink none down
		farwire run uplink none netem delay 5ms
		farwire add
		farwire add --for 10s
		farwire add wan
		farwire add wan netns a mtu 1400
		farwire add wan peer
		farwire add --io plain wan peer netns b
		farwire add wan bridge br0
		farwire add wan peer netem delay 5ms
		farwire -b list
		farwire change wan
		farwire replace wan up
		farwire set wan netem delay 5ms
		farwire run dev lo netem
		farwire run dev lo netem loss
		farwire run dev lo netem slot
		farwire run dev lo netem slot 5ms
		farwire run dev lo netem delay 5ms 1ms distribution
		farwire check
		farwire check down
		farwire check netem delay 5ms
		farwire doctor
	END
	# Without the dash the names of runs that happen to be on would be there, too.
	printf '%s\n' 'farwire change -' 'farwire show -' 'farwire monitor -' 'farwire del -'
}

# All that shell $1 offers; $2 as for lines. `lo` and the ways of uplink are values, not
# words of the tables.
all_offers() {
	local all

	mkdir -p "$BATS_TEST_TMPDIR/empty" && cd "$BATS_TEST_TMPDIR/empty" || return
	mapfile -t all < <(lines "$2")
	offers "$1" "${all[@]}" | grep -vx -e lo -e auto -e none -e nat -e passt -e slirp -e '' | sort -u
}

same_words() {
	diff -u --label tables "$BATS_TEST_TMPDIR/words" --label "$1" "$2"
}

@test "man page: every word of the tables, no others" {
	local page=$FW_SRC/man/farwire.8

	# Where a word is explained it stands in a tag line.
	awk '/^\.It/ {for (i = 1; i < NF; i++)
		if ($i == "Cm") print $(i + 1); else if ($i == "Fl") print "-" $(i + 1)}' "$page" | sed 's/\\-/-/g' | sort -u >"$BATS_TEST_TMPDIR/tags"
	same_words "man page" "$BATS_TEST_TMPDIR/tags"
	awk '/^\.[^\\]/ {for (i = 1; i < NF; i++) {
		if ($i == ".Cm" || $i == "Cm") print $(i + 1)
		else if ($i == ".Fl" || $i == "Fl") print "-" $(i + 1)}}' "$page" |
		sed 's/\\-/-/g' | sort -u >"$BATS_TEST_TMPDIR/marks"
	same_words "all marks" "$BATS_TEST_TMPDIR/marks"
}

@test "man page: clean under mandoc, and groff where it is" {
	need mandoc
	run mandoc -T lint "$FW_SRC/man/farwire.8"
	refute_output --regexp '(WARNING|ERROR|STYLE)'
	command -v groff >/dev/null || return 0
	run groff -mdoc -ww -b -z "$FW_SRC/man/farwire.8"
	assert_success
	[ -z "$output" ]
}

@test "man page: the words of every example pass check" {
	local line words n=0

	while IFS= read -r line; do
		[[ $line =~ ((up |down )?netem .*) ]] || continue
		words=${BASH_REMATCH[1]%%--*}
		# shellcheck disable=SC2086
		run_tool 0 check $words
		n=$((n + 1))
	done < <(sed -n 's/^\.Dl \(farwire \)*\(run\|add\|change\|set\|check\) /\2 /p' "$FW_SRC/man/farwire.8" |
		sed 's/\\-/-/g')
	[ "$n" -ge 10 ]
}

@test "help: every word has its help, and plain help fits a screen" {
	local word

	while IFS= read -r word; do
		run_tool 0 help "$word"
		assert_line --index 0 --regexp "^$word( |\$)"
		[ -z "$stderr" ]
	done <"$BATS_TEST_TMPDIR/words"
	run_tool 0 help
	[ "${#lines[@]}" -lt 40 ]
	while IFS= read -r word; do
		[[ $output == *"$word"* ]]
	done < <(grep -vxE 'random|state|gemodel|packets|bytes' "$BATS_TEST_TMPDIR/words")
}

@test "help: the ways out with uplink, and an option without its dashes" {
	local way

	run_tool 0 help uplink
	for way in auto none nat passt slirp; do
		assert_line "$way"
		run_tool 0 help "$way"
		assert_line --index 0 "$way"
		run_tool 0 help uplink
	done
	run_tool 1 help reach
	[ "$stderr" = "farwire: help: 'reach': no such word; did you mean --reach?" ]
}

@test "bash: offers every word in its place, no others" {
	all_offers bash - >"$BATS_TEST_TMPDIR/offers"
	same_words bash "$BATS_TEST_TMPDIR/offers"
}

@test "bash: offers what fits, files, and the command's own words" {
	[ "$(offers bash 'farwire che')" = check ]
	[ "$(offers bash 'farwire run dev lo netem del')" = delay ]
	[ "$(offers bash 'farwire run dev lo netem delay ')" = "" ]
	offers bash 'farwire run dev lo netem -- ech' | grep -qx echo
	cd "$BATS_TEST_TMPDIR"
	[ "$(offers bash 'farwire run --report wor')" = words ]
	offers bash 'farwire help ' | sort | same_words bash -
}

# Control sockets live where the completions look for them; these are named as no other.
some_runs() {
	mkdir -p "$BATS_TEST_TMPDIR/run/farwire"
	touch "$BATS_TEST_TMPDIR/run/farwire/zq.wan-1.sock" "$BATS_TEST_TMPDIR/run/farwire/zqlan.sock"
	touch "$BATS_TEST_TMPDIR/run/farwire/zqold.last"
	export XDG_RUNTIME_DIR=$BATS_TEST_TMPDIR/run
}

# Shell $1 offers names where one belongs, and what follows one.
offers_names() {
	local verb

	some_runs
	for verb in change replace set show monitor del; do
		[ "$(offers "$1" "farwire $verb zq" | sort)" = $'zq.wan-1\nzqlan' ]
	done
	[ "$(offers "$1" 'farwire set zqlan ' | sort)" = $'down\nnetem\nup' ]
	[ "$(offers "$1" 'farwire show zqlan ')" = "" ]
}

@test "bash: offers the names of runs" {
	offers_names bash
}

@test "zsh: offers the names of runs" {
	need zsh
	offers_names zsh
}

@test "fish: offers the names of runs" {
	need fish
	offers_names fish
}

@test "completions: choices of an option, and what fits the link so far" {
	[ "$(offers bash 'farwire run --io ' | tr '\n' ' ')" = "auto plain uring " ]
	[ "$(offers bash 'farwire run --gso s')" = segment ]
	[ "$(offers bash 'farwire run --name ')" = "" ]
	[ "$(offers bash 'farwire run dev lo netem delay 5ms d' | tr '\n' ' ')" = "delay drop duplicate distribution " ]
	[ "$(offers bash 'farwire run uplink none netem delay 5ms do')" = down ]
	[ "$(offers bash 'farwire run dev lo uplink none ' | tr '\n' ' ')" = "netem up -- " ]
	[ "$(offers bash 'farwire run addr ')" = "" ]
	[ "$(offers bash 'farwire add wan netns a peer netns b ' | tr '\n' ' ')" = "netns dev addr mac netem up down " ]
	[ "$(offers bash 'farwire add --for 1h wan bridge br0 ' | tr '\n' ' ')" = "netem up down " ]
	[ "$(offers bash 'farwire add wan dev ')" = "" ]
	command -v fish >/dev/null || return 0
	[ "$(offers fish 'farwire run --io p')" = plain ]
	[ "$(offers fish 'farwire run uplink none netem delay 5ms do')" = down ]
	[ "$(offers fish 'farwire run --name ')" = "" ]
	[ "$(offers fish 'farwire add wan netns a peer dev x n' | tr '\n' ' ')" = "netem netns " ]
	[ "$(offers fish 'farwire add --for 1h wan bridge br0 ' | sort | tr '\n' ' ')" = "down netem up " ]
	[ "$(offers fish 'farwire add wan dev ')" = "" ]
}

@test "zsh: offers every word in its place, no others" {
	need zsh
	all_offers zsh "" >"$BATS_TEST_TMPDIR/offers"
	same_words zsh "$BATS_TEST_TMPDIR/offers"
}

@test "zsh: offers what fits" {
	need zsh
	[ "$(offers zsh 'farwire run dev lo netem delay ' 'farwire che' 'farwire check netem del')" = $'check\ndelay' ]
	offers zsh 'farwire help ' | sort | same_words zsh -
}

@test "fish: offers every word in its place, no others" {
	need fish
	all_offers fish - >"$BATS_TEST_TMPDIR/offers"
	same_words fish "$BATS_TEST_TMPDIR/offers"
}

@test "fish: offers what fits, files, and the command's own words" {
	need fish
	[ "$(offers fish 'farwire che')" = check ]
	[ "$(offers fish 'farwire run dev lo netem del')" = delay ]
	[ "$(offers fish 'farwire run dev lo netem delay ')" = "" ]
	[ "$(offers fish 'farwire run dev lo netem -- printen')" = printenv ]
	cd "$BATS_TEST_TMPDIR"
	[ "$(offers fish 'farwire run --report wor')" = words ]
	{ offers fish 'farwire help '; offers fish 'farwire help -'; } | sort -u | same_words fish -
}
