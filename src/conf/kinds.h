/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conf/kinds.h - the kinds of impairment, and a SPEC of any kind
 */
#ifndef FW_CONF_KINDS_H
#define FW_CONF_KINDS_H

#include "base/err.h"
#include "conf/conf.h"
#include "conf/cursor.h"

#include <stdio.h>

struct json_object;

/* What a kind brings; a second kind is one more entry. */
struct kind {
	const char *name;
	int (*read)(struct spec *s, struct cursor *c, struct err *e);
	int (*copy)(struct spec *to, const struct spec *from);
	void (*fini)(struct spec *s);
	uint64_t *(*seed)(struct spec *s); /* where its seed is, NULL if it has none */
	void (*show)(const struct spec *s, FILE *out);       /* tc's text */
	void (*show_short)(const struct spec *s, FILE *out); /* the start line's */
	void (*show_end)(const struct spec *s, FILE *out);   /* ", limit N, seed N" */
	void (*show_exact)(
		const struct spec *s, FILE *out); /* reads back to the same */
	struct json_object *(*show_json)(const struct spec *s); /* tc's "options" */
	nsec_t (*delay_ns)(const struct spec *s);
};

/** kinds_get() - The entry of a kind; NULL for IMPAIR_NONE */
const struct kind *kinds_get(enum impair_kind kind);

/** kinds_at() - Does the cursor stand at the name of a kind? */
bool kinds_at(const struct cursor *c);

/**
 * kinds_read() - Read one SPEC, kind first, and apply the rules between its options
 * @s: unchanged on failure, else owns what it holds (kinds_fini)
 * @c: at the name of the kind; left at the word that ends the SPEC
 *
 * Return: 0 or a negative errno.
 */
int kinds_read(struct spec *s, struct cursor *c, struct err *e);

/** kinds_default() - What stands for no SPEC: netem without options */
void kinds_default(struct spec *s);

/** kinds_fini() - Free what the SPEC owns; it is IMPAIR_NONE then */
void kinds_fini(struct spec *s);

/**
 * kinds_copy_for_down() - The SPEC of the other direction, where one SPEC is for both
 *
 * The same but for the seed: the generator of up takes the seed itself, so that it is
 * the kernel's stream to the bit, that of down takes kinds_down_seed().
 *
 * Return: 0 or -ENOMEM.
 */
int kinds_copy_for_down(struct spec *down, const struct spec *up);

/** kinds_down_seed() - splitmix64 of the seed of both directions */
uint64_t kinds_down_seed(uint64_t seed);

#endif
