/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests/unit/engine/tcwords.c - the few words of tc that tests/data speaks
 */
#include "config.h"

#include "unit/engine/tcwords.h"

#include "unit/unit.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N_WORDS_MAX 32

struct words {
	char text[256];
	char *at[N_WORDS_MAX];
	unsigned n, next;
};

static void split(struct words *w, const char *text)
{
	char *save = NULL;

	snprintf(w->text, sizeof(w->text), "%s", text);
	w->n = w->next = 0;
	for (char *s = strtok_r(w->text, " ", &save); s; s = strtok_r(NULL, " ", &save))
		w->at[w->n++] = s;
}

static const char *next(struct words *w)
{
	assert_true(w->next < w->n);
	return w->at[w->next++];
}

static bool next_is(struct words *w, const char *word)
{
	if (w->next == w->n || strcmp(w->at[w->next], word))
		return false;
	w->next++;
	return true;
}

/* Values begin with a digit, as tc has it. */
static bool has_value(const struct words *w)
{
	return w->next < w->n && isdigit((unsigned char)w->at[w->next][0]);
}

static uint32_t percent(struct words *w, uint32_t otherwise)
{
	if (!has_value(w))
		return otherwise;
	return (uint32_t)rint(strtod(next(w), NULL) / 100 * UINT32_MAX);
}

static nsec_t ms(struct words *w)
{
	return has_value(w) ? (nsec_t)(strtod(next(w), NULL) * 1e6) : 0;
}

static void read_loss(struct netem_conf *c, struct words *w)
{
	if (next_is(w, "state")) {
		c->loss_model = LOSS_STATE;
		c->p13_p32 = percent(w, 0);
		c->p31_p32 = percent(w, UINT32_MAX - c->p13_p32);
		c->p32_p32 = percent(w, 0);
		c->p23_p32 = percent(w, UINT32_MAX);
		c->p14_p32 = percent(w, 0);
	} else if (next_is(w, "gemodel")) {
		c->loss_model = LOSS_GEMODEL;
		c->ge_p_p32 = percent(w, 0);
		c->ge_r_p32 = percent(w, UINT32_MAX - c->ge_p_p32);
		c->ge_1_h_p32 = percent(w, UINT32_MAX);
		c->ge_1_k_p32 = percent(w, 0);
	} else {
		c->loss.p32 = percent(w, 0);
	}
}

static FILE *open_experimental(void)
{
	static const char *const dirs[] = {
		"/usr/lib/x86_64-linux-gnu/tc", "/usr/lib/tc", "/usr/share/tc"};
	char path[256];
	FILE *f = NULL;

	for (unsigned i = 0; !f && i < sizeof(dirs) / sizeof(dirs[0]); i++) {
		snprintf(path, sizeof(path), "%s/experimental.dist", dirs[i]);
		f = fopen(path, "re");
	}
	return f;
}

static bool read_experimental(struct dist_conf *d)
{
	FILE *f = open_experimental();
	char *line = NULL;
	size_t room = 0;

	if (!f)
		return false;
	d->kind = DIST_FILE;
	d->values = calloc(DIST_VALUES_MAX, sizeof(*d->values));
	assert_non_null(d->values);
	while (getline(&line, &room, f) > 0) {
		char *s = line, *end;

		if (line[0] == '#')
			continue;
		for (long v = strtol(s, &end, 0); end != s; v = strtol(s, &end, 0)) {
			assert_true(d->n_values < DIST_VALUES_MAX);
			d->values[d->n_values++] = (int16_t)v;
			s = end;
		}
	}
	free(line);
	fclose(f);
	return true;
}

static bool read_distribution(struct netem_conf *c, struct words *w)
{
	if (next_is(w, "normal"))
		c->dist.kind = DIST_NORMAL;
	else if (next_is(w, "pareto"))
		c->dist.kind = DIST_PARETO;
	else if (next_is(w, "paretonormal"))
		c->dist.kind = DIST_PARETONORMAL;
	else if (next_is(w, "experimental"))
		return read_experimental(&c->dist);
	else
		fail_msg("distribution %s", next(w));
	return true;
}

bool tcwords_read(struct netem_conf *c, const char *text)
{
	struct words w;
	bool all = true;

	split(&w, text);
	while (w.next < w.n) {
		if (next_is(&w, "limit")) {
			c->limit_frames = (uint32_t)strtoul(next(&w), NULL, 10);
		} else if (next_is(&w, "delay")) {
			c->latency_ns = ms(&w);
			c->jitter_ns = ms(&w);
		} else if (next_is(&w, "distribution")) {
			all &= read_distribution(c, &w);
		} else if (next_is(&w, "loss")) {
			read_loss(c, &w);
		} else if (next_is(&w, "duplicate")) {
			c->duplicate.p32 = percent(&w, 0);
		} else if (next_is(&w, "corrupt")) {
			c->corrupt.p32 = percent(&w, 0);
		} else if (next_is(&w, "reorder")) {
			c->reorder.p32 = percent(&w, 0);
			c->gap = c->gap ? c->gap : 1;
		} else if (next_is(&w, "gap")) {
			c->gap = (uint32_t)strtoul(next(&w), NULL, 10);
		} else if (next_is(&w, "ecn")) {
			c->ecn = true;
		} else {
			fail_msg("word %s", next(&w));
		}
	}
	return all;
}
