/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests/unit/unit.h - what every unit test includes: cmocka with its own needs
 */
#ifndef FW_TESTS_UNIT_H
#define FW_TESTS_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
