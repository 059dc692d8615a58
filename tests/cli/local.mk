# SPDX-License-Identifier: GPL-2.0-or-later
BATS_TESTS += tests/cli/args.bats tests/cli/netem_args.bats tests/cli/words.bats
EXTRA_DIST += tests/lib/complete.bash tests/lib/offers.zsh
if HAVE_BATS
check_PROGRAMS += tests/cli/print_words
endif
tests_cli_print_words_SOURCES = tests/cli/print_words.c
tests_cli_print_words_LDADD = $(farwire_LDADD)
