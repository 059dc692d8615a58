/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wire/frame.h - one frame as a wire would carry it: a small value that points into a
 * buf
 */
#ifndef FW_WIRE_FRAME_H
#define FW_WIRE_FRAME_H

#include "base/clock.h"
#include "wire/buf.h"

#include <stdint.h>

enum frame_flag {
	FRAME_COPY = 1 << 0,     /* made by duplicate; never duplicated again */
	FRAME_MODIFIED = 1 << 1, /* bytes differ from what was read */
	FRAME_WHOLE = 1 << 2,    /* all segments of the buf, under one verdict */
};

/*
 * 24 bytes, the entry of the time queue. A frame owns one reference of its buf.
 * Order numbers wrap: compare them by the sign of their difference.
 */
struct frame {
	nsec_t due_ns;
	struct buf *buf;
	uint32_t order;
	uint16_t seg; /* which segment of the buf, 0 for a lone frame */
	uint16_t flags;
};

/**
 * frame_bytes() - Length on the wire, Ethernet header included, FCS not
 *
 * A whole super-frame counts the headers of all its segments, as the kernel's qdiscs
 * do.
 */
static inline uint32_t frame_bytes(const struct frame *f)
{
	const struct buf *b = f->buf;

	if (b->n_segs == 1)
		return b->n_bytes;
	if (f->flags & FRAME_WHOLE)
		return b->n_bytes + (b->n_segs - 1u) * b->hdr_bytes;
	if (f->seg + 1u < b->n_segs)
		return (uint32_t)b->hdr_bytes + b->gso_bytes;
	return b->n_bytes - (uint32_t)f->seg * b->gso_bytes;
}

#endif
