/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conf/show.h - settings back into words: tc's text, exact words, JSON
 */
#ifndef FW_CONF_SHOW_H
#define FW_CONF_SHOW_H

#include "conf/conf.h"

#include <stddef.h>
#include <stdio.h>

struct json_object;

/* Enough for every SPEC; only names of table files are of any length, and get cut. */
#define SHOW_BYTES 2048

/**
 * show_spec() - The options of one SPEC as tc prints them, "limit 1000 delay 50ms ..."
 * @s:         the settings
 * @text:      room for the text, always terminated
 * @max_bytes: its size, at least 1; SHOW_BYTES is enough for every SPEC
 *
 * Return: length of the text; 0 for a SPEC that impairs nothing.
 */
size_t show_spec(const struct spec *s, char *text, size_t max_bytes);

/**
 * show_exact() - A SPEC, kind first, in words that read back to the same settings
 *
 * "netem limit 1000 delay 50000000ns": times in ns, rates in bps, tables by name.
 */
size_t show_exact(const struct spec *s, char *text, size_t max_bytes);

/**
 * show_start_line() - What the user asked for in the short form of the start line
 * @round_trips: passes of the link in a round trip: 2 for a loopback or when both
 *               directions have this SPEC
 *
 * "netem delay 50ms loss 1%, RTT +100ms, limit 1000, seed 42": limit and seed stand at
 * the end, RTT is there when a delay is, the seed when there is one.
 */
size_t show_start_line(
	const struct spec *s, int round_trips, char *text, size_t max_bytes);

/**
 * show_start_wire() - The same for both directions of a wire
 * @alike: one SPEC was given for both; only the seeds differ
 *
 * "netem delay 40ms each way, RTT +80ms, limit 1000, seed 81/43", or "up netem ..., down
 * netem ..., RTT +30ms".
 */
size_t show_start_wire(const struct spec *up, const struct spec *down, bool alike,
	char *text, size_t max_bytes);

/**
 * show_json() - One direction as an element of tc's JSON array
 * @direction: "up", "down", or NULL for a SPEC without a direction
 *
 * Keys kind, handle, root, [direction], options (with ext). Return: a new object, the
 * caller's to free; NULL when there is no memory.
 */
struct json_object *show_json(const struct spec *s, const char *direction);

/** show_put_json() - @o and a newline, on one line or, @pretty, on many */
void show_put_json(struct json_object *o, bool pretty, FILE *out);

/**
 * show_check() - What `check` prints: each SPEC that was named, as text or JSON
 *
 * Return: 0, or -errno when @out cannot be written.
 */
int show_check(const struct conf *c, FILE *out);

#endif
