/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conf/netem_show.c - a struct netem_conf back into words
 *
 * Three forms: text is what tc prints, to the blank; short is one for the start line;
 * exact is one that the reader takes back.
 */
#include "config.h"

#include "conf/netem_show.h"

#include "base/units.h"

#include <inttypes.h>
#include <stdlib.h>

static void put_percent(FILE *out, const char *before, uint32_t p32)
{
	char text[UNITS_TEXT_BYTES];

	units_print_percent(p32, text, sizeof(text));
	fprintf(out, "%s%s", before, text);
}

static void put_time(FILE *out, const char *before, nsec_t ns)
{
	char text[UNITS_TEXT_BYTES];

	units_print_time(ns, text, sizeof(text));
	fprintf(out, "%s%s", before, text);
}

static void put_chance(FILE *out, const char *word, const struct chance *c)
{
	if (!c->p32)
		return;
	put_percent(out, word, c->p32);
	if (c->corr_p32)
		put_percent(out, " ", c->corr_p32);
}

/* tc has two blanks between delay and jitter, people have one. */
static void put_delay(FILE *out, const struct netem_conf *n, const char *jitter_gap)
{
	if (!n->latency_ns)
		return;
	put_time(out, " delay ", n->latency_ns);
	if (!n->jitter_ns)
		return;
	put_time(out, jitter_gap, n->jitter_ns);
	if (n->delay_corr_p32)
		put_percent(out, " ", n->delay_corr_p32);
}

static void put_loss(FILE *out, const struct netem_conf *n)
{
	switch (n->loss_model) {
	case LOSS_RANDOM:
		put_chance(out, " loss ", &n->loss);
		break;
	case LOSS_STATE:
		put_percent(out, " loss state p13 ", n->p13_p32);
		put_percent(out, " p31 ", n->p31_p32);
		put_percent(out, " p32 ", n->p32_p32);
		put_percent(out, " p23 ", n->p23_p32);
		put_percent(out, " p14 ", n->p14_p32);
		break;
	case LOSS_GEMODEL:
		put_percent(out, " loss gemodel p ", n->ge_p_p32);
		put_percent(out, " r ", n->ge_r_p32);
		put_percent(out, " 1-h ", n->ge_1_h_p32);
		put_percent(out, " 1-k ", n->ge_1_k_p32);
		break;
	}
}

static void put_rate(FILE *out, const struct netem_conf *n)
{
	char text[UNITS_TEXT_BYTES];

	if (!n->rate_byteps)
		return;
	units_print_rate(n->rate_byteps, false, text, sizeof(text));
	fprintf(out, " rate %s", text);
	if (n->overhead_bytes)
		fprintf(out, " packetoverhead %" PRId32, n->overhead_bytes);
	if (n->cell_bytes)
		fprintf(out, " cellsize %" PRIu32, n->cell_bytes);
	if (n->cell_overhead_bytes)
		fprintf(out, " celloverhead %" PRId32, n->cell_overhead_bytes);
}

static void put_slot(FILE *out, const struct netem_conf *n)
{
	const struct slot_conf *s = &n->slot;

	if (!s->active)
		return;
	if (s->dist_jitter_ns) {
		put_time(out, " slot distribution ", s->dist_delay_ns);
		put_time(out, " ", s->dist_jitter_ns);
	} else {
		put_time(out, " slot ", s->min_delay_ns);
		put_time(out, " ", s->max_delay_ns);
	}
	if (s->max_packets)
		fprintf(out, " packets %" PRId32, s->max_packets);
	if (s->max_bytes)
		fprintf(out, " bytes %" PRId32, s->max_bytes);
}

void netem_show_text(const struct netem_conf *n, FILE *out)
{
	fprintf(out, "limit %" PRIu32, n->limit_frames);
	put_delay(out, n, "  ");
	put_loss(out, n);
	put_chance(out, " duplicate ", &n->duplicate);
	put_chance(out, " reorder ", &n->reorder);
	put_chance(out, " corrupt ", &n->corrupt);
	put_rate(out, n);
	put_slot(out, n);
	if (n->has_seed)
		fprintf(out, " seed %" PRIu64, n->seed);
	if (n->ecn)
		fputs(" ecn ", out);
	if (n->gap)
		fprintf(out, " gap %" PRIu32, n->gap);
}

void netem_show_short(const struct netem_conf *n, FILE *out)
{
	put_delay(out, n, " ");
	if (n->dist.name)
		fprintf(out, " distribution %s", n->dist.name);
	put_loss(out, n);
	if (n->ecn)
		fputs(" ecn", out);
	put_chance(out, " duplicate ", &n->duplicate);
	put_chance(out, " reorder ", &n->reorder);
	if (n->gap > 1)
		fprintf(out, " gap %" PRIu32, n->gap);
	put_chance(out, " corrupt ", &n->corrupt);
	put_rate(out, n);
	put_slot(out, n);
}

void netem_show_end(const struct netem_conf *n, FILE *out)
{
	fprintf(out, ", limit %" PRIu32, n->limit_frames);
	if (n->has_seed)
		fprintf(out, ", seed %" PRIu64, n->seed);
}

/* The fewest digits from which the reader makes the same fraction again. */
static void exact_percent(FILE *out, const char *before, uint32_t p32)
{
	char text[UNITS_TEXT_BYTES];
	double share;

	for (int digits = 3; digits <= 17; digits++) {
		snprintf(
			text, sizeof(text), "%.*g%%", digits, 100.0 * p32 / UINT32_MAX);
		if (units_percent(text, &share, NULL) == 0 && units_p32(share) == p32)
			break;
	}
	fprintf(out, "%s%s", before, text);
}

static void exact_chance(FILE *out, const char *word, const struct chance *c)
{
	if (!c->p32 && !c->corr_p32)
		return;
	exact_percent(out, word, c->p32);
	if (c->corr_p32)
		exact_percent(out, " ", c->corr_p32);
}

static void exact_delay(FILE *out, const struct netem_conf *n)
{
	/*
	 * A correlation of duplicate counts only beside one of the others, which may be
	 * 0.
	 */
	bool with_corr = n->delay_corr_p32 || n->duplicate.corr_p32;

	if (n->latency_ns || n->jitter_ns || with_corr)
		fprintf(out, " delay %" PRId64 "ns", n->latency_ns);
	if (n->jitter_ns || with_corr)
		fprintf(out, " %" PRId64 "ns", n->jitter_ns);
	if (with_corr)
		exact_percent(out, " ", n->delay_corr_p32);
	/* After a change a table may be left that nothing is drawn from. */
	if (n->dist.name && n->jitter_ns)
		fprintf(out, " distribution %s", n->dist.name);
}

static void exact_loss(FILE *out, const struct netem_conf *n)
{
	exact_chance(out, " loss ", &n->loss);
	if (n->loss_model == LOSS_STATE) {
		exact_percent(out, " loss state ", n->p13_p32);
		exact_percent(out, " ", n->p31_p32);
		exact_percent(out, " ", n->p32_p32);
		exact_percent(out, " ", n->p23_p32);
		exact_percent(out, " ", n->p14_p32);
	} else if (n->loss_model == LOSS_GEMODEL) {
		exact_percent(out, " loss gemodel ", n->ge_p_p32);
		exact_percent(out, " ", n->ge_r_p32);
		exact_percent(out, " ", n->ge_1_h_p32);
		exact_percent(out, " ", n->ge_1_k_p32);
	}
	if (n->ecn)
		fputs(" ecn", out);
}

static void exact_rate(FILE *out, const struct netem_conf *n)
{
	if (!n->rate_byteps && !n->overhead_bytes && !n->cell_bytes &&
		!n->cell_overhead_bytes)
		return;
	fprintf(out, " rate %" PRIu64 "bps", n->rate_byteps);
	if (n->overhead_bytes || n->cell_bytes || n->cell_overhead_bytes)
		fprintf(out, " %" PRId32 " %" PRIu32 " %" PRId32, n->overhead_bytes,
			n->cell_bytes, n->cell_overhead_bytes);
}

static void exact_slot(FILE *out, const struct netem_conf *n)
{
	const struct slot_conf *s = &n->slot;
	bool has_budget = s->max_packets || s->max_bytes;

	/* After a change: a table without a jitter, and times that have no effect. */
	if (s->has_dist && !s->dist_jitter_ns)
		return;
	if (s->min_delay_ns || s->max_delay_ns || (has_budget && !s->has_dist))
		fprintf(out, " slot %" PRId64 "ns %" PRId64 "ns", s->min_delay_ns,
			s->max_delay_ns);
	if (s->has_dist)
		fprintf(out, " slot distribution %s %" PRId64 "ns %" PRId64 "ns",
			s->dist.name ? s->dist.name : "uniform", s->dist_delay_ns,
			s->dist_jitter_ns);
	if (s->max_packets)
		fprintf(out, " packets %" PRId32, s->max_packets);
	if (s->max_bytes)
		fprintf(out, " bytes %" PRId32, s->max_bytes);
}

void netem_show_exact(const struct netem_conf *n, FILE *out)
{
	fprintf(out, "limit %" PRIu32, n->limit_frames);
	exact_delay(out, n);
	exact_loss(out, n);
	exact_chance(out, " duplicate ", &n->duplicate);
	/* After a change one may be left without a gap, which is off for good. */
	if (n->gap || !n->reorder.p32)
		exact_chance(out, " reorder ", &n->reorder);
	if (n->gap)
		fprintf(out, " gap %" PRIu32, n->gap);
	exact_chance(out, " corrupt ", &n->corrupt);
	exact_rate(out, n);
	exact_slot(out, n);
	if (n->has_seed)
		fprintf(out, " seed %" PRIu64, n->seed);
}
