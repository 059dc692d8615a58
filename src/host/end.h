/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/end.h - one end of a link in a namespace that is somebody else's
 */
#ifndef FW_HOST_END_H
#define FW_HOST_END_H

#include "base/err.h"
#include "host/host.h"
#include "host/nsref.h"
#include "host/plan.h"

#include <stdbool.h>

struct end_want {
	enum port_role role;
	const struct nsref *ns;
	bool scratch;         /* the caller's own network namespace is used by nobody */
	const char *dev;      /* NULL: the first free ethN */
	const char *avoid;    /* a name that ethN is not to take; or NULL */
	const char *bridge;   /* to be a port of; or NULL */
	const char *link;     /* the link's name: the usual one of a port */
	struct plan_end self; /* dev is not read; mtu_bytes 0: the bridge's */
	struct plan_end other; /* whom it has as permanent neighbours */
	bool quiet;            /* all its neighbours are in @other */
};

/**
 * end_make() - Make it
 * @p:         filled; the caller owns its files. The device is up, and goes with them
 * @mtu_bytes: filled, where the caller did not know it
 * @e:         filled on failure
 *
 * A child process does it, which is gone when this returns: the caller enters no
 * namespace. Blocks for some 10 ms. Return: 0 or -errno; on failure nothing is left.
 */
int end_make(const struct end_want *w, struct host_port *p, unsigned *mtu_bytes,
	struct err *e);

#endif
