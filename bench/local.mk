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

# The engine's own figures.
EXTRA_PROGRAMS += bench/micro_timeq bench/micro_path
bench_micro_timeq_SOURCES = bench/micro_timeq.c
bench_micro_timeq_LDADD = libengine.a libwire.a libbase.a -lm
bench_micro_path_SOURCES = bench/micro_path.c
bench_micro_path_LDADD = libengine.a libwire.a libbase.a -lm
CLEANFILES += bench/micro_timeq$(EXEEXT) bench/micro_path$(EXEEXT)

.PHONY: bench-micro
bench-micro: bench/micro_timeq$(EXEEXT) bench/micro_path$(EXEEXT)
	@bench/micro_timeq$(EXEEXT)
	@bench/micro_path$(EXEEXT)
