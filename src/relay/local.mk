# SPDX-License-Identifier: GPL-2.0-or-later
noinst_LIBRARIES += librelay.a
librelay_a_SOURCES = \
	src/relay/inner.h \
	src/relay/listen.c \
	src/relay/relay.c src/relay/relay.h \
	src/relay/tcp.c \
	src/relay/udp.c
