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

/** frame_bytes() - Length on the wire, Ethernet header included, FCS not. */
static inline uint32_t frame_bytes(const struct frame *f)
{
	return f->buf->n_bytes;
}

#endif
