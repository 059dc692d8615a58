/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run/lane.c - the inside of run/uring: what a port has in the ring, and what came of it
 */
#include "config.h"

#include "run/lane.h"

#ifdef HAVE_LIBURING

#include <assert.h>
#include <errno.h>
#include <poll.h>

/* A TAP hands out no less than an Ethernet header. */
#define READ_MIN_BYTES (BUF_VNET_BYTES + 14)

struct io_uring_sqe *lane_entry(struct io_uring *ring)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(ring);

	assert(sqe);
	return sqe;
}

void lane_finish_entry(struct io_uring_sqe *sqe, enum request_kind kind, unsigned lane,
	unsigned number, unsigned flags)
{
	sqe->flags = (uint8_t)(IOSQE_FIXED_FILE | flags);
	sqe->user_data = request_pack(kind, lane, number);
}

void lane_queue_reads(
	struct lane *lane, struct io_uring *ring, uint8_t **room, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		struct io_uring_sqe *sqe = lane_entry(ring);

		io_uring_prep_read(sqe, (int)lane->index, room[i], BUF_READ_BYTES, 0);
		sqe->rw_flags = RWF_NOWAIT;
		lane_finish_entry(sqe, REQUEST_READ, lane->index, i, 0);
		lane->room[i] = room[i];
		lane->read_result[i] = -ECANCELED;
	}
	lane->n_reads = n;
}

/* Of the poll nothing is heard but its failure, which the read shares. */
static void queue_read_behind(struct lane *lane, struct io_uring *ring)
{
	struct io_uring_sqe *sqe = lane_entry(ring);

	io_uring_prep_read(sqe, (int)lane->index, lane->held, BUF_READ_BYTES, 0);
	sqe->rw_flags = RWF_NOWAIT;
	lane_finish_entry(sqe, REQUEST_CHAIN_READ, lane->index, 0, 0);
}

void lane_queue_poll(
	struct lane *lane, struct io_uring *ring, struct buf_pool *pool, bool is_chain)
{
	struct io_uring_sqe *sqe = lane_entry(ring);
	unsigned flags = IOSQE_IO_LINK;

	if (is_chain && !lane->held)
		lane->held = buf_hold(pool);
	lane->is_polled = true;
	lane->is_chain = is_chain && lane->held;
	io_uring_prep_poll_add(sqe, (int)lane->index, POLLIN);
	if (!lane->is_chain) {
		lane_finish_entry(sqe, REQUEST_POLL, lane->index, 0, 0);
		return;
	}
	if (ring->features & IORING_FEAT_CQE_SKIP)
		flags |= IOSQE_CQE_SKIP_SUCCESS;
	lane_finish_entry(sqe, REQUEST_CHAIN_POLL, lane->index, 0, flags);
	queue_read_behind(lane, ring);
}

/* How many to ask for next time. */
static void adapt(struct lane *lane, unsigned n_filled)
{
	if (lane->n_reads != lane->want)
		return;
	if (lane->is_hot && lane->want < PORT_BATCH)
		lane->want *= 2;
	else if (2 * n_filled <= lane->want && lane->want > LANE_READS_MIN)
		lane->want /= 2;
}

static enum look judge_look(struct lane *lane, unsigned n_filled)
{
	if (!lane->is_look)
		return LOOK_NONE;
	lane->is_look = false;
	return n_filled > lane->n_told ? LOOK_CROWD : LOOK_ALONE;
}

enum look lane_take_reads(struct lane *lane, struct buf_pool *pool)
{
	struct port *p = lane->port;
	unsigned n_filled = 0;
	int n;

	for (unsigned i = 0; i < lane->n_reads; i++) {
		n = lane->read_result[i];
		if (n < 0)
			port_note_error(p, -n);
		if (n < READ_MIN_BYTES)
			continue;
		n_filled++;
		lane->buf[lane->n_bufs++] = buf_take(pool, lane->room[i], (size_t)n);
	}
	p->reads += lane->n_reads;
	lane->may_read = lane->is_hot = n_filled == lane->n_reads;
	adapt(lane, n_filled);
	lane->n_tried = lane->n_reads;
	lane->n_reads = 0;
	return judge_look(lane, n_filled);
}

static void look_for(struct lane *lane, unsigned n_told)
{
	lane->may_read = lane->is_look = true;
	lane->n_told = n_told;
}

void lane_note_news(struct lane *lane)
{
	lane->is_polled = false;
	look_for(lane, 1);
}

void lane_take_news(struct lane *lane, struct buf_pool *pool, bool look)
{
	int n = lane->news_result;

	lane->has_news = lane->is_polled = false;
	/* What else it may be the next read will say. */
	if (n < READ_MIN_BYTES) {
		lane->may_read = n != -EAGAIN;
		return;
	}
	lane->buf[lane->n_bufs++] = buf_take_held(pool, &lane->held, (size_t)n);
	lane->port->reads++;
	if (look)
		look_for(lane, 0);
	lane->is_hot = look;
}

unsigned lane_hand_out(struct lane *lane, struct buf **out)
{
	unsigned n = lane->n_bufs;

	for (unsigned i = 0; i < n; i++) {
		out[i] = lane->buf[i];
		port_accept(lane->port, out[i]);
	}
	lane->n_bufs = 0;
	return n;
}

#endif
