/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run/port.h - one end of a link: frames in and out in batches
 *
 * Theory of operation
 *   This is the batch interface behind which the carriers stand. A read brings up to a
 *   batch of bufs, each with its virtio header, into the free end of the pool; a buf is
 *   a frame or a super-frame of many. A write takes the jobs of a join, all of which are
 *   known beforehand, in order. Both never block. What the kernel refuses for good is
 *   lost, counted, and not tried again; what it cannot take now stays in the join.
 *
 *   Plain system calls carry a TAP, or a ring of run/uring.h that it has been given to;
 *   a helper's socket is run/sockport.h's.
 *
 *   A device that refuses a super-frame as malformed gets its frames one by one; after
 *   one of UDP no more are made for it, for these are younger than the TAP.
 *
 * Cost     plain: a system call a job, one more to learn that nothing is left.
 * Owner    bufs handed out belong to the caller; those of jobs written are given back
 *          to the pool.
 */
#ifndef FW_RUN_PORT_H
#define FW_RUN_PORT_H

#include "wire/buf.h"
#include "wire/join.h"

#include <stdbool.h>
#include <stdint.h>

/* Bufs a port reads before anyone else has a turn; flat from 8 on, see bench. */
#define PORT_BATCH 32

struct uring;
struct sockport;

struct port {
	int fd;
	bool whole;       /* super-frames read are judged whole */
	bool set_dst_mac; /* frames read get .mac as destination */
	uint8_t mac[6];
	const char *where;     /* for people: " at the near end", or "" */
	bool broken;           /* the device is gone; nothing more comes or goes */
	int broken_errno;      /* why */
	struct uring *uring;   /* its carrier; NULL: plain system calls */
	struct sockport *sock; /* a helper's socket, no TAP; NULL: a TAP */
	unsigned ring_file;    /* which of the ring's it is */
	/* Reads and writes, and the frames on the wire that they stood for. */
	uint64_t reads, frames_read, writes, frames_written;
};

/* What one port_read() or port_write() could not keep. */
struct port_lost {
	uint64_t frames;
	uint64_t bytes;
};

/**
 * port_read() - Read what has come, at most a batch
 * @p:    port
 * @pool: memory; where it has none left the frame is read and counted in @lost
 * @out:  room for PORT_BATCH bufs, parsed, each with one reference for the caller
 * @lost: added to
 *
 * Return: number of bufs; 0 when nothing has come. Sets @p->broken when the device is
 * gone. Hot path.
 */
unsigned port_read(struct port *p, struct buf_pool *pool, struct buf **out,
	struct port_lost *lost);

/**
 * port_has_read() - Are there bufs for port_read() that the epoll knows nothing of?
 *
 * Then the caller must not sleep.
 */
bool port_has_read(const struct port *p);

/**
 * port_queue() - Say what port_write() will be called with next
 * @j: sealed; must stay as it is until then
 *
 * What is announced for several ports goes in one system call where the carrier can.
 */
void port_queue(struct port *p, const struct join *j);

/**
 * port_write() - Write jobs in their order
 * @p:    port
 * @pool: where the bufs of the frames taken go back to
 * @j:    sealed; empty afterwards, unless the device takes no more now
 * @lost: frames that were taken but refused by the kernel: added to
 *
 * Hot path.
 */
void port_write(
	struct port *p, struct buf_pool *pool, struct join *j, struct port_lost *lost);

/** port_read_plain() / port_write_plain() - The same by plain system calls */
unsigned port_read_plain(struct port *p, struct buf_pool *pool, struct buf **out,
	struct port_lost *lost);
void port_write_plain(
	struct port *p, struct buf_pool *pool, struct join *j, struct port_lost *lost);

/** port_why() - Why @p is broken, for people. */
const char *port_why(const struct port *p);

/** port_accept() - For carriers: a buf has come; what does it stand for? */
void port_accept(struct port *p, struct buf *b);

/** port_note_error() - For carriers: is the device gone? @error: an errno */
void port_note_error(struct port *p, int error);

#endif
