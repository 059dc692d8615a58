/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report/show.h - a link as `farwire show` says it: settings and, with -s, statistics
 *
 * Text and JSON are tc's for netem, to the blank and the key, with our own things in
 * lines and keys beside them. man/farwire-show.schema.json describes the JSON.
 */
#ifndef FW_REPORT_SHOW_H
#define FW_REPORT_SHOW_H

#include "report/report.h"

#include <stdio.h>
#include <sys/types.h>

/* One link. Its directions are the paths of the report; elapsed_ns is how long it is up. */
struct show_link {
	const char *name;
	const char *near, *far; /* "NS/DEV", or "lo" and NULL for a loopback */
	const char *words;      /* NEAR and FAR of a link that stays; NULL: a run */
	pid_t pid;
	const struct report *report;
};

/**
 * show_link_text() - The header line, then one line a direction
 * @detail: how often -s was given. 1: tc's statistics and how late frames left; 2: all
 */
void show_link_text(FILE *to, const struct show_link *l, unsigned detail);

/**
 * show_link_exact() - One line of words: "add NAME netns a ... up netem ... down netem ..."
 *
 * Behind the word farwire they make the same link again, field by field. A run has "set
 * NAME up ...": its settings.
 */
void show_link_exact(FILE *to, const struct show_link *l);

/**
 * show_link_json() - An array with one object a direction
 * @detail: as above. 0: no statistics
 *
 * Return: a new array, the caller's; NULL when there is no memory.
 */
struct json_object *show_link_json(const struct show_link *l, unsigned detail);

#endif
