/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run/port.h - one TAP end: frames in and out in batches
 *
 * Theory of operation
 *   This is the batch interface behind which the carriers stand. A read brings up to a
 *   batch of frames, each with its virtio header, into the free end of the pool; a
 *   write takes a batch and says how many it is done with. Both never block. What the
 *   kernel refuses for good is lost, counted, and not tried again; what it cannot take
 *   now stays with the caller.
 *
 * Cost     plain carrier: a system call a frame, one more to learn that nothing is left.
 * Owner    bufs handed out belong to the caller; frames taken are given back to the pool.
 */
#ifndef FW_RUN_PORT_H
#define FW_RUN_PORT_H

#include "wire/buf.h"
#include "wire/frame.h"

#include <stdbool.h>
#include <stdint.h>

/* Frames a port moves before anyone else has a turn; flat from 8 on, see bench. */
#define PORT_BATCH 32

struct port {
	int fd;
	bool set_dst_mac; /* frames read get .mac as destination */
	uint8_t mac[6];
	bool broken;      /* the device is gone; nothing more comes or goes */
	int broken_errno; /* why */
	uint64_t reads, frames_read, writes, frames_written;
};

/* What one port_read() could not keep. */
struct port_lost {
	uint64_t frames;
	uint64_t bytes;
};

/**
 * port_read() - Read what has come, at most a batch
 * @p:    port
 * @pool: memory; where it has none left the frame is read and counted in @lost
 * @out:  room for PORT_BATCH bufs, each with one reference for the caller
 * @lost: added to
 *
 * Return: number of bufs; 0 when nothing has come. Sets @p->broken when the device is
 * gone. Hot path.
 */
unsigned port_read(struct port *p, struct buf_pool *pool, struct buf **out,
	struct port_lost *lost);

/**
 * port_write() - Write frames in their order
 * @p:      port
 * @pool:   where the bufs of the frames taken go back to
 * @frames: the caller gives up its references of those taken
 * @n:      how many
 * @lost:   frames that were taken but refused by the kernel: added to
 *
 * Return: frames taken, written or lost; fewer than @n when the device takes no more
 * now.
 */
unsigned port_write(struct port *p, struct buf_pool *pool, const struct frame *frames,
	unsigned n, struct port_lost *lost);

#endif
