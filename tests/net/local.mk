# SPDX-License-Identifier: GPL-2.0-or-later
check_PROGRAMS += tests/net/standin
tests_net_standin_SOURCES = tests/net/standin.c
tests_net_standin_LDADD = $(farwire_LDADD)
