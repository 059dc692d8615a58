# SPDX-License-Identifier: GPL-2.0-or-later
check_PROGRAMS += tests/net/standin
tests_net_standin_SOURCES = tests/net/standin.c
tests_net_standin_LDADD = $(farwire_LDADD)
check_PROGRAMS += tests/net/killat
tests_net_killat_SOURCES = tests/net/killat.c

check_PROGRAMS += tests/net/probe
tests_net_probe_SOURCES = tests/net/probe.c
tests_net_probe_LDADD =

BATS_TESTS += tests/net/wrapper.bats tests/net/traffic.bats
