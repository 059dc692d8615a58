# SPDX-License-Identifier: GPL-2.0-or-later
# tests/cli/batch.bats - mirrors src/conf/batch.c: which line of a batch is wrong, and what
# follows. Links have names that nobody has, so that no line of these does anything.
load ../lib/tool

setup() {
	name=zq-$$-$RANDOM
	cd "$BATS_TEST_TMPDIR" || return
}

# The nth line of stderr, from 0, without the program's name.
said() {
	[ "${stderr_lines[$1]}" = "farwire: $2" ]
}

@test "it ends at the first line that fails, with its status, and names its place" {
	printf '%s\n' '# a comment' '' "del 'x" 'del' >list
	run_tool 1 -b list
	[ "${#stderr_lines[@]}" -eq 1 ]
	said 0 "list:3: a ' that is not closed"
	[ -z "$output" ]
	printf '%s\n' "change $name netem" 'del' >list
	run_tool 2 -b list
	[ "${#stderr_lines[@]}" -eq 1 ]
	[[ ${stderr_lines[0]} == "farwire: list:1: "*"$name"* ]]
}

@test "--force goes on, and ends with the first status that was not 0" {
	printf '%s\n' "change $name netem" 'change netem' 'run dev lo -- touch ran' "-q del $name" >list
	run_tool 2 -b list --force
	[ "${#stderr_lines[@]}" -eq 4 ]
	[[ ${stderr_lines[0]} == "farwire: list:1: "* ]]
	said 1 "list:2: change: 'netem': no link named before it; write NAME before it"
	said 2 "list:3: run: not in a batch; add, change, replace, set, del and show are"
	[[ ${stderr_lines[3]} == "farwire: list:4: "* ]]
	refute test -e ran
	printf '%s\n' 'dle x' "change $name netem" >list
	run_tool 1 --force -b list
	said 0 "list:1: 'dle': no such verb; did you mean del?"
	[ "${#stderr_lines[@]}" -eq 2 ]
}

@test "from the standard input; an empty batch is done" {
	run_tool 1 -b - <<<"del $name more"
	said 0 "stdin:1: del: 'more': one word too many"
	run_tool 0 -b - </dev/null
	[ -z "$stderr" ]
	run_tool 0 -qb - <<<'  # nothing'
	[ -z "$stderr" ]
}

@test "a file that is not there, or is none: status 2, one line" {
	run_tool 2 -b nowhere
	[ "${#stderr_lines[@]}" -eq 1 ]
	said 0 "-b 'nowhere': No such file or directory"
	run_tool 2 -b . --force
	[ "${#stderr_lines[@]}" -eq 1 ]
	said 0 ".:1: cannot be read: Is a directory"
}

@test "lines that are no text or too long are errors, and the next one is read" {
	{ printf 'del \0\n'; head -c 20000 /dev/zero | tr '\0' x; printf '\ndel\r\n'; } >list
	run_tool 1 --force -b list
	[ "${#stderr_lines[@]}" -eq 3 ]
	said 0 "list:1: no text: it holds a zero byte"
	said 1 "list:2: longer than 16383 bytes"
	said 2 "list:3: del: no link named; write del NAME, or del all (show lists the names)"
}
