# SPDX-License-Identifier: GPL-2.0-or-later
EXTRA_DIST += contrib/quickstart contrib/three-namespaces.sh contrib/farwire@.service contrib/farwire.apparmor

noinst_PROGRAMS = contrib/maketable
contrib_maketable_SOURCES = contrib/maketable.c
contrib_maketable_LDADD = -lm
