/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * verb/link.h - a link in this process: ports from host/, a path a direction, one loop
 *
 * Theory of operation
 *   The ports say by their roles what is laid: a loopback's frames leave where they came
 *   in; what is read at the near end is up and leaves at the far end, and the reverse.
 *   Each path has a SPEC of its own, with a seed; a change replaces it in place.
 *
 * Owner    the link is filled in place and not moved: the loop and the socket point into
 *          it. It lives as long as the process.
 */
#ifndef FW_VERB_LINK_H
#define FW_VERB_LINK_H

#include "base/err.h"
#include "conf/conf.h"
#include "host/host.h"
#include "report/report.h"
#include "run/ctl.h"
#include "run/loop.h"
#include "run/request.h"

#include <stddef.h>

/* What one path has besides the loop's own. */
struct link_path {
	struct spec spec;
	enum direction direction;
	const char *dev;      /* at the near end */
	uint64_t ring_before; /* drops of the TAP's ring before the start */
};

struct link {
	const char *name;       /* for the control socket */
	const char *near, *far; /* as in struct show_link */
	const char *words;      /* the same; NULL of a run */
	const struct host_port *port;
	unsigned n_ports, n_paths;
	struct link_path path[LOOP_PATHS_MAX];
	struct buf_pool *pool;
	struct uring *uring; /* NULL: plain system calls */
	struct host_rank rank;
	char rank_text[32];
	const char *carrier; /* its name */
	struct loop loop;
	struct request_link request;
	struct ctl ctl;
	nsec_t start_ns;
};

/**
 * link_lay() - Which path leads where, and its SPEC; no system is asked but for seeds
 * @l:       all 0; filled
 * @c:       what was asked for; not needed afterwards
 * @port:    the open ends, which outlive the link
 * @n_ports: one (a loopback), two (both ends) or three, in the order of their roles
 *
 * Return: 0 or -errno.
 */
int link_lay(struct link *l, const struct conf *c, const struct host_port *port,
	unsigned n_ports, struct err *e);

/**
 * link_make() - Memory, paths and ports of the loop
 * @c:           --memory, --io
 * @stock_bytes: memory to be faulted in now
 *
 * The caller adds signals and guards and calls loop_init(). Return: 0 or -errno.
 */
int link_make(struct link *l, const struct conf *c, size_t stock_bytes, struct err *e);

/**
 * link_serve() - Answer on a control socket; before loop_init()
 * @listen_fd: taken over
 * @owner:     who may ask, besides root
 */
int link_serve(struct link *l, int listen_fd, uid_t owner, struct err *e);

/**
 * link_stop() - No frame is carried any more: let go of the devices
 *
 * Call it after loop_run(), so that others who wait for their end wait for nobody else.
 */
void link_stop(struct link *l);

/** link_start() - The counting begins: rings as they are now, the clock */
void link_start(struct link *l);

/** link_look() - Fill in the statistics of now; @r points into the link */
void link_look(struct link *l, struct report *r);

/** link_words() - What each direction does, for the start line. Return: @text. */
const char *link_words(
	const struct link *l, const struct conf *c, char *text, size_t max_bytes);

#endif
