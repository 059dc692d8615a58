# SPDX-License-Identifier: GPL-2.0-or-later
# Benchmarks are built and run on demand, never by all or check.

EXTRA_PROGRAMS += bench/load
bench_load_SOURCES = bench/load.c
bench_load_LDADD =
CLEANFILES += bench/load$(EXEEXT)
EXTRA_DIST += bench/quick

# Everything in under two minutes: flood, sink, TCP and round trips against a veth pair.
.PHONY: bench-quick
bench-quick: farwire$(EXEEXT) bench/load$(EXEEXT)
	@FARWIRE='$(abs_top_builddir)/farwire' LOAD='$(abs_top_builddir)/bench/load' \
		$(SHELL) $(srcdir)/bench/quick
