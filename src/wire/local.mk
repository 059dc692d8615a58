# SPDX-License-Identifier: GPL-2.0-or-later
noinst_LIBRARIES += libwire.a
libwire_a_SOURCES =
