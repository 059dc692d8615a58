# SPDX-License-Identifier: GPL-2.0-or-later
UNIT_TESTS += \
	tests/unit/host/test_daemon \
	tests/unit/host/test_fail \
	tests/unit/host/test_host_link \
	tests/unit/host/test_ident \
	tests/unit/host/test_last \
	tests/unit/host/test_natnet \
	tests/unit/host/test_natprobe \
	tests/unit/host/test_notify \
	tests/unit/host/test_place \
	tests/unit/host/test_plan \
	tests/unit/host/test_privs \
	tests/unit/host/test_sweep
tests_unit_host_test_fail_SOURCES = tests/unit/host/test_fail.c tests/unit/unit.h
tests_unit_host_test_fail_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_host_test_fail_CFLAGS = $(UNIT_CFLAGS)
tests_unit_host_test_fail_LDADD = $(UNIT_LDADD)
tests_unit_host_test_ident_SOURCES = tests/unit/host/test_ident.c tests/unit/unit.h
tests_unit_host_test_ident_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_host_test_ident_CFLAGS = $(UNIT_CFLAGS)
tests_unit_host_test_ident_LDADD = $(UNIT_LDADD)
tests_unit_host_test_place_SOURCES = tests/unit/host/test_place.c tests/unit/unit.h
tests_unit_host_test_place_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_host_test_place_CFLAGS = $(UNIT_CFLAGS)
tests_unit_host_test_place_LDADD = $(UNIT_LDADD)
tests_unit_host_test_plan_SOURCES = tests/unit/host/test_plan.c tests/unit/unit.h
tests_unit_host_test_plan_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_host_test_plan_CFLAGS = $(UNIT_CFLAGS)
tests_unit_host_test_plan_LDADD = $(UNIT_LDADD)
tests_unit_host_test_privs_SOURCES = tests/unit/host/test_privs.c tests/unit/unit.h
tests_unit_host_test_privs_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_host_test_privs_CFLAGS = $(UNIT_CFLAGS)
tests_unit_host_test_privs_LDADD = $(UNIT_LDADD)
tests_unit_host_test_sweep_SOURCES = tests/unit/host/test_sweep.c tests/unit/unit.h
tests_unit_host_test_sweep_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_host_test_sweep_CFLAGS = $(UNIT_CFLAGS)
tests_unit_host_test_sweep_LDADD = $(UNIT_LDADD)
tests_unit_host_test_last_SOURCES = tests/unit/host/test_last.c tests/unit/unit.h
tests_unit_host_test_last_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_host_test_last_CFLAGS = $(UNIT_CFLAGS)
tests_unit_host_test_last_LDADD = $(UNIT_LDADD)
tests_unit_host_test_notify_SOURCES = tests/unit/host/test_notify.c tests/unit/unit.h
tests_unit_host_test_notify_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_host_test_notify_CFLAGS = $(UNIT_CFLAGS)
tests_unit_host_test_notify_LDADD = $(UNIT_LDADD)
tests_unit_host_test_daemon_SOURCES = tests/unit/host/test_daemon.c tests/unit/unit.h
tests_unit_host_test_daemon_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_host_test_daemon_CFLAGS = $(UNIT_CFLAGS)
tests_unit_host_test_daemon_LDADD = $(UNIT_LDADD)
tests_unit_host_test_host_link_SOURCES = tests/unit/host/test_host_link.c tests/unit/unit.h
tests_unit_host_test_host_link_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_host_test_host_link_CFLAGS = $(UNIT_CFLAGS)
tests_unit_host_test_host_link_LDADD = $(UNIT_LDADD)
tests_unit_host_test_natnet_SOURCES = tests/unit/host/test_natnet.c tests/unit/unit.h
tests_unit_host_test_natnet_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_host_test_natnet_CFLAGS = $(UNIT_CFLAGS)
tests_unit_host_test_natnet_LDADD = $(UNIT_LDADD)
tests_unit_host_test_natprobe_SOURCES = tests/unit/host/test_natprobe.c tests/unit/unit.h
tests_unit_host_test_natprobe_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_host_test_natprobe_CFLAGS = $(UNIT_CFLAGS)
tests_unit_host_test_natprobe_LDADD = $(UNIT_LDADD)
UNIT_TESTS += tests/unit/host/test_knock
tests_unit_host_test_knock_SOURCES = tests/unit/host/test_knock.c tests/unit/unit.h
tests_unit_host_test_knock_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_host_test_knock_CFLAGS = $(UNIT_CFLAGS)
tests_unit_host_test_knock_LDADD = $(UNIT_LDADD)
UNIT_TESTS += tests/unit/host/test_resolv
tests_unit_host_test_resolv_SOURCES = tests/unit/host/test_resolv.c tests/unit/unit.h
tests_unit_host_test_resolv_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_host_test_resolv_CFLAGS = $(UNIT_CFLAGS)
tests_unit_host_test_resolv_LDADD = $(UNIT_LDADD)
UNIT_TESTS += tests/unit/host/test_route
tests_unit_host_test_route_SOURCES = tests/unit/host/test_route.c tests/unit/unit.h
tests_unit_host_test_route_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_host_test_route_CFLAGS = $(UNIT_CFLAGS)
tests_unit_host_test_route_LDADD = $(UNIT_LDADD)
