/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/count.h - what is counted on one path, and how late frames left
 *
 * The names are the same in code, text and JSON. Always true between two calls:
 *
 *   in + duplicated = out + lost + drop_limit + drop_mem + drop_io + backlog
 *
 * where lost counts frames that did not come out and duplicated the frames that are
 * more for it. A duplicate and a loss that cancelled each other are in neither, but in
 * dup_hits and loss_hits, which are tc's "duplicated" and "dropped".
 */
#ifndef FW_ENGINE_COUNT_H
#define FW_ENGINE_COUNT_H

#include "base/clock.h"

#include <stdint.h>

/* Power-of-two classes of lateness: [0] below 1 us, [i] below 2^i us, the last is open.
 */
#define N_LATE_CLASSES 24

/* Finer classes for percentiles: 16 a power of two; see engine/late.c. */
#define N_LATE_FINE 640

struct late {
	uint64_t n;
	nsec_t max_ns;
	uint64_t fine[N_LATE_FINE];
};

struct count {
	uint64_t in, in_bytes;
	uint64_t out, out_bytes;
	uint64_t lost;      /* asked for by the loss model, and gone */
	uint64_t loss_hits; /* tc's "dropped": said lose, made good by a duplicate or
			       not */
	uint64_t drops; /* tc's drops: lost and over the limit, as the kernel counts */
	uint64_t drop_limit, drop_limit_bytes;
	uint64_t drop_mem;   /* no memory within the bound */
	uint64_t drop_io;    /* write failed */
	uint64_t duplicated; /* copies made */
	uint64_t dup_hits; /* tc's "duplicated": said twice, cancelled by a loss or not
			    */
	uint64_t corrupted, reordered, ecn_marked, delayed;
	uint64_t overtakes; /* left before one that had come earlier */
	uint64_t backlog, backlog_bytes, backlog_peak, backlog_bytes_peak;
	uint64_t copied_bytes; /* by us: headers made anew, frames that were changed */
	nsec_t busy_ns; /* sum of the spans in which a frame waited, but the present one */
	struct late late;
};

/**
 * late_add_n() - Note @n releases that were equally late. Hot path.
 * @late_ns: release minus due, at least 0
 */
void late_add_n(struct late *l, nsec_t late_ns, unsigned n);

/** late_add() - Note one. */
static inline void late_add(struct late *l, nsec_t late_ns)
{
	late_add_n(l, late_ns, 1);
}

/**
 * late_quantile_ns() - Lateness that a share of frames did not exceed
 * @share: 0.0 to 1.0
 *
 * Return: ns, at most 7 % above the true value (the class's upper end); 0 without
 * frames.
 */
nsec_t late_quantile_ns(const struct late *l, double share);

/** late_class() - Frames in power-of-two class @i, 0 to N_LATE_CLASSES - 1. */
uint64_t late_class(const struct late *l, unsigned i);

#endif
