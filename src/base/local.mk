# SPDX-License-Identifier: GPL-2.0-or-later
noinst_LIBRARIES += libbase.a
libbase_a_SOURCES = \
	src/base/clock.c src/base/clock.h \
	src/base/err.c src/base/err.h \
	src/base/fd.c src/base/fd.h \
	src/base/log.c src/base/log.h \
	src/base/memory.c src/base/memory.h \
	src/base/units.c src/base/units.h
