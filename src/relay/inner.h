/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * relay/inner.h - what the files of a relay share; nobody else includes it
 *
 * Whatever is in the epoll begins with a struct watch, to which the event points. What
 * ends in the middle of a batch of events is marked and freed behind the batch, as later
 * events of it may still point there.
 */
#ifndef FW_RELAY_INNER_H
#define FW_RELAY_INNER_H

#include "relay/relay.h"

#include <netinet/in.h>
#include <stddef.h>
#include <sys/socket.h>

/* The largest UDP datagram is 65507 bytes. */
#define SCRATCH_BYTES 65536

enum watch_kind { WATCH_ORDERS, WATCH_LISTEN, WATCH_TCP, WATCH_UDP };

struct watch {
	enum watch_kind kind;
	int fd;          /* -1: closed */
	bool known;      /* to the epoll */
	uint32_t events; /* as the epoll has them */
};

struct listener {
	struct watch w;
	struct relay_rule rule;
};

union address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

struct tcp;
struct udp;

struct relay {
	int epoll_fd;
	struct watch orders;
	struct listener *listener[RELAY_RULES_MAX];
	unsigned n_listeners;
	nsec_t now_ns;

	struct tcp *tcp, *dead_tcp; /* all sessions; those to be freed */
	unsigned n_tcp, max_tcp, n_dying;
	bool deaf;      /* the TCP listeners are not watched */
	nsec_t hear_ns; /* while deaf for want of files: when to try again */
	struct udp *oldest, *newest, *dead_udp;
	unsigned n_udp;
	uint8_t scratch[SCRATCH_BYTES];
};

/** watch_set() - Put @w into the epoll, or change what it waits for. 0 or -errno */
int watch_set(struct relay *r, struct watch *w, uint32_t events);

/** watch_close() - Close its file, which takes it out of the epoll. */
void watch_close(struct watch *w);

/** address_of() - As the kernel wants it. Return: its length. */
socklen_t address_of(const struct relay_addr *at, union address *to);

/** relay_deaf() - Watch the TCP listeners no longer, or again. */
void relay_deaf(struct relay *r, bool deaf);

/* tcp.c */
void tcp_accept(struct relay *r, struct listener *l);
void tcp_ready(struct relay *r, struct watch *w, uint32_t events);
/* Look at those whose last bytes are on their way; free the dead. */
void tcp_tend(struct relay *r);
/* When to call it again, though nothing happens. */
nsec_t tcp_next_ns(const struct relay *r);

/* udp.c */
void udp_receive(struct relay *r, struct listener *l);
void udp_ready(struct relay *r, struct watch *w, uint32_t events);
/* End what has been idle for too long; free the dead. */
void udp_tend(struct relay *r);
nsec_t udp_next_ns(const struct relay *r);

#endif
