/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conf/check.h - rules between the options of one SPEC
 */
#ifndef FW_CONF_CHECK_H
#define FW_CONF_CHECK_H

#include "base/err.h"
#include "conf/conf.h"

/**
 * check_netem() - Apply all rules, then what one option implies for another
 * @n: as the reader left it. On success gap is 1 where reorder was given alone, and a
 *     duplicate correlation that tc would not send is 0 (its NAMED_ bit stays)
 *
 * Return: 0, or -EINVAL for the first rule that is broken.
 */
int check_netem(struct netem_conf *n, struct err *e);

#endif
