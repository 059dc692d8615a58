# SPDX-License-Identifier: GPL-2.0-or-later
# bash completion for farwire(8)
#
# A test holds the lists below to the program's own tables of words.

_farwire_words() {
	mapfile -t COMPREPLY < <(compgen -W "$1" -- "$cur")
}

_farwire_files() {
	compopt -o filenames 2>/dev/null
	mapfile -t COMPREPLY < <(compgen -f -- "$cur")
}

# Names of the links that are on: where their control sockets live.
_farwire_names() {
	local file names=''

	for file in /run/farwire/*.sock "${XDG_RUNTIME_DIR:-/nowhere}"/farwire/*.sock /tmp/farwire-"$UID"/*.sock; do
		[ -e "$file" ] || continue
		file=${file##*/}
		names+=" ${file%.sock}"
	done
	_farwire_words "$1 $names"
}

# The ends of a link, then what is done to it.
_farwire_link() {
	case $prev in
	dev) _farwire_words lo ;;
	uplink) _farwire_words 'auto none nat passt slirp' ;;
	addr | mac | mtu) ;;
	up | down) _farwire_words netem ;;
	*)
		case $near:$lo:$far in
		:*) _farwire_words 'dev addr mac mtu uplink netem up down -- '"$run_options" ;;
		*:yes:yes) _farwire_words 'netem up --' ;;
		*::yes) _farwire_words 'netem up down --' ;;
		*:yes:) _farwire_words 'mtu uplink netem up --' ;;
		*) _farwire_words 'dev addr mac mtu uplink netem up down --' ;;
		esac
		;;
	esac
}

# Two ends, then what is done to the link between them.
_farwire_add() {
	local file names=.

	case $prev in
	netns)
		for file in /run/netns/*; do
			[ -e "$file" ] && names+=" ${file##*/}"
		done
		_farwire_words "$names"
		;;
	bridge)
		names=''
		for file in /sys/class/net/*/bridge; do
			[ -e "$file" ] || continue
			file=${file%/bridge}
			names+=" ${file##*/}"
		done
		_farwire_words "$names"
		;;
	dev | addr | mac | mtu) ;;
	up | down) _farwire_words netem ;;
	*)
		case $name:$far in
		:*) _farwire_words '-q -f --for --memory --priority --io --gso --help' ;;
		*:peer) _farwire_words 'netns dev addr mac netem up down' ;;
		*:bridge) _farwire_words 'netem up down' ;;
		*) _farwire_words 'netns dev addr mac mtu peer bridge' ;;
		esac
		;;
	esac
}

# The word before the cursor decides what may follow it among netem's options.
_farwire_netem() {
	local options='limit latency delay loss drop seed ecn reorder corrupt gap duplicate distribution rate slot'
	local ends='up down'

	[ "$verb" = run ] && ends='up down --'
	[ -n "$lo" ] && ends='up --'
	case $prev in
	distribution)
		_farwire_words 'uniform normal pareto paretonormal'
		[ ${#COMPREPLY[@]} -gt 0 ] || _farwire_files
		;;
	loss | drop) _farwire_words 'random state gemodel' ;;
	slot) _farwire_words 'distribution' ;;
	limit | latency | delay | seed | reorder | corrupt | gap | duplicate | rate | random | state | gemodel | packets | bytes) ;;
	*)
		case $last_option in
		slot) options="packets bytes $options" ;;
		esac
		_farwire_words "$options $ends"
		;;
	esac
}

_farwire() {
	local cur prev verb='' last_option='' kind='' name='' near='' lo='' far='' i word
	local run_options='-q -s --report --user --name --far --reach --listen --memory --priority --io --gso --help'

	COMPREPLY=()
	cur=${COMP_WORDS[COMP_CWORD]}
	prev=${COMP_WORDS[COMP_CWORD - 1]}
	for ((i = 1; i < COMP_CWORD; i++)); do
		word=${COMP_WORDS[i]}
		case ${COMP_WORDS[i - 1]} in
		-b | --for | --report | --user | --name | --far | --memory | --priority | --io | --gso) continue ;;
		esac
		case $verb:$word in
		:run | :add | :del | :change | :replace | :set | :show | :monitor | :check | :doctor | :help) verb=$word ;;
		run:--)
			# What follows is a command line of its own.
			if declare -F _command_offset >/dev/null; then
				_command_offset $((i + 1))
			elif ((COMP_CWORD == i + 1)); then
				mapfile -t COMPREPLY < <(compgen -c -- "$cur")
			else
				_farwire_files
			fi
			return
			;;
		*:netem) kind=netem last_option='' ;;
		*:up | *:down) kind='' ;;
		*:limit | *:latency | *:delay | *:loss | *:drop | *:seed | *:ecn | *:reorder | *:corrupt | *:gap | *:duplicate | *:rate | *:slot)
			last_option=$word ;;
		run:lo) near=yes lo=yes ;;
		run:uplink) near=yes far=yes ;;
		add:peer | add:bridge) far=$word ;;
		run:dev | run:addr | run:mac | run:mtu) near=yes ;;
		add:[!-]* | del:[!-]* | change:[!-]* | replace:[!-]* | set:[!-]* | show:[!-]* | monitor:[!-]*) : "${name:=$word}" ;;
		esac
	done

	case $prev in
	-b | --report) _farwire_files; return ;;
	--user) mapfile -t COMPREPLY < <(compgen -u -- "$cur"); return ;;
	--far) mapfile -t COMPREPLY < <(compgen -c -- "$cur"); return ;;
	--priority) _farwire_words 'auto fifo nice none'; return ;;
	--io) _farwire_words 'auto plain uring'; return ;;
	--gso) _farwire_words 'segment whole off'; return ;;
	--name | --reach | --listen | --memory | --for) return ;;
	esac
	case $verb:$kind:$prev in
	*:netem:*) _farwire_netem ;;
	::*) _farwire_words 'run add del change replace set show monitor check doctor help -q -s -j -p -c -b --force -f --for --report --user --name --far --reach --listen --memory --priority --io --gso --help -V --version' ;;
	run::*) _farwire_link ;;
	add::*) _farwire_add ;;
	del::*) [ -n "$name" ] || _farwire_names '-q all --help' ;;
	check::up | check::down | change::up | change::down | replace::up | replace::down | set::up | set::down)
		_farwire_words 'netem' ;;
	change::* | replace::* | set::*)
		if [ -n "$name" ]; then _farwire_words 'netem up down'; else _farwire_names '-q --help'; fi ;;
	show::*) [ -n "$name" ] || _farwire_names '-q -s -j -p -c --help' ;;
	monitor::*) [ -n "$name" ] || _farwire_names '-q -j --help' ;;
	check::*) _farwire_words 'netem up down -q -j -p --help' ;;
	doctor::*) _farwire_words '-q -j -p --help' ;;
	help::help)
		_farwire_words 'run add del change replace set show monitor check doctor help -q -s -j -p -c -b --force -f --for --report --user --name --far --reach --listen --memory --priority --io --gso --help -V --version
			netns dev addr mac mtu uplink peer bridge up down -- netem limit latency delay loss drop seed ecn
			reorder corrupt gap duplicate distribution rate slot random state gemodel packets bytes
			uniform normal pareto paretonormal'
		;;
	esac
}

complete -F _farwire farwire
