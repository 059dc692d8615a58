# SPDX-License-Identifier: GPL-2.0-or-later
noinst_LIBRARIES += libconf.a
libconf_a_SOURCES = \
	src/conf/args.c src/conf/args.h \
	src/conf/batch.c src/conf/batch.h \
	src/conf/change.c src/conf/change.h \
	src/conf/check.c src/conf/check.h \
	src/conf/conf.h \
	src/conf/cursor.h \
	src/conf/dist_file.c src/conf/dist_file.h \
	src/conf/end_args.c \
	src/conf/fact.h \
	src/conf/guard_msg.h \
	src/conf/help.c src/conf/help.h \
	src/conf/impair_args.c \
	src/conf/kinds.c src/conf/kinds.h \
	src/conf/line.h \
	src/conf/link_args.c \
	src/conf/netem_args.c src/conf/netem_args.h \
	src/conf/netem_conf.c src/conf/netem_conf.h \
	src/conf/netem_json.c src/conf/netem_json.h \
	src/conf/netem_show.c src/conf/netem_show.h \
	src/conf/option_args.c \
	src/conf/reader.c src/conf/reader.h \
	src/conf/show.c src/conf/show.h \
	src/conf/warn.c src/conf/warn.h \
	src/conf/words.c src/conf/words.h
