# SPDX-License-Identifier: GPL-2.0-or-later
check_PROGRAMS += tests/net/standin tests/net/killat tests/net/probe tests/lib/without
tests_net_standin_SOURCES = tests/net/standin.c
tests_net_standin_LDADD = $(farwire_LDADD)
tests_net_killat_SOURCES = tests/net/killat.c
tests_net_killat_LDADD =
tests_net_probe_SOURCES = tests/net/probe.c
tests_net_probe_LDADD =
tests_lib_without_SOURCES = tests/lib/without.c
tests_lib_without_LDADD = $(SECCOMP_LIBS)

# The longest first: make starts them in this order, and none is left alone at the end.
BATS_TESTS += \
	tests/net/nat.bats \
	tests/net/wrapper.bats \
	tests/net/reach.bats \
	tests/net/uplink.bats \
	tests/net/traffic.bats \
	tests/net/supers.bats \
	tests/net/far.bats \
	tests/net/ends.bats \
	tests/net/refusals.bats \
	tests/net/loopback.bats \
	tests/net/links.bats \
	tests/net/bytes.bats \
	tests/net/uring.bats \
	tests/net/lifecycle.bats \
	tests/net/wire.bats \
	tests/net/netem.bats \
	tests/net/kill9.bats \
	tests/net/container.bats
EXTRA_DIST += tests/net/kill9.sh tests/net/ports.py
check_PROGRAMS += tests/net/standfar
tests_net_standfar_SOURCES = tests/net/standfar.c
tests_net_standfar_LDADD = $(farwire_LDADD)
check_PROGRAMS += tests/net/bytewire
tests_net_bytewire_SOURCES = tests/net/bytewire.c tests/lib/plain.c tests/lib/plain.h tests/lib/supers.c tests/lib/supers.h
tests_net_bytewire_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests
tests_net_bytewire_LDADD = $(farwire_LDADD)
check_PROGRAMS += tests/net/standlink
tests_net_standlink_SOURCES = tests/net/standlink.c
tests_net_standlink_LDADD = $(farwire_LDADD)
check_PROGRAMS += tests/net/datagrams
tests_net_datagrams_SOURCES = tests/net/datagrams.c
tests_net_datagrams_LDADD =
check_PROGRAMS += tests/net/frames
tests_net_frames_SOURCES = tests/net/frames.c
tests_net_frames_LDADD =
