/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run/uring.c - the second carrier: reads and writes of all ports in one system call
 *
 * Each port has a lane: what it has in the ring, and what came of it. A call (go())
 * takes the requests of all lanes and fills in all their results.
 */
#include "config.h"

#include "run/uring.h"

#include "run/ring_make.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#ifdef HAVE_LIBURING

#include <liburing.h>
#include <poll.h>
#include <sys/uio.h>

/* Of reads at first, and at least. */
#define READS_MIN 2
/* All that all ports can have under way is 292. */
#define N_ENTRIES 512
/* A kernel short of memory for a moment; then the plain carrier does without. */
#define TRIES_MAX 100

static_assert(N_ENTRIES >= URING_PORTS_MAX * (PORT_BATCH + JOIN_JOBS_MAX),
	"no request is ever without an entry");

struct lane {
	struct port *port;
	unsigned n_writes, n_reads; /* requests in this call */
	unsigned want;              /* so many reads next time, ... */
	unsigned n_may;             /* ... but no more than these */
	unsigned n_tried;           /* reads of the last call */
	bool is_hot;                /* all of the last reads were filled */
	bool may_read;              /* there may be something that no poll will tell */
	bool is_polled;             /* a poll is under way */
	unsigned n_bufs;            /* read and not yet asked for */
	struct buf *buf[PORT_BATCH];
	uint8_t *room[PORT_BATCH];
	int read_result[PORT_BATCH];
	int write_result[JOIN_JOBS_MAX];
};

struct uring {
	struct io_uring ring;
	unsigned n_left;       /* reads and writes without an answer so far */
	bool is_broken;        /* it has failed us; the plain carrier serves */
	bool has_others;       /* the file behind the ports' is polled, too */
	bool is_others_polled; /* just now */
	bool is_others_ready;
	unsigned n_lanes;
	struct lane lane[URING_PORTS_MAX];
};

/* What a completion is about, packed into its 64 bits. */
enum request_kind { REQUEST_READ, REQUEST_WRITE, REQUEST_POLL, REQUEST_UNPOLL };

static uint64_t request_pack(enum request_kind kind, unsigned lane, unsigned number)
{
	return (uint64_t)kind << 32 | lane << 16 | number;
}

static struct lane *lane_of(const struct port *p)
{
	return &p->uring->lane[p->ring_file];
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
		u->lane[i].want = READS_MIN;
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

/* An entry of its own to every request: there are enough. */
static struct io_uring_sqe *next_entry(struct uring *u)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(&u->ring);

	assert(sqe);
	return sqe;
}

static void finish_entry(struct io_uring_sqe *sqe, enum request_kind kind,
	unsigned lane, unsigned number, unsigned flags)
{
	sqe->flags = (uint8_t)(IOSQE_FIXED_FILE | flags);
	sqe->user_data = request_pack(kind, lane, number);
}

void uring_queue(struct port *p, const struct join *j)
{
	struct uring *u = p->uring;
	struct lane *lane = lane_of(p);
	unsigned end = j->next, n = 0;

	assert(!lane->n_writes);
	while (end < j->n_jobs && !j->job[end].split)
		end++;
	if (u->is_broken)
		return;
	for (unsigned i = j->next; i < end; i++, n++) {
		const struct join_job *job = &j->job[i];
		const struct iovec *iov = &j->iov[job->first_iov];
		struct io_uring_sqe *sqe = next_entry(u);

		if (job->n_iov == 1)
			io_uring_prep_write(sqe, (int)p->ring_file, iov->iov_base,
				(unsigned)iov->iov_len, 0);
		else
			io_uring_prep_writev(
				sqe, (int)p->ring_file, iov, job->n_iov, 0);
		sqe->rw_flags = RWF_NOWAIT;
		finish_entry(sqe, REQUEST_WRITE, p->ring_file, n,
			i + 1 < end ? IOSQE_IO_LINK : 0);
		lane->write_result[n] = -ECANCELED;
	}
	lane->n_writes = n;
	u->n_left += n;
}

static void queue_reads(struct uring *u, unsigned index, uint8_t **room, unsigned n)
{
	struct lane *lane = &u->lane[index];

	for (unsigned i = 0; i < n; i++) {
		struct io_uring_sqe *sqe = next_entry(u);

		io_uring_prep_read(sqe, (int)index, room[i], BUF_READ_BYTES, 0);
		sqe->rw_flags = RWF_NOWAIT;
		finish_entry(sqe, REQUEST_READ, index, i, 0);
		lane->room[i] = room[i];
		lane->read_result[i] = -ECANCELED;
	}
	lane->n_reads = n;
	u->n_left += n;
}

static void queue_poll(struct uring *u, unsigned index)
{
	struct io_uring_sqe *sqe = next_entry(u);

	io_uring_prep_poll_add(sqe, (int)index, POLLIN);
	finish_entry(sqe, REQUEST_POLL, index, 0, 0);
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
		queue_reads(u, i, room + at, ask[i]);
		at += ask[i];
	}
}

/* Of a poll the news alone counts; what it is the read will say. */
static void note_poll(struct uring *u, unsigned index)
{
	if (index == u->n_lanes) {
		u->is_others_polled = false;
		u->is_others_ready = true;
		return;
	}
	u->lane[index].is_polled = false;
	u->lane[index].may_read = true;
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
		case REQUEST_POLL:
			note_poll(u, index);
			break;
		case REQUEST_UNPOLL:
			break;
		}
	}
	io_uring_cq_advance(&u->ring, n);
}

/* What was read becomes bufs, in the order of the reads. */
static void take_reads(struct lane *lane, struct buf_pool *pool)
{
	struct port *p = lane->port;
	unsigned n_filled = 0;
	int n;

	for (unsigned i = 0; i < lane->n_reads; i++) {
		n = lane->read_result[i];
		if (n < 0)
			port_note_error(p, -n);
		/* A TAP hands out no less than an Ethernet header. */
		if (n < BUF_VNET_BYTES + 14)
			continue;
		n_filled++;
		lane->buf[lane->n_bufs++] = buf_take(pool, lane->room[i], (size_t)n);
	}
	p->reads += lane->n_reads;
	lane->may_read = lane->is_hot = n_filled == lane->n_reads;
	if (lane->n_reads == lane->want) {
		if (lane->is_hot && lane->want < PORT_BATCH)
			lane->want *= 2;
		else if (2 * n_filled <= lane->want && lane->want > READS_MIN)
			lane->want /= 2;
	}
	lane->n_tried = lane->n_reads;
	lane->n_reads = 0;
}

static bool is_passing(int r)
{
	return r >= 0 || r == -EINTR || r == -EAGAIN || r == -EBUSY || r == -ENOMEM ||
	       r == -ETIME;
}

/* All that is queued is done when it returns, but for polls; usually one system call. */
static void finish(struct uring *u, struct buf_pool *pool)
{
	unsigned tries = 0;
	int r = 0;

	while (io_uring_sq_ready(&u->ring) || u->n_left) {
		if (tries++ == TRIES_MAX || !is_passing(r)) {
			/* What has no answer counts as not tried. */
			u->is_broken = true;
			u->n_left = 0;
			break;
		}
		r = u->n_left ? io_uring_submit_and_wait(&u->ring, u->n_left)
			      : io_uring_submit_and_get_events(&u->ring);
		note_results(u);
	}
	for (unsigned i = 0; i < u->n_lanes; i++)
		if (u->lane[i].n_reads)
			take_reads(&u->lane[i], pool);
}

static void go(struct uring *u, struct buf_pool *pool)
{
	foresee_reads(u, pool);
	finish(u, pool);
}

/* Bufs that have been read go to the caller. */
static unsigned hand_out(struct lane *lane, struct buf **out)
{
	unsigned n = lane->n_bufs;

	for (unsigned i = 0; i < n; i++) {
		out[i] = lane->buf[i];
		port_accept(lane->port, out[i]);
	}
	lane->n_bufs = 0;
	return n;
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
	unsigned n = hand_out(lane, out);

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
		n += hand_out(lane, out + n);
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
	if (u->n_left)
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
static void queue_polls(struct uring *u)
{
	for (unsigned i = 0; i < u->n_lanes; i++) {
		struct lane *lane = &u->lane[i];

		if (lane->may_read || lane->is_polled || lane->port->broken)
			continue;
		lane->is_polled = true;
		queue_poll(u, i);
	}
	if (u->has_others && !u->is_others_polled) {
		u->is_others_polled = true;
		queue_poll(u, u->n_lanes);
	}
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
	nsec_t left_ns = until_ns - clock_now_ns();
	struct __kernel_timespec t = {left_ns / NSEC_PER_SEC, left_ns % NSEC_PER_SEC};
	struct io_uring_cqe *cqe;

	if (until_ns != NSEC_NEVER && left_ns <= 0)
		return 0;
	return io_uring_submit_and_wait_timeout(
		&u->ring, &cqe, 1, until_ns == NSEC_NEVER ? NULL : &t, NULL);
}

struct uring_news uring_wait(struct uring *u, struct buf_pool *pool, nsec_t until_ns)
{
	struct uring_news news = {0};
	int r = 0;

	foresee_reads(u, pool);
	queue_polls(u);
	if (u->n_left) {
		finish(u, pool);
	} else if (until_ns && !readable(u) && !u->is_broken) {
		r = sleep_until(u, until_ns);
		note_results(u);
		news.has_slept = true;
	} else {
		r = io_uring_submit_and_get_events(&u->ring);
		note_results(u);
	}
	u->is_broken |= !is_passing(r);
	news.readable = readable(u);
	news.others = u->is_others_ready;
	news.is_broken = u->is_broken;
	u->is_others_ready = false;
	return news;
}

void uring_close(struct uring *u)
{
	struct io_uring_sqe *sqe;
	unsigned i;

	if (!u)
		return;
	/* A poll under way would hold its device until long after our end. */
	for (i = 0; i <= u->n_lanes && !u->is_broken; i++) {
		if (i < u->n_lanes ? !u->lane[i].is_polled : !u->is_others_polled)
			continue;
		sqe = next_entry(u);
		io_uring_prep_poll_remove(sqe, request_pack(REQUEST_POLL, i, 0));
		finish_entry(sqe, REQUEST_UNPOLL, i, 0, 0);
	}
	finish(u, NULL);
	for (i = 0; i < u->n_lanes; i++)
		u->lane[i].port->uring = NULL;
	(void)io_uring_unregister_files(&u->ring);
	io_uring_queue_exit(&u->ring);
	free(u);
}

#endif
