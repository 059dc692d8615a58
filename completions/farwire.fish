# SPDX-License-Identifier: GPL-2.0-or-later
# fish completion for farwire(8)
#
# A test holds the lists below to the program's own tables of words.

# Names of the links that are on: where their control sockets live.
function __farwire_names
	set -l runtime /nowhere
	set -q XDG_RUNTIME_DIR; and set runtime $XDG_RUNTIME_DIR
	for file in /run/farwire/*.sock $runtime/farwire/*.sock /tmp/farwire-(id -u)/*.sock
		string replace -r '.*/(.*)\.sock$' '$1' -- $file
	end
end

# Where among the words is the cursor? Prints one of: verb run near lo far lo-far dev
# uplink add add-near add-peer netns bridge del change show monitor named check doctor help direction netem distribution loss
# slot value budget report user far-command choice-... command
function __farwire_place
	set -l words (commandline -opc)
	set -l prev $words[-1]
	set -l verb
	set -l kind
	set -l option
	set -l name
	set -l near
	set -l lo
	set -l far
	set -l before
	for word in $words[2..]
		switch "$before"
			case -b --for --report --user --name --far --reach --listen --memory --priority --io --gso
				set before
				continue
		end
		set before $word
		switch "$verb:$word"
			case ':run' ':add' ':del' ':change' ':replace' ':set' ':show' ':monitor' ':check' ':doctor' ':help'
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
			case 'run:lo'
				set near yes
				set lo yes
			case 'run:uplink'
				set near yes
				set far yes
			case 'run:dev' 'run:addr' 'run:mac' 'run:mtu'
				set near yes
			case 'add:peer' 'add:bridge'
				set far $word
			case '*:-*'
			case 'add:*' 'del:*' 'change:*' 'replace:*' 'set:*' 'show:*' 'monitor:*'
				test -z "$name"; and set name $word
		end
	end
	switch "$prev"
		case -b --report
			echo report
			return
		case --user
			echo user
			return
		case --far
			echo far-command
			return
		case --priority --io --gso
			echo choice$prev
			return
		case --name --reach --listen --memory --for
			echo value
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
			switch "$verb:$lo"
				case run:yes
					echo netem-lo
				case run:
					echo netem-run
				case '*'
					echo netem-check
			end
		case '::*'
			echo verb
		case 'run::dev'
			echo dev
		case 'run::uplink'
			echo uplink
		case 'run::addr' 'run::mac' 'run::mtu' 'add::dev' 'add::addr' 'add::mac' 'add::mtu'
			echo value
		case 'add::netns'
			echo netns
		case 'add::bridge'
			echo bridge
		case '*::up' '*::down'
			echo direction
		case 'run::*'
			switch "$near:$lo:$far"
				case '::'
					echo run
				case '*:yes:yes'
					echo lo-far
				case '*::yes'
					echo far
				case '*:yes:'
					echo lo
				case '*'
					echo near
			end
		case 'add::*'
			switch "$name:$far"
				case ':*'
					echo add
				case '*:peer'
					echo add-peer
				case '*:bridge'
					echo named
				case '*'
					echo add-near
			end
		case 'change::*' 'replace::*' 'set::*'
			test -n "$name"; and echo named; or echo change
		case 'show::*' 'monitor::*' 'del::*'
			test -z "$name"; and echo $verb
		case 'check::*' 'doctor::*'
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
complete -c farwire -n '__farwire_at verb help' -a 'run add del change replace set show monitor check doctor help'
complete -c farwire -n '__farwire_at verb help' -a '-q -s -j -p -c -b --force -f --for --report --user --name --far --reach --listen --memory --priority --io --gso --help -V --version'
complete -c farwire -n '__farwire_at run' -a '-q -s --report --user --name --far --reach --listen --memory --priority --io --gso --help'
complete -c farwire -n '__farwire_at run near help' -a 'dev addr mac mtu uplink'
complete -c farwire -n '__farwire_at add' -a '-q -f --for --memory --priority --io --gso --help'
complete -c farwire -n '__farwire_at add-near help' -a 'netns dev addr mac mtu peer bridge'
complete -c farwire -n '__farwire_at add-peer' -a 'netns dev addr mac netem up down'
complete -c farwire -n '__farwire_at netns' -a '. (path basename /run/netns/* 2>/dev/null)'
complete -c farwire -n '__farwire_at bridge' -a '(path basename (path dirname /sys/class/net/*/bridge) 2>/dev/null)'
complete -c farwire -n '__farwire_at del' -a '-q all --help'
complete -c farwire -n '__farwire_at change' -a '-q --help'
complete -c farwire -n '__farwire_at show' -a '-q -s -j -p -c --help'
complete -c farwire -n '__farwire_at monitor' -a '-q -j --help'
complete -c farwire -n '__farwire_at change show monitor del' -a '(__farwire_names)'
complete -c farwire -n '__farwire_at named' -a 'netem up down'
complete -c farwire -n '__farwire_at check' -a 'netem up down -q -j -p --help'
complete -c farwire -n '__farwire_at doctor' -a '-q -j -p --help'
complete -c farwire -n '__farwire_at dev' -a lo
complete -c farwire -n '__farwire_at uplink' -a 'auto none nat passt slirp'
complete -c farwire -n '__farwire_at lo' -a 'mtu uplink netem up --'
complete -c farwire -n '__farwire_at lo-far' -a 'netem up --'
complete -c farwire -n '__farwire_at run near far' -a 'netem up down --'
complete -c farwire -n '__farwire_at direction' -a netem
complete -c farwire -n '__farwire_at netem help' -a 'limit latency delay loss drop seed ecn reorder corrupt gap duplicate distribution rate slot'
complete -c farwire -n '__farwire_at netem-run' -a 'up down --'
complete -c farwire -n '__farwire_at netem-lo' -a 'up --'
complete -c farwire -n '__farwire_at netem-check' -a 'up down'
complete -c farwire -n '__farwire_at loss help' -a 'random state gemodel'
complete -c farwire -n '__farwire_at slot' -a distribution
complete -c farwire -n '__farwire_at budget help' -a 'packets bytes'
complete -c farwire -n '__farwire_at distribution help' -a 'uniform normal pareto paretonormal'
complete -c farwire -n '__farwire_at distribution report' -F
complete -c farwire -n '__farwire_at help' -a 'netem up down --'
complete -c farwire -n '__farwire_at user' -a '(__fish_complete_users)'
complete -c farwire -n '__farwire_at far-command' -a '(complete -C (commandline -ct))'
complete -c farwire -n '__farwire_at choice--priority' -a 'auto fifo nice none'
complete -c farwire -n '__farwire_at choice--io' -a 'auto plain uring'
complete -c farwire -n '__farwire_at choice--gso' -a 'segment whole off'
complete -c farwire -n '__farwire_at command' -a '(__farwire_command)'
