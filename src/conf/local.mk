# SPDX-License-Identifier: GPL-2.0-or-later
noinst_LIBRARIES += libconf.a
libconf_a_SOURCES =
