# SPDX-License-Identifier: GPL-2.0-or-later
UNIT_TESTS += tests/unit/run/test_ring
tests_unit_run_test_ring_SOURCES = tests/unit/run/test_ring.c tests/unit/unit.h
tests_unit_run_test_ring_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_run_test_ring_CFLAGS = $(UNIT_CFLAGS)
tests_unit_run_test_ring_LDADD = $(UNIT_LDADD)
UNIT_TESTS += tests/unit/run/test_watchdog
tests_unit_run_test_watchdog_SOURCES = tests/unit/run/test_watchdog.c tests/unit/unit.h
tests_unit_run_test_watchdog_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_run_test_watchdog_CFLAGS = $(UNIT_CFLAGS)
tests_unit_run_test_watchdog_LDADD = $(UNIT_LDADD)
UNIT_TESTS += tests/unit/run/test_loop
tests_unit_run_test_loop_SOURCES = tests/unit/run/test_loop.c tests/unit/unit.h
tests_unit_run_test_loop_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_run_test_loop_CFLAGS = $(UNIT_CFLAGS)
tests_unit_run_test_loop_LDADD = $(UNIT_LDADD)
