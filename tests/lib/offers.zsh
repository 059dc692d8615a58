# SPDX-License-Identifier: GPL-2.0-or-later
# tests/lib/offers.zsh FUNCTIONS TMP LINE... - what zsh offers at the end of each LINE
#
# A real zsh in a terminal of its own; what the completion adds goes into a file. Ctrl-U
# empties the line between two of them.
zmodload zsh/zpty zsh/zselect

await() {
	for ((i = 0; i < 3000; i++)); do
		[[ -e $1 ]] && return
		zselect -t 2
	done
	print -u2 "zsh: nothing within a minute"
	exit 1
}

out=$2/zsh-offers
rm -f $out $out.ready $out.done
: >$out
zpty z env OUT=$out FPATH=$1:$FPATH TERM=dumb zsh -f -i
zpty -w z 'PROMPT=; unsetopt beep; autoload -Uz compinit; compinit -u -D'
zpty -w z 'compadd() { local -a hits; builtin compadd -O hits "$@"; print -rl -- $hits >>$OUT; builtin compadd "$@" }'
zpty -w z '_capture() { _main_complete; : >$OUT.done }'
zpty -w z 'zle -C capture complete-word _capture; bindkey "^I" capture'
# Ready is when the line editor has the terminal: what is typed before may be lost.
zpty -w z 'zle-line-init() { : >$OUT.ready }; zle -N zle-line-init'
await $out.ready
shift 2
for line; do
	rm -f $out.done
	zpty -n -w z $'\x15'$line$'\t'
	await $out.done
done
cat $out
zpty -d z
