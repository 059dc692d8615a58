# SPDX-License-Identifier: GPL-2.0-or-later
noinst_LIBRARIES += libengine.a
libengine_a_SOURCES =
