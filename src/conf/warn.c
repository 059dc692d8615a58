/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conf/warn.c - what is right as words and yet may not be what the user means
 *
 * One function for each warning; it adds a line or none.
 */
#include "config.h"

#include "conf/warn.h"

#include "base/units.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

/* Full and least Ethernet frame without check sequence, at an MTU of 1500. */
#define FRAME_FULL_BYTES 1514
#define FRAME_LEAST_BYTES 64

struct lines {
	char (*text)[WARN_LINE_BYTES];
	unsigned n;
};

static void __attribute__((format(printf, 2, 3)))
add(struct lines *l, const char *fmt, ...)
{
	va_list ap;

	if (l->n == WARN_LINES_MAX)
		return;
	va_start(ap, fmt);
	vsnprintf(l->text[l->n++], WARN_LINE_BYTES, fmt, ap);
	va_end(ap);
}

static double share(uint32_t p32)
{
	return (double)p32 / P32_ONE;
}

/*
 * The distribution function F of the draws is the fixed point of
 *   F(x) = mean over u in 0..1 of F((x - (1 - rho) u) / rho),
 * here with the integral of F on a grid, so that one step costs a lookup for each
 * point. By symmetry around the middle F(1/2) = 1/2. The error dies out as rho^steps;
 * the grid is finer than the smallest share of table 19.3a that is above 0.
 */
#define GRID 4096
#define STEPS_MAX 300

/* The integral of F from 0 to @y, which may lie outside 0..1. */
static double integral_at(const double *integral, double y)
{
	double at = y * GRID;
	unsigned i;

	if (y <= 0)
		return 0;
	if (y >= 1)
		return integral[GRID] + (y - 1);
	i = (unsigned)at;
	return integral[i] + (at - i) * (integral[i + 1] - integral[i]);
}

static double true_rate_by_grid(double p, double rho)
{
	double f[GRID + 1], integral[GRID + 1];
	double change = 1;

	for (unsigned i = 0; i <= GRID; i++)
		f[i] = (double)i / GRID;
	for (unsigned step = 0; step < STEPS_MAX && change > 1e-9; step++) {
		change = 0;
		integral[0] = 0;
		for (unsigned i = 0; i < GRID; i++)
			integral[i + 1] = integral[i] + (f[i] + f[i + 1]) / (2 * GRID);
		for (unsigned i = 0; i <= GRID; i++) {
			double x = (double)i / GRID;
			double area = integral_at(integral, x / rho) -
				      integral_at(integral, (x - (1 - rho)) / rho);
			double next = area * rho / (1 - rho);

			change = fmax(change, fabs(next - f[i]));
			f[i] = next;
		}
	}
	/* Between two points the lower tail is a power, not a line; the line is an
	 * upper bound, and p is hardly ever that small. */
	unsigned i = (unsigned)fmin(p * GRID, GRID - 1);

	return f[i] + (p * GRID - i) * (f[i + 1] - f[i]);
}

double warn_true_rate(double p, double rho)
{
	if (rho <= 0 || p <= 0 || p >= 1)
		return p;
	/* Many terms of like size: the sum is normal, of variance (1-rho)/(1+rho)/12.
	 */
	if (rho > 0.95)
		return rho >= 1 ? p
				: 0.5 * erfc((0.5 - p) *
						sqrt(6 * (1 + rho) / (1 - rho)));
	return true_rate_by_grid(p, rho);
}

/* "about 0.0003%" */
static void print_true_rate(double p, double rho, char text[UNITS_TEXT_BYTES])
{
	double percent = 100 * warn_true_rate(p, rho);

	if (percent < 0.0001)
		snprintf(text, UNITS_TEXT_BYTES, "less than 0.0001%%");
	else
		snprintf(text, UNITS_TEXT_BYTES, "about %.2g%%", percent);
}

static void chance_is_distorted(struct lines *l, const char *word,
	const struct chance *c, const char *does, const char *instead)
{
	char p[UNITS_TEXT_BYTES], rho[UNITS_TEXT_BYTES], rate[UNITS_TEXT_BYTES];

	if (!c->p32 || !c->corr_p32)
		return;
	units_print_percent(c->p32, p, sizeof(p));
	units_print_percent(c->corr_p32, rho, sizeof(rho));
	if (c->corr_p32 == P32_ONE) {
		add(l,
			"%s %s with correlation 100%%: all frames have the fate of the "
			"first",
			word, p);
		return;
	}
	print_true_rate(share(c->p32), share(c->corr_p32), rate);
	add(l, "%s %s with correlation %s %s %s in netem's arithmetic%s", word, p, rho,
		does, rate, instead);
}

static void duplicate_corr_is_lost(struct lines *l, const struct netem_conf *n)
{
	if ((n->named & NAMED_DUPLICATE_CORR) && !n->duplicate.corr_p32 &&
		!(n->named & (NAMED_DELAY_CORR | NAMED_LOSS_CORR | NAMED_REORDER_CORR |
				     NAMED_CORRUPT_CORR)))
		add(l, "the correlation of duplicate has no effect: tc sends it only "
		       "beside "
		       "one of delay, loss, reorder or corrupt, and so do we");
}

/* Share of frames whose delay comes out at or below 0; negative where it is not known.
 */
static double early_share(const struct netem_conf *n)
{
	double ratio = (double)n->latency_ns / (double)n->jitter_ns;

	if (n->dist.kind == DIST_UNIFORM)
		return (1 - ratio) / 2;
	if (n->dist.kind == DIST_NORMAL)
		return erfc(ratio / sqrt(2)) / 2;
	return -1;
}

static void jitter_above_delay(struct lines *l, const struct netem_conf *n)
{
	char delay[UNITS_TEXT_BYTES], jitter[UNITS_TEXT_BYTES];
	double early;

	if (n->jitter_ns <= n->latency_ns)
		return;
	units_print_time(n->latency_ns, delay, sizeof(delay));
	units_print_time(n->jitter_ns, jitter, sizeof(jitter));
	early = early_share(n);
	if (early < 0)
		add(l,
			"jitter %s is above delay %s: frames whose delay would be "
			"below 0 "
			"leave at once",
			jitter, delay);
	else
		add(l,
			"jitter %s is above delay %s: %.2g%% of the frames would have "
			"a delay "
			"below 0 and leave at once",
			jitter, delay, 100 * early);
}

/* Frames of @frame_bytes that are on the way when the line is full. */
static double frames_waiting(const struct netem_conf *n, double frame_bytes)
{
	double wait_s = ((double)n->latency_ns + (double)n->jitter_ns) / 1e9;

	return ceil((double)n->rate_byteps * wait_s / frame_bytes);
}

static void limit_below_line(struct lines *l, const struct netem_conf *n)
{
	char rate[UNITS_TEXT_BYTES], wait[UNITS_TEXT_BYTES];
	double full = frames_waiting(n, FRAME_FULL_BYTES);

	if (full <= n->limit_frames)
		return;
	units_print_rate(n->rate_byteps, false, rate, sizeof(rate));
	units_print_time(n->latency_ns, wait, sizeof(wait));
	add(l,
		"limit %" PRIu32
		" is below rate x delay: %s x %s%s needs limit %.0f for "
		"frames of %d bytes, %.0f for %d",
		n->limit_frames, rate, wait, n->jitter_ns ? " and its jitter" : "",
		full, FRAME_FULL_BYTES, frames_waiting(n, FRAME_LEAST_BYTES),
		FRAME_LEAST_BYTES);
}

static void shares_instead_of_percents(struct lines *l, const struct netem_conf *n)
{
	/* 1 %, as a fraction of 2^32-1 */
	const uint32_t one = 42949673;

	if (n->loss_model == LOSS_GEMODEL && n->ge_p_p32 < one && n->ge_r_p32 < one &&
		n->ge_1_h_p32 < one && n->ge_1_k_p32 < one)
		add(l, "all values of loss gemodel are below 1%%: numbers are percent, "
		       "so 0.1 "
		       "is 0.1%% and not one in ten");
}

static void warn_netem(struct lines *l, const struct netem_conf *n)
{
	if (n->loss_model == LOSS_RANDOM)
		chance_is_distorted(
			l, "loss", &n->loss, "loses", "; for bursts use loss gemodel");
	chance_is_distorted(l, "duplicate", &n->duplicate, "duplicates", "");
	chance_is_distorted(l, "reorder", &n->reorder, "sends at once", "");
	chance_is_distorted(l, "corrupt", &n->corrupt, "corrupts", "");
	duplicate_corr_is_lost(l, n);
	jitter_above_delay(l, n);
	limit_below_line(l, n);
	shares_instead_of_percents(l, n);
}

unsigned warn_spec(const struct spec *s, char lines[WARN_LINES_MAX][WARN_LINE_BYTES])
{
	struct lines l = {.text = lines};

	if (s->kind == IMPAIR_NETEM)
		warn_netem(&l, &s->netem);
	return l.n;
}
