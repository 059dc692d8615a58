# SPDX-License-Identifier: GPL-2.0-or-later

check_PROGRAMS += tests/fuzz/fuzz_args
TESTS += tests/fuzz/fuzz_args
tests_fuzz_fuzz_args_SOURCES = tests/fuzz/fuzz_args.c tests/cli/lines.c tests/cli/lines.h
tests_fuzz_fuzz_args_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests
tests_fuzz_fuzz_args_LDADD = $(farwire_LDADD)

check_PROGRAMS += tests/fuzz/fuzz_supers
TESTS += tests/fuzz/fuzz_supers
tests_fuzz_fuzz_supers_SOURCES = tests/fuzz/fuzz_supers.c tests/lib/plain.c tests/lib/plain.h tests/lib/supers.c tests/lib/supers.h
tests_fuzz_fuzz_supers_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests
tests_fuzz_fuzz_supers_LDADD = libengine.a libwire.a libbase.a -lm
