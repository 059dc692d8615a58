# SPDX-License-Identifier: GPL-2.0-or-later
# Benchmarks are built and run on demand, never by all or check.

EXTRA_PROGRAMS += bench/load
bench_load_SOURCES = bench/load.c bench/load.h bench/load_far.c bench/load_near.c
bench_load_LDADD =
# What two TAPs can do without us, beside it.
EXTRA_PROGRAMS += bench/bare
bench_bare_SOURCES = bench/bare.c bench/bare.h bench/bare_ring.c
bench_bare_LDADD = $(LIBURING_LIBS)
EXTRA_PROGRAMS += bench/bare_links
bench_bare_links_SOURCES = bench/bare_links.c bench/bare.h bench/bare_ring.c
bench_bare_links_LDADD = $(LIBURING_LIBS)
EXTRA_DIST += bench/between bench/groups.sh bench/judge.awk bench/links bench/quick \
	bench/report.awk bench/results bench/rows bench/run bench/RESULTS.md

# The engine's own figures, and those of super-frames.
EXTRA_PROGRAMS += bench/micro_floor bench/micro_timeq bench/micro_path bench/micro_gso
bench_micro_floor_SOURCES = bench/micro_floor.c bench/micro.h
bench_micro_floor_LDADD = libbase.a
bench_micro_timeq_SOURCES = bench/micro_timeq.c bench/micro.h
bench_micro_timeq_LDADD = libengine.a libwire.a libbase.a -lm
bench_micro_path_SOURCES = bench/micro_path.c bench/micro.h
bench_micro_path_LDADD = libengine.a libwire.a libbase.a -lm
bench_micro_gso_SOURCES = bench/micro_gso.c bench/micro.h
bench_micro_gso_LDADD = libwire.a libbase.a

bench_built = bench/load$(EXEEXT) bench/bare$(EXEEXT) bench/bare_links$(EXEEXT) bench/micro_floor$(EXEEXT) bench/micro_timeq$(EXEEXT) bench/micro_path$(EXEEXT) \
	bench/micro_gso$(EXEEXT)
bench_env = FARWIRE='$(abs_top_builddir)/farwire' LOAD='$(abs_top_builddir)/bench/load' \
	MICRO='$(abs_top_builddir)/bench/micro_'
CLEANFILES += $(bench_built)

# Every row of bench/rows with its bars, as root: some 15 minutes. ROWS="flood tcp1" for some.
.PHONY: bench bench-results bench-quick bench-micro
bench: farwire$(EXEEXT) $(bench_built)
	@$(bench_env) $(SHELL) $(srcdir)/bench/run

# The same into bench/RESULTS.md of the sources.
bench-results: farwire$(EXEEXT) $(bench_built)
	@$(bench_env) $(SHELL) $(srcdir)/bench/results '$(abs_top_srcdir)/bench/RESULTS.md'

# Everything in under two minutes: flood, sink, TCP and round trips against a veth pair.
bench-quick: farwire$(EXEEXT) bench/load$(EXEEXT)
	@$(bench_env) $(SHELL) $(srcdir)/bench/quick

bench-micro: $(bench_built)
	@bench/micro_floor$(EXEEXT)
	@bench/micro_timeq$(EXEEXT)
	@bench/micro_path$(EXEEXT)
	@bench/micro_gso$(EXEEXT)
