/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests/unit/conf/netem.c - a line of netem's words read, two settings compared
 */
#include "config.h"

#include "unit/conf/netem.h"

#include "conf/check.h"
#include "conf/netem_args.h"
#include "conf/netem_conf.h"
#include "conf/show.h"
#include "unit/unit.h"

#include <stdio.h>
#include <string.h>

#define WORDS_MAX 64

struct split {
	char text[SHOW_BYTES];
	char *words[WORDS_MAX];
	struct cursor cursor;
};

static void split(struct split *s, const char *line)
{
	char *save = NULL;

	snprintf(s->text, sizeof(s->text), "%s", line);
	s->cursor = (struct cursor){.words = s->words};
	for (char *w = strtok_r(s->text, " ", &save); w;
		w = strtok_r(NULL, " ", &save)) {
		assert_true(s->cursor.end < WORDS_MAX);
		s->words[s->cursor.end++] = w;
	}
}

int netem_read_line(struct netem_conf *n, const char *line, struct err *e)
{
	struct split s;
	int rc;

	split(&s, line);
	netem_conf_init(n);
	rc = netem_args_read(n, &s.cursor, e);
	if (rc == 0)
		assert_int_equal(s.cursor.at, s.cursor.end);
	if (rc == 0)
		rc = check_netem(n, e);
	if (rc)
		netem_conf_fini(n);
	return rc;
}

static bool same_dist(const struct dist_conf *a, const struct dist_conf *b)
{
	if (a->kind != b->kind || a->n_values != b->n_values || !a->name != !b->name)
		return false;
	if (a->name && strcmp(a->name, b->name) != 0)
		return false;
	return !a->values ||
	       !memcmp(a->values, b->values, a->n_values * sizeof(*a->values));
}

static bool same_chance(const struct chance *a, const struct chance *b)
{
	return a->p32 == b->p32 && a->corr_p32 == b->corr_p32;
}

static bool same_slot(const struct slot_conf *a, const struct slot_conf *b)
{
	return a->active == b->active && a->min_delay_ns == b->min_delay_ns &&
	       a->max_delay_ns == b->max_delay_ns && a->has_dist == b->has_dist &&
	       same_dist(&a->dist, &b->dist) && a->dist_delay_ns == b->dist_delay_ns &&
	       a->dist_jitter_ns == b->dist_jitter_ns &&
	       a->max_packets == b->max_packets && a->max_bytes == b->max_bytes;
}

bool netem_same(const struct netem_conf *a, const struct netem_conf *b)
{
	return a->limit_frames == b->limit_frames && a->latency_ns == b->latency_ns &&
	       a->jitter_ns == b->jitter_ns && a->delay_corr_p32 == b->delay_corr_p32 &&
	       same_dist(&a->dist, &b->dist) && a->loss_model == b->loss_model &&
	       same_chance(&a->loss, &b->loss) && a->p13_p32 == b->p13_p32 &&
	       a->p31_p32 == b->p31_p32 && a->p32_p32 == b->p32_p32 &&
	       a->p23_p32 == b->p23_p32 && a->p14_p32 == b->p14_p32 &&
	       a->ge_p_p32 == b->ge_p_p32 && a->ge_r_p32 == b->ge_r_p32 &&
	       a->ge_1_h_p32 == b->ge_1_h_p32 && a->ge_1_k_p32 == b->ge_1_k_p32 &&
	       a->ecn == b->ecn && same_chance(&a->corrupt, &b->corrupt) &&
	       same_chance(&a->duplicate, &b->duplicate) &&
	       same_chance(&a->reorder, &b->reorder) && a->gap == b->gap &&
	       a->rate_byteps == b->rate_byteps &&
	       a->overhead_bytes == b->overhead_bytes &&
	       a->cell_bytes == b->cell_bytes &&
	       a->cell_overhead_bytes == b->cell_overhead_bytes &&
	       same_slot(&a->slot, &b->slot) && a->has_seed == b->has_seed &&
	       a->seed == b->seed;
}
