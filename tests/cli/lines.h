/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests/cli/lines.h - a grammar that makes lines of netem options, right and wrong
 *
 * A value that tc and farwire are known to read differently puts a mark on its line.
 */
#ifndef FW_TESTS_LINES_H
#define FW_TESTS_LINES_H

#include <stdint.h>

enum mark {
	BARE_TIME,
	POINT_FIRST,
	UNIFORM,
	PATH,
	NOT_A_NUMBER,
	HEX_FRACTION,
	STATE_SUM,
	LONG_JITTER,
	SLOT_BUDGET,
	SLOT_NEGATIVE,
	RATE_ZERO,
	RATE_NEGATIVE,
	RATE_PERCENT,
	NO_NUMBER,
	OLD_SEED,
	OLD_NS,
	OLD_LONG,
	OLD_GRAIN,
	N_MARKS,
};

#define LINE_WORDS_MAX 60
#define LINE_WORD_BYTES 32

struct line {
	char text[LINE_WORDS_MAX][LINE_WORD_BYTES];
	int n;
	unsigned marks; /* a bit for each enum mark */
};

/** lines_start() - The same seed makes the same lines on every machine */
void lines_start(uint64_t seed);

/** lines_below() - A random number from 0 to @n - 1 */
unsigned lines_below(unsigned n);

/** lines_make() - The next line, 0 to 4 options */
void lines_make(struct line *l);

#endif
