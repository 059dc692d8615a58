# SPDX-License-Identifier: GPL-2.0-or-later
UNIT_TESTS += tests/unit/wire/test_buf
tests_unit_wire_test_buf_SOURCES = tests/unit/wire/test_buf.c tests/unit/unit.h
tests_unit_wire_test_buf_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_wire_test_buf_CFLAGS = $(UNIT_CFLAGS)
tests_unit_wire_test_buf_LDADD = $(UNIT_LDADD)
