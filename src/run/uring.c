/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run/uring.c - the second carrier: reads and writes of all ports in one system call
 *
 * Each port has a lane: what it has in the ring, and what came of it. A call (go())
 * takes the requests of all lanes and fills in all their results.
 */
#include "config.h"

#include "run/uring.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#ifdef HAVE_LIBURING

#include <liburing.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/* Of reads at first, and at least. */
#define READS_MIN 2
/* All that all ports can have under way is 288. */
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
	unsigned n_bufs;            /* read and not yet asked for */
	struct buf *buf[PORT_BATCH];
	uint8_t *room[PORT_BATCH];
	int read_result[PORT_BATCH];
	int write_result[JOIN_JOBS_MAX];
};

struct uring {
	struct io_uring ring;
	unsigned n_queued; /* requests not yet given to the kernel */
	bool is_broken;    /* it has failed us; the plain carrier serves */
	unsigned n_lanes;
	struct lane lane[URING_PORTS_MAX];
};

/* What a completion is about, packed into its 64 bits. */
enum request_kind { REQUEST_READ, REQUEST_WRITE };

static uint64_t request_pack(enum request_kind kind, unsigned lane, unsigned number)
{
	return (uint64_t)kind << 32 | lane << 16 | number;
}

static struct lane *lane_of(const struct port *p)
{
	return &p->uring->lane[p->ring_file];
}

/* Newest first: 6.1, 5.19, any. SUBMIT_ALL is of 5.18. */
static int make_ring(struct io_uring *ring)
{
	static const unsigned flags[] = {IORING_SETUP_SINGLE_ISSUER |
						 IORING_SETUP_DEFER_TASKRUN |
						 IORING_SETUP_SUBMIT_ALL,
		IORING_SETUP_COOP_TASKRUN | IORING_SETUP_SUBMIT_ALL, 0};
	int r = -EINVAL;

	for (unsigned i = 0; r == -EINVAL && i < sizeof(flags) / sizeof(flags[0]); i++)
		r = io_uring_queue_init(
			N_ENTRIES, ring, flags[i] | IORING_SETUP_R_DISABLED);
	return r;
}

/* The shared liburing 2.3 has forgotten to export two of its functions. */
static int ring_register(
	const struct io_uring *ring, unsigned op, const void *arg, unsigned n)
{
	long r = syscall(SYS_io_uring_register, ring->ring_fd, op, arg, n);

	return r < 0 ? -errno : 0;
}

/* From its start on the ring knows nothing but these. */
static int fence(struct io_uring *ring)
{
	static const uint8_t ops[] = {
		IORING_OP_READ, IORING_OP_WRITE, IORING_OP_WRITEV};
	static const uint8_t registers[] = {
		IORING_UNREGISTER_FILES, IORING_UNREGISTER_RING_FDS};
	struct io_uring_restriction r[sizeof(ops) + sizeof(registers) + 2];
	unsigned n = 0, i;

	memset(r, 0, sizeof(r));
	for (i = 0; i < sizeof(ops); i++) {
		r[n].opcode = IORING_RESTRICTION_SQE_OP;
		r[n++].sqe_op = ops[i];
	}
	for (i = 0; i < sizeof(registers); i++) {
		r[n].opcode = IORING_RESTRICTION_REGISTER_OP;
		r[n++].register_op = registers[i];
	}
	r[n].opcode = IORING_RESTRICTION_SQE_FLAGS_ALLOWED;
	r[n++].sqe_flags = IOSQE_FIXED_FILE | IOSQE_IO_LINK;
	r[n].opcode = IORING_RESTRICTION_SQE_FLAGS_REQUIRED;
	r[n++].sqe_flags = IOSQE_FIXED_FILE;
	return ring_register(ring, IORING_REGISTER_RESTRICTIONS, r, n);
}

/* May these files be read without waiting? An empty read takes no frame. */
static int try_reads(struct uring *u)
{
	struct io_uring_cqe *cqe;
	struct io_uring_sqe *sqe;
	int r, bad = 0;

	for (unsigned i = 0; i < u->n_lanes; i++) {
		sqe = io_uring_get_sqe(&u->ring);
		io_uring_prep_read(sqe, (int)i, u, 0, 0);
		sqe->flags = IOSQE_FIXED_FILE;
		sqe->rw_flags = RWF_NOWAIT;
	}
	r = io_uring_submit_and_wait(&u->ring, u->n_lanes);
	if (r != (int)u->n_lanes)
		return r < 0 ? r : -EIO;
	for (unsigned i = 0; i < u->n_lanes; i++) {
		r = io_uring_peek_cqe(&u->ring, &cqe);
		if (r < 0)
			return r;
		if (cqe->res < 0 && cqe->res != -EAGAIN)
			bad = cqe->res;
		io_uring_cqe_seen(&u->ring, cqe);
	}
	return bad;
}

static int make(struct uring *u, const int *fd)
{
	int r = make_ring(&u->ring);

	if (r < 0)
		return r;
	r = io_uring_register_files(&u->ring, fd, u->n_lanes);
	/* It saves a look-up a call, on kernels that can (5.18). */
	if (!r)
		(void)io_uring_register_ring_fd(&u->ring);
	if (!r)
		r = fence(&u->ring);
	if (!r)
		r = ring_register(&u->ring, IORING_REGISTER_ENABLE_RINGS, NULL, 0);
	if (!r)
		r = try_reads(u);
	if (r < 0)
		io_uring_queue_exit(&u->ring);
	return r;
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

struct uring *uring_open(struct port *port, unsigned n_ports, struct err *e)
{
	struct uring *u = calloc(1, sizeof(*u));
	int fd[URING_PORTS_MAX], r;

	assert(n_ports > 0 && n_ports <= URING_PORTS_MAX);
	if (!u) {
		refuse(e, -ENOMEM);
		return NULL;
	}
	u->n_lanes = n_ports;
	for (unsigned i = 0; i < n_ports; i++) {
		fd[i] = port[i].fd;
		u->lane[i].port = &port[i];
		u->lane[i].want = READS_MIN;
		u->lane[i].n_may = PORT_BATCH;
	}
	r = make(u, fd);
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

void uring_close(struct uring *u)
{
	if (!u)
		return;
	for (unsigned i = 0; i < u->n_lanes; i++)
		u->lane[i].port->uring = NULL;
	(void)io_uring_unregister_files(&u->ring);
	io_uring_queue_exit(&u->ring);
	free(u);
}

/* An entry of its own to every request: there are enough. */
static struct io_uring_sqe *next_entry(struct uring *u)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(&u->ring);

	assert(sqe);
	u->n_queued++;
	return sqe;
}

static void finish_entry(struct io_uring_sqe *sqe, enum request_kind kind,
	unsigned lane, unsigned number, unsigned flags)
{
	sqe->rw_flags = RWF_NOWAIT;
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
		finish_entry(sqe, REQUEST_WRITE, p->ring_file, n,
			i + 1 < end ? IOSQE_IO_LINK : 0);
		lane->write_result[n] = -ECANCELED;
	}
	lane->n_writes = n;
}

static void queue_reads(struct uring *u, unsigned index, uint8_t **room, unsigned n)
{
	struct lane *lane = &u->lane[index];

	for (unsigned i = 0; i < n; i++) {
		struct io_uring_sqe *sqe = next_entry(u);

		io_uring_prep_read(sqe, (int)index, room[i], BUF_READ_BYTES, 0);
		finish_entry(sqe, REQUEST_READ, index, i, 0);
		lane->room[i] = room[i];
		lane->read_result[i] = -ECANCELED;
	}
	lane->n_reads = n;
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

static void note_results(struct uring *u, unsigned *n_left)
{
	struct io_uring_cqe *cqe;
	unsigned head, n = 0;

	io_uring_for_each_cqe(&u->ring, head, cqe)
	{
		unsigned number = cqe->user_data & 0xffff;
		struct lane *lane = &u->lane[(cqe->user_data >> 16) & 0xffff];

		if (cqe->user_data >> 32 == REQUEST_READ)
			lane->read_result[number] = cqe->res;
		else
			lane->write_result[number] = cqe->res;
		n++;
	}
	io_uring_cq_advance(&u->ring, n);
	*n_left -= n;
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
	lane->is_hot = n_filled == lane->n_reads;
	if (lane->n_reads == lane->want) {
		if (lane->is_hot && lane->want < PORT_BATCH)
			lane->want *= 2;
		else if (2 * n_filled <= lane->want && lane->want > READS_MIN)
			lane->want /= 2;
	}
	lane->n_tried = lane->n_reads;
	lane->n_reads = 0;
}

/* The one system call: everything queued is done when it returns. */
static void go(struct uring *u, struct buf_pool *pool)
{
	unsigned n_left, tries, i;
	int r;

	foresee_reads(u, pool);
	n_left = u->n_queued;
	for (tries = 0; n_left && tries < TRIES_MAX; tries++) {
		r = io_uring_submit_and_wait(&u->ring, n_left);
		note_results(u, &n_left);
		if (r < 0 && r != -EINTR && r != -EAGAIN && r != -EBUSY && r != -ENOMEM)
			break;
	}
	/* What the kernel never took counts as not tried. */
	u->is_broken |= n_left > 0;
	u->n_queued = 0;
	for (i = 0; i < u->n_lanes; i++) {
		if (u->lane[i].n_reads)
			take_reads(&u->lane[i], pool);
	}
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
		/* No memory within the bound, or no ring. */
		if (!lane->n_tried)
			return n ? n : port_read_plain(p, pool, out, lost);
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
	if (u->n_queued)
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

#else

struct uring *uring_open(struct port *port, unsigned n_ports, struct err *e)
{
	(void)port;
	(void)n_ports;
	err_set(e, -ENOSYS,
		"--io 'uring': this farwire was built without liburing; write --io "
		"auto, or build it with liburing 2.3 or later");
	return NULL;
}

void uring_close(struct uring *u)
{
	(void)u;
}

bool uring_has_read(const struct port *p)
{
	(void)p;
	return false;
}

unsigned uring_read(
	struct port *p, struct buf_pool *pool, struct buf **out, struct port_lost *lost)
{
	return port_read_plain(p, pool, out, lost);
}

void uring_queue(struct port *p, const struct join *j)
{
	(void)p;
	(void)j;
}

void uring_write(
	struct port *p, struct buf_pool *pool, struct join *j, struct port_lost *lost)
{
	port_write_plain(p, pool, j, lost);
}

#endif
