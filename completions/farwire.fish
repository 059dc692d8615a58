# SPDX-License-Identifier: GPL-2.0-or-later
# fish completion for farwire(8)
#
# A test holds the lists below to the program's own tables of words.

# Where among the words is the cursor? Prints one of: verb run dev lo check doctor help
# direction netem distribution loss slot value budget report user command
function __farwire_place
	set -l words (commandline -opc)
	set -l prev $words[-1]
	set -l verb
	set -l kind
	set -l option
	for word in $words[2..]
		switch "$verb:$word"
			case ':run' ':check' ':doctor' ':help'
				set verb $word
			case 'run:--'
				echo command
				return
			case '*:netem'
				set kind netem
				set option
			case '*:up' '*:down'
				set kind
			case '*:limit' '*:latency' '*:delay' '*:loss' '*:drop' '*:seed' '*:ecn' '*:reorder' '*:corrupt' '*:gap' '*:duplicate' '*:rate' '*:slot'
				set option $word
		end
	end
	switch "$prev"
		case --report
			echo report
			return
		case --user
			echo user
			return
	end
	switch "$verb:$kind:$prev"
		case '*:netem:distribution'
			echo distribution
		case '*:netem:loss' '*:netem:drop'
			echo loss
		case '*:netem:slot'
			echo slot
		case '*:netem:limit' '*:netem:latency' '*:netem:delay' '*:netem:seed' '*:netem:reorder' '*:netem:corrupt' '*:netem:gap' '*:netem:duplicate' '*:netem:rate' '*:netem:random' '*:netem:state' '*:netem:gemodel' '*:netem:packets' '*:netem:bytes'
			echo value
		case '*:netem:*'
			test "$option" = slot; and echo budget
			echo netem
			echo netem-$verb
		case '::*'
			echo verb
		case 'run::dev'
			echo dev
		case 'run::lo'
			echo lo
		case 'run::up' 'check::up' 'check::down'
			echo direction
		case 'run::*' 'check::*' 'doctor::*'
			echo $verb
		case 'help::help'
			echo help
	end
end

function __farwire_at
	set -l places (__farwire_place)
	for place in $argv
		contains -- $place $places; and return 0
	end
	return 1
end

# What follows -- is a command line of its own.
function __farwire_command
	set -l words (commandline -opc)
	set -l rest
	set -l seen
	for word in $words
		test -n "$seen"; and set -a rest (string escape -- $word)
		test "$word" = --; and set seen yes
	end
	complete -C (string join ' ' -- $rest (commandline -ct))
end

complete -c farwire -f
complete -c farwire -n '__farwire_at verb help' -a 'run check doctor help'
complete -c farwire -n '__farwire_at verb help' -a '-s -j -p -q --report --user --help -V --version'
complete -c farwire -n '__farwire_at run' -a 'dev -q -s --report --user --help'
complete -c farwire -n '__farwire_at check' -a 'netem up down -q -j -p --help'
complete -c farwire -n '__farwire_at doctor' -a '-q -j -p --help'
complete -c farwire -n '__farwire_at dev' -a lo
complete -c farwire -n '__farwire_at lo' -a 'netem up --'
complete -c farwire -n '__farwire_at direction' -a netem
complete -c farwire -n '__farwire_at netem help' -a 'limit latency delay loss drop seed ecn reorder corrupt gap duplicate distribution rate slot'
complete -c farwire -n '__farwire_at netem-run' -a 'up --'
complete -c farwire -n '__farwire_at netem-check' -a 'up down'
complete -c farwire -n '__farwire_at loss help' -a 'random state gemodel'
complete -c farwire -n '__farwire_at slot' -a distribution
complete -c farwire -n '__farwire_at budget help' -a 'packets bytes'
complete -c farwire -n '__farwire_at distribution help' -a 'uniform normal pareto paretonormal'
complete -c farwire -n '__farwire_at distribution report' -F
complete -c farwire -n '__farwire_at help' -a 'netem dev up down --'
complete -c farwire -n '__farwire_at user' -a '(__fish_complete_users)'
complete -c farwire -n '__farwire_at command' -a '(__farwire_command)'
