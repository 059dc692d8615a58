/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run/sockport.h - a port whose file is a socket: a helper program at the far end
 *
 * Theory of operation
 *   Behind run/port.h's batch interface, as the plain carrier for TAPs is. Frames have no
 *   virtio header on a socket: they must be plain, one a job, with whole checksums,
 *   which the one who opened the near TAP sees to.
 *
 *   A stream carries 4 bytes of length, most significant first, then the frame. What one
 *   read brings is kept in a buffer of the port and cut into frames from there, a batch
 *   at a time; a frame that is not whole waits for its rest. Many jobs go in one write.
 *   What the socket does not take stays in the join, as it does with a full TAP, a frame
 *   of which a part has gone as well: how much is remembered, and the next write goes on
 *   from there. A length that no frame can have means that the two have lost each other:
 *   the port is broken.
 *
 *   A packet socket carries a frame a message, and each message a call.
 *
 *   passt takes a frame's bytes for right. So one that is marked BUF_DAMAGED is looked at
 *   as the kernel behind a TAP would, and thrown away where that would: it has left the
 *   path, and is counted there as corrupted, with either receiver.
 *
 * Limits   IN_BYTES of the helper's frames. Nothing is allocated after sockport_new().
 * Cost     a copy of each frame that comes in; those that leave go as they lie.
 */
#ifndef FW_RUN_SOCKPORT_H
#define FW_RUN_SOCKPORT_H

#include "run/port.h"

#include <stdbool.h>

struct sockport;

/**
 * sockport_new() - Memory for one
 * @stream: else a packet socket
 * @name:   of the helper program, for messages; must stay
 *
 * Return: owned by the caller, NULL without memory.
 */
struct sockport *sockport_new(bool stream, const char *name);

/** sockport_free() - NULL is allowed. */
void sockport_free(struct sockport *s);

/** sockport_read() - As port_read() */
unsigned sockport_read(struct port *p, struct buf_pool *pool, struct buf **out,
	struct port_lost *lost);

/** sockport_has_read() - As port_has_read() */
bool sockport_has_read(const struct port *p);

/** sockport_write() - As port_write() */
void sockport_write(
	struct port *p, struct buf_pool *pool, struct join *j, struct port_lost *lost);

/** sockport_why() - Why @p is broken, for people. */
const char *sockport_why(const struct port *p);

#endif
