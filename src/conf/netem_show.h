/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conf/netem_show.h - a struct netem_conf back into words
 */
#ifndef FW_CONF_NETEM_SHOW_H
#define FW_CONF_NETEM_SHOW_H

#include "conf/conf.h"

#include <stdio.h>

/** netem_show_text() - The options as tc prints them: "limit 1000 delay 50ms  10ms" */
void netem_show_text(const struct netem_conf *n, FILE *out);

/**
 * netem_show_short() - The options as a user would type them, values rounded, each with
 * a blank in front: " delay 50ms 10ms". Without limit and seed.
 */
void netem_show_short(const struct netem_conf *n, FILE *out);

/** netem_show_end() - What ends a start line: ", limit 1000, seed 42" */
void netem_show_end(const struct netem_conf *n, FILE *out);

/**
 * netem_show_exact() - Words that read back to the same settings, field by field
 *
 * Times in ns, rates in bps, probabilities with as many digits as it takes, tables by
 * name. Only what differs from the default, and limit.
 */
void netem_show_exact(const struct netem_conf *n, FILE *out);

#endif
