/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run/lack.h - by how much `limit` was too small
 */
#ifndef FW_RUN_LACK_H
#define FW_RUN_LACK_H

#include "run/loop.h"

/** lack_note() - After frames of @lp were dropped by `limit`: .worst_drops is kept */
void lack_note(struct loop_path *lp, nsec_t now_ns);

#endif
