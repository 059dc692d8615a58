/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run/loop.h - the turn: read, stamp, judge, release, write; else sleep
 *
 * Theory of operation
 *   One thread, one epoll. A turn reads at most one batch from each port that has
 *   something, stamps it with a clock reading taken after the batch was read (a stamp
 *   before it would make its last frame leave early) and gives it to the path; then
 *   each path releases what is due by the clock, joined to as few writes as may be: at
 *   most JOIN_JOBS_MAX and a batch of frames, which is twice what a turn reads, so that
 *   a burst or a late wake-up is worked off while reading goes on. Signals and the guard's word are taken between. Then one look at
 *   the epoll without waiting; only when nothing is there is the watchdog armed, if the
 *   earliest instant changed, and the process sleeps. It asks to be woken a little ahead,
 *   by what a wake-up comes late here (run/lead.h), and waits for the rest awake. When
 *   nothing waits it sleeps for good: no tick, no polling.
 *
 *   When the command has ended, the guard is asked to end what it left running; frames
 *   are carried meanwhile. A guard that does not answer in time is passed over. A port
 *   that breaks ends the run: the guard ends the command.
 *
 * Owner    ports, paths and the pool are the caller's. Blocks until the run is over.
 */
#ifndef FW_RUN_LOOP_H
#define FW_RUN_LOOP_H

#include "base/err.h"
#include "conf/guard_msg.h"
#include "engine/path.h"
#include "run/lead.h"
#include "run/port.h"
#include "run/signals.h"
#include "run/stand.h"
#include "run/watchdog.h"

#include <stdint.h>

/* The loopback's own TAP, and one at each end of a wire. */
#define LOOP_PORTS_MAX 3
#define LOOP_PATHS_MAX 3
#define LOOP_GUARDS_MAX 2
#define LOOP_AUX_MAX 8

/*
 * Something else to serve between two turns, such as the control socket. It must return
 * soon and never block; frames wait for it.
 */
struct loop_aux {
	int fd;
	/* Return: true to be called again when @fd is readable, false: no longer. */
	bool (*ready)(void *ctx);
	void *ctx;
};

struct loop_path {
	struct path *path;
	unsigned in_port, out_port;
	/* Frames on their way out. Between two turns: those that the port could not take
	 * yet, ahead of everything else. */
	struct join join;
	/* How much `limit` would have had to be larger; window_ns is delay and jitter.
	 */
	nsec_t window_ns;
	nsec_t window_start_ns;
	bool is_queued; /* the join has been announced to its port */
	uint64_t window_drops[3];
	uint64_t last_drops, worst_drops;
};

struct loop {
	unsigned n_ports, n_paths, n_guards, n_aux;
	struct port port[LOOP_PORTS_MAX];
	struct loop_path path[LOOP_PATHS_MAX];
	struct buf_pool *pool;
	struct signals *signals;
	int guard_sock[LOOP_GUARDS_MAX];
	nsec_t guard_patience_ns; /* 0: the usual */
	bool stands; /* no command and no guards: a signal or loop_end() ends it */
	struct loop_aux aux[LOOP_AUX_MAX];
	/* Called upon signals that do not end a link that stands; or NULL. */
	void (*signalled)(void *ctx);
	void *signalled_ctx;
	/* Carries all ports and waits for them; NULL: the epoll does. Not owned. */
	struct uring *uring;

	int epoll_fd; /* 0: none yet */
	struct watchdog watchdog;
	struct stand stand; /* all 0: it keeps its rank */
	struct lead lead;
	unsigned readable;  /* bit per port */
	unsigned guard;     /* the one asked; n_guards when none is left */
	bool ending;        /* a guard has been asked to end what is left */
	bool unguarded;     /* none has answered: nobody ended what was left */
	nsec_t patience_ns; /* while ending: when to pass over the guard asked */
	bool broke;         /* a port broke: the result is void */
	bool done;
	bool woke;                      /* this turn follows a sleep */
	uint64_t wakeups, idle_wakeups; /* idle: nothing was moved */
	char why[ERR_TEXT_BYTES];       /* of broke, and why a link that stood ended */
	char leftovers[GUARD_TEXT_BYTES]; /* the guard's word, empty: nothing */
};

/**
 * loop_epoll() - Make the epoll ahead of loop_init(), for a ring that waits for it, too
 *
 * loop_fini() closes it. Return: 0 or -errno.
 */
int loop_epoll(struct loop *l, struct err *e);

/**
 * loop_init() - Make the epoll and the watchdog
 * @l: ports, paths, pool, signals and guards are set, the rest is 0
 *
 * Return: 0 or -errno.
 */
int loop_init(struct loop *l, struct err *e);

void loop_fini(struct loop *l);

/** loop_end() - End after this turn; @why is kept. For a link that stands. */
void loop_end(struct loop *l, const char *why);

/** loop_break() - The same, for one that cannot go on; @why is kept, the first one. Of a
 * run the command is ended. */
void loop_break(struct loop *l, const char *why);

/** loop_run() - Carry frames until the command has ended and nothing is left of it. */
void loop_run(struct loop *l);

#endif
