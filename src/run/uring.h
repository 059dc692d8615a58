/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run/uring.h - the second carrier: reads and writes of all ports in one system call
 *
 * Theory of operation
 *   A ring of io_uring stands behind port_read() and port_write(), whose contracts hold.
 *   Reads and writes never wait: each is done, or refused, by the time the one system
 *   call returns, which also leaves all answers in shared memory.
 *
 *   The ring waits, too: uring_wait() stands where the loop would ask its epoll. A port
 *   with nothing more to read has a poll under way, which ends with the first news; one
 *   that is read all the time has none, and so who sends wakes nobody. The epoll itself,
 *   with all that comes rarely, is one more file that is polled.
 *
 *   Where frames come one by one, each is one call: a read is linked to the poll (see
 *   run/lane.h), the write of the frame before goes along, and the ring sleeps at once.
 *   That is right for them alone. In a crowd it would wake for each frame, where a
 *   call to write and another to look let frames gather. So it is done when some frames
 *   in a row had nothing behind them and the ring had slept LONE_NS for each.
 *   Only polls, and what is linked to them, are ever left under way; uring_close()
 *   takes them back.
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
 *   The ring gets by the seccomp filter, so it has fences of its own: only reads,
 *   writes and polls, only on the files it was made with. It may be given up, and nothing else.
 *
 * Cost     a system call a turn in a flood, one a frame where they come one by one, up
 *          to three between: to read, to write and ask for news, to sleep.
 *          Short frames are copied once, from the window to the chunk; path counters
 *          know nothing of it.
 * Owner    the ports belong to the caller and outlive the ring. One thread: the one that
 *          made it.
 * Source   io_uring(7), io_uring_register_restrictions(3).
 */
#ifndef FW_RUN_URING_H
#define FW_RUN_URING_H

#include "base/clock.h"
#include "base/err.h"
#include "run/port.h"

/* As many as a loop has. */
#define URING_PORTS_MAX 3

struct uring;

/**
 * uring_open() - Let a ring carry these ports
 * @port:  1 to URING_PORTS_MAX of them, side by side in memory; their .uring is set
 * @others_fd: what else uring_wait() is to look at, an epoll say; -1: nothing
 * @e:     filled on failure: why, and what may help
 *
 * Return: the ring, or NULL where the kernel, its administrator, the container or this
 * build has none: the ports then stay with the plain carrier.
 */
struct uring *uring_open(
	struct port *port, unsigned n_ports, int others_fd, struct err *e);

/**
 * uring_close() - Give the ports back to the plain carrier; NULL is allowed
 * @pool: of uring_wait(), which gets its windows back
 *
 * The kernel takes a ring down some 50 ms after its process is gone, and until then it
 * would keep the TAPs and their names busy. Here it lets them go at once.
 */
void uring_close(struct uring *u, struct buf_pool *pool);

struct uring_news {
	unsigned readable; /* bit per port: there may be something for port_read() */
	bool others;       /* the other file is readable */
	bool has_slept;    /* or would have, had nothing come */
	bool is_broken;    /* the ring has failed: nothing will be told any more */
};

/**
 * uring_wait() - Send what port_queue() announced, and wait for news, in one system call
 * @until_ns: absolute, to sleep so long at most; NSEC_NEVER: until something comes; 0:
 *            not to sleep
 *
 * It does not sleep either when a port has more, or a write is refused. What became of
 * the writes port_write() says, which is to be called for each join announced. Hot path.
 */
struct uring_news uring_wait(struct uring *u, struct buf_pool *pool, nsec_t until_ns);

/** uring_read() / uring_has_read() / uring_queue() / uring_write() - Of run/port.h, for ports with a ring */
unsigned uring_read(struct port *p, struct buf_pool *pool, struct buf **out,
	struct port_lost *lost);
bool uring_has_read(const struct port *p);
void uring_queue(struct port *p, const struct join *j);
void uring_write(
	struct port *p, struct buf_pool *pool, struct join *j, struct port_lost *lost);

#endif
