/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report/monitor.h - what a link did between two looks at it
 *
 * A look is the "links" of `show -s -j` (report/show.h). What two of them differ by, over
 * the time that the link itself says has passed, is a row: one direction, one interval.
 */
#ifndef FW_REPORT_MONITOR_H
#define FW_REPORT_MONITOR_H

#include "base/clock.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct json_object;

/* Paths of one link. */
#define MONITOR_ROWS_MAX 3

struct monitor_row {
	char link[40], dev[16], direction[8];
	nsec_t span_ns;
	double in_per_s, out_per_s; /* frames */
	double out_mbit_per_s;
	double lost_percent;  /* of what came: asked for, and gone */
	double drop_per_s;    /* frames that nobody asked to lose: limit and host */
	uint64_t backlog;     /* frames that wait now */
	nsec_t wait_ns;       /* backlog over throughput; -1: nothing came out */
	nsec_t late_below_ns; /* 99 of 100 left less late than this; 0: none left */
};

/**
 * monitor_rows() - The rows between two looks at one link
 * @before: the earlier look
 * @after:  the later one
 * @rows:   filled
 *
 * A path that is in one of them only has no row, nor has one between whose looks no time
 * passed. Return: how many rows.
 */
unsigned monitor_rows(struct json_object *before, struct json_object *after,
	struct monitor_row rows[MONITOR_ROWS_MAX]);

/** monitor_line() - A row for a pipe: "wan up in/s 1667 out/s 1667 ...", one line */
void monitor_line(FILE *to, const struct monitor_row *r);

/** monitor_json() - A row as an object. Return: the caller's, NULL for no memory. */
struct json_object *monitor_json(const struct monitor_row *r);

/**
 * monitor_table() - Rows as a table with a head, for a terminal
 * @columns: lines are cut at this
 * @end:     what ends each line, "\n" with whatever the terminal needs before it
 *
 * Return: how many lines were written, always @n and the head.
 */
unsigned monitor_table(FILE *to, const struct monitor_row *rows, unsigned n,
	unsigned columns, const char *end);

#endif
