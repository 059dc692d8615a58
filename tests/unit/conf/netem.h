/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests/unit/conf/netem.h - a line of netem's words read, two settings compared
 */
#ifndef FW_TESTS_CONF_NETEM_H
#define FW_TESTS_CONF_NETEM_H

#include "base/err.h"
#include "conf/conf.h"

/** netem_read_line() - Read the words after netem, and apply the rules between them */
int netem_read_line(struct netem_conf *n, const char *line, struct err *e);

/** netem_same() - Field by field, all but which words were named */
bool netem_same(const struct netem_conf *a, const struct netem_conf *b);

#endif
