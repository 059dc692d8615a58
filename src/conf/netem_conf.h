/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conf/netem_conf.h - struct netem_conf: defaults, copy, end
 */
#ifndef FW_CONF_NETEM_CONF_H
#define FW_CONF_NETEM_CONF_H

#include "conf/conf.h"

/** netem_conf_init() - What `netem` alone means: limit 1000 and nothing impaired */
void netem_conf_init(struct netem_conf *n);

/** netem_conf_fini() - Free the tables and their names */
void netem_conf_fini(struct netem_conf *n);

/**
 * netem_conf_copy() - A copy with tables of its own
 *
 * Return: 0, or -ENOMEM with @to as netem_conf_init() leaves it.
 */
int netem_conf_copy(struct netem_conf *to, const struct netem_conf *from);

#endif
