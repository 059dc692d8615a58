/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/end.h - one end of a link in a namespace that is somebody else's
 */
#ifndef FW_HOST_END_H
#define FW_HOST_END_H

#include "base/err.h"
#include "host/host.h"
#include "host/member.h"
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

struct end_made {
	struct host_port port;
	struct member member; /* of the bridge; NONE without one */
	unsigned mtu_bytes;   /* where the caller did not know it */
};

/**
 * end_make() - Make it
 * @made: filled; the caller owns its files. The device is up, and goes with them
 * @e:    filled on failure
 *
 * The caller is in its own namespaces when this returns; where a user namespace has to
 * be entered, or there is no scratch, a child process does it. Blocks for some
 * milliseconds, or some 20 where the device has to be moved. Return: 0 or -errno, never
 * -EINVAL; on failure nothing is left.
 */
int end_make(const struct end_want *w, struct end_made *made, struct err *e);

/** end_unmake() - Close its files: the device goes. */
void end_unmake(struct end_made *made);

#endif
