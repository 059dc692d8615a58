/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/relays.h - the relays of a run: --reach, --listen
 *
 * Theory of operation
 *   --reach PORT    127.0.0.1:PORT and [::1]:PORT inside are the near relay's. It
 *                   connects over the link to PORT at the far end's address. What
 *                   listens there is the host relay, whose sockets may be in another
 *                   namespace than it. It connects to the caller's 127.0.0.1:PORT or
 *                   [::1]:PORT. A helper program takes the gateway for the caller's
 *                   loopback; there the host relay listens at ports of the kernel's
 *                   choice, so that what refuses and who is asked first is as ever:
 *                   passt answers for a port at which nobody listens with a reset that
 *                   no kernel believes, and for UDP over IPv6 from a wrong address.
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

/* Ports on the link for --listen. */
#define RELAYS_PORT PORTS_ON_LINK

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
	/* At which ports of the far end, or of the caller's loopback where a helper
	 * program is the way, the host relay listens for --reach. */
	uint16_t reach_port[PORTS_MAX][RELAYS_KINDS];
	int helper_family; /* of those, and of what the helper listens at; 0: no helper */
};

/** relays_init() - There are none */
void relays_init(struct relays *r);

/**
 * relays_open() - Prepare a run's relays, bind the caller's ports of --listen, and start
 * the host relay
 * @r:      filled
 * @uplink: the way out in use; FAR_ABSENT where the far end is in a namespace of its own.
 *          Where it is a helper program, that one has bound the loopback's address in
 *          relays_family()
 * @plan:   of both ends, where there is a way out
 * @dns:    whether relays_dns() is to follow
 * @ident:  as whom they run; kept
 *
 * In the caller's namespaces, before the child is forked, which inherits all of it.
 * Without --reach, --listen and @dns this and all the others do nothing. Return: 0 or -errno;
 * then relays_close() is due.
 */
int relays_open(struct relays *r, const struct conf *c, enum far uplink,
	const struct plan *plan, bool dns, const struct ident *ident, struct err *e);

/** relays_check() - Can the caller's ports of --listen be bound? Return: 0 or -errno */
int relays_check(const struct conf *c, struct err *e);

/** relays_family() - In which a helper program listens at the caller's loopback */
int relays_family(const struct plan *plan);

/**
 * relays_nat() - Tie the host relay to the far end's device @dev, which is up in the
 * caller's namespace and has the addresses of @plan
 *
 * What comes in by another device is not taken.
 */
int relays_nat(struct relays *r, const struct conf *c, const struct plan *plan,
	const char *dev, struct err *e);

/**
 * relays_dns() - What comes in by @dev to port 53 at the far end's addresses is for the
 * host's name server @to, on its loopback or on the link @scope (a device's index; else 0)
 */
int relays_dns(struct relays *r, const struct plan *plan, const char *dev,
	const struct cidr *to, unsigned scope, struct err *e);

/** relays_far() - In the far end's own namespace, whose device is up: for the host relay
 * what listens there, and the far relay. */
int relays_far(
	struct relays *r, const struct conf *c, const struct plan *plan, struct err *e);

/** relays_near() - In the command's namespace, whose device is up: the near relay. */
int relays_near(
	struct relays *r, const struct conf *c, const struct plan *plan, struct err *e);

/** relays_started() - In the process that goes on: close what was for the others. */
void relays_started(struct relays *r);

/** relays_close() - End them */
void relays_close(struct relays *r);

#endif
