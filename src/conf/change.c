/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conf/change.c - a command that changes a SPEC in use: what it sets, what it leaves
 *
 * Source   tc-netem(8); which attributes tc sends for which words, and what the kernel
 *          does with those that are not there.
 */
#include "config.h"

#include "conf/change.h"

#include "base/units.h"
#include "conf/dist_file.h"
#include "conf/netem_conf.h"
#include "conf/netem_show.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

/* tc sends the three correlations together, as soon as one of these is named. */
#define NAMED_CORRS                                                                    \
	(NAMED_DELAY_CORR | NAMED_LOSS_CORR | NAMED_REORDER_CORR | NAMED_CORRUPT_CORR)

static int take_table(struct dist_conf *to, const struct dist_conf *from)
{
	struct dist_conf copy;

	if (dist_copy(&copy, from))
		return -ENOMEM;
	dist_free(to);
	*to = copy;
	return 0;
}

/*
 * A slot is named whole, but a table once given stays in use: times without one then
 * have no effect, as in the kernel.
 */
static int take_slot(struct slot_conf *to, const struct slot_conf *from)
{
	struct dist_conf dist = to->dist;
	bool had_dist = to->has_dist;

	if (from->has_dist && take_table(&dist, &from->dist))
		return -ENOMEM;
	*to = *from;
	to->dist = dist;
	to->has_dist |= had_dist;
	return 0;
}

static void take_always(struct netem_conf *to, const struct netem_conf *from)
{
	to->named = from->named;
	to->limit_frames = from->limit_frames;
	to->latency_ns = from->latency_ns;
	to->jitter_ns = from->jitter_ns;
	to->loss_model = from->loss_model;
	to->loss.p32 = from->loss.p32;
	to->p13_p32 = from->p13_p32;
	to->p31_p32 = from->p31_p32;
	to->p32_p32 = from->p32_p32;
	to->p23_p32 = from->p23_p32;
	to->p14_p32 = from->p14_p32;
	to->ge_p_p32 = from->ge_p_p32;
	to->ge_r_p32 = from->ge_r_p32;
	to->ge_1_h_p32 = from->ge_1_h_p32;
	to->ge_1_k_p32 = from->ge_1_k_p32;
	to->duplicate.p32 = from->duplicate.p32;
	to->gap = from->gap;
}

static void take_named(struct netem_conf *to, const struct netem_conf *from)
{
	uint32_t named = from->named;

	if (named & NAMED_CORRS) {
		to->delay_corr_p32 = from->delay_corr_p32;
		to->loss.corr_p32 = from->loss.corr_p32;
		to->duplicate.corr_p32 = from->duplicate.corr_p32;
	}
	if (named & NAMED_REORDER)
		to->reorder = from->reorder;
	if (named & NAMED_CORRUPT)
		to->corrupt = from->corrupt;
	if (named & NAMED_RATE) {
		to->rate_byteps = from->rate_byteps;
		to->overhead_bytes = from->overhead_bytes;
		to->cell_bytes = from->cell_bytes;
		to->cell_overhead_bytes = from->cell_overhead_bytes;
	}
	if (named & NAMED_ECN)
		to->ecn = true;
	if (named & NAMED_SEED) {
		to->has_seed = true;
		to->seed = from->seed;
	}
}

int change_apply(struct spec *cur, const struct spec *cmd, struct err *e)
{
	const struct netem_conf *from = &cmd->netem;
	struct netem_conf new;
	int rc = netem_conf_copy(&new, &cur->netem);

	if (!rc && from->named & NAMED_SLOT)
		rc = take_slot(&new.slot, &from->slot);
	if (!rc && from->named & NAMED_DISTRIBUTION)
		rc = take_table(&new.dist, &from->dist);
	if (rc) {
		netem_conf_fini(&new);
		return err_set(e, rc, "no memory for a table");
	}
	take_always(&new, from);
	take_named(&new, from);
	netem_conf_fini(&cur->netem);
	cur->netem = new;
	return 0;
}

int change_set(struct spec *cur, const struct spec *cmd, struct err *e)
{
	bool seed_named = cmd->kind == IMPAIR_NETEM && cmd->netem.has_seed;
	struct netem_conf new;

	if (cmd->kind == IMPAIR_NONE) {
		/* As a link that is made without a SPEC. */
		netem_conf_init(&new);
	} else if (netem_conf_copy(&new, &cmd->netem)) {
		return err_set(e, -ENOMEM, "no memory for a table");
	}
	new.named = UINT32_MAX;
	if (!seed_named) {
		new.named &= ~(uint32_t)NAMED_SEED;
		new.has_seed = cur->netem.has_seed;
		new.seed = cur->netem.seed;
	}
	netem_conf_fini(&cur->netem);
	cur->netem = new;
	return 0;
}

/* Words for a message, cut where there is no room. */
struct list {
	char text[WARN_LINE_BYTES / 2];
	FILE *out;
};

static bool list_open(struct list *l)
{
	l->text[0] = l->text[sizeof(l->text) - 1] = '\0';
	l->out = fmemopen(l->text, sizeof(l->text) - 1, "w");
	return l->out;
}

/* Return: the words without the blank in front, "" for none. */
static const char *list_close(struct list *l)
{
	fclose(l->out);
	return l->text[0] == ' ' ? l->text + 1 : l->text;
}

/* What @before has and the command sets back without naming it. */
static void list_gone(FILE *out, const struct netem_conf *before, uint32_t named)
{
	struct netem_conf fresh, gone = *before;

	netem_conf_init(&fresh);
	if (!(named & NAMED_LIMIT) && before->limit_frames != fresh.limit_frames)
		fprintf(out, " limit %" PRIu32, before->limit_frames);
	if (named & NAMED_DELAY)
		gone.latency_ns = 0;
	if (named & NAMED_LOSS) {
		gone.loss_model = LOSS_RANDOM;
		gone.loss.p32 = 0;
	}
	if (named & NAMED_DUPLICATE)
		gone.duplicate.p32 = 0;
	if (named & NAMED_REORDER || !before->gap) {
		gone.reorder.p32 = 0;
		gone.gap = 0;
	}
	gone.dist.name = NULL;
	gone.ecn = false;
	gone.corrupt.p32 = 0;
	gone.rate_byteps = 0;
	gone.slot.active = false;
	netem_show_short(&gone, out);
}

static void list_corr(FILE *out, const char *of, uint32_t corr_p32)
{
	char text[UNITS_TEXT_BYTES];

	if (!corr_p32)
		return;
	units_print_percent(corr_p32, text, sizeof(text));
	fprintf(out, " correlation %s of %s", text, of);
}

/* What @before has and stays although the command does not name it. */
static void list_kept(
	FILE *out, const struct netem_conf *before, const struct netem_conf *cmd)
{
	uint32_t named = cmd->named;
	struct netem_conf kept = *before;

	kept.latency_ns = 0;
	kept.loss_model = LOSS_RANDOM;
	kept.loss.p32 = kept.duplicate.p32 = kept.reorder.p32 = 0;
	kept.gap = 0;
	if (named & NAMED_DISTRIBUTION || !cmd->jitter_ns ||
		kept.dist.kind == DIST_UNIFORM)
		kept.dist.name = NULL;
	if (named & NAMED_ECN)
		kept.ecn = false;
	if (named & NAMED_CORRUPT)
		kept.corrupt.p32 = 0;
	if (named & NAMED_RATE)
		kept.rate_byteps = 0;
	if (named & NAMED_SLOT)
		kept.slot.active = false;
	netem_show_short(&kept, out);
	if (named & NAMED_CORRS)
		return;
	list_corr(out, "delay", cmd->jitter_ns ? before->delay_corr_p32 : 0);
	list_corr(out, "loss", cmd->loss.p32 ? before->loss.corr_p32 : 0);
	list_corr(
		out, "duplicate", cmd->duplicate.p32 ? before->duplicate.corr_p32 : 0);
}

unsigned change_warn(const struct spec *before, const struct spec *cmd,
	char lines[WARN_LINES_MAX][WARN_LINE_BYTES])
{
	const struct netem_conf *was = &before->netem, *now = &cmd->netem;
	const char *words;
	struct list l;
	unsigned n = 0;

	if (!list_open(&l))
		return 0;
	list_gone(l.out, was, now->named);
	words = list_close(&l);
	if (*words)
		snprintf(lines[n++], WARN_LINE_BYTES,
			"no more %s: change sets limit, delay, loss, duplicate and "
			"reorder "
			"anew; to keep it write it too",
			words);
	if (!list_open(&l))
		return n;
	list_kept(l.out, was, now);
	words = list_close(&l);
	if (*words)
		snprintf(lines[n++], WARN_LINE_BYTES,
			"still %s: change keeps what it does not name of rate, "
			"corrupt, "
			"slot, ecn, tables; set starts anew",
			words);
	if (now->named & NAMED_SLOT && now->slot.active && !now->slot.has_dist &&
		was->slot.has_dist)
		snprintf(lines[n++], WARN_LINE_BYTES,
			"slot has a distribution, which change cannot take away, so "
			"the "
			"times have no effect; write set");
	return n;
}
