/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/link.h - network devices over rtnetlink
 *
 * One socket belongs to the network namespace in which it was opened. libnl's codes
 * stop here: callers see -errno and a text.
 */
#ifndef FW_HOST_LINK_H
#define FW_HOST_LINK_H

#include "base/err.h"

#include <netlink/netlink.h>
#include <stdbool.h>
#include <stdint.h>

/** link_open() - A socket into the network namespace of the caller, or NULL with @e. */
struct nl_sock *link_open(struct err *e);

/** link_close() - Close it and set it to NULL; NULL is allowed. */
void link_close(struct nl_sock **sk);

/**
 * link_warm() - One request that changes nothing
 *
 * The symbols between the libraries, which are resolved when they are used first, are
 * then resolved for all processes that are forked later.
 */
void link_warm(void);

/* What a device is to be; 0 or false leaves a field as it is. */
struct link_want {
	bool up;
	unsigned mtu_bytes;
	unsigned txqlen_frames;
	bool no_addr_gen; /* no link-local address: the kernel sends nothing of its own
			   */
	const uint8_t *mac; /* 6 bytes, or NULL */
	bool no_arp;        /* the kernel asks for no neighbour, joins no group */
	bool arp;           /* take no_arp back; forgets the neighbours */
	uint8_t operstate;  /* IF_OPER_DORMANT or IF_OPER_UP */
	bool no_forward;    /* IPv4; for IPv6 a fresh namespace does not anyway */
	bool forward;       /* IPv4 */
	bool local_ok;      /* 127/8 may cross it: route_localnet and accept_local */
};

/**
 * link_set() - Change the device @dev
 *
 * no_addr_gen takes effect before up. Return: 0 or -errno.
 */
int link_set(
	struct nl_sock *sk, const char *dev, const struct link_want *w, struct err *e);

/** link_index() - Index of @dev, or -errno. */
int link_index(const char *dev, struct err *e);

/**
 * link_code() - libnl's code as -errno, with its text in @e
 * @nle: what a libnl function returned, below 0
 */
int link_code(int nle, struct err *e, const char *what, const char *dev);

#endif
