# SPDX-License-Identifier: GPL-2.0-or-later
UNIT_TESTS += tests/unit/base/test_err
tests_unit_base_test_err_SOURCES = tests/unit/base/test_err.c tests/unit/unit.h
tests_unit_base_test_err_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_base_test_err_CFLAGS = $(UNIT_CFLAGS)
tests_unit_base_test_err_LDADD = $(UNIT_LDADD)
UNIT_TESTS += tests/unit/base/test_memory
tests_unit_base_test_memory_SOURCES = tests/unit/base/test_memory.c tests/unit/unit.h
tests_unit_base_test_memory_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_base_test_memory_CFLAGS = $(UNIT_CFLAGS)
tests_unit_base_test_memory_LDADD = $(UNIT_LDADD)

UNIT_TESTS += tests/unit/base/test_units
tests_unit_base_test_units_SOURCES = tests/unit/base/test_units.c tests/unit/unit.h
tests_unit_base_test_units_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_base_test_units_CFLAGS = $(UNIT_CFLAGS)
tests_unit_base_test_units_LDADD = $(UNIT_LDADD)
UNIT_TESTS += tests/unit/base/test_log
tests_unit_base_test_log_SOURCES = tests/unit/base/test_log.c tests/unit/unit.h
tests_unit_base_test_log_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_base_test_log_CFLAGS = $(UNIT_CFLAGS)
tests_unit_base_test_log_LDADD = $(UNIT_LDADD)
