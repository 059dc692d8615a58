/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests/unit/engine/script.c - inverts the generator, which is linear over single bits
 *
 * Each bit of the state flips a fixed set of output bits. So a state for wanted outputs
 * is the solution of a system of linear equations modulo 2.
 */
#include "config.h"

#include "unit/engine/script.h"

#include "unit/unit.h"

#include <string.h>

#define N_STATE 128
#define N_OUT (32 * SCRIPT_DRAWS_MAX)

/* One equation: which state bits, and the wanted sum. */
struct row {
	uint8_t bit[N_STATE];
	uint8_t sum;
};

static void fill(struct row *rows, const uint32_t *draws, unsigned n)
{
	for (unsigned s = 0; s < N_STATE; s++) {
		struct rng r = {{0}};

		r.s[s / 32] = 1u << s % 32;
		for (unsigned d = 0; d < n; d++) {
			uint32_t v = rng_next(&r);

			for (unsigned b = 0; b < 32; b++) {
				rows[d * 32 + b].bit[s] = v >> b & 1;
				rows[d * 32 + b].sum = draws[d] >> b & 1;
			}
		}
	}
}

static void add_row(struct row *to, const struct row *from)
{
	for (unsigned s = 0; s < N_STATE; s++)
		to->bit[s] ^= from->bit[s];
	to->sum ^= from->sum;
}

struct rng script_rng(const uint32_t *draws, unsigned n)
{
	static struct row rows[N_OUT];
	struct rng r = {{0}};
	unsigned n_rows = n * 32, done = 0;

	assert_true(n <= SCRIPT_DRAWS_MAX);
	memset(rows, 0, sizeof(rows));
	fill(rows, draws, n);
	/* Gauss and Jordan; free unknowns are 0. */
	for (unsigned s = 0; s < N_STATE && done < n_rows; s++) {
		unsigned pivot = done;

		while (pivot < n_rows && !rows[pivot].bit[s])
			pivot++;
		if (pivot == n_rows)
			continue;
		if (pivot != done) {
			struct row t = rows[pivot];

			rows[pivot] = rows[done];
			rows[done] = t;
		}
		for (unsigned i = 0; i < n_rows; i++) {
			if (i != done && rows[i].bit[s])
				add_row(&rows[i], &rows[done]);
		}
		done++;
	}
	assert_int_equal(done, n_rows);
	for (unsigned i = 0; i < n_rows; i++) {
		unsigned s = 0;

		while (!rows[i].bit[s])
			s++;
		if (rows[i].sum)
			r.s[s / 32] |= 1u << s % 32;
	}
	return r;
}
