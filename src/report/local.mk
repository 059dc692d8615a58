# SPDX-License-Identifier: GPL-2.0-or-later
noinst_LIBRARIES += libreport.a
libreport_a_SOURCES = \
	src/report/doctor.c src/report/doctor.h \
	src/report/json.c \
	src/report/monitor.c src/report/monitor.h \
	src/report/report.h \
	src/report/show.c src/report/show.h \
	src/report/text.c
