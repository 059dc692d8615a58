/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run/port.c - one TAP end: frames in and out in batches; the plain carrier
 */
#include "config.h"

#include "run/port.h"

#include "run/sockport.h"
#include "run/uring.h"
#include "wire/gso.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* The device was deleted or its namespace is gone: these never heal. */
static bool is_gone(int error)
{
	return error == EBADFD || error == ENODEV || error == EBADF || error == ENXIO;
}

void port_note_error(struct port *p, int error)
{
	if (!is_gone(error))
		return;
	p->broken = true;
	p->broken_errno = error;
}

/* What stands in @b, which is as read: as many frames as the port's kind makes of it. */
static void parse(const struct port *p, struct buf *b)
{
	gso_parse(b);
	if (p->whole && b->n_segs > 1)
		b->flags |= BUF_WHOLE;
}

/* There is no memory within the bound, yet the TAP must be drained: its own ring would
 * drop frames uncounted, and newer frames are no worse than older ones. */
static bool read_and_drop(struct port *p, struct port_lost *lost)
{
	static union {
		struct buf b;
		uint8_t bytes[sizeof(struct buf) + BUF_READ_BYTES];
	} scratch;
	struct buf *b = &scratch.b;
	ssize_t n = read(p->fd, buf_vnet(b), BUF_READ_BYTES);

	p->reads++;
	if (n <= BUF_VNET_BYTES)
		return false;
	*b = (struct buf){.n_bytes = (uint32_t)(n - BUF_VNET_BYTES), .n_segs = 1};
	parse(p, b);
	p->frames_read += b->n_segs;
	lost->frames += b->flags & BUF_WHOLE ? 1 : b->n_segs;
	lost->bytes += gso_wire_bytes(b);
	return true;
}

void port_accept(struct port *p, struct buf *b)
{
	if (p->set_dst_mac)
		memcpy(buf_bytes(b), p->mac, sizeof(p->mac));
	parse(p, b);
	p->frames_read += b->n_segs;
}

unsigned port_read_plain(
	struct port *p, struct buf_pool *pool, struct buf **out, struct port_lost *lost)
{
	unsigned n_out = 0, tries;
	struct buf *b;
	uint8_t *room;
	ssize_t n;

	for (tries = 0; tries < PORT_BATCH && !p->broken; tries++) {
		room = buf_room(pool, BUF_READ_BYTES);
		if (!room) {
			if (!read_and_drop(p, lost))
				break;
			continue;
		}
		n = read(p->fd, room, BUF_READ_BYTES);
		p->reads++;
		if (n < 0) {
			if (errno == EINTR)
				continue;
			port_note_error(p, errno);
			break;
		}
		/* A TAP hands out no less than an Ethernet header. */
		if (n < BUF_VNET_BYTES + 14)
			break;
		b = buf_commit(pool, (size_t)n);
		port_accept(p, b);
		out[n_out++] = b;
	}
	return n_out;
}

/* Return: 0 or an errno. */
static int put(struct port *p, const struct iovec *iov, int n_iov)
{
	ssize_t done;

	do
		done = writev(p->fd, iov, n_iov);
	while (done < 0 && errno == EINTR);
	p->writes++;
	return done < 0 ? errno : 0;
}

static void note_lost(struct port *p, int error, struct port_lost *lost,
	uint64_t frames, uint64_t bytes)
{
	port_note_error(p, error);
	lost->frames += frames;
	lost->bytes += bytes;
}

/* The first job, frame by frame. Return: false when the device takes no more now. */
static bool put_split(
	struct port *p, struct buf_pool *pool, struct join *j, struct port_lost *lost)
{
	uint8_t head[GSO_HEAD_BYTES];
	struct iovec iov[2];
	uint32_t n_bytes;
	unsigned left;
	int error;

	for (left = join_first(j)->n_frames; left > 0; left--) {
		n_bytes = join_peel(j, head, iov);
		error = put(p, iov, 2);
		if (error == EAGAIN)
			return false;
		if (error)
			note_lost(p, error, lost, 1, n_bytes);
		else
			p->frames_written++;
		join_peeled(j, pool);
	}
	return true;
}

void port_write_plain(
	struct port *p, struct buf_pool *pool, struct join *j, struct port_lost *lost)
{
	struct join_job *job;
	int error;

	while (!join_is_empty(j)) {
		job = join_first(j);
		if (job->split) {
			if (!put_split(p, pool, j, lost))
				return;
			continue;
		}
		error = put(p, &j->iov[job->first_iov], job->n_iov);
		if (error == EAGAIN)
			return;
		if (error == EINVAL && job->n_frames > 1) {
			join_split(j);
			continue;
		}
		if (error)
			note_lost(p, error, lost, job->n_frames, job->n_bytes);
		else
			p->frames_written += job->n_wire;
		join_done(j, pool);
	}
}

unsigned port_read(
	struct port *p, struct buf_pool *pool, struct buf **out, struct port_lost *lost)
{
	if (p->sock)
		return sockport_read(p, pool, out, lost);
	return p->uring ? uring_read(p, pool, out, lost)
			: port_read_plain(p, pool, out, lost);
}

bool port_has_read(const struct port *p)
{
	if (p->sock)
		return sockport_has_read(p);
	return p->uring && uring_has_read(p);
}

const char *port_why(const struct port *p)
{
	return p->sock ? sockport_why(p) : "its device is gone";
}

void port_queue(struct port *p, const struct join *j)
{
	if (p->uring)
		uring_queue(p, j);
}

void port_write(
	struct port *p, struct buf_pool *pool, struct join *j, struct port_lost *lost)
{
	if (p->sock)
		sockport_write(p, pool, j, lost);
	else if (p->uring)
		uring_write(p, pool, j, lost);
	else
		port_write_plain(p, pool, j, lost);
}
