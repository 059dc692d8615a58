/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run/port.c - one TAP end: frames in and out in batches, by plain system calls
 */
#include "config.h"

#include "run/port.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* The device was deleted or its namespace is gone: these never heal. */
static bool is_gone(int error)
{
	return error == EBADFD || error == ENODEV || error == EBADF || error == ENXIO;
}

static void note_gone(struct port *p, int error)
{
	p->broken = true;
	p->broken_errno = error;
}

/* There is no memory within the bound, yet the TAP must be drained: its own ring would
 * drop frames uncounted, and newer frames are no worse than older ones. */
static bool read_and_drop(struct port *p, struct port_lost *lost)
{
	static uint8_t scratch[BUF_READ_BYTES];
	ssize_t n = read(p->fd, scratch, sizeof(scratch));

	p->reads++;
	if (n <= BUF_VNET_BYTES)
		return false;
	p->frames_read++;
	lost->frames++;
	lost->bytes += (uint64_t)n - BUF_VNET_BYTES;
	return true;
}

unsigned port_read(
	struct port *p, struct buf_pool *pool, struct buf **out, struct port_lost *lost)
{
	unsigned n_out = 0, tries;
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
			if (is_gone(errno))
				note_gone(p, errno);
			if (errno == EINTR)
				continue;
			break;
		}
		/* A TAP hands out no less than an Ethernet header. */
		if (n < BUF_VNET_BYTES + 14)
			break;
		if (p->set_dst_mac)
			memcpy(room + BUF_VNET_BYTES, p->mac, sizeof(p->mac));
		p->frames_read++;
		out[n_out++] = buf_commit(pool, (size_t)n);
	}
	return n_out;
}

unsigned port_write(struct port *p, struct buf_pool *pool, const struct frame *frames,
	unsigned n, struct port_lost *lost)
{
	const struct buf *b;
	unsigned i;
	ssize_t done;

	for (i = 0; i < n; i++) {
		b = frames[i].buf;
		do
			done = write(p->fd, buf_vnet(b), BUF_VNET_BYTES + b->n_bytes);
		while (done < 0 && errno == EINTR);
		p->writes++;
		if (done >= 0) {
			p->frames_written++;
		} else if (errno == EAGAIN) {
			return i;
		} else {
			if (is_gone(errno))
				note_gone(p, errno);
			lost->frames++;
			lost->bytes += frame_bytes(&frames[i]);
		}
		buf_unref(pool, frames[i].buf);
	}
	return n;
}
