/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run/uring.c - the second carrier: reads and writes of all ports in one system call
 *
 * Each port has a lane: what it has in the ring, and what came of it. A call (go())
 * takes the requests of all lanes and fills in all their results.
 */
#include "config.h"

#include "run/uring.h"

#include "run/lane.h"
#include "run/ring_make.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#ifdef HAVE_LIBURING

#include <liburing.h>
#include <poll.h>
#include <sys/uio.h>

/* All that all ports can have under way is 292. */
#define N_ENTRIES 512
/*
 * Frames come one by one when some in a row had nothing behind them and the ring had slept
 * for each of them, so long. Sleep alone does not tell: a halted CPU wakes to a crowd. Nor
 * does being alone: who floods may be kept to a frame at a time by waking us for each. Now
 * and then it is looked again.
 */
#define LONE_NS (10 * NSEC_PER_USEC)
#define ALONE_MIN 4
#define LOOK_EVERY 8
/* A kernel short of memory for a moment; then the plain carrier does without. */
#define TRIES_MAX 100

static_assert(N_ENTRIES >= URING_PORTS_MAX * (PORT_BATCH + JOIN_JOBS_MAX),
	"no request is ever without an entry");

struct uring {
	struct io_uring ring;
	unsigned n_left;       /* reads and writes without an answer so far */
	unsigned n_alone;      /* frames in a row that came alone, after a sleep */
	bool is_broken;        /* it has failed us; the plain carrier serves */
	bool has_others;       /* the file behind the ports' is polled, too */
	bool is_others_polled; /* just now */
	bool is_others_ready;
	unsigned n_lanes;
	struct lane lane[URING_PORTS_MAX];
};

static struct lane *lane_of(const struct port *p)
{
	return &p->uring->lane[p->ring_file];
}

static bool is_lone(const struct uring *u)
{
	return u->n_alone >= ALONE_MIN;
}

static int refuse(struct err *e, int code)
{
	const char *how = "or take Linux 5.11 or later";

	if (code == -EPERM)
		how = "or sysctl -w kernel.io_uring_disabled=0, in a container "
		      "--security-opt seccomp=unconfined";
	else if (code == -ENOSYS)
		how = "or take a kernel with CONFIG_IO_URING";
	else if (code == -ENOMEM)
		how = "or raise ulimit -l";
	return err_set(
		e, code, "--io 'uring': %s; write --io auto, %s", strerror(-code), how);
}

struct uring *uring_open(
	struct port *port, unsigned n_ports, int others_fd, struct err *e)
{
	struct uring *u = calloc(1, sizeof(*u));
	int fd[URING_PORTS_MAX + 1], r;

	assert(n_ports > 0 && n_ports <= URING_PORTS_MAX);
	if (!u) {
		refuse(e, -ENOMEM);
		return NULL;
	}
	u->n_lanes = n_ports;
	u->has_others = others_fd >= 0;
	for (unsigned i = 0; i < n_ports; i++) {
		fd[i] = port[i].fd;
		u->lane[i].port = &port[i];
		u->lane[i].index = i;
		u->lane[i].want = LANE_READS_MIN;
		u->lane[i].n_may = PORT_BATCH;
	}
	fd[n_ports] = others_fd;
	r = ring_make(&u->ring, N_ENTRIES, fd, n_ports + u->has_others, n_ports);
	if (r < 0) {
		refuse(e, r);
		free(u);
		return NULL;
	}
	for (unsigned i = 0; i < n_ports; i++) {
		port[i].uring = u;
		port[i].ring_file = i;
	}
	return u;
}

/*
 * A nowait write without links is done when the call has taken it, so no answer is good
 * news, and the ring may sleep in the same call. One that is refused ends the sleep.
 */
static void write_alone(struct lane *lane, struct io_uring_sqe *sqe)
{
	lane_finish_entry(
		sqe, REQUEST_LONE_WRITE, lane->index, 0, IOSQE_CQE_SKIP_SUCCESS);
	lane->write_result[0] = 0;
}

void uring_queue(struct port *p, const struct join *j)
{
	struct uring *u = p->uring;
	struct lane *lane = lane_of(p);
	struct io_uring_sqe *last = NULL;
	unsigned end = j->next, n = 0;

	assert(!lane->n_writes);
	while (end < j->n_jobs && !j->job[end].split)
		end++;
	if (u->is_broken)
		return;
	for (unsigned i = j->next; i < end; i++, n++) {
		const struct join_job *job = &j->job[i];
		const struct iovec *iov = &j->iov[job->first_iov];
		struct io_uring_sqe *sqe = lane_entry(&u->ring);

		if (job->n_iov == 1)
			io_uring_prep_write(sqe, (int)p->ring_file, iov->iov_base,
				(unsigned)iov->iov_len, 0);
		else
			io_uring_prep_writev(
				sqe, (int)p->ring_file, iov, job->n_iov, 0);
		sqe->rw_flags = RWF_NOWAIT;
		lane_finish_entry(sqe, REQUEST_WRITE, p->ring_file, n,
			i + 1 < end ? IOSQE_IO_LINK : 0);
		lane->write_result[n] = -ECANCELED;
		last = sqe;
	}
	lane->n_writes = n;
	if (n == 1 && is_lone(u) && u->ring.features & IORING_FEAT_CQE_SKIP)
		write_alone(lane, last);
	else
		u->n_left += n;
}

static unsigned reads_of(const struct lane *lane)
{
	return lane->want < lane->n_may ? lane->want : lane->n_may;
}

/* For every port that has probably more, and none waiting from before. */
static void foresee_reads(struct uring *u, struct buf_pool *pool)
{
	uint8_t *room[BUF_WINDOWS_MAX];
	unsigned ask[URING_PORTS_MAX] = {0}, sum = 0, at = 0, i;

	for (i = 0; i < u->n_lanes; i++)
		if (u->lane[i].is_hot && !u->lane[i].n_bufs && !u->lane[i].port->broken)
			sum += ask[i] = reads_of(&u->lane[i]);
	if (!sum)
		return;
	sum = buf_windows(pool, room, sum < BUF_WINDOWS_MAX ? sum : BUF_WINDOWS_MAX);
	for (i = 0; i < u->n_lanes && at < sum; i++) {
		if (ask[i] > sum - at)
			ask[i] = sum - at;
		lane_queue_reads(&u->lane[i], &u->ring, room + at, ask[i]);
		u->n_left += ask[i];
		at += ask[i];
	}
}

/* Of a poll the news alone counts; what it is the read will say. */
static void note_poll(struct uring *u, unsigned index)
{
	if (index < u->n_lanes) {
		lane_note_news(&u->lane[index]);
		return;
	}
	u->is_others_polled = false;
	u->is_others_ready = true;
}

static void note_results(struct uring *u)
{
	struct io_uring_cqe *cqe;
	unsigned head, n = 0;

	io_uring_for_each_cqe(&u->ring, head, cqe)
	{
		unsigned number = cqe->user_data & 0xffff;
		unsigned index = (cqe->user_data >> 16) & 0xffff;

		n++;
		switch ((enum request_kind)(cqe->user_data >> 32)) {
		case REQUEST_READ:
			u->lane[index].read_result[number] = cqe->res;
			u->n_left--;
			break;
		case REQUEST_WRITE:
			u->lane[index].write_result[number] = cqe->res;
			u->n_left--;
			break;
		case REQUEST_LONE_WRITE:
			u->lane[index].write_result[0] = cqe->res;
			break;
		case REQUEST_POLL:
			note_poll(u, index);
			break;
		case REQUEST_CHAIN_READ:
			u->lane[index].has_news = true;
			u->lane[index].news_result = cqe->res;
			break;
		case REQUEST_CHAIN_POLL:
		case REQUEST_UNPOLL:
			break;
		}
	}
	io_uring_cq_advance(&u->ring, n);
}

static bool is_passing(int r)
{
	return r >= 0 || r == -EINTR || r == -EAGAIN || r == -EBUSY || r == -ENOMEM ||
	       r == -ETIME;
}

static void take_results(struct uring *u, struct buf_pool *pool)
{
	bool look = !is_lone(u) || u->n_alone % LOOK_EVERY == 0;
	enum look found;

	for (unsigned i = 0; i < u->n_lanes; i++) {
		if (u->lane[i].n_reads) {
			found = lane_take_reads(&u->lane[i], pool);
			if (found == LOOK_CROWD)
				u->n_alone = 0;
			u->n_alone += found == LOOK_ALONE;
		}
		if (u->lane[i].has_news) {
			lane_take_news(&u->lane[i], pool, look);
			u->n_alone += !look;
		}
	}
}

/* What has no answer counts as not tried. */
static void give_up(struct uring *u)
{
	u->is_broken = true;
	u->n_left = 0;
	for (unsigned i = 0; i < u->n_lanes; i++) {
		u->lane[i].is_polled = false;
		if (io_uring_sq_ready(&u->ring) && u->lane[i].n_writes == 1)
			u->lane[i].write_result[0] = -ECANCELED;
	}
}

/* All that is queued is done when it returns, but for polls; usually one system call. */
static void finish(struct uring *u, struct buf_pool *pool)
{
	unsigned tries = 0;
	int r = 0;

	/* What a broken ring has not sent others send. */
	while (!u->is_broken && (io_uring_sq_ready(&u->ring) || u->n_left)) {
		if (tries++ == TRIES_MAX || !is_passing(r)) {
			give_up(u);
			break;
		}
		r = u->n_left ? io_uring_submit_and_wait(&u->ring, u->n_left)
			      : io_uring_submit_and_get_events(&u->ring);
		note_results(u);
	}
	take_results(u, pool);
}

static void go(struct uring *u, struct buf_pool *pool)
{
	foresee_reads(u, pool);
	finish(u, pool);
}

bool uring_has_read(const struct port *p)
{
	return lane_of(p)->n_bufs > 0;
}

unsigned uring_read(
	struct port *p, struct buf_pool *pool, struct buf **out, struct port_lost *lost)
{
	struct uring *u = p->uring;
	struct lane *lane = lane_of(p);
	unsigned n = lane_hand_out(lane, out);

	/* Nothing may pass the frame that is waited for. */
	if (lane->is_polled && lane->is_chain)
		return n;
	/* What came along with a write and left room is all there was. */
	while (n < PORT_BATCH && (!n || lane->is_hot) && !p->broken) {
		lane->is_hot = true;
		lane->n_may = PORT_BATCH - n;
		lane->n_tried = 0;
		if (!u->is_broken)
			go(u, pool);
		lane->n_may = PORT_BATCH;
		/* No memory within the bound, or no ring. A poll says if there is more. */
		if (!lane->n_tried) {
			lane->may_read = lane->is_hot = false;
			return n ? n : port_read_plain(p, pool, out, lost);
		}
		n += lane_hand_out(lane, out + n);
		if (!n)
			break;
	}
	return n;
}

void uring_write(
	struct port *p, struct buf_pool *pool, struct join *j, struct port_lost *lost)
{
	struct uring *u = p->uring;
	struct lane *lane = lane_of(p);
	unsigned n, i;

	if (!lane->n_writes)
		uring_queue(p, j);
	if (u->n_left || io_uring_sq_ready(&u->ring))
		go(u, pool);
	n = lane->n_writes;
	lane->n_writes = 0;
	for (i = 0; i < n && lane->write_result[i] >= 0; i++) {
		p->frames_written += join_first(j)->n_wire;
		join_done(j, pool);
	}
	p->writes += i;
	/* From the first refusal on, which is said once more to whom it concerns. */
	if (!join_is_empty(j))
		port_write_plain(p, pool, j, lost);
}

/* Where nothing is known to come, the news of it is asked for. */
static void queue_polls(struct uring *u, struct buf_pool *pool)
{
	struct io_uring_sqe *sqe;

	for (unsigned i = 0; i < u->n_lanes; i++) {
		struct lane *lane = &u->lane[i];

		if (lane->may_read || lane->is_polled || lane->port->broken)
			continue;
		/* A chain's frame would be behind those that wait, but for no reader. */
		if (!lane->n_bufs || !is_lone(u))
			lane_queue_poll(lane, &u->ring, pool, is_lone(u));
	}
	if (!u->has_others || u->is_others_polled)
		return;
	u->is_others_polled = true;
	sqe = lane_entry(&u->ring);
	io_uring_prep_poll_add(sqe, (int)u->n_lanes, POLLIN);
	lane_finish_entry(sqe, REQUEST_POLL, u->n_lanes, 0, 0);
}

static unsigned readable(const struct uring *u)
{
	unsigned bits = 0;

	for (unsigned i = 0; i < u->n_lanes; i++)
		if (u->lane[i].may_read || u->lane[i].n_bufs)
			bits |= 1u << i;
	return bits;
}

/* Return: what the system call said. */
static int sleep_until(struct uring *u, nsec_t until_ns)
{
	nsec_t from_ns = clock_now_ns(), left_ns = until_ns - from_ns;
	struct __kernel_timespec t = {left_ns / NSEC_PER_SEC, left_ns % NSEC_PER_SEC};
	struct io_uring_cqe *cqe;
	int r;

	if (until_ns != NSEC_NEVER && left_ns <= 0)
		return 0;
	r = io_uring_submit_and_wait_timeout(
		&u->ring, &cqe, 1, until_ns == NSEC_NEVER ? NULL : &t, NULL);
	if (clock_now_ns() - from_ns < LONE_NS)
		u->n_alone = 0;
	return r;
}

struct uring_news uring_wait(struct uring *u, struct buf_pool *pool, nsec_t until_ns)
{
	struct uring_news news = {0};
	int r = 0;

	/* A window for a chain is held before others are named. */
	queue_polls(u, pool);
	foresee_reads(u, pool);
	if (!u->n_left && until_ns && !readable(u) && !u->is_broken) {
		r = sleep_until(u, until_ns);
		news.has_slept = true;
	} else if (!u->n_left) {
		r = io_uring_submit_and_get_events(&u->ring);
	}
	note_results(u);
	if (!is_passing(r))
		give_up(u);
	/* What a call has not done yet. */
	finish(u, pool);
	news.readable = readable(u);
	news.others = u->is_others_ready;
	news.is_broken = u->is_broken;
	u->is_others_ready = false;
	return news;
}

void uring_close(struct uring *u, struct buf_pool *pool)
{
	struct io_uring_sqe *sqe;
	bool is_chain;
	unsigned i;

	if (!u)
		return;
	/* A poll under way would hold its device until long after our end. Of a chain the
	 * read goes with it. */
	for (i = 0; i <= u->n_lanes && !u->is_broken; i++) {
		if (i < u->n_lanes ? !u->lane[i].is_polled : !u->is_others_polled)
			continue;
		is_chain = i < u->n_lanes && u->lane[i].is_chain;
		sqe = lane_entry(&u->ring);
		io_uring_prep_poll_remove(
			sqe, request_pack(is_chain ? REQUEST_CHAIN_POLL : REQUEST_POLL,
				     i, 0));
		lane_finish_entry(sqe, REQUEST_UNPOLL, i, 0, 0);
	}
	finish(u, pool);
	for (i = 0; i < u->n_lanes; i++) {
		buf_release(pool, u->lane[i].held);
		u->lane[i].port->uring = NULL;
	}
	(void)io_uring_unregister_files(&u->ring);
	io_uring_queue_exit(&u->ring);
	free(u);
}

#endif
