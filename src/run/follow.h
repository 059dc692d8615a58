/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run/follow.h - `farwire monitor`: what running links do, second by second
 *
 * Each link is asked for its statistics at the same instants; what two answers differ by
 * is printed (report/monitor.h). On a terminal a table stays in place, anywhere else
 * there is a line, or a JSON object, for each direction and interval.
 */
#ifndef FW_RUN_FOLLOW_H
#define FW_RUN_FOLLOW_H

#include "base/clock.h"
#include "base/err.h"
#include "run/client.h"

#include <stdbool.h>
#include <stdio.h>

/* Links that one monitor follows. */
#define FOLLOW_LINKS_MAX 64

/**
 * follow_links() - Print until SIGINT or SIGTERM comes or no link is left
 * @links:    1 to FOLLOW_LINKS_MAX that were opened; one that ends is closed and named in
 *            a line on stderr
 * @json:     objects instead of lines, no table
 * @every_ns: interval, NSEC_PER_SEC
 * @out:      stdout
 *
 * The two signals are blocked from here on. Return: 0, or -errno when @out cannot be
 * written.
 */
int follow_links(struct client *links, unsigned n, bool json, nsec_t every_ns,
	FILE *out, struct err *e);

#endif
