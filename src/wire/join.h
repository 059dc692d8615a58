/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wire/join.h - frames on their way out, put together to as few writes as may be
 *
 * Theory of operation
 *   Frames are added in the order in which they leave. A frame that is the next segment
 *   of the buf that the last one came from leaves with it; one from another buf does if
 *   a sender might have sent both in one super-frame: the same addresses, flow and
 *   options, identification and sequence number go on, all but the last full, nothing
 *   behind PSH or FIN, both sums partial and consistent. Thus the receiver gets byte for
 *   byte, and in the same order, what it would have got one by one.
 *
 *   What leaves in one write is a *job*: refs, each a run of segments of one buf. After
 *   join_seal() it is an iovec as well: the buf as it came where the run is all of it,
 *   else headers made anew and views of the payload. Jobs are written in order;
 *   join_done() gives up the first one's references. What a device cannot take stays.
 *
 * Limits   JOIN_JOBS_MAX jobs, JOIN_REFS_MAX refs; segments of different bufs in one
 *          job are at most 64 frames and one IP packet of 65535 bytes, which is what
 *          every kernel takes.
 * Cost     per frame of the same buf a few instructions; else a look at the headers.
 *          Payload is neither read nor copied, headers of joined jobs are.
 * Owner    a job owns the references of its frames.
 */
#ifndef FW_WIRE_JOIN_H
#define FW_WIRE_JOIN_H

#include "wire/buf.h"
#include "wire/frame.h"
#include "wire/gso.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/uio.h>

/* Writes of one path before anyone else has a turn. */
#define JOIN_JOBS_MAX 64
/* Room for 16 bufs a job, if all jobs are full. */
#define JOIN_REFS_MAX 1024

/* A run of segments of one buf. */
struct join_ref {
	struct buf *buf;
	uint16_t first, count;
};

struct join_job {
	uint16_t first_ref, n_refs;
	uint16_t n_frames;
	uint16_t
		gso_bytes; /* payload of a frame, but the last; 0: one frame for good */
	uint32_t n_bytes;  /* of all its frames as frame_bytes() has them */
	uint32_t n_wire;   /* frames on the wire: a whole super-frame is many */
	uint16_t first_iov, n_iov;
	bool split; /* the device refused it: its frames go one by one */
};

struct join {
	unsigned n_jobs, n_refs;
	unsigned next;         /* the first job that has not been written */
	bool no_udp;           /* the device takes no UDP super-frames: join none */
	uint64_t copied_bytes; /* of headers, ever */
	struct join_job job[JOIN_JOBS_MAX];
	struct join_ref ref[JOIN_REFS_MAX];
	struct iovec iov[JOIN_REFS_MAX + JOIN_JOBS_MAX];
	uint8_t head[JOIN_JOBS_MAX][GSO_HEAD_BYTES];
};

/** join_init() - Nothing in it; the large arrays are not touched. */
void join_init(struct join *j);

/** join_is_empty() - Are there no jobs left to write? */
static inline bool join_is_empty(const struct join *j)
{
	return j->next == j->n_jobs;
}

/** join_room() - How many frames may be added, come what may; 0: write first. */
static inline unsigned join_room(const struct join *j)
{
	unsigned jobs = JOIN_JOBS_MAX - j->n_jobs, refs = JOIN_REFS_MAX - j->n_refs;

	return jobs < refs ? jobs : refs;
}

/**
 * join_add() - Add the frame that leaves next
 * @j: join with room, not sealed since it was empty
 * @f: frame; its reference goes over
 *
 * Hot path.
 */
void join_add(struct join *j, const struct frame *f);

/** join_add_all() - Add @n frames, for which there is room, in this order. Hot path. */
void join_add_all(struct join *j, const struct frame *f, unsigned n);

/** join_seal() - No more frames: make headers and iovecs of all jobs. Hot path. */
void join_seal(struct join *j);

/** join_first() - The job to be written next; there is one, sealed. */
static inline struct join_job *join_first(struct join *j)
{
	return &j->job[j->next];
}

/** join_done() - The first job is written or lost: give back its references. */
void join_done(struct join *j, struct buf_pool *pool);

/**
 * join_split() - The device refused the first job: its frames go one by one
 *
 * Where it was a UDP super-frame, none is made of single datagrams any more. A whole
 * super-frame (one frame to the counters) cannot be split.
 */
void join_split(struct join *j);

/**
 * join_peel() - Of a job that the device refused: its first frame by itself
 * @j:    join; the first job is split
 * @head: room for GSO_HEAD_BYTES
 * @iov:  filled: two pieces
 *
 * Return: bytes of the frame.
 */
uint32_t join_peel(struct join *j, uint8_t *head, struct iovec iov[2]);

/** join_peeled() - That frame is written or lost: on to the next, or the next job. */
void join_peeled(struct join *j, struct buf_pool *pool);

/** join_drop() - Give back all references. Not for the hot path. */
void join_drop(struct join *j, struct buf_pool *pool);

#endif
