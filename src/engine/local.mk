# SPDX-License-Identifier: GPL-2.0-or-later
noinst_LIBRARIES += libengine.a
libengine_a_SOURCES = \
	src/engine/bins.c src/engine/bins.h \
	src/engine/corr.h src/engine/count.h \
	src/engine/dist.c src/engine/dist.h \
	src/engine/impair.c src/engine/impair.h \
	src/engine/late.c \
	src/engine/loss.c src/engine/loss.h \
	src/engine/path.c src/engine/path.h \
	src/engine/rate.c src/engine/rate.h \
	src/engine/rng.c src/engine/rng.h \
	src/engine/slot.c src/engine/slot.h \
	src/engine/timeq.c src/engine/timeq.h
