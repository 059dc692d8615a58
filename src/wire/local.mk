# SPDX-License-Identifier: GPL-2.0-or-later
noinst_LIBRARIES += libwire.a
libwire_a_SOURCES = \
	src/wire/be.h \
	src/wire/buf.c src/wire/buf.h \
	src/wire/csum.c src/wire/csum.h \
	src/wire/frame.h \
	src/wire/gso.c src/wire/gso.h \
	src/wire/join.c src/wire/join.h \
	src/wire/proto.c src/wire/proto.h \
	src/wire/verify.c src/wire/verify.h
