/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run/uring.h - the second carrier: reads and writes of all ports in one system call
 *
 * Theory of operation
 *   A ring of io_uring stands behind port_read() and port_write(), whose contracts hold.
 *   What it carries never waits: every request is done, or refused, by the time the one
 *   system call returns, which also leaves all answers in shared memory. When the epoll
 *   is silent nothing is under way, and nothing needs to be cancelled.
 *
 *   Writes of a port are linked: one that the device does not take ends the rest of its
 *   chain untried, so nothing passes it; the plain carrier goes on from there. The
 *   writes of several ports, announced by port_queue(), go in one call.
 *
 *   Reads need their places beforehand (buf_windows()), and each that finds nothing costs
 *   about 100 ns, as a call costs 1 us. So a port asks for two at first, for twice as
 *   many whenever all were filled, up to a batch, and for half when half were not.
 *   A port whose last reads were all filled has probably more: reads for it go along
 *   with whatever call is made. What they bring waits in the ring for the next
 *   port_read(), see port_has_read(). Reads are done in order, and a frame may come
 *   between an empty read and the next one: all are looked at.
 *
 *   The ring gets by the seccomp filter, so it has fences of its own: only reads and
 *   writes, only on the TAPs it was made with. It may be given up, and nothing else.
 *
 * Cost     a system call a turn in a flood, two or three where frames come one by one.
 *          Short frames are copied once, from the window to the chunk; path counters
 *          know nothing of it.
 * Owner    the ports belong to the caller and outlive the ring. One thread: the one that
 *          made it.
 * Source   io_uring(7), io_uring_register_restrictions(3).
 */
#ifndef FW_RUN_URING_H
#define FW_RUN_URING_H

#include "base/err.h"
#include "run/port.h"

/* As many as a loop has. */
#define URING_PORTS_MAX 3

struct uring;

/**
 * uring_open() - Let a ring carry these ports
 * @port:  1 to URING_PORTS_MAX of them, side by side in memory; their .uring is set
 * @e:     filled on failure: why, and what may help
 *
 * Return: the ring, or NULL where the kernel, its administrator, the container or this
 * build has none: the ports then stay with the plain carrier.
 */
struct uring *uring_open(struct port *port, unsigned n_ports, struct err *e);

/**
 * uring_close() - Give the ports back to the plain carrier; NULL is allowed
 *
 * The kernel takes a ring down some 50 ms after its process is gone, and until then it
 * would keep the TAPs and their names busy. Here it lets them go at once.
 */
void uring_close(struct uring *u);

/** uring_read() / uring_has_read() / uring_queue() / uring_write() - Of run/port.h, for ports with a ring */
unsigned uring_read(struct port *p, struct buf_pool *pool, struct buf **out,
	struct port_lost *lost);
bool uring_has_read(const struct port *p);
void uring_queue(struct port *p, const struct join *j);
void uring_write(
	struct port *p, struct buf_pool *pool, struct join *j, struct port_lost *lost);

#endif
