# SPDX-License-Identifier: GPL-2.0-or-later
farwire_SOURCES += \
	src/verb/add.c \
	src/verb/ask.c \
	src/verb/adds.c \
	src/verb/adds.h \
	src/verb/batch.c \
	src/verb/link.c src/verb/link.h \
	src/verb/run.c \
	src/verb/verb.h
