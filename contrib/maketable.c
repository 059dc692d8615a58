/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * contrib/maketable.c - a distribution table from measured delays
 *
 *   maketable [-s] [FILE]      numbers apart by white space, from FILE or stdin
 *
 * Prints a table for `netem delay MU SIGMA distribution ./TABLE`, with mean, standard
 * deviation and lag-1 correlation of the numbers in comments on top; -s prints these alone.
 *
 * Theory of operation
 *   The numbers are brought to mean 0 and deviation 1 and counted in cells of 1/50000
 *   from -4 to 4; what lies outside falls into the cells at the ends. The table is the
 *   inverse of the distribution function at 4096 steps, 8192 for one deviation. Steps
 *   that no cell reaches are interpolated.
 *
 * Source   the maker of tables in iproute2 works by the same recipe (tc-netem(8)).
 */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CELLS_PER_UNIT 50000
#define DOMAIN 4
#define N_CELLS (2 * DOMAIN * CELLS_PER_UNIT)
#define TABLE_SIZE 4096
#define TABLE_FACTOR 8192
#define ENTRY_MAX 32767
/* Below every entry that a cell can give, so free to mean "not set". */
#define UNSET (-32768)
#define PER_LINE 8

struct sample {
	double *x;
	size_t n, room;
	double mu, sigma, rho;
};

static int complain(const char *what, const char *why)
{
	fprintf(stderr, "maketable: %s: %s\n", what, why);
	return -1;
}

static int add(struct sample *s, const char *token)
{
	char *end;
	double value = strtod(token, &end);

	if (*end || end == token || !isfinite(value))
		return complain(token, "not a number");
	if (s->n == s->room) {
		size_t room = s->room ? 2 * s->room : 4096;
		double *x = reallocarray(s->x, room, sizeof(*x));

		if (!x)
			return complain("numbers", "no memory");
		s->x = x;
		s->room = room;
	}
	s->x[s->n++] = value;
	return 0;
}

static int read_sample(struct sample *s, FILE *in)
{
	char token[64];

	while (fscanf(in, "%63s", token) == 1)
		if (add(s, token))
			return -1;
	return ferror(in) ? complain("input", strerror(errno)) : 0;
}

/* Mean, deviation with divisor n - 1, correlation of each number with the one before. */
static int statistics(struct sample *s)
{
	double squares = 0, products = 0, before = 0;

	if (s->n < 2)
		return complain("input", "fewer than two numbers");
	for (size_t i = 0; i < s->n; i++)
		s->mu += s->x[i];
	s->mu /= (double)s->n;
	for (size_t i = 0; i < s->n; i++)
		squares += (s->x[i] - s->mu) * (s->x[i] - s->mu);
	for (size_t i = 1; i < s->n; i++) {
		products += (s->x[i] - s->mu) * (s->x[i - 1] - s->mu);
		before += (s->x[i - 1] - s->mu) * (s->x[i - 1] - s->mu);
	}
	s->sigma = sqrt(squares / (double)(s->n - 1));
	s->rho = before > 0 ? products / before : 0;
	if (!(s->sigma > 0) || !isfinite(s->sigma))
		return complain("input", "all numbers are the same, or too large");
	return 0;
}

static void count_cells(const struct sample *s, unsigned *cells)
{
	for (size_t i = 0; i < s->n; i++) {
		double z = (s->x[i] - s->mu) / s->sigma;
		double at = rint((z + DOMAIN) * CELLS_PER_UNIT);

		cells[(size_t)fmin(fmax(at, 0), N_CELLS - 1)]++;
	}
}

static void invert(const struct sample *s, const unsigned *cells, int *table)
{
	size_t total = 0;

	for (int i = 0; i < TABLE_SIZE; i++)
		table[i] = UNSET;
	for (int cell = 0; cell < N_CELLS; cell++) {
		double value =
			rint(TABLE_FACTOR * ((double)cell / CELLS_PER_UNIT - DOMAIN));
		double at;

		total += cells[cell];
		at = rint((double)total / (double)s->n * TABLE_SIZE);
		table[(int)fmin(at, TABLE_SIZE - 1)] =
			(int)fmin(fmax(value, -ENTRY_MAX), ENTRY_MAX);
	}
}

/* Straight lines across what is not set; beyond the ends stand the extremes. */
static void interpolate(int *table)
{
	int left = -1, left_value = UNSET;

	for (int i = 0; i <= TABLE_SIZE; i++) {
		int value = i == TABLE_SIZE ? ENTRY_MAX : table[i];

		if (i < TABLE_SIZE && value == UNSET)
			continue;
		for (int k = left + 1; k < i; k++)
			table[k] = left_value +
				   (k - left) * (value - left_value) / (i - left);
		left = i;
		left_value = value;
	}
}

static void print_statistics(const struct sample *s, const char *before)
{
	printf("%smu =    %12.6f\n", before, s->mu);
	printf("%ssigma = %12.6f\n", before, s->sigma);
	printf("%srho =   %12.6f\n", before, s->rho);
}

static int print_table(const struct sample *s)
{
	unsigned *cells = calloc(N_CELLS, sizeof(*cells));
	int table[TABLE_SIZE];

	if (!cells)
		return complain("table", "no memory");
	count_cells(s, cells);
	invert(s, cells, table);
	free(cells);
	interpolate(table);
	print_statistics(s, "# ");
	for (int i = 0; i < TABLE_SIZE; i++)
		printf("%d%c", table[i], i % PER_LINE == PER_LINE - 1 ? '\n' : ' ');
	return 0;
}

int main(int argc, char **argv)
{
	bool only_statistics = argc > 1 && strcmp(argv[1], "-s") == 0;
	struct sample s = {0};
	FILE *in = stdin;
	int rc;

	argv += 1 + only_statistics;
	if (argv[0] && (argv[1] || (argv[0][0] == '-' && argv[0][1]))) {
		fprintf(stderr, "usage: maketable [-s] [FILE]\n");
		return 1;
	}
	if (argv[0] && strcmp(argv[0], "-") != 0)
		in = fopen(argv[0], "re");
	if (!in) {
		complain(argv[0], strerror(errno));
		return 1;
	}
	rc = read_sample(&s, in);
	if (rc == 0)
		rc = statistics(&s);
	if (rc == 0 && only_statistics)
		print_statistics(&s, "");
	else if (rc == 0)
		rc = print_table(&s);
	free(s.x);
	if (fflush(stdout))
		rc = complain("stdout", strerror(errno));
	return rc ? 1 : 0;
}
