# SPDX-License-Identifier: GPL-2.0-or-later
UNIT_TESTS += tests/unit/conf/test_args
tests_unit_conf_test_args_SOURCES = tests/unit/conf/test_args.c tests/unit/unit.h
tests_unit_conf_test_args_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_conf_test_args_CFLAGS = $(UNIT_CFLAGS)
tests_unit_conf_test_args_LDADD = $(UNIT_LDADD)
