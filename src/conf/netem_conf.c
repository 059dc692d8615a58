/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conf/netem_conf.c - struct netem_conf: defaults, copy, end
 */
#include "config.h"

#include "conf/netem_conf.h"

#include "conf/dist_file.h"

#include <errno.h>

/* The kernel's default: what a queue held when netem was made. */
#define LIMIT_DEFAULT_FRAMES 1000

void netem_conf_init(struct netem_conf *n)
{
	*n = (struct netem_conf){.limit_frames = LIMIT_DEFAULT_FRAMES};
}

void netem_conf_fini(struct netem_conf *n)
{
	dist_free(&n->dist);
	dist_free(&n->slot.dist);
	netem_conf_init(n);
}

int netem_conf_copy(struct netem_conf *to, const struct netem_conf *from)
{
	*to = *from;
	to->dist = to->slot.dist = (struct dist_conf){.kind = DIST_UNIFORM};
	if (dist_copy(&to->dist, &from->dist) == 0 &&
		dist_copy(&to->slot.dist, &from->slot.dist) == 0)
		return 0;
	netem_conf_fini(to);
	return -ENOMEM;
}
