# SPDX-License-Identifier: GPL-2.0-or-later
UNIT_TESTS += tests/unit/relay/test_relay
tests_unit_relay_test_relay_SOURCES = tests/unit/relay/test_relay.c
tests_unit_relay_test_relay_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_relay_test_relay_CFLAGS = $(UNIT_CFLAGS)
tests_unit_relay_test_relay_LDADD = $(UNIT_LDADD)
