/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conf/show.h - settings back into words: tc's text, and exact words
 */
#ifndef FW_CONF_SHOW_H
#define FW_CONF_SHOW_H

#include "conf/conf.h"

#include <stddef.h>

/**
 * show_spec() - The options of one SPEC as tc prints them, "limit 1000 delay 50ms ..."
 * @s:         the settings
 * @text:      room for the text, always terminated
 * @max_bytes: its size; SHOW_BYTES is enough for every SPEC
 *
 * Return: length of the text.
 */
size_t show_spec(const struct spec *s, char *text, size_t max_bytes);

/**
 * show_start_line() - What the user asked for in the short form of the start line
 *
 * "netem delay 50ms loss 1%, RTT +100ms, limit 1000, seed 42": limit and seed stand at
 * the end, RTT is there when a delay is, for @round_trips passes of the link in a round
 * trip (2 for a loopback or when both directions have this SPEC).
 */
size_t show_start_line(const struct spec *s, int round_trips, char *text,
	size_t max_bytes);

#define SHOW_BYTES 2048

#endif
