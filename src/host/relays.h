/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/relays.h - the relays of a run: --reach, --listen
 *
 * Theory of operation
 *   --reach PORT    127.0.0.1:PORT and [::1]:PORT inside are the near relay's. It
 *                   connects over the link to PORT at the far end's address. What
 *                   listens there connects to the caller's 127.0.0.1:PORT, [::1]:PORT:
 *                   the host relay, whose sockets may be in another namespace than it,
 *                   or a helper program, which does that by itself.
 *   --listen PORT   127.0.0.1:PORT and [::1]:PORT of the caller are taken at set-up; who
 *                   comes is led over the link to a port of its own at the command's
 *                   address, RELAYS_PORT and up, where the near relay listens. It
 *                   connects to PORT, on the loopback or at the command's address: what
 *                   the command binds is left to the command.
 *
 *   A relay stands where it connects: the host relay in the caller's namespace, the near
 *   one in the command's, and with a far end in a namespace of its own (uplink none) a
 *   far relay there. Each runs as the command's user, without any capability, in a
 *   session of its own, allowed a relay's system calls only, and dies with the caller of
 *   relays_open().
 */
#ifndef FW_HOST_RELAYS_H
#define FW_HOST_RELAYS_H

#include "base/err.h"
#include "conf/conf.h"
#include "host/ident.h"
#include "host/plan.h"
#include "relay/relay.h"

#include <stdbool.h>
#include <sys/types.h>

enum relays_at { RELAYS_HOST, RELAYS_FAR, RELAYS_NEAR, N_RELAYS };

/* Ports on the link for --listen: behind those that the kernel gives of itself. */
#define RELAYS_PORT 61000

/* What a relay calls itself; never told of as left behind. */
#define RELAYS_COMM "farwire-relay"

/* For each port TCP and UDP, IPv4 and IPv6. */
#define RELAYS_KINDS 4

struct relays {
	const struct ident *ident;
	pid_t parent; /* with whom they die */
	/* Ours holds a relay's life and hears its end; its own is closed when it has been
	 * forked. -1: no such relay. */
	int sock[N_RELAYS], own[N_RELAYS];
	/* The caller's, for --listen; -1: none. */
	int listen_fd[PORTS_MAX][RELAYS_KINDS];
};

/** relays_forget() - Nothing is open */
void relays_forget(struct relays *r);

/**
 * relays_open() - Prepare a run's relays, and start the host relay
 * @r:      filled
 * @at:     bit per enum relays_at: which there will be
 * @ident:  as whom they run; kept
 *
 * In the caller's namespaces, before the child is forked, which inherits all of it.
 * Return: 0 or -errno; then nothing is left.
 */
int relays_open(
	struct relays *r, unsigned at, const struct ident *ident, struct err *e);

/**
 * relays_start() - Start one where the caller stands
 *
 * It becomes a child of the next subreaper above, not of the caller.
 */
int relays_start(struct relays *r, enum relays_at at, struct err *e);

/** relays_take_ports() - Bind the caller's ports of --listen. Return: 0 or -errno */
int relays_take_ports(struct relays *r, const struct port_list *listen, struct err *e);

/** relays_lead_in() - Lead what comes to them over the link, by the relay @at */
int relays_lead_in(struct relays *r, enum relays_at at, const struct port_list *listen,
	const struct plan *plan, struct err *e);

/**
 * relays_lead_out() - Listen at the far end's addresses, which the caller's namespace
 * has, for --reach; what comes is the host relay's
 * @dev: only what comes in by it is taken; NULL: any
 */
int relays_lead_out(struct relays *r, const struct port_list *reach,
	const struct plan *plan, const char *dev, struct err *e);

/**
 * relays_dns() - What comes to port 53 at the far end's addresses by @dev is for the
 * name server @to; the host relay carries it
 */
int relays_dns(struct relays *r, const struct plan *plan, const char *dev,
	const struct cidr *to, struct err *e);

/** relays_near() - All of the near relay, in the command's namespace */
int relays_near(
	struct relays *r, const struct conf *c, const struct plan *plan, struct err *e);

/** relays_started() - In the process that goes on: close what was for the others. */
void relays_started(struct relays *r);

/** relays_close() - End them */
void relays_close(struct relays *r);

#endif
