# SPDX-License-Identifier: GPL-2.0-or-later
noinst_LIBRARIES += libhost.a
libhost_a_SOURCES =
