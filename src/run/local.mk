# SPDX-License-Identifier: GPL-2.0-or-later
noinst_LIBRARIES += librun.a
librun_a_SOURCES =
