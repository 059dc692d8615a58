# SPDX-License-Identifier: GPL-2.0-or-later
noinst_LIBRARIES += libhost.a
libhost_a_SOURCES = \
	src/host/addr.c src/host/addr.h \
	src/host/child.c src/host/child.h \
	src/host/doctor.c src/host/doctor.h \
	src/host/fail.c src/host/fail.h \
	src/host/far.c src/host/far.h \
	src/host/filter.c src/host/filter.h \
	src/host/guard.c src/host/guard.h \
	src/host/hook.h \
	src/host/host.c src/host/host.h \
	src/host/ident.c src/host/ident.h \
	src/host/link.c src/host/link.h \
	src/host/loopback.c src/host/loopback.h \
	src/host/netns.c src/host/netns.h \
	src/host/place.c src/host/place.h \
	src/host/plan.c src/host/plan.h \
	src/host/privs.c src/host/privs.h \
	src/host/probe.c src/host/probe.h \
	src/host/rank.c src/host/rank.h \
	src/host/redirect.c src/host/redirect.h \
	src/host/sweep.c src/host/sweep.h \
	src/host/sysfs.c src/host/sysfs.h \
	src/host/tap.c src/host/tap.h \
	src/host/uplink.c src/host/uplink.h
