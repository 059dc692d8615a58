/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conf/fact.h - what the doctor found, as plain data between host/ and report/
 */
#ifndef FW_CONF_FACT_H
#define FW_CONF_FACT_H

#include <stdbool.h>

#define FACTS_MAX 12
#define FACT_TEXT_BYTES 320

struct fact {
	const char *name; /* "tun device" */
	bool yes;
	bool needed;                /* without it `run dev lo` does not work */
	char text[FACT_TEXT_BYTES]; /* what is, or why not */
	char fix[FACT_TEXT_BYTES];  /* what to do; "" where nothing need be done */
};

struct doctor {
	unsigned n;
	bool can_run; /* `run dev lo` works: it was done */
	struct fact fact[FACTS_MAX];
};

#endif
