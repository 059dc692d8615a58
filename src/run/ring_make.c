/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run/ring_make.c - a ring of io_uring that can do next to nothing
 *
 * The seccomp filter does not see what a ring does, so it has fences of its own:
 * IORING_REGISTER_RESTRICTIONS, from its start on.
 */
#include "config.h"

#include "run/ring_make.h"

#ifdef HAVE_LIBURING

#include <errno.h>
#include <liburing.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/* Newest first: 6.1, 5.19, any. SUBMIT_ALL is of 5.18. */
static int make(struct io_uring *ring, unsigned n_entries)
{
	static const unsigned flags[] = {IORING_SETUP_SINGLE_ISSUER |
						 IORING_SETUP_DEFER_TASKRUN |
						 IORING_SETUP_SUBMIT_ALL,
		IORING_SETUP_COOP_TASKRUN | IORING_SETUP_SUBMIT_ALL, 0};
	int r = -EINVAL;

	for (unsigned i = 0; r == -EINVAL && i < sizeof(flags) / sizeof(flags[0]); i++)
		r = io_uring_queue_init(
			n_entries, ring, flags[i] | IORING_SETUP_R_DISABLED);
	if (r)
		return r;
	/* Else the library would make a request of a time limit. */
	if (ring->features & IORING_FEAT_EXT_ARG)
		return 0;
	io_uring_queue_exit(ring);
	return -EINVAL;
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
	static const uint8_t ops[] = {IORING_OP_READ, IORING_OP_WRITE, IORING_OP_WRITEV,
		IORING_OP_POLL_ADD, IORING_OP_POLL_REMOVE};
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
	r[n++].sqe_flags = IOSQE_FIXED_FILE | IOSQE_IO_LINK | IOSQE_CQE_SKIP_SUCCESS;
	r[n].opcode = IORING_RESTRICTION_SQE_FLAGS_REQUIRED;
	r[n++].sqe_flags = IOSQE_FIXED_FILE;
	return ring_register(ring, IORING_REGISTER_RESTRICTIONS, r, n);
}

/* May these files be read without waiting? An empty read takes no frame. */
static int try_reads(struct io_uring *ring, unsigned n_read)
{
	struct io_uring_cqe *cqe;
	struct io_uring_sqe *sqe;
	int r, bad = 0;

	for (unsigned i = 0; i < n_read; i++) {
		sqe = io_uring_get_sqe(ring);
		io_uring_prep_read(sqe, (int)i, ring, 0, 0);
		sqe->flags = IOSQE_FIXED_FILE;
		sqe->rw_flags = RWF_NOWAIT;
	}
	r = io_uring_submit_and_wait(ring, n_read);
	if (r != (int)n_read)
		return r < 0 ? r : -EIO;
	for (unsigned i = 0; i < n_read; i++) {
		r = io_uring_peek_cqe(ring, &cqe);
		if (r < 0)
			return r;
		if (cqe->res < 0 && cqe->res != -EAGAIN)
			bad = cqe->res;
		io_uring_cqe_seen(ring, cqe);
	}
	return bad;
}

int ring_make(struct io_uring *ring, unsigned n_entries, const int *fd, unsigned n_fds,
	unsigned n_read)
{
	int r = make(ring, n_entries);

	if (r < 0)
		return r;
	r = io_uring_register_files(ring, fd, n_fds);
	/* It saves a look-up a call, on kernels that can (5.18). */
	if (!r)
		(void)io_uring_register_ring_fd(ring);
	if (!r)
		r = fence(ring);
	if (!r)
		r = ring_register(ring, IORING_REGISTER_ENABLE_RINGS, NULL, 0);
	if (!r)
		r = try_reads(ring, n_read);
	if (r < 0)
		io_uring_queue_exit(ring);
	return r;
}

#endif
