# SPDX-License-Identifier: GPL-2.0-or-later
# tests/lib/complete.bash - what a shell offers behind a line that ends at the cursor
#
#   offers SHELL LINE...   one word a line; a LINE that ends in a blank begins a new word

offers() {
	local shell=$1

	shift
	"offers_$shell" "$@"
}

offers_bash() {
	bash --norc --noprofile -c '
		source "$1"
		shift
		for line; do
			read -ra COMP_WORDS <<<"$line"
			[[ $line == *" " ]] && COMP_WORDS+=("")
			COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMP_LINE=$line COMP_POINT=${#line}
			"$(complete -p farwire | sed "s/.*-F \([^ ]*\).*/\1/")" farwire "" ""
			printf "%s\n" "${COMPREPLY[@]}"
		done
	' bash "$FW_SRC/completions/farwire.bash" "$@"
}

offers_fish() {
	fish --no-config -c 'source $argv[1]; for line in $argv[2..]; complete -C $line; end' \
		"$FW_SRC/completions/farwire.fish" "$@" | cut -f 1
}

offers_zsh() {
	zsh -f "$FW_SRC/tests/lib/offers.zsh" "$FW_SRC/completions" "$BATS_TEST_TMPDIR" "$@" |
		sed '/^$/d'
}
