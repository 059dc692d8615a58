/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/place_list.h - the names that have a control socket
 */
#ifndef FW_HOST_PLACE_LIST_H
#define FW_HOST_PLACE_LIST_H

#include "base/err.h"
#include "host/place.h"

/* Names in ascending order, each once. */
struct place_names {
	unsigned n;
	char (*name)[PLACE_NAME_BYTES]; /* owned, place_list_fini() frees */
};

/**
 * place_list() - The names in all places, of living links and what dead ones left
 * @n: filled
 *
 * A place that cannot be read has none. Return: 0 or -ENOMEM.
 */
int place_list(const struct place *p, struct place_names *n, struct err *e);

void place_list_fini(struct place_names *n);

#endif
