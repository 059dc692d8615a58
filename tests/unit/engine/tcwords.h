/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests/unit/engine/tcwords.h - the few words of tc that tests/data speaks
 *
 * The engine's tests do without conf/, so that each can be wrong on its own.
 */
#ifndef FW_TESTS_ENGINE_TCWORDS_H
#define FW_TESTS_ENGINE_TCWORDS_H

#include "conf/conf.h"

#include <stdbool.h>

/**
 * tcwords_read() - Set what @text says in @c
 *
 * Return: true; false if it names the table "experimental" and iproute2 is not there.
 * The caller frees c->dist.values. Any other word fails the test.
 */
bool tcwords_read(struct netem_conf *c, const char *text);

#endif
