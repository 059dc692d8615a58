/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run/lane.h - the inside of run/uring: what a port has in the ring, and what came of it
 *
 * Theory of operation
 *   A port with more to come is hot: nowait reads for it go along with every call. One
 *   with nothing has a poll under way. Where frames come one by one it is a chain: the
 *   poll, and linked to it a read into a window that is held for it, so that the news of a
 *   frame and the frame are one answer, and one call carries a frame.
 */
#ifndef FW_RUN_LANE_H
#define FW_RUN_LANE_H

#include "config.h"

#ifdef HAVE_LIBURING

#include "run/port.h"

#include <liburing.h>

/* Of reads at first, and at least. */
#define LANE_READS_MIN 2

struct lane {
	struct port *port;
	unsigned index;             /* of the ring's files */
	unsigned n_writes, n_reads; /* requests in this call */
	unsigned want;              /* so many reads next time, ... */
	unsigned n_may;             /* ... but no more than these */
	unsigned n_tried;           /* reads of the last call */
	bool is_hot;                /* all of the last reads were filled */
	bool may_read;              /* there may be something that no poll will tell */
	bool is_polled;             /* a poll, or a chain, is under way */
	bool is_chain;              /* it is a chain, ... */
	bool has_news;              /* ... and this came of it */
	int news_result;
	uint8_t *held;   /* the window for it */
	bool is_look;    /* the next reads follow news, ... */
	unsigned n_told; /* ... of so many frames that they bring */
	unsigned n_bufs; /* read and not yet asked for */
	struct buf *buf[PORT_BATCH];
	uint8_t *room[PORT_BATCH];
	int read_result[PORT_BATCH];
	int write_result[JOIN_JOBS_MAX];
};

/* What a completion is about, packed into its 64 bits. */
enum request_kind {
	REQUEST_READ,
	REQUEST_WRITE,
	REQUEST_LONE_WRITE, /* heard of only when it fails */
	REQUEST_POLL,
	REQUEST_CHAIN_POLL, /* the same, but for old kernels */
	REQUEST_CHAIN_READ,
	REQUEST_UNPOLL,
};

static inline uint64_t request_pack(
	enum request_kind kind, unsigned lane, unsigned number)
{
	return (uint64_t)kind << 32 | lane << 16 | number;
}

/**
 * lane_entry() - An entry of the ring for a request of a lane
 *
 * There are always enough. Hot path.
 */
struct io_uring_sqe *lane_entry(struct io_uring *ring);

void lane_finish_entry(struct io_uring_sqe *sqe, enum request_kind kind, unsigned lane,
	unsigned number, unsigned flags);

/** lane_queue_reads() - Nowait reads into @n windows of the pool. Hot path. */
void lane_queue_reads(
	struct lane *lane, struct io_uring *ring, uint8_t **room, unsigned n);

/**
 * lane_queue_poll() - Ask for news of a port; by a chain, for the frame itself as well
 *
 * Without memory for its window a chain is a poll. Hot path.
 */
void lane_queue_poll(
	struct lane *lane, struct io_uring *ring, struct buf_pool *pool, bool is_chain);

/* What the reads behind the news of a frame brought. */
enum look { LOOK_NONE, LOOK_ALONE, LOOK_CROWD };

/** lane_take_reads() - What the reads of a call brought becomes bufs, in order. */
enum look lane_take_reads(struct lane *lane, struct buf_pool *pool);

/** lane_note_news() - A poll says that there is something. */
void lane_note_news(struct lane *lane);

/**
 * lane_take_news() - The same of a chain
 * @look: whether to look for more behind it
 */
void lane_take_news(struct lane *lane, struct buf_pool *pool, bool look);

/** lane_hand_out() - Bufs that have been read go to the caller. Return: how many. */
unsigned lane_hand_out(struct lane *lane, struct buf **out);

#endif

#endif
