/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/member.h - whether a device is still a port of its bridge
 */
#ifndef FW_HOST_MEMBER_H
#define FW_HOST_MEMBER_H

#include "base/err.h"

#include <stdbool.h>

struct member {
	int fd;   /* readable when there is news; -1: none */
	int nsid; /* the bridge's namespace, as the socket's own calls it */
};

#define MEMBER_NONE ((struct member){.fd = -1, .nsid = -1})

/**
 * member_open() - Begin to listen, before the device is moved or becomes a port
 * @afar: the bridge is in another network namespace than the caller: needs
 *        CAP_NET_BROADCAST there
 *
 * Return: 0 or -errno.
 */
int member_open(struct member *m, bool afar, struct err *e);

/** member_aim() - The device has index @index and is a port now. 0 or -errno. */
int member_aim(struct member *m, int index, struct err *e);

/** member_left() - Whether it has left the bridge. Needs no privilege, never waits. */
bool member_left(const struct member *m);

void member_close(struct member *m);

#endif
