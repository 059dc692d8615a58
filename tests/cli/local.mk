# SPDX-License-Identifier: GPL-2.0-or-later
BATS_TESTS += tests/cli/args.bats tests/cli/batch.bats tests/cli/maketable.bats tests/cli/netem_args.bats tests/cli/tc_agrees.bats tests/cli/words.bats
EXTRA_DIST += tests/lib/complete.bash tests/lib/offers.zsh
if HAVE_BATS
check_PROGRAMS += tests/cli/print_words tests/cli/tc_agrees
endif
tests_cli_print_words_SOURCES = tests/cli/print_words.c
tests_cli_print_words_LDADD = $(farwire_LDADD)
tests_cli_tc_agrees_SOURCES = tests/cli/tc_agrees.c tests/cli/lines.c tests/cli/lines.h
tests_cli_tc_agrees_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests
tests_cli_tc_agrees_LDADD = $(farwire_LDADD)
