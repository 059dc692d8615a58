/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conf/kinds.c - the kinds of impairment, and a SPEC of any kind
 */
#include "config.h"

#include "conf/kinds.h"

#include "conf/check.h"
#include "conf/netem_args.h"
#include "conf/netem_conf.h"
#include "conf/netem_json.h"
#include "conf/netem_show.h"
#include "conf/words.h"

#include <errno.h>

static int netem_read(struct spec *s, struct cursor *c, struct err *e)
{
	int rc;

	netem_conf_init(&s->netem);
	rc = netem_args_read(&s->netem, c, e);
	return rc ? rc : check_netem(&s->netem, e);
}

static int netem_copy(struct spec *to, const struct spec *from)
{
	return netem_conf_copy(&to->netem, &from->netem);
}

static void netem_fini(struct spec *s)
{
	netem_conf_fini(&s->netem);
}

static uint64_t *netem_seed(struct spec *s)
{
	return s->netem.has_seed ? &s->netem.seed : NULL;
}

static void netem_text(const struct spec *s, FILE *out)
{
	netem_show_text(&s->netem, out);
}

static void netem_short(const struct spec *s, FILE *out)
{
	netem_show_short(&s->netem, out);
}

static void netem_end(const struct spec *s, FILE *out)
{
	netem_show_end(&s->netem, out);
}

static void netem_exact(const struct spec *s, FILE *out)
{
	netem_show_exact(&s->netem, out);
}

static struct json_object *netem_json(const struct spec *s)
{
	return netem_json_options(&s->netem);
}

static nsec_t netem_delay_ns(const struct spec *s)
{
	return s->netem.latency_ns;
}

static const struct kind kinds[] = {
	[IMPAIR_NETEM] =
		{
			.name = "netem",
			.read = netem_read,
			.copy = netem_copy,
			.fini = netem_fini,
			.seed = netem_seed,
			.show = netem_text,
			.show_short = netem_short,
			.show_end = netem_end,
			.show_exact = netem_exact,
			.show_json = netem_json,
			.delay_ns = netem_delay_ns,
		},
};

const struct kind *kinds_get(enum impair_kind kind)
{
	if ((size_t)kind >= sizeof(kinds) / sizeof(kinds[0]) || !kinds[kind].name)
		return NULL;
	return &kinds[kind];
}

bool kinds_at(const struct cursor *c)
{
	return c->at < c->end && words_find(&words_kinds, c->words[c->at]);
}

int kinds_read(struct spec *s, struct cursor *c, struct err *e)
{
	const struct word *word = words_find(&words_kinds, c->words[c->at]);
	struct spec new = {.kind = (enum impair_kind)word->id};
	int rc;

	c->at++;
	rc = kinds_get(new.kind)->read(&new, c, e);
	if (rc)
		kinds_fini(&new);
	else
		*s = new;
	return rc;
}

void kinds_default(struct spec *s)
{
	s->kind = IMPAIR_NETEM;
	netem_conf_init(&s->netem);
}

void kinds_fini(struct spec *s)
{
	const struct kind *k = kinds_get(s->kind);

	if (k)
		k->fini(s);
	s->kind = IMPAIR_NONE;
}

int kinds_copy_for_down(struct spec *down, const struct spec *up)
{
	const struct kind *k = kinds_get(up->kind);
	uint64_t *seed;

	down->kind = IMPAIR_NONE;
	if (!k)
		return 0;
	if (k->copy(down, up))
		return -ENOMEM;
	down->kind = up->kind;
	seed = k->seed(down);
	if (seed)
		*seed = kinds_down_seed(*seed);
	return 0;
}

/* Steele, Lea, Flood: Fast splittable pseudorandom number generators (2014). */
uint64_t kinds_down_seed(uint64_t seed)
{
	uint64_t z = seed + 0x9E3779B97F4A7C15;

	z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
	z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
	return z ^ (z >> 31);
}
