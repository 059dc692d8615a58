# SPDX-License-Identifier: GPL-2.0-or-later
noinst_LIBRARIES += libreport.a
libreport_a_SOURCES = \
	src/report/doctor.c src/report/doctor.h
