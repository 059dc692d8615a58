# SPDX-License-Identifier: GPL-2.0-or-later
# Beside the kernel's own netem: developer's tools, run by hand (tests/oracle/beside -h, pair -h), never by check.

EXTRA_PROGRAMS += tests/oracle/pairwire
tests_oracle_pairwire_SOURCES = tests/oracle/pairwire.c
tests_oracle_pairwire_LDADD = $(farwire_LDADD)
EXTRA_DIST += tests/oracle/beside tests/oracle/judge.py tests/oracle/pair tests/oracle/pairguest
