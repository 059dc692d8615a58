/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conf/change.h - a command that changes a SPEC in use: what it sets, what it leaves
 *
 * `change` and `replace` are partial, by a fixed rule for each field, which is the
 * kernel's. `set` says everything: what it does not name is as in a new SPEC.
 */
#ifndef FW_CONF_CHANGE_H
#define FW_CONF_CHANGE_H

#include "base/err.h"
#include "conf/conf.h"
#include "conf/warn.h"

/**
 * change_apply() - What @cur is after `change` with the words of @cmd
 * @cur: a SPEC in use, IMPAIR_NETEM with its seed; unchanged on failure
 * @cmd: the words as they were read and checked, IMPAIR_NETEM; not touched
 *
 * limit, delay, jitter, loss and its model, gap and duplicate are always those of @cmd.
 * The correlations of delay, loss and duplicate come together, as soon as one of delay,
 * loss, reorder or corrupt is named. reorder, corrupt, rate, slot, the tables, ecn and
 * the seed stay where @cmd does not name them. ecn cannot be taken back, nor a table,
 * but for the word uniform.
 *
 * @cur->netem.named becomes that of @cmd: for engine/path, which has its own state to
 * keep or to start anew.
 *
 * Return: 0, or -ENOMEM.
 */
int change_apply(struct spec *cur, const struct spec *cmd, struct err *e);

/**
 * change_set() - What @cur is after `set` with the words of @cmd
 * @cmd: as above; IMPAIR_NONE for a direction that is to let everything through
 *
 * All of @cmd. The seed stays where none is named; everything else counts as named.
 *
 * Return: 0, or -ENOMEM.
 */
int change_set(struct spec *cur, const struct spec *cmd, struct err *e);

/**
 * change_warn() - What the user of `change` may think kept and is not, or the reverse
 * @before: the SPEC before the change
 * @cmd:    the words
 * @lines:  filled with one line each, without "farwire: warning: "
 *
 * Return: how many lines. Pure, some us.
 */
unsigned change_warn(const struct spec *before, const struct spec *cmd,
	char lines[WARN_LINES_MAX][WARN_LINE_BYTES]);

#endif
