/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests/cli/lines.c - a grammar that makes lines of netem options, right and wrong
 */
#include "config.h"

#include "cli/lines.h"

#include <stdarg.h>
#include <stdio.h>

/* xorshift64*, S. Vigna 2016: the same lines for a seed on every machine. */
static uint64_t state;

unsigned lines_below(unsigned n)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return (unsigned)(((state * 0x2545F4914F6CDD1D) >> 32) * n >> 32);
}

static int one_in(unsigned n)
{
	return lines_below(n) == 0;
}

static void mark(struct line *l, enum mark m)
{
	l->marks |= 1u << m;
}

static void __attribute__((format(printf, 2, 3)))
word(struct line *l, const char *fmt, ...)
{
	va_list ap;

	if (l->n == LINE_WORDS_MAX)
		return;
	va_start(ap, fmt);
	vsnprintf(l->text[l->n++], LINE_WORD_BYTES, fmt, ap);
	va_end(ap);
}

#define PICK(list) ((list)[lines_below(sizeof(list) / sizeof((list)[0]))])

static void wrong_word(struct line *l)
{
	static const char *const words[] = {"5%%%", "x", "-", "5x", "ms", "+", "5ms%",
		"%5", "1,5", "1e", "5..", "99999999999999999999x", "help", "delay=5ms",
		"Delay"};

	word(l, "%s", PICK(words));
}

/* @is_slot: the parser of 64 bits, which knew ns and long times all along. */
static void a_time(struct line *l, int optional, int is_slot)
{
	static const char *const units[] = {"s", "sec", "secs", "ms", "msec", "msecs",
		"us", "usec", "usecs", "MS", "Us", "mSec"};

	switch (lines_below(24)) {
	case 0:
		word(l, "%u", 1 + lines_below(100000));
		mark(l, BARE_TIME);
		break;
	case 1:
		word(l, one_in(2) ? "0" : "0.0");
		break;
	case 2:
		word(l, ".%ums", 1 + lines_below(9));
		/* A value that must be there is read with the point by both. */
		if (optional)
			mark(l, POINT_FIRST);
		break;
	case 3:
		word(l, "%uns", 1 + lines_below(999));
		if (!is_slot) {
			mark(l, OLD_NS);
			mark(l, OLD_GRAIN);
		}
		break;
	case 4:
		word(l, "0.%us", lines_below(1000));
		break;
	case 5:
		word(l, "1e%ums", lines_below(4));
		break;
	case 6:
		word(l, "0x%xms", lines_below(256));
		break;
	case 7:
		word(l, "0x1.%xms", lines_below(16));
		mark(l, HEX_FRACTION);
		break;
	case 8:
		word(l, "%us", 3 + lines_below(270));
		if (optional)
			mark(l, LONG_JITTER);
		break;
	case 9:
		if (optional) {
			word(l, "%u.%ums", lines_below(100), lines_below(100));
			break;
		}
		word(l, "%us", 300 + lines_below(3000));
		if (!is_slot)
			mark(l, OLD_LONG);
		break;
	case 10:
		word(l, "-%ums", 1 + lines_below(9));
		if (is_slot)
			mark(l, SLOT_NEGATIVE);
		break;
	case 11:
		word(l, one_in(2) ? "nan" : "infms");
		mark(l, NOT_A_NUMBER);
		break;
	case 12:
		word(l, "0.%uus", 1 + lines_below(9));
		if (!is_slot)
			mark(l, OLD_GRAIN);
		break;
	case 13:
		wrong_word(l);
		break;
	default:
		word(l, "%u%s", 1 + lines_below(2), PICK(units));
		break;
	}
}

static void a_percent(struct line *l, int optional)
{
	switch (lines_below(20)) {
	case 0:
		word(l, ".%u%%", lines_below(10));
		if (optional)
			mark(l, POINT_FIRST);
		break;
	case 1:
		word(l, "%u", lines_below(120));
		break;
	case 2:
		word(l, "0%%");
		break;
	case 3:
		word(l, "%u.%u", lines_below(100), lines_below(1000));
		break;
	case 4:
		word(l, "%ue-%u%%", lines_below(100), lines_below(5));
		break;
	case 5:
		word(l, "-%u%%", lines_below(3));
		break;
	case 6:
		word(l, "nan");
		mark(l, NOT_A_NUMBER);
		break;
	case 7:
		word(l, "0x%x", lines_below(110));
		break;
	case 8:
		if (one_in(3)) {
			word(l, "%%");
			mark(l, NO_NUMBER);
		} else {
			word(l, "+%u%%", lines_below(50));
		}
		break;
	case 9:
		wrong_word(l);
		break;
	default:
		word(l, "%u%%", lines_below(101));
		break;
	}
}

static void a_size(struct line *l)
{
	static const char *const units[] = {"", "b", "k", "kb", "m", "mb", "kbit",
		"mbit", "gbit", "K", "KB", "g", "t", "kk"};

	switch (lines_below(8)) {
	case 0:
		word(l, "%u.%u%s", lines_below(100), lines_below(100), PICK(units));
		break;
	case 1:
		word(l, "0x%x", lines_below(1000));
		break;
	case 2:
		word(l, "4294967%u", lines_below(1000));
		break;
	case 3:
		wrong_word(l);
		break;
	default:
		word(l, "%u%s", lines_below(3000), PICK(units));
		break;
	}
}

static void a_whole(struct line *l, int negative)
{
	switch (lines_below(8)) {
	case 0:
		word(l, "0x%x", lines_below(1000));
		break;
	case 1:
		word(l, "0%u", lines_below(100));
		break;
	case 2:
		word(l, "%u.5", lines_below(10));
		break;
	case 3:
		word(l, negative ? "-%u" : "%u", lines_below(3000000000u));
		break;
	case 4:
		wrong_word(l);
		break;
	default:
		word(l, "%s%u", negative && one_in(2) ? "-" : "", lines_below(2000));
		break;
	}
}

static void a_table(struct line *l)
{
	static const char *const names[] = {
		"normal", "pareto", "paretonormal", "normal"};

	switch (lines_below(10)) {
	case 0:
		word(l, "uniform");
		mark(l, UNIFORM);
		break;
	case 1:
		word(l, "./normal");
		mark(l, PATH);
		break;
	case 2:
		word(l, "nosuch");
		break;
	default:
		word(l, "%s", PICK(names));
		break;
	}
}

/* What follows by one in @n, and what may follow that. */
static void maybe_percent(struct line *l, unsigned n)
{
	if (one_in(n))
		a_percent(l, 1);
}

static void loss(struct line *l)
{
	static const char *const words[] = {"loss", "drop", "lo", "los", "dr"};
	unsigned n;

	word(l, "%s", PICK(words));
	switch (lines_below(6)) {
	case 0:
		word(l, "random");
		a_percent(l, 0);
		maybe_percent(l, 3);
		break;
	case 1:
		word(l, "state");
		mark(l, STATE_SUM);
		for (n = lines_below(6), a_percent(l, 0); n > 1; n--)
			a_percent(l, 1);
		break;
	case 2:
		word(l, "gemodel");
		for (n = lines_below(5), a_percent(l, 0); n > 1; n--)
			a_percent(l, 1);
		break;
	default:
		/* Here the first one is known by how it begins, as an optional one is. */
		a_percent(l, 1);
		maybe_percent(l, 3);
		break;
	}
}

static void delay(struct line *l)
{
	static const char *const words[] = {
		"delay", "latency", "d", "de", "la", "dela"};

	word(l, "%s", PICK(words));
	a_time(l, 0, 0);
	if (!one_in(2))
		return;
	a_time(l, 1, 0);
	maybe_percent(l, 2);
}

static void rate(struct line *l)
{
	static const char *const units[] = {"bit", "kbit", "mbit", "gbit", "tbit",
		"kibit", "mibit", "gibit", "tibit", "bps", "kbps", "mbps", "gbps",
		"kibps", "KBps", "Mbit", "k", "mb", "bits", ""};

	word(l, one_in(4) ? "ra" : "rate");
	switch (lines_below(12)) {
	case 0:
		word(l, "%ubit", lines_below(10));
		mark(l, RATE_ZERO);
		break;
	case 1:
		word(l, "-1mbit");
		mark(l, RATE_NEGATIVE);
		break;
	case 2:
		word(l, "%u%%", lines_below(100));
		mark(l, RATE_PERCENT);
		break;
	case 3:
		word(l, "inf");
		mark(l, NOT_A_NUMBER);
		break;
	case 4:
		word(l, "%u.%umbit", lines_below(100), lines_below(100));
		break;
	case 5:
		wrong_word(l);
		break;
	default:
		word(l, "%u%s", lines_below(2000), PICK(units));
		mark(l, RATE_ZERO);
		break;
	}
	if (one_in(3))
		a_whole(l, 1);
	if (one_in(4))
		a_whole(l, 0);
	if (one_in(4))
		a_whole(l, 1);
}

static void slot(struct line *l)
{
	word(l, one_in(4) ? "sl" : "slot");
	switch (lines_below(8)) {
	case 0:
		word(l, "dist");
		break;
	case 1:
	case 2:
		word(l, "distribution");
		a_table(l);
		a_time(l, 0, 1);
		a_time(l, 0, 1);
		mark(l, LONG_JITTER);
		break;
	default:
		/* The first is known by how it begins, as an optional value is. */
		a_time(l, 1, 1);
		if (one_in(2))
			a_time(l, 1, 1);
		break;
	}
	if (one_in(3)) {
		word(l, one_in(3) ? "p" : "packets");
		a_whole(l, one_in(4));
		mark(l, SLOT_BUDGET);
	}
	if (one_in(4)) {
		word(l, one_in(3) ? "by" : "bytes");
		a_size(l);
		mark(l, SLOT_BUDGET);
	}
}

static void percent_option(struct line *l)
{
	static const char *const words[] = {
		"duplicate", "du", "corrupt", "c", "reorder", "r", "reord", "dup"};

	word(l, "%s", PICK(words));
	a_percent(l, 0);
	maybe_percent(l, 3);
}

static void seed(struct line *l)
{
	static const char *const values[] = {"0", "1", "-1", "18446744073709551615",
		"18446744073709551616", "0x10", "010", "x"};

	word(l, one_in(3) ? "se" : "seed");
	word(l, "%s", PICK(values));
	mark(l, OLD_SEED);
}

static void option(struct line *l)
{
	switch (lines_below(20)) {
	case 0:
		word(l, one_in(3) ? "l" : "limit");
		a_size(l);
		break;
	case 1:
		word(l, "g");
		a_whole(l, 0);
		break;
	case 2:
		word(l, one_in(3) ? "e" : "ecn");
		break;
	case 3:
		word(l, one_in(3) ? "di" : "distribution");
		a_table(l);
		break;
	case 4:
		if (one_in(5))
			seed(l);
		else
			wrong_word(l);
		break;
	case 5:
	case 6:
		rate(l);
		break;
	case 7:
	case 8:
		slot(l);
		break;
	case 9:
	case 10:
	case 11:
	case 12:
		percent_option(l);
		break;
	case 13:
	case 14:
	case 15:
		loss(l);
		break;
	default:
		delay(l);
		break;
	}
}

void lines_start(uint64_t seed)
{
	/* No state may be 0. */
	state = seed * 2 + 1;
}

void lines_make(struct line *l)
{
	*l = (struct line){.n = 0};
	for (unsigned k = lines_below(5); k; k--)
		option(l);
}
