# SPDX-License-Identifier: GPL-2.0-or-later
UNIT_TESTS += tests/unit/wire/test_buf
tests_unit_wire_test_buf_SOURCES = tests/unit/wire/test_buf.c tests/unit/unit.h
tests_unit_wire_test_buf_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_wire_test_buf_CFLAGS = $(UNIT_CFLAGS)
tests_unit_wire_test_buf_LDADD = $(UNIT_LDADD)
UNIT_TESTS += tests/unit/wire/test_csum
tests_unit_wire_test_csum_SOURCES = tests/unit/wire/test_csum.c tests/unit/unit.h
tests_unit_wire_test_csum_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_wire_test_csum_CFLAGS = $(UNIT_CFLAGS)
tests_unit_wire_test_csum_LDADD = $(UNIT_LDADD)
UNIT_TESTS += tests/unit/wire/test_proto
tests_unit_wire_test_proto_SOURCES = tests/unit/wire/test_proto.c tests/unit/unit.h
tests_unit_wire_test_proto_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_wire_test_proto_CFLAGS = $(UNIT_CFLAGS)
tests_unit_wire_test_proto_LDADD = $(UNIT_LDADD)
