# SPDX-License-Identifier: GPL-2.0-or-later
EXTRA_PROGRAMS += tests/oracle/pairwire
tests_oracle_pairwire_SOURCES = tests/oracle/pairwire.c
tests_oracle_pairwire_LDADD = $(farwire_LDADD)
