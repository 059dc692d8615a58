/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conf/netem_json.h - a struct netem_conf as the "options" of tc's JSON
 */
#ifndef FW_CONF_NETEM_JSON_H
#define FW_CONF_NETEM_JSON_H

#include "conf/conf.h"

struct json_object;

/**
 * netem_json_options() - tc's keys, types and order, and an object "ext" of our own
 *
 * "ext" has delay_ns and jitter_ns, the table's name, and args: the exact words.
 *
 * Return: a new object, the caller's; NULL when there is no memory.
 */
struct json_object *netem_json_options(const struct netem_conf *n);

#endif
