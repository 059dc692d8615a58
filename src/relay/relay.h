/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * relay/relay.h - a small process that carries connections from one port to another
 *
 * Theory of operation
 *   A relay stands in the network namespace from which it connects; where it is to be
 *   connected to is a socket that somebody else has made, in whatever namespace. Such a
 *   pair is a rule: a listening socket (TCP) or a bound one (UDP), and addresses, which
 *   are tried in their order. Rules arrive over the relay's own socket, a SOCK_SEQPACKET:
 *   one struct relay_rule with its file each, answered by an int, 0 or -errno. The other
 *   end of that socket holds the relay's life: when it is closed the relay ends, and the
 *   relay's end shows as the end of the socket.
 *
 *   TCP    what a reader does not take is not read from the writer. An end of file is
 *          passed on alone, the other direction lives. A reset is passed on as a reset,
 *          as is a refusal of all addresses: a relay has accepted before it knows.
 *   UDP    as a NAT: a sender's address makes a session with a socket of its own, for as
 *          long as it is used. A refusal cannot be passed on.
 *
 * Limits   sessions of both kinds, and by them memory; see below.
 * Owner    the caller, who has let its privileges fall: a relay needs none.
 */
#ifndef FW_RELAY_RELAY_H
#define FW_RELAY_RELAY_H

#include "base/clock.h"
#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

#define RELAY_TO_MAX 4
/* 32 ports there and 32 back, TCP and UDP, IPv4 and IPv6; and a name server's. */
#define RELAY_RULES_MAX 260
/* More connections than that wait in the listening socket's queue. */
#define RELAY_TCP_MAX 1024
/* Of one TCP direction, when its reader does not take it: 64 MiB for all of them. */
#define RELAY_TCP_BYTES 32768
/* The one that was unused longest goes for a new one. */
#define RELAY_UDP_MAX 256
/* As long as most home routers keep one. */
#define RELAY_UDP_IDLE_NS (60 * NSEC_PER_SEC)

struct relay_addr {
	int family;        /* AF_INET or AF_INET6 */
	uint8_t bytes[16]; /* the first 4 or all 16 */
	uint16_t port;
	uint32_t scope; /* of an IPv6 address of one link: the device's index */
};

struct relay_rule {
	int type; /* SOCK_STREAM or SOCK_DGRAM */
	unsigned n_to;
	struct relay_addr to[RELAY_TO_MAX];
	/* Who comes when all addresses refuse hears an end of file, no reset: for one who
	 * cannot take a reset before his own connection stands. */
	bool ends_softly;
};

/**
 * relay_listen() - Make a rule's socket in the network namespace of the caller
 * @type: SOCK_STREAM or SOCK_DGRAM
 * @dev:  only what comes in by this device is taken; NULL: any
 *
 * Return: the file, or -errno: -EADDRINUSE when it is taken.
 */
int relay_listen(int type, const struct relay_addr *at, const char *dev);

/** relay_port() - At which port it is; 0 or -errno */
int relay_port(int fd, uint16_t *port);

/** relay_text() - "127.0.0.1:80" or "[::1]:80", in a buffer of its own */
const char *relay_text(const struct relay_addr *at);

/**
 * relay_give() - Give a relay one more rule
 * @sock: of the relay
 * @fd:   the rule's socket, the caller keeps its own
 *
 * Blocks until the relay has taken it. Return: 0 or -errno.
 */
int relay_give(int sock, const struct relay_rule *rule, int fd, struct err *e);

/**
 * relay_serve() - Be a relay until the other end of @sock is closed
 *
 * Allowed to need: memory, sockets and what is done with them, an epoll.
 */
void relay_serve(int sock);

#endif
