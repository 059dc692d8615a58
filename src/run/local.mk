# SPDX-License-Identifier: GPL-2.0-or-later
noinst_LIBRARIES += librun.a
librun_a_SOURCES = \
	src/run/client.c src/run/client.h \
	src/run/ctl.c src/run/ctl.h \
	src/run/follow.c src/run/follow.h \
	src/run/lack.c src/run/lack.h \
	src/run/lane.c src/run/lane.h \
	src/run/lead.h \
	src/run/loop.c src/run/loop.h \
	src/run/port.c src/run/port.h \
	src/run/prefix.c src/run/prefix.h \
	src/run/request.c src/run/request.h \
	src/run/ring.c src/run/ring.h \
	src/run/ring_make.c src/run/ring_make.h \
	src/run/signals.c src/run/signals.h \
	src/run/sockport.c src/run/sockport.h \
	src/run/stand.c src/run/stand.h \
	src/run/uring.c src/run/uring.h src/run/uring_none.c \
	src/run/watchdog.c src/run/watchdog.h
