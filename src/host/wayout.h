/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/wayout.h - the way out: which one, its start, its undoing
 *
 * Theory of operation, in the order of calls
 *   wayout_start()  by the parent, in the caller's namespaces, before the child is
 *                   forked: the far side stands and answers. What it is decides the
 *                   addresses of both ends, which the child, a copy, makes the near end
 *                   from, and the name servers that are to be seen inside.
 *   wayout_undo()   by whoever may: the parent when set-up fails, else a guard, when
 *                   the command and all it left have ended, and again when the parent
 *                   is gone. There are two guards: it must not matter how often.
 *
 *   A way is a pair of functions in a table: start fills the struct or refuses in one
 *   line and leaves nothing; undo may find nothing to do. `auto` asks them in the order
 *   of the table, takes the first that stands, and warns of each that did not though it
 *   is installed.
 */
#ifndef FW_HOST_WAYOUT_H
#define FW_HOST_WAYOUT_H

#include "base/clock.h"
#include "base/err.h"
#include "conf/conf.h"
#include "host/helper.h"
#include "host/host.h"
#include "host/ident.h"
#include "host/nat.h"
#include "host/plan.h"
#include "host/resolv.h"

#include <stdbool.h>

#define WAYOUT_DNS_MAX 2

struct wayout_start {
	const struct conf *conf;
	const struct ident *ident; /* as whom the command runs: so do helpers */
	bool rootless;
	bool ipv4, ipv6; /* the caller's namespace has routes for it */
	bool leads_far;  /* and one to those who are no neighbours */
	nsec_t until_ns; /* when a helper program is given up */
};

struct wayout {
	enum far way; /* FAR_UPLINK_NAT, _PASST or _SLIRP; FAR_ABSENT: none stands */
	struct plan plan; /* of both ends; of the far one mac and addr are neighbours */
	struct host_port far;
	struct resolv resolv; /* the caller's */
	/* Name servers to be seen inside; without any the command sees the caller's. */
	unsigned n_dns;
	struct cidr dns[WAYOUT_DNS_MAX];
	unsigned tcp_bytes;   /* for netns_tcp_window(); 0: as the kernel has it */
	struct helper helper; /* of passt and slirp */
	struct nat nat;
};

/**
 * wayout_start() - Choose one and let it stand
 * @s: conf->far is one of FAR_UPLINK_AUTO, _NAT, _PASST, _SLIRP; what is behind
 *     rootless is filled in here
 * @w: filled
 *
 * Blocks for as long as a helper program takes to answer, some 10 ms, at most 5 s in all.
 * Return: 0 or -errno; then nothing is left, and @e says what to do.
 */
int wayout_start(struct wayout_start *s, struct wayout *w, struct err *e);

/** wayout_init() - None stands. */
void wayout_init(struct wayout *w);

/** wayout_undo() - Put back what was changed, end the helper; idempotent. */
void wayout_undo(struct wayout *w);

/** wayout_guarded() - In the parent: the guards stand, and undo it from now on. */
void wayout_guarded(struct wayout *w);

/** wayout_forget() - In the child: close the files that are the parent's. */
void wayout_forget(struct wayout *w);

#define WAYOUT_KEEP_MAX 4

/** wayout_keep() - The files that a guard needs to undo it. Return: how many. */
int wayout_keep(const struct wayout *w, int fds[WAYOUT_KEEP_MAX]);

/** wayout_near() - What the user said of the near end, with @usual4 and @usual6 as its
 * addresses if he named none; either may be NULL. */
struct link_end wayout_near(
	const struct conf *c, const struct cidr *usual4, const struct cidr *usual6);

/** wayout_name() - "nat", "passt", "slirp", or "". */
const char *wayout_name(enum far way);

/** wayout_limit() - What is to be said of it in the start line, or "". */
const char *wayout_limit(enum far way);

#endif
