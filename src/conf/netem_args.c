/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conf/netem_args.c - the words after `netem`, tc's grammar, into a struct netem_conf
 *
 * Theory of operation
 *   A keyword may be shortened; the first of words_netem that it begins is meant. Its
 *   reader takes the values it must have as they are, and then further ones as long as
 *   the next word begins as a number does. So a reader never looks back, and every word
 *   is either used or named in an error.
 *
 * Source   tc-netem(8); odd input was given to tc to see what it does.
 */
#include "config.h"

#include "conf/netem_args.h"

#include "base/units.h"
#include "conf/dist_file.h"
#include "conf/reader.h"
#include "conf/words.h"

#include <errno.h>
#include <stdlib.h>

/* PERCENT [CORRELATION]; @corr_named is set when the second is there. */
static int read_chance(struct netem_conf *n, struct reader *r, struct chance *chance,
	uint32_t corr_named)
{
	int rc = reader_p32(r, &chance->p32);

	if (rc || !reader_more(r))
		return rc;
	n->named |= corr_named;
	return reader_p32(r, &chance->corr_p32);
}

static int read_limit(struct netem_conf *n, struct reader *r)
{
	n->named |= NAMED_LIMIT;
	return reader_size(r, &n->limit_frames);
}

static int read_delay(struct netem_conf *n, struct reader *r)
{
	int rc;

	n->named |= NAMED_DELAY;
	rc = reader_time(r, &n->latency_ns);
	if (rc || !reader_more(r))
		return rc;
	rc = reader_time(r, &n->jitter_ns);
	if (rc || !reader_more(r))
		return rc;
	n->named |= NAMED_DELAY_CORR;
	return reader_p32(r, &n->delay_corr_p32);
}

/* What tc and `check` print of a Markov model has labels that are not input. */
static int no_label(struct reader *r, const char *model, const char *label)
{
	if (!cursor_is(r->c, label))
		return 0;
	return err_set(r->e, -EINVAL,
		"netem loss %s '%s': a label of what show prints; write the numbers "
		"alone, "
		"in that order",
		model, label);
}

/* As many more shares as there are, up to @n. */
static int read_further(struct reader *r, uint32_t *const p32[], size_t max)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < max && reader_more(r); i++)
		rc = reader_p32(r, p32[i]);
	return rc;
}

/* P13 [P31 [P32 [P23 [P14]]]] */
static int read_loss_state(struct netem_conf *n, struct reader *r)
{
	uint32_t *further[] = {&n->p31_p32, &n->p32_p32, &n->p23_p32, &n->p14_p32};
	double p13;
	int rc = no_label(r, "state", "p13");

	if (rc == 0)
		rc = reader_share(r, &p13);
	if (rc)
		return rc;
	n->loss_model = LOSS_STATE;
	n->p13_p32 = units_p32(p13);
	n->p31_p32 = units_p32(1 - p13);
	n->p32_p32 = 0;
	n->p23_p32 = P32_ONE;
	n->p14_p32 = 0;
	return read_further(r, further, sizeof(further) / sizeof(further[0]));
}

/* P [R [1-H [1-K]]] */
static int read_loss_gemodel(struct netem_conf *n, struct reader *r)
{
	uint32_t *further[] = {&n->ge_r_p32, &n->ge_1_h_p32, &n->ge_1_k_p32};
	double p;
	int rc = no_label(r, "gemodel", "p");

	if (rc == 0)
		rc = reader_share(r, &p);
	if (rc)
		return rc;
	n->loss_model = LOSS_GEMODEL;
	n->ge_p_p32 = units_p32(p);
	n->ge_r_p32 = units_p32(1 - p);
	n->ge_1_h_p32 = P32_ONE;
	n->ge_1_k_p32 = 0;
	return read_further(r, further, sizeof(further) / sizeof(further[0]));
}

static int read_loss(struct netem_conf *n, struct reader *r)
{
	const char *text;
	char room[WORDS_QUOTE_BYTES];

	/* As in tc a first loss of 0 does not count: wrappers write it. */
	if (n->loss.p32 || n->loss_model != LOSS_RANDOM)
		return err_set(r->e, -EINVAL,
			"netem loss: given twice; one model of loss at a time");
	n->named |= NAMED_LOSS;
	text = reader_word(r);
	if (!text)
		return -EINVAL;
	if (strcmp(text, "state") == 0)
		return read_loss_state(n, r);
	if (strcmp(text, "gemodel") == 0)
		return read_loss_gemodel(n, r);
	if (strcmp(text, "random") != 0) {
		if (!units_is_number(text, false))
			return err_set(r->e, -EINVAL,
				"netem loss '%s': neither a percentage nor a model; "
				"write "
				"5%%, random, state or gemodel",
				words_quote(text, room));
		r->c->at--;
	}
	return read_chance(n, r, &n->loss, NAMED_LOSS_CORR);
}

static int read_seed(struct netem_conf *n, struct reader *r)
{
	const char *text = reader_word(r);

	if (!text)
		return -EINVAL;
	if (units_u64(text, &n->seed, r->e))
		return reader_wrong(r, text);
	n->has_seed = true;
	n->named |= NAMED_SEED;
	return 0;
}

static int read_ecn(struct netem_conf *n, struct reader *r)
{
	(void)r;
	n->ecn = true;
	n->named |= NAMED_ECN;
	return 0;
}

static int read_reorder(struct netem_conf *n, struct reader *r)
{
	n->named |= NAMED_REORDER;
	return read_chance(n, r, &n->reorder, NAMED_REORDER_CORR);
}

static int read_corrupt(struct netem_conf *n, struct reader *r)
{
	n->named |= NAMED_CORRUPT;
	return read_chance(n, r, &n->corrupt, NAMED_CORRUPT_CORR);
}

static int read_gap(struct netem_conf *n, struct reader *r)
{
	n->named |= NAMED_GAP;
	return reader_u32(r, &n->gap);
}

static int read_duplicate(struct netem_conf *n, struct reader *r)
{
	n->named |= NAMED_DUPLICATE;
	return read_chance(n, r, &n->duplicate, NAMED_DUPLICATE_CORR);
}

static int need_dist(struct reader *r, struct dist_conf *d)
{
	const char *text = reader_word(r);
	int rc;

	if (!text)
		return -EINVAL;
	rc = r->c->defers_tables ? dist_name_file(d, text, r->e)
				 : dist_read(d, text, r->e);
	return rc ? reader_wrong(r, text) : 0;
}

static int read_distribution(struct netem_conf *n, struct reader *r)
{
	n->named |= NAMED_DISTRIBUTION;
	return need_dist(r, &n->dist);
}

/* RATE [OVERHEAD [CELL [CELLOVERHEAD]]], each of the three known by its sign alone. */
static int read_rate(struct netem_conf *n, struct reader *r)
{
	const char *text = reader_word(r);
	int rc;

	if (!text)
		return -EINVAL;
	if (units_rate(text, &n->rate_byteps, r->e))
		return reader_wrong(r, text);
	n->named |= NAMED_RATE;
	if (reader_more_signed(r)) {
		rc = reader_s32(r, &n->overhead_bytes);
		if (rc)
			return rc;
	}
	if (reader_more(r)) {
		rc = reader_u32(r, &n->cell_bytes);
		if (rc)
			return rc;
	}
	return reader_more_signed(r) ? reader_s32(r, &n->cell_overhead_bytes) : 0;
}

/* A budget of a slot: no negative one, and none above what the kernel's field holds. */
static int need_budget(struct reader *r, bool is_size, int32_t *budget)
{
	const char *text = cursor_peek(r->c);
	uint32_t size = 0;
	int32_t n = 0;
	int rc = is_size ? reader_size(r, &size) : reader_s32(r, &n);

	if (rc)
		return rc;
	if (n < 0 || size > INT32_MAX) {
		err_set(r->e, -EINVAL, "not within 0 and 2147483647");
		return reader_wrong(r, text);
	}
	*budget = is_size ? (int32_t)size : n;
	return 0;
}

/* [packets N] [bytes N], in this order, both may be shortened. */
static int read_slot_budgets(struct netem_conf *n, struct reader *r)
{
	static const char *const words[] = {"packets", "bytes"};
	int32_t *const budgets[] = {&n->slot.max_packets, &n->slot.max_bytes};

	for (int i = 0; i < 2; i++) {
		const char *text = cursor_peek(r->c);
		int rc;

		if (!text || !*text || strncmp(words[i], text, strlen(text)) != 0)
			continue;
		r->c->at++;
		rc = need_budget(r, i == 1, budgets[i]);
		if (rc)
			return rc;
	}
	return 0;
}

static int read_slot_times(struct netem_conf *n, struct reader *r)
{
	struct slot_conf *s = &n->slot;
	int rc = reader_time(r, &s->min_delay_ns);

	if (rc)
		return rc;
	s->max_delay_ns = s->min_delay_ns;
	rc = reader_more(r) ? reader_time(r, &s->max_delay_ns) : 0;
	if (rc == 0 && s->max_delay_ns < s->min_delay_ns)
		return err_set(r->e, -EINVAL,
			"netem slot: the second time is below the first; write the "
			"smaller "
			"one first");
	return rc;
}

static int read_slot_dist(struct netem_conf *n, struct reader *r)
{
	struct slot_conf *s = &n->slot;
	int rc = need_dist(r, &s->dist);

	if (rc == 0)
		rc = reader_time(r, &s->dist_delay_ns);
	if (rc == 0)
		rc = reader_time(r, &s->dist_jitter_ns);
	if (rc == 0 && s->dist_jitter_ns == 0)
		return err_set(r->e, -EINVAL,
			"netem slot: a distribution needs a jitter above 0; write slot "
			"MIN "
			"MAX for none");
	s->has_dist = true;
	return rc;
}

static int read_slot(struct netem_conf *n, struct reader *r)
{
	struct slot_conf *s = &n->slot;
	char room[WORDS_QUOTE_BYTES];
	const char *text = reader_word(r);
	int rc;

	if (!text)
		return -EINVAL;
	n->named |= NAMED_SLOT;
	if (strcmp(text, "distribution") == 0) {
		rc = read_slot_dist(n, r);
	} else if (units_is_number(text, false)) {
		r->c->at--;
		rc = read_slot_times(n, r);
	} else {
		return err_set(r->e, -EINVAL,
			"netem slot '%s': neither a time nor the word distribution; "
			"write "
			"slot 5ms 10ms or slot distribution NAME 5ms 1ms",
			words_quote(text, room));
	}
	if (rc == 0)
		rc = read_slot_budgets(n, r);
	s->active = s->min_delay_ns || s->max_delay_ns || s->dist_jitter_ns;
	return rc;
}

static int (*const readers[N_NETEM_WORDS])(struct netem_conf *n, struct reader *r) = {
	[NETEM_LIMIT] = read_limit,
	[NETEM_DELAY] = read_delay,
	[NETEM_LOSS] = read_loss,
	[NETEM_SEED] = read_seed,
	[NETEM_ECN] = read_ecn,
	[NETEM_REORDER] = read_reorder,
	[NETEM_CORRUPT] = read_corrupt,
	[NETEM_GAP] = read_gap,
	[NETEM_DUPLICATE] = read_duplicate,
	[NETEM_DISTRIBUTION] = read_distribution,
	[NETEM_RATE] = read_rate,
	[NETEM_SLOT] = read_slot,
};

/* A word that is no option: say what was probably meant. */
static int unknown_word(const struct cursor *c, struct err *e)
{
	const char *text = cursor_peek(c);
	const struct word *near = words_nearest(&words_netem, text);
	const struct word *end = words_nearest(&words_link, text);
	char room[WORDS_QUOTE_BYTES];

	words_quote(text, room);
	if (!near && end && strcmp(text, end->name) != 0)
		near = end;
	if (c->lacks_dashes)
		return err_set(e, -EINVAL,
			"run: '%s': neither a netem option nor a direction%s%s%s; "
			"write -- "
			"before the command",
			room, near ? " (did you mean " : "", near ? near->name : "",
			near ? "?)" : "");
	if (near)
		return err_set(e, -EINVAL,
			"netem: '%s': no such option; did you mean %s?", room,
			near->name);
	if (end)
		return err_set(e, -EINVAL,
			"netem: '%s': not a netem option; write it before netem", room);
	if (units_is_number(text, true) || strcmp(text, "%") == 0)
		return err_set(e, -EINVAL,
			"netem: '%s': a value without an option; write an option word "
			"such as "
			"delay or loss before it",
			room);
	if (strcmp(text, "packets") == 0 || strcmp(text, "bytes") == 0)
		return err_set(e, -EINVAL,
			"netem: '%s': stands only behind slot; write slot TIME [TIME] "
			"[packets N] [bytes N], in this order",
			room);
	if (text[0] == '-')
		return err_set(e, -EINVAL,
			"netem: '%s': not a netem option; options of farwire stand "
			"right behind "
			"the verb",
			room);
	return err_set(e, -EINVAL,
		"netem: '%s': no such option; see farwire help netem", room);
}

int netem_args_read(struct netem_conf *n, struct cursor *c, struct err *e)
{
	while (!cursor_ends_spec(c)) {
		struct reader r = {.kind = "netem", .c = c, .e = e};
		int rc;

		r.word = words_find_prefix(&words_netem, cursor_peek(c));
		if (!r.word)
			return unknown_word(c, e);
		c->at++;
		rc = readers[r.word->id](n, &r);
		if (rc)
			return rc;
	}
	return 0;
}
