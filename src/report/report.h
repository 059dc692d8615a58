/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report/report.h - what a run came to, as text and as JSON
 *
 * Both forms print the same fields of the same struct; the names of the counters are
 * those of engine/count.h.
 */
#ifndef FW_REPORT_REPORT_H
#define FW_REPORT_REPORT_H

#include "base/err.h"
#include "conf/conf.h"
#include "engine/count.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* The loopback, and two directions of a wire. */
#define REPORT_PATHS_MAX 3

struct json_object;

struct report_path {
	const char *link;      /* the device at the near end: "lo", "eth0" */
	const char *direction; /* "up", "down" */
	const struct spec *spec;
	const struct count *count;
	uint64_t drop_ring;  /* by the TAP's ring, before us: in no other counter */
	uint64_t need_limit; /* what limit would have held all, 0: it did */
	bool need_is_known;  /* false where a rate holds frames back without end */
	uint64_t reads, frames_read, writes, frames_written;
};

struct report {
	unsigned n_paths;
	struct report_path path[REPORT_PATHS_MAX];
	uint64_t wakeups, idle_wakeups, arms;
	nsec_t elapsed_ns;
	const char *carrier; /* "plain", "uring" */
	const char *rank;    /* "fifo", "nice -20", "none" */
	uint64_t rank_steps; /* times it has stepped down from fifo, see run/stand.h */
	bool broke;
	int exit_status; /* as a shell sees it */
};

/** report_host_drops() - Frames the host dropped: memory, write, ring together. */
uint64_t report_host_drops(const struct report_path *p);

/**
 * report_text() - Statistics for a person
 * @detail: 1: three lines a direction; 2: every counter and the lateness classes
 */
void report_text(FILE *to, const struct report *r, unsigned detail);

/** report_warn() - The warnings at the end of a run: drops that nobody asked for. */
void report_warn(const struct report *r);

/** report_add_counters() - One direction's counters and lateness, a key each, into @o */
void report_add_counters(struct json_object *o, const struct report_path *p);

/**
 * report_json() - The same as one JSON object and a newline
 * @fd: where to; stays open
 *
 * Return: 0 or -errno.
 */
int report_json(int fd, const struct report *r, struct err *e);

#endif
