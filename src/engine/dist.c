/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/dist.c - tables of the delay distributions, and the delay formula
 *
 * The tables are made by the formulas behind the files of the same names in iproute2,
 * so that no file is needed. A different math library may move single entries by 1.
 */
#include "config.h"

#include "engine/dist.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The normal table is every fourth of 16384 steps of the distribution function, each
 * step inverted on a grid of x from -10 up in steps of 0.00005. */
#define NORMAL_STEPS 16384
#define GRID_FROM (-10.0)
#define GRID_STEP 0.00005
#define GRID_POINTS 401000

static double grid_x(int k)
{
	return GRID_FROM + k * GRID_STEP;
}

static int step_of_x(double x)
{
	return (int)rint(NORMAL_STEPS * 0.5 * erfc(-x / sqrt(2.0)));
}

/* Where the normal table stands: entries are made in order, each a like way on. */
struct normal {
	int at, way; /* grid points */
};

static bool is_within(int k, int step)
{
	return step_of_x(grid_x(k)) <= step;
}

/* The largest grid point within @step. Two or three looks where @guess is close. */
static int grid_point(int step, int guess)
{
	int low = guess, high = guess, by = 1;

	if (is_within(guess, step)) {
		for (; low + by < GRID_POINTS && is_within(low + by, step); by *= 2)
			low += by;
		high = low + by < GRID_POINTS ? low + by : GRID_POINTS;
	} else {
		for (; high - by > 0 && !is_within(high - by, step); by *= 2)
			high -= by;
		low = high - by > 0 ? high - by : 0;
	}
	while (high - low > 1) {
		int mid = low + (high - low) / 2;

		if (is_within(mid, step))
			low = mid;
		else
			high = mid;
	}
	return low;
}

/* Table value of the largest grid x within step 4 * @i, not yet cut to 16 bits. */
static int normal_value(struct normal *n, int i)
{
	int step = i * (NORMAL_STEPS / DIST_BUILTIN_VALUES);
	int guess = n->at + n->way < GRID_POINTS ? n->at + n->way : GRID_POINTS - 1;
	int at = grid_point(step, guess);

	n->way = at - n->at;
	n->at = at;
	return (int)rint(DIST_SCALE * grid_x(at));
}

/* Shape 3: mean 3/2 and variance 3/4, shifted and stretched, cut at the top. */
static int pareto_value(int i)
{
	double u = (65536 - 16 * i) / 65536.0;
	double v = (pow(u, -1.0 / 3.0) - 1.5) * (4.0 / 3.0) * DIST_SCALE;

	return (int)rint(v < INT16_MAX ? v : INT16_MAX);
}

static int16_t cut16(int v)
{
	return (int16_t)(v < INT16_MIN ? INT16_MIN : v > INT16_MAX ? INT16_MAX : v);
}

static int value_of(enum dist_kind kind, struct normal *n, int i)
{
	switch (kind) {
	case DIST_NORMAL:
		return normal_value(n, i);
	case DIST_PARETO:
		return pareto_value(i);
	case DIST_PARETONORMAL:
		return (normal_value(n, i) + 3 * pareto_value(i)) / 4;
	case DIST_UNIFORM:
	case DIST_FILE:
		break;
	}
	return 0;
}

int dist_init(struct dist *d, const struct dist_conf *c, struct err *e)
{
	uint32_t n = c->kind == DIST_FILE ? c->n_values : DIST_BUILTIN_VALUES;
	struct normal normal = {0};
	int16_t *values;

	*d = (struct dist){0};
	if (c->kind == DIST_UNIFORM)
		return 0;
	assert(n > 0);
	values = malloc(n * sizeof(*values));
	if (!values)
		return err_set(e, -ENOMEM, "memory of a distribution table");
	if (c->kind == DIST_FILE) {
		memcpy(values, c->values, n * sizeof(*values));
	} else {
		for (uint32_t i = 0; i < n; i++)
			values[i] = cut16(value_of(c->kind, &normal, (int)i));
	}
	d->kind = c->kind;
	d->values = values;
	d->n_values = n;
	return 0;
}

void dist_fini(struct dist *d)
{
	free(d->values);
	*d = (struct dist){0};
}

bool dist_is(const struct dist *d, const struct dist_conf *c)
{
	if (d->kind != c->kind)
		return false;
	return c->kind != DIST_FILE ||
	       (d->n_values == c->n_values &&
		       memcmp(d->values, c->values, d->n_values * sizeof(*d->values)) ==
			       0);
}

nsec_t dist_scale_ns(uint32_t jitter_ns, int16_t value)
{
	nsec_t x = (nsec_t)(jitter_ns % DIST_SCALE) * value;

	x += x >= 0 ? DIST_SCALE / 2 : -(DIST_SCALE / 2);
	return x / DIST_SCALE + (nsec_t)(jitter_ns / DIST_SCALE) * value;
}

/* A delay near the end of time stays there. */
static nsec_t add_ns(nsec_t a, nsec_t b)
{
	nsec_t sum;

	return __builtin_add_overflow(a, b, &sum) ? NSEC_NEVER : sum;
}

nsec_t dist_delay_ns(
	const struct dist *d, nsec_t center_ns, uint32_t jitter_ns, uint32_t random)
{
	if (!d->values)
		return add_ns(center_ns,
			(nsec_t)(random % (2 * jitter_ns)) - (nsec_t)jitter_ns);
	return add_ns(
		center_ns, dist_scale_ns(jitter_ns, d->values[random % d->n_values]));
}
