# SPDX-License-Identifier: GPL-2.0-or-later
UNIT_TESTS += tests/unit/conf/test_args
tests_unit_conf_test_args_SOURCES = tests/unit/conf/test_args.c tests/unit/unit.h tests/unit/conf/command.c tests/unit/conf/command.h
tests_unit_conf_test_args_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_conf_test_args_CFLAGS = $(UNIT_CFLAGS)
tests_unit_conf_test_args_LDADD = $(UNIT_LDADD)

UNIT_TESTS += tests/unit/conf/test_link_args
tests_unit_conf_test_link_args_SOURCES = tests/unit/conf/test_link_args.c tests/unit/unit.h tests/unit/conf/command.c tests/unit/conf/command.h
tests_unit_conf_test_link_args_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_conf_test_link_args_CFLAGS = $(UNIT_CFLAGS)
tests_unit_conf_test_link_args_LDADD = $(UNIT_LDADD)

UNIT_TESTS += tests/unit/conf/test_add_args
tests_unit_conf_test_add_args_SOURCES = tests/unit/conf/test_add_args.c tests/unit/unit.h tests/unit/conf/command.c tests/unit/conf/command.h
tests_unit_conf_test_add_args_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_conf_test_add_args_CFLAGS = $(UNIT_CFLAGS)
tests_unit_conf_test_add_args_LDADD = $(UNIT_LDADD)

UNIT_TESTS += tests/unit/conf/test_batch
tests_unit_conf_test_batch_SOURCES = tests/unit/conf/test_batch.c tests/unit/unit.h
tests_unit_conf_test_batch_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_conf_test_batch_CFLAGS = $(UNIT_CFLAGS)
tests_unit_conf_test_batch_LDADD = $(UNIT_LDADD)

UNIT_TESTS += tests/unit/conf/test_dist_file
tests_unit_conf_test_dist_file_SOURCES = tests/unit/conf/test_dist_file.c tests/unit/unit.h tests/unit/conf/command.c tests/unit/conf/command.h
tests_unit_conf_test_dist_file_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_conf_test_dist_file_CFLAGS = $(UNIT_CFLAGS)
tests_unit_conf_test_dist_file_LDADD = $(UNIT_LDADD)

UNIT_TESTS += tests/unit/conf/test_netem_args
tests_unit_conf_test_netem_args_SOURCES = tests/unit/conf/test_netem_args.c tests/unit/unit.h tests/unit/conf/netem.c tests/unit/conf/netem.h
tests_unit_conf_test_netem_args_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_conf_test_netem_args_CFLAGS = $(UNIT_CFLAGS)
tests_unit_conf_test_netem_args_LDADD = $(UNIT_LDADD)
EXTRA_DIST += tests/data/tc-lines.tsv

UNIT_TESTS += tests/unit/conf/test_warn
tests_unit_conf_test_warn_SOURCES = tests/unit/conf/test_warn.c tests/unit/unit.h
tests_unit_conf_test_warn_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_conf_test_warn_CFLAGS = $(UNIT_CFLAGS)
tests_unit_conf_test_warn_LDADD = $(UNIT_LDADD)

UNIT_TESTS += tests/unit/conf/test_words
tests_unit_conf_test_words_SOURCES = tests/unit/conf/test_words.c tests/unit/unit.h
tests_unit_conf_test_words_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_conf_test_words_CFLAGS = $(UNIT_CFLAGS)
tests_unit_conf_test_words_LDADD = $(UNIT_LDADD)

UNIT_TESTS += tests/unit/conf/test_change
tests_unit_conf_test_change_SOURCES = tests/unit/conf/test_change.c tests/unit/unit.h tests/unit/conf/netem.c tests/unit/conf/netem.h
tests_unit_conf_test_change_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_conf_test_change_CFLAGS = $(UNIT_CFLAGS)
tests_unit_conf_test_change_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=malloc
tests_unit_conf_test_change_LDADD = $(UNIT_LDADD)
