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

# The word before the cursor decides what may follow it among netem's options.
_farwire_netem() {
	local options='limit latency delay loss drop seed ecn reorder corrupt gap duplicate distribution rate slot'
	local ends='up down'

	[ "$verb" = run ] && ends='up --'
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
	local cur prev verb='' last_option='' kind='' i word

	COMPREPLY=()
	cur=${COMP_WORDS[COMP_CWORD]}
	prev=${COMP_WORDS[COMP_CWORD - 1]}
	for ((i = 1; i < COMP_CWORD; i++)); do
		word=${COMP_WORDS[i]}
		case $verb:$word in
		:run | :check | :doctor | :help) verb=$word ;;
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
		esac
	done

	case $prev in
	--report) _farwire_files; return ;;
	--user) mapfile -t COMPREPLY < <(compgen -u -- "$cur"); return ;;
	esac
	case $verb:$kind:$prev in
	*:netem:*) _farwire_netem ;;
	::*) _farwire_words 'run check doctor help -q -s -j -p --report --user --help -V --version' ;;
	run::dev) _farwire_words 'lo' ;;
	run::up | check::up | check::down) _farwire_words 'netem' ;;
	run::lo) _farwire_words 'netem up --' ;;
	run::*) _farwire_words 'dev -q -s --report --user --help' ;;
	check::*) _farwire_words 'netem up down -q -j -p --help' ;;
	doctor::*) _farwire_words '-q -j -p --help' ;;
	help::help)
		_farwire_words 'run check doctor help -q -s -j -p --report --user --help -V --version
			dev up down -- netem limit latency delay loss drop seed ecn reorder corrupt gap
			duplicate distribution rate slot random state gemodel packets bytes
			uniform normal pareto paretonormal'
		;;
	esac
}

complete -F _farwire farwire
