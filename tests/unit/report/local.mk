# SPDX-License-Identifier: GPL-2.0-or-later
UNIT_TESTS += tests/unit/report/test_report
tests_unit_report_test_report_SOURCES = tests/unit/report/test_report.c tests/unit/unit.h
tests_unit_report_test_report_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_report_test_report_CFLAGS = $(UNIT_CFLAGS)
tests_unit_report_test_report_LDADD = $(UNIT_LDADD)

UNIT_TESTS += tests/unit/report/test_doctor
tests_unit_report_test_doctor_SOURCES = tests/unit/report/test_doctor.c tests/unit/unit.h
tests_unit_report_test_doctor_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_report_test_doctor_CFLAGS = $(UNIT_CFLAGS)
tests_unit_report_test_doctor_LDADD = $(UNIT_LDADD)

UNIT_TESTS += tests/unit/report/test_show
tests_unit_report_test_show_SOURCES = tests/unit/report/test_show.c tests/unit/unit.h
tests_unit_report_test_show_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_report_test_show_CFLAGS = $(UNIT_CFLAGS)
tests_unit_report_test_show_LDADD = $(UNIT_LDADD)

UNIT_TESTS += tests/unit/report/test_monitor
tests_unit_report_test_monitor_SOURCES = tests/unit/report/test_monitor.c tests/unit/unit.h
tests_unit_report_test_monitor_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_report_test_monitor_CFLAGS = $(UNIT_CFLAGS)
tests_unit_report_test_monitor_LDADD = $(UNIT_LDADD)

UNIT_TESTS += tests/unit/report/test_exact
tests_unit_report_test_exact_SOURCES = tests/unit/report/test_exact.c tests/unit/unit.h tests/unit/conf/netem.c tests/unit/conf/netem.h tests/unit/conf/command.c tests/unit/conf/command.h
tests_unit_report_test_exact_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_report_test_exact_CFLAGS = $(UNIT_CFLAGS)
tests_unit_report_test_exact_LDADD = $(UNIT_LDADD)
