/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run/lack.c - by how much `limit` was too small
 */
#include "config.h"

#include "run/lack.h"

/* Spans over which drops by `limit` are summed: not below what a turn takes, nor so long
 * that twice the span could not be said. */
#define WINDOW_MIN_NS NSEC_PER_MSEC
#define WINDOW_MAX_NS (3600 * NSEC_PER_SEC)

/*
 * Frames dropped by `limit` while one delay passes are what `limit` lacked. Three
 * thirds of a window that slides by half a delay hold every such span, at most half too
 * much.
 */
void lack_note(struct loop_path *lp, nsec_t now_ns)
{
	uint64_t drops = path_count(lp->path)->drop_limit, sum;
	nsec_t window_ns = lp->window_ns;

	if (window_ns < WINDOW_MIN_NS)
		window_ns = WINDOW_MIN_NS;
	if (window_ns > WINDOW_MAX_NS)
		window_ns = WINDOW_MAX_NS;
	if (now_ns - lp->window_start_ns >= window_ns / 2) {
		bool far = now_ns - lp->window_start_ns >= 2 * window_ns;

		lp->window_drops[2] = far ? 0 : lp->window_drops[1];
		lp->window_drops[1] = far ? 0 : lp->window_drops[0];
		lp->window_drops[0] = 0;
		lp->window_start_ns = now_ns;
	}
	lp->window_drops[0] += drops - lp->last_drops;
	lp->last_drops = drops;
	sum = lp->window_drops[0] + lp->window_drops[1] + lp->window_drops[2];
	if (sum > lp->worst_drops)
		lp->worst_drops = sum;
}
