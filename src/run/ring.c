/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run/ring.c - what a TAP's own ring dropped before farwire could read it
 *
 * The kernel counts a frame that finds the TAP's ring full as a drop of sending (tx).
 * /proc/net/dev has one line a device: "name:" and 16 numbers, of which the twelfth is
 * that count: 8 for receiving, then bytes, packets, errs, drop. That file keeps its
 * namespace from going away; where it must not, the file is the one of /sys with that
 * number alone.
 */
#include "config.h"

#include "run/ring.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Room for a namespace that has a few devices; ours have two or three. */
#define TABLE_BYTES 8192

uint64_t ring_parse(const char *text, const char *dev)
{
	const char *line = text, *next;
	size_t len = strlen(dev);
	uint64_t drops;

	if (sscanf(text, "%" SCNu64, &drops) == 1)
		return drops;
	for (; line && *line; line = next ? next + 1 : NULL) {
		next = strchr(line, '\n');
		line += strspn(line, " ");
		if (strncmp(line, dev, len) != 0 || line[len] != ':')
			continue;
		if (sscanf(line + len + 1,
			    "%*u %*u %*u %*u %*u %*u %*u %*u %*u %*u %*u %" SCNu64,
			    &drops) == 1)
			return drops;
	}
	return 0;
}

uint64_t ring_drops(int stats_fd, const char *dev)
{
	char text[TABLE_BYTES];
	size_t have = 0;
	ssize_t n;

	if (stats_fd < 0)
		return 0;
	while (have < sizeof(text) - 1) {
		n = pread(stats_fd, text + have, sizeof(text) - 1 - have, (off_t)have);
		if (n <= 0)
			break;
		have += (size_t)n;
	}
	text[have] = '\0';
	return ring_parse(text, dev);
}
