/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run/sockport.c - a port whose file is a socket: a helper program at the far end
 */
#include "config.h"

#include "run/sockport.h"

#include "wire/be.h"
#include "wire/verify.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#define HEAD_BYTES 4
#define FRAME_MIN_BYTES 14 /* Ethernet's header */
#define FRAME_MAX_BYTES (BUF_READ_BYTES - BUF_VNET_BYTES)
/* Four of the longest, or a batch of eight times as many full ones. */
#define IN_BYTES (256u << 10)
/* Jobs in one call: its iovec lies on the stack. */
#define JOBS_MAX 32
#define IOVS_MAX 256

struct sockport {
	bool stream;
	const char *name;
	char why[96];
	size_t from, to; /* what of in[] has been read and not yet cut */
	size_t sent;     /* of the first job in the join, its length among them */
	uint8_t in[IN_BYTES];
};

struct sockport *sockport_new(bool stream, const char *name)
{
	struct sockport *s = malloc(sizeof(*s));

	if (!s)
		return NULL;
	/* Touched, so that no page of it is missing later. */
	memset(s, 0, sizeof(*s));
	s->stream = stream;
	s->name = name;
	return s;
}

void sockport_free(struct sockport *s)
{
	free(s);
}

static void fail(struct port *p, int error)
{
	struct sockport *s = p->sock;

	p->broken = true;
	p->broken_errno = error;
	if (!s->why[0])
		snprintf(s->why, sizeof(s->why), "%s has ended", s->name);
}

const char *sockport_why(const struct port *p)
{
	return p->sock->why;
}

static bool is_for_now(int error)
{
	return error == EAGAIN || error == EINTR;
}

/* What the kernel refuses of one message, while the socket is sound. */
static bool is_for_this(int error)
{
	return error == ENOBUFS || error == ENOMEM || error == EMSGSIZE;
}

static size_t next_bytes(const struct sockport *s)
{
	return s->to - s->from < HEAD_BYTES ? 0 : be_get32(s->in + s->from);
}

/* Is there a whole frame, or the length of none? */
static bool is_cuttable(const struct sockport *s)
{
	size_t n = next_bytes(s);

	if (s->to - s->from < HEAD_BYTES)
		return false;
	return n < FRAME_MIN_BYTES || n > FRAME_MAX_BYTES ||
	       s->to - s->from >= HEAD_BYTES + n;
}

bool sockport_has_read(const struct port *p)
{
	return !p->broken && p->sock->stream && is_cuttable(p->sock);
}

/* Read on behind what is there. */
static void fill(struct port *p)
{
	struct sockport *s = p->sock;
	ssize_t n;

	if (s->from == s->to)
		s->from = s->to = 0;
	if (sizeof(s->in) - s->from < HEAD_BYTES + FRAME_MAX_BYTES) {
		memmove(s->in, s->in + s->from, s->to - s->from);
		s->to -= s->from;
		s->from = 0;
	}
	n = recv(p->fd, s->in + s->to, sizeof(s->in) - s->to, MSG_DONTWAIT);
	p->reads++;
	if (n > 0)
		s->to += (size_t)n;
	else if (n == 0)
		fail(p, EPIPE);
	else if (!is_for_now(errno))
		fail(p, errno);
}

/* Return: a buf of the frame, or NULL where there is no memory for it. */
static struct buf *take(struct port *p, struct buf_pool *pool, const uint8_t *frame,
	size_t n, struct port_lost *lost)
{
	uint8_t *room = buf_room(pool, BUF_VNET_BYTES + n);
	struct buf *b;

	if (!room) {
		p->frames_read++;
		lost->frames++;
		lost->bytes += n;
		return NULL;
	}
	memset(room, 0, BUF_VNET_BYTES);
	memcpy(room + BUF_VNET_BYTES, frame, n);
	b = buf_commit(pool, BUF_VNET_BYTES + n);
	port_accept(p, b);
	return b;
}

static unsigned read_stream(
	struct port *p, struct buf_pool *pool, struct buf **out, struct port_lost *lost)
{
	struct sockport *s = p->sock;
	unsigned n_out = 0, n_cut;
	struct buf *b;
	size_t n;

	if (!is_cuttable(s))
		fill(p);
	for (n_cut = 0; n_cut < PORT_BATCH && is_cuttable(s); n_cut++) {
		n = next_bytes(s);
		if (n < FRAME_MIN_BYTES || n > FRAME_MAX_BYTES) {
			snprintf(s->why, sizeof(s->why),
				"%s sent a frame of %zu bytes, which is none", s->name,
				n);
			fail(p, EPROTO);
			break;
		}
		b = take(p, pool, s->in + s->from + HEAD_BYTES, n, lost);
		s->from += HEAD_BYTES + n;
		if (b)
			out[n_out++] = b;
	}
	return n_out;
}

static unsigned read_packets(
	struct port *p, struct buf_pool *pool, struct buf **out, struct port_lost *lost)
{
	struct sockport *s = p->sock;
	unsigned n_out = 0, tries;
	struct buf *b;
	ssize_t n;

	for (tries = 0; tries < PORT_BATCH; tries++) {
		n = recv(p->fd, s->in, FRAME_MAX_BYTES, MSG_DONTWAIT);
		p->reads++;
		if (n == 0)
			fail(p, EPIPE);
		else if (n < 0 && !is_for_now(errno))
			fail(p, errno);
		if (n <= 0)
			break;
		/* What is too short for a frame says nothing; the next one may. */
		if (n < FRAME_MIN_BYTES)
			continue;
		b = take(p, pool, s->in, (size_t)n, lost);
		if (b)
			out[n_out++] = b;
	}
	return n_out;
}

unsigned sockport_read(
	struct port *p, struct buf_pool *pool, struct buf **out, struct port_lost *lost)
{
	return p->sock->stream ? read_stream(p, pool, out, lost)
			       : read_packets(p, pool, out, lost);
}

/* The frame of a job, without its virtio header. Return: pieces. */
static unsigned frame_iov(
	const struct join *j, const struct join_job *job, struct iovec *iov)
{
	memcpy(iov, &j->iov[job->first_iov], job->n_iov * sizeof(*iov));
	iov[0].iov_base = (uint8_t *)iov[0].iov_base + BUF_VNET_BYTES;
	iov[0].iov_len -= BUF_VNET_BYTES;
	return job->n_iov;
}

static void lose(struct join *j, struct buf_pool *pool, struct port_lost *lost)
{
	const struct join_job *job = join_first(j);

	lost->frames += job->n_frames;
	lost->bytes += job->n_bytes;
	join_done(j, pool);
}

static struct buf *buf_of(const struct join *j, unsigned i)
{
	return j->ref[j->job[i].first_ref].buf;
}

static bool is_damaged(const struct join *j, unsigned i)
{
	return buf_of(j, i)->flags & BUF_DAMAGED;
}

/* Those at the front that no receiver takes: this one does not look. */
static void refuse_damaged(struct port *p, struct buf_pool *pool, struct join *j)
{
	const struct buf *b;

	while (!join_is_empty(j) && !p->sock->sent && is_damaged(j, j->next)) {
		b = buf_of(j, j->next);
		if (verify_frame(buf_bytes(b), b->n_bytes))
			return;
		join_done(j, pool);
	}
}

/* As many of the first jobs as fit in one call; one that is damaged comes first. */
struct batch {
	unsigned n_jobs, n_iov;
	uint8_t head[JOBS_MAX][HEAD_BYTES];
	struct iovec iov[IOVS_MAX];
};

static void gather(struct batch *b, const struct join *j)
{
	b->n_jobs = b->n_iov = 0;
	for (unsigned i = j->next; i < j->n_jobs && b->n_jobs < JOBS_MAX; i++) {
		const struct join_job *job = &j->job[i];

		if (b->n_iov + 1 + job->n_iov > IOVS_MAX ||
			(i > j->next && is_damaged(j, i)))
			break;
		be_put32(b->head[b->n_jobs], job->n_bytes);
		b->iov[b->n_iov++] = (struct iovec){
			.iov_base = b->head[b->n_jobs], .iov_len = HEAD_BYTES};
		b->n_iov += frame_iov(j, job, &b->iov[b->n_iov]);
		b->n_jobs++;
	}
}

/* Without the first @n bytes, which is less than all: some buffer is longer. */
static void skip(struct msghdr *m, size_t n)
{
	/* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult) */
	while (n >= m->msg_iov->iov_len) {
		n -= m->msg_iov->iov_len;
		m->msg_iov++;
		m->msg_iovlen--;
	}
	m->msg_iov->iov_base = (uint8_t *)m->msg_iov->iov_base + n;
	m->msg_iov->iov_len -= n;
}

/* @n bytes more of the first jobs have gone; what is begun stays. */
static void note_sent(struct port *p, struct buf_pool *pool, struct join *j, size_t n)
{
	size_t *sent = &p->sock->sent, job_bytes;

	*sent += n;
	while (!join_is_empty(j)) {
		job_bytes = HEAD_BYTES + (size_t)join_first(j)->n_bytes;
		if (*sent < job_bytes)
			return;
		*sent -= job_bytes;
		p->frames_written += join_first(j)->n_wire;
		join_done(j, pool);
	}
}

static void write_stream(
	struct port *p, struct buf_pool *pool, struct join *j, struct port_lost *lost)
{
	struct batch b;
	struct msghdr m;
	ssize_t n;

	while (refuse_damaged(p, pool, j), !join_is_empty(j)) {
		gather(&b, j);
		m = (struct msghdr){.msg_iov = b.iov, .msg_iovlen = b.n_iov};
		skip(&m, p->sock->sent);
		n = sendmsg(p->fd, &m, MSG_DONTWAIT | MSG_NOSIGNAL);
		p->writes++;
		if (n >= 0) {
			note_sent(p, pool, j, (size_t)n);
			continue;
		}
		if (errno == EINTR)
			continue;
		if (errno == EAGAIN)
			return;
		fail(p, errno);
		lose(j, pool, lost);
		return;
	}
}

static void write_packets(
	struct port *p, struct buf_pool *pool, struct join *j, struct port_lost *lost)
{
	struct iovec iov[IOVS_MAX];
	struct msghdr m = {.msg_iov = iov};

	while (refuse_damaged(p, pool, j), !join_is_empty(j)) {
		m.msg_iovlen = frame_iov(j, join_first(j), iov);
		p->writes++;
		if (sendmsg(p->fd, &m, MSG_DONTWAIT | MSG_NOSIGNAL) >= 0) {
			p->frames_written += join_first(j)->n_wire;
			join_done(j, pool);
			continue;
		}
		if (errno == EINTR)
			continue;
		if (errno == EAGAIN)
			return;
		if (!is_for_this(errno))
			fail(p, errno);
		lose(j, pool, lost);
	}
}

void sockport_write(
	struct port *p, struct buf_pool *pool, struct join *j, struct port_lost *lost)
{
	if (p->broken)
		while (!join_is_empty(j))
			lose(j, pool, lost);
	else if (p->sock->stream)
		write_stream(p, pool, j, lost);
	else
		write_packets(p, pool, j, lost);
}
