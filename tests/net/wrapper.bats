# SPDX-License-Identifier: GPL-2.0-or-later
# tests/net/wrapper.bats - the command does not notice that it is wrapped, and nothing is left
#
# RUNS=1000 repeats the shortest run that often (100 by itself).
load ../lib/tool

LINK=(dev lo netem delay 1ms)

setup() {
	need tun
	need userns
	cd "$BATS_TEST_TMPDIR" || return 1
	export LC_ALL=C FW_MARK="mark-$$-$BATS_TEST_NUMBER"
	# The outside of the run is private too, so that what is left there can be seen.
	mkdir -m 700 runtime
	export XDG_RUNTIME_DIR=$BATS_TEST_TMPDIR/runtime
	if [ $EUID = 0 ]; then
		# bash: another shell would drop the function that the test exports
		outside=(unshare -nm bash -c 'mount -t tmpfs none /run && exec "$@"' bash)
	else
		outside=(unshare -Urn --map-current-user)
	fi
	pid=
}

teardown() {
	local p
	[ -z "$pid" ] || kill -KILL "$pid" 2>/dev/null || true
	[ ! -e tmux.sock ] || tmux -S tmux.sock kill-server 2>/dev/null || true
	for p in $(marked); do kill -KILL "$p" 2>/dev/null || true; done
}

# wrap RC COMMAND...: quiet run, so that a word on stderr is a word too many
wrap() {
	local want=$1
	shift
	run_tool "$want" run -q "${LINK[@]}" -- "$@"
}

# Processes that carry this test's mark in their environment, but for bats' own shells.
marked() {
	local f p
	for f in $(grep -lzx "FW_MARK=$FW_MARK" /proc/[0-9]*/environ 2>/dev/null); do
		p=${f#/proc/} p=${p%/environ}
		[ "$p" != $$ ] && [ "$p" != "$BASHPID" ] && [ -e "/proc/$p" ] || continue
		! grep -q bats-exec "/proc/$p/cmdline" 2>/dev/null || continue
		printf '%s\n' "$p"
	done
}

none_marked() { [ -z "$(marked)" ]; }

# start COMMAND...: a run in the background, with the signals of a foreground one; sets $pid
start() {
	env --default-signal "$FARWIRE" run -q "${LINK[@]}" -- "$@" >start.out 2>start.err 3>&- &
	pid=$!
}

# A command that notes signal $1 in the file `got` until it is killed; its pid is in `ready`
catcher='trap "echo x >>got" $0; echo $$ >ready.new; mv ready.new ready
	while [ ! -e end ]; do sleep 0.05; done; exit 9'

has_lines() { [ "$(wc -l <"$1")" = "$2" ]; }

@test "exit status: the command's own" {
	wrap 0 true
	wrap 1 false
	wrap 37 sh -c 'exit 37'
	wrap 255 sh -c 'exit 255'
}

@test "exit status: death by a signal is passed on as one" {
	for signal in TERM KILL HUP USR1 SEGV ABRT; do
		wrap $((128 + $(kill -l $signal))) sh -c "kill -$signal \$\$"
	done
	# A shell names the signal only for a process that died by it.
	run bash -c '"$@"; exit 0' sh "$FARWIRE" run -q "${LINK[@]}" -- sh -c 'kill -TERM $$'
	assert_output --partial Terminated
}

@test "exit status: 127 not found, 126 not executable, each with a line" {
	wrap 127 ./not-there
	assert_regex "$stderr" '^farwire: .*not-there'
	touch plain-file
	wrap 126 ./plain-file
	assert_regex "$stderr" '^farwire: .*plain-file'
	wrap 126 /
}

@test "exit status: 125 for wrong words, and the command does not run" {
	run_tool 125 run dev lo netem dealy 50ms -- touch ran
	assert_regex "$stderr" "^farwire: .*dealy.*delay"
	run_tool 125 run dev lo netem delay 50 -- touch ran
	[ ! -e ran ]
}

@test "a command without -- before it is asked for" {
	run_tool 125 run dev lo netem delay 1ms true
	assert_regex "$stderr" "write -- before the command"
	run_tool 125 run dev lo netem delay 1ms --
	[ -n "$stderr" ]
}

@test "a second -- is the command's" {
	wrap 0 printf %s -- x
	[ "$output" = "--x" ]
}

@test "no TUN device: 125, one line with the fix, the command does not run" {
	if [ $EUID = 0 ]; then own=(unshare -m); else own=(unshare -Urm); fi
	run --separate-stderr "${own[@]}" sh -c 'mount -t tmpfs none /dev/net && exec "$@"' \
		sh "$FARWIRE" run "${LINK[@]}" -- touch ran
	[ "$status" = 125 ]
	assert_regex "$stderr" '^farwire: /dev/net/tun: No such file or directory: .*; .'
	[ "${#stderr_lines[@]}" = 1 ]
	[ ! -e ran ]
}

@test "a TUN device that is closed to a plain user: 125, one line with the fix" {
	need root
	chmod 711 .
	AS_USER_TUN=closed run --separate-stderr sh "$FW_SRC/tests/lib/as-user.sh" \
		"$FARWIRE" run "${LINK[@]}" -- true
	[ "$status" = 125 ]
	assert_regex "$stderr" '^farwire: /dev/net/tun: Permission denied; .*root'
	[ "${#stderr_lines[@]}" = 1 ]
}

@test "stdin, stdout and stderr are the command's" {
	run --separate-stderr bash -c 'echo words | "$@"' sh \
		"$FARWIRE" run -q "${LINK[@]}" -- sh -c 'cat; echo more >&2'
	[ "$status" = 0 ] && [ "$output" = words ] && [ "$stderr" = more ]
}

@test "the start line goes to stderr and says what is done" {
	run_tool 0 run dev lo netem delay 50ms loss 1% seed 42 -- true
	[ -z "$output" ]
	[ "$stderr" = "farwire: lo: netem delay 50ms loss 1%, RTT +100ms, limit 1000, seed 42" ]
}

@test "environment, working directory, umask and limits are as they were" {
	mkdir 'a place' && cd 'a place'
	umask 027
	ulimit -n 333
	export PROBE_WORD="two words"
	state='env | grep -v "^_=" | sort; pwd; umask; ulimit -n; ulimit -c; nice; trap; id -u; tty'
	sh -c "$state" >../before || true
	"$FARWIRE" run -q "${LINK[@]}" -- sh -c "$state" >../after || true
	diff ../before ../after
}

@test "scheduling: the command does not inherit the forwarder's rank" {
	wrap 0 sh -c 'chrt -p $$ | head -n 1; cat /proc/self/timerslack_ns 2>/dev/null || true'
	assert_output --partial SCHED_OTHER
	refute_line 1
}

@test "open files: inherited ones are there, ours are not" {
	echo inside >file
	exec 7<file
	list='cd /proc/self/fd && echo *'
	sh -c "$list" >before
	"$FARWIRE" run -q "${LINK[@]}" -- sh -c "$list" >after
	diff before after
	run "$FARWIRE" run -q "${LINK[@]}" -- sh -c 'cat <&7'
	exec 7<&-
	[ "$output" = inside ]
}

@test "signals: what is ignored stays ignored, what is blocked stays blocked" {
	masks='grep -E "^Sig(Blk|Ign):" /proc/self/status'
	env --ignore-signal=HUP --block-signal=USR2 grep -E '^Sig(Blk|Ign):' /proc/self/status >before
	env --ignore-signal=HUP --block-signal=USR2 "$FARWIRE" run -q "${LINK[@]}" -- \
		grep -E '^Sig(Blk|Ign):' /proc/self/status >after
	diff before after
}

@test "signals sent to farwire reach the command once" {
	for signal in INT TERM HUP USR1 USR2 QUIT; do
		rm -f got ready end
		start bash -c "$catcher" $signal
		wait_for 10 test -e ready
		kill -$signal "$pid"
		wait_for 5 test -s got
		sleep 0.3
		has_lines got 1
		touch end
		status=0
		wait "$pid" || status=$?
		[ "$status" = 9 ]
	done
}

@test "signals: the command's death by a forwarded one is farwire's" {
	for signal in INT TERM HUP; do
		rm -f ready
		start sh -c 'echo >ready; exec sleep 60'
		wait_for 10 test -e ready
		kill -$signal "$pid"
		status=0
		wait "$pid" || status=$?
		[ "$status" = $((128 + $(kill -l $signal))) ]
	done
}

terminal() { # a shell with job control in a terminal of its own
	need tmux
	tmux -S tmux.sock -f /dev/null new-session -d -x 200 -y 40 \
		"env HISTFILE= LC_ALL=C PS1='> ' bash --norc --noprofile -i" 3>&-
	printf '%q ' "$FARWIRE" run -q "${LINK[@]}" -- >line
}

type_in() { tmux -S tmux.sock send-keys "$@" 3>&-; }

state_of() { sed -n 's/^State:[[:space:]]*\(.\).*/\1/p' "/proc/$1/status"; }

is_stopped() { [ "$(state_of "$1")" = T ]; }

runs() { [ "$(state_of "$1")" != T ]; }

# It waits, and no signal is left that it has not taken.
at_rest() {
	[ "$(state_of "$1")" = S ] && grep -q '^ShdPnd:[[:space:]]*0*$' "/proc/$1/status"
}

@test "terminal: Ctrl-C reaches the command once, and farwire waits for it" {
	printf '%s\n' "$catcher" >catcher
	terminal
	type_in "$(cat line) bash -c \"\$(cat catcher)\" INT; echo \$? >rc" Enter
	wait_for 10 test -e ready
	type_in C-c
	wait_for 5 test -s got
	sleep 0.3
	has_lines got 1
	[ ! -e rc ]
	touch end
	wait_for 5 test -s rc
	[ "$(cat rc)" = 9 ]
}

@test "terminal: Ctrl-C ends a command that does not catch it, status 130" {
	terminal
	type_in "$(cat line) sh -c 'echo >ready; sleep 60'" Enter
	wait_for 10 test -e ready
	type_in C-c
	sleep 0.2
	type_in "echo \$? >rc" Enter
	wait_for 5 test -s rc
	[ "$(cat rc)" = 130 ]
	wait_for 5 none_marked_but_tmux
}

none_marked_but_tmux() {
	local p
	for p in $(marked); do
		case $(tr '\0' ' ' <"/proc/$p/cmdline") in *"$FARWIRE"* | sleep*) return 1 ;; esac
	done
}

@test "terminal: Ctrl-Z stops farwire and the command, fg goes on" {
	terminal
	type_in "$(cat line) sh -c 'echo \$PPID \$\$ >ready; while :; do echo >>ticks; sleep 0.05; done'" Enter
	wait_for 10 test -s ready
	read -r tool command <ready
	for round in 1 2; do
		wait_for 5 test -s ticks
		# farwire passes SIGCONT on, which may be a while after the shell's own reached
		# the command; a stop typed in between would be undone by it.
		wait_for 10 at_rest "$tool"
		type_in C-z
		wait_for 5 is_stopped "$command"
		wait_for 5 is_stopped "$tool"
		type_in "jobs >jobs$round" Enter
		wait_for 5 grep -q Stopped "jobs$round"
		: >ticks
		sleep 0.3
		[ ! -s ticks ]
		type_in fg Enter
		wait_for 5 test -s ticks
		runs "$tool"
		runs "$command"
		: >ticks
	done
	type_in C-c
	sleep 0.2
	type_in "echo \$? >rc" Enter
	wait_for 5 test -s rc
	[ "$(cat rc)" = 130 ]
}

@test "terminal: the command may read from it and has it" {
	terminal
	type_in "$(cat line) sh -c 'echo >ready; read x; echo \$x >read; tty >tty'; echo \$? >rc" Enter
	wait_for 10 test -e ready
	type_in hello Enter
	wait_for 5 test -s rc
	[ "$(cat rc)" = 0 ] && [ "$(cat read)" = hello ]
	grep -q ^/dev/ tty
}

@test "what the command leaves running gets TERM, and one line says so" {
	run_tool 0 run "${LINK[@]}" -- sh -c '
		setsid sh -c "trap \"echo >term; exit\" TERM; echo >ready; while :; do sleep 0.05; done" &
		while [ ! -e ready ]; do sleep 0.05; done'
	[ -e term ]
	[ "$(grep -c '^farwire: ' <<<"$stderr")" = 2 ] # the start line, and the one at the end
	assert_regex "$stderr" 'farwire: .* left by the command'
	wait_for 2 none_marked
}

@test "what ignores TERM gets KILL after 2 s; a double fork does not escape" {
	before=$(date +%s%N)
	wrap 5 sh -c '
		(setsid sh -c "trap \"\" TERM; echo >ready; while :; do sleep 0.05; done" &) &
		while [ ! -e ready ]; do sleep 0.05; done
		exit 5'
	[ $(($(date +%s%N) - before)) -ge 2000000000 ]
	wait_for 2 none_marked
}

seen_outside() { # what a run could leave in its surroundings
	ip -o link
	ip -o addr
	ip route show table all
	ip rule
	nft list ruleset 2>/dev/null || true
	ip netns
	ls -A "$BATS_TEST_TMPDIR" 2>/dev/null || true
	# Others have links, too.
	ls -d /run/farwire/left-* "$XDG_RUNTIME_DIR"/*/left-* /tmp/farwire-*/left-* 2>/dev/null || true
	cat /proc/self/mountinfo | cut -d' ' -f4-
	sysctl -a 2>/dev/null | grep -E '^net\.ipv[46]\.conf\.(all|default|lo)\.' || true
}

@test "nothing is left after status 0, 1, 125, and after INT, TERM, HUP" {
	touch before after out ready
	export -f seen_outside
	for end in 'true' 'false' './not-there'; do
		"${outside[@]}" bash -c 'seen_outside >before
			"$@" >out 2>&1; seen_outside >after' sh \
			"$FARWIRE" run --name left-1 "${LINK[@]}" -- $end
		diff before after
		wait_for 2 none_marked
	done
	for signal in INT TERM HUP; do
		"${outside[@]}" env --default-signal bash -c 'seen_outside >before; signal=$1; shift
			: >ready
			"$@" >out 2>&1 & pid=$!
			for i in $(seq 100); do [ -s ready ] && break; sleep 0.05; done
			kill -$signal $pid; wait $pid; echo $? >out; seen_outside >after' sh \
			$signal env --default-signal "$FARWIRE" run --name left-1 "${LINK[@]}" -- sh -c 'echo >ready; exec sleep 60'
		diff before after
		[ "$(cat out)" = $((128 + $(kill -l $signal))) ]
		wait_for 2 none_marked
	done
}

@test "many short runs all end with the command's status" {
	for ((i = 0; i < ${RUNS:-100}; i++)); do
		"$FARWIRE" run -q "${LINK[@]}" -- true || {
			echo "run $i: status $?"
			return 1
		}
	done
	wait_for 2 none_marked
}

@test "runs side by side do not disturb each other" {
	"$FARWIRE" run -q dev lo netem delay 20ms -- "$PROBE" rtt 127.0.0.1 20 >a 3>&- &
	a=$!
	"$FARWIRE" run -q dev lo netem delay 100ms -- "$PROBE" rtt 127.0.0.1 10 >b 3>&- &
	b=$!
	wait $a
	wait $b
	between "$(value min_ns <a)" 40000000 60000000
	between "$(value min_ns <b)" 200000000 250000000
}

@test "a run inside a run adds up" {
	run "$FARWIRE" run -q dev lo netem delay 10ms -- sh -c '"$@"' sh \
		"$FARWIRE" run -q dev lo netem delay 5ms -- "$PROBE" rtt 127.0.0.1 5
	[ "$status" = 0 ]
	between "$(value min_ns <<<"$output")" 10000000 15000000
}

@test "a link that breaks under the command: TERM, status 125, a line" {
	need root
	run --separate-stderr "$FARWIRE" run -q "${LINK[@]}" -- bash -c \
		'trap "echo >term; exit 0" TERM; ip link del tplo; for i in $(seq 100); do sleep 0.1; done' 3>&-
	[ "$status" = 125 ]
	[ -e term ]
	[ -n "$stderr" ]
	wait_for 2 none_marked
}

@test "a link that breaks under a command that ignores TERM: KILL after 2 s, status 125" {
	need root
	before=$(date +%s%N)
	run --separate-stderr "$FARWIRE" run -q "${LINK[@]}" -- bash -c \
		'trap "" TERM; ip link del tplo; for i in $(seq 100); do sleep 0.1; done' 3>&-
	took=$(($(date +%s%N) - before))
	[ "$status" = 125 ]
	[ "$took" -ge 2000000000 ] && [ "$took" -lt 8000000000 ]
	wait_for 2 none_marked
}

@test "sudo: the command runs as the caller, --user root keeps root" {
	need root
	need sudo
	chmod 711 .
	printf 'nobody ALL=(ALL) NOPASSWD: ALL\nDefaults !requiretty\n' >sudoers
	chmod 440 sudoers
	as_nobody='mount --bind sudoers /etc/sudoers; mkdir -p /etc/sudoers.d; mount -t tmpfs none /etc/sudoers.d
		exec setpriv --reuid=nobody --regid="$(id -g nobody)" --init-groups "$@"'
	run --separate-stderr unshare -m sh -c "$as_nobody" sh sudo -n \
		"$FARWIRE" run "${LINK[@]}" -- sh -c 'id -u; id -g; echo $USER $LOGNAME; grep CapEff /proc/self/status'
	[ "$status" = 0 ]
	assert_line -n 0 "$(id -u nobody)"
	assert_line -n 1 "$(id -g nobody)"
	assert_line -n 2 "nobody nobody"
	assert_regex "${lines[3]}" '0000000000000000$'
	assert_regex "$stderr" nobody
	run --separate-stderr unshare -m sh -c "$as_nobody" sh sudo -n \
		"$FARWIRE" run --user root "${LINK[@]}" -- id -u
	[ "$status" = 0 ] && [ "$output" = 0 ]
}

@test "root: the command keeps root's capabilities, a plain user's has none" {
	wrap 0 sh -c 'grep CapEff /proc/self/status'
	if [ $EUID = 0 ]; then
		refute_output --partial 0000000000000000
	else
		assert_output --partial 0000000000000000
	fi
}

@test "no module is loaded and nothing is executed but the command" {
	need root
	need strace
	strace -f -qq -e trace=execve,init_module,finit_module -o trace \
		"$FARWIRE" run -q "${LINK[@]}" -- true 3>&-
	run grep -c 'execve(.* = 0$' trace
	[ "$output" = 2 ]
	run grep -E 'init_module' trace
	[ "$status" = 1 ]
}
