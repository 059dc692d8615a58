/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wire/gso.h - super-frames: what a read says, and the headers of single segments
 *
 * Theory of operation
 *   A TAP with offloads hands out TCP and UDP super-frames of up to 64 KiB: one set of
 *   headers, and the payload of many frames (TSO, USO). gso_parse() counts its
 *   segments; from then on a frame {buf, segment} is a view, nothing is copied. Where
 *   segments leave they get headers as a wire would have carried them: of a run of
 *   neighbours one set, which the kernel takes for a super-frame again, of a lone one
 *   its own:
 *
 *     IPv4      identification plus the segment's number, total length, header sum
 *     IPv6      payload length
 *     TCP       sequence number; PSH and FIN only with the last segment, CWR only with
 *               the first
 *     UDP       length
 *     sum       stays partial; the length in the pseudo header's sum is exchanged
 *
 *   Nothing is split or joined that is not understood in every detail: a frame whose
 *   virtio header and own headers disagree, a fragment, a tunnel, a length that is not
 *   the frame's passes as one frame, as it came.
 *
 * Limits   headers of at most GSO_HEAD_BYTES with the virtio header.
 * Owner    pure functions on the bytes of a buf; nothing beyond them is read.
 * Source   Linux: include/uapi/linux/virtio_net.h, net/ipv4/tcp_offload.c,
 *          udp_offload.c; what a TAP accepts was tried field by field.
 */
#ifndef FW_WIRE_GSO_H
#define FW_WIRE_GSO_H

#include "wire/buf.h"
#include "wire/frame.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The longest headers of a segment: virtio 10, Ethernet with two tags 22, IPv6 40, TCP
 * 60, which leaves 124 bytes for extension headers.
 */
#define GSO_HEAD_BYTES 256

/** gso_parse() - Fill in what a new buf stands for. Hot path. */
void gso_parse(struct buf *b);

/** gso_wire_bytes() - All frames of @b together, as a wire would carry them. */
static inline uint32_t gso_wire_bytes(const struct buf *b)
{
	return b->n_bytes + (b->n_segs - 1u) * b->hdr_bytes;
}

/** gso_ip_offset() - Of a parsed buf: where the IP header starts. */
static inline unsigned gso_ip_offset(const struct buf *b)
{
	return 14 + 4 * ((b->flags & BUF_TAGS) >> BUF_TAGS_SHIFT);
}

/** gso_l4_offset() - Of a parsed buf: where the TCP or UDP header starts. */
unsigned gso_l4_offset(const struct buf *b);

/** gso_payload() - Of a parsed buf: where the payload of segment @seg lies. */
static inline uint8_t *gso_payload(const struct buf *b, unsigned seg)
{
	return buf_bytes(b) + b->hdr_bytes + (size_t)seg * b->gso_bytes;
}

/* A run of segments that leaves in one piece, perhaps from several bufs. */
struct gso_run {
	const struct buf *buf;  /* headers are made from this one's, ... */
	unsigned seg;           /* ... of which this segment is the first */
	const struct buf *end;  /* the last segment's buf; the same, or another one's */
	bool has_end;           /* the run ends with the last segment of @end */
	unsigned n_frames;      /* segments */
	unsigned gso_bytes;     /* payload of each but the last */
	uint32_t payload_bytes; /* of all */
};

/**
 * gso_head() - Make the headers of a run
 * @r:  run over parsed bufs
 * @to: room for GSO_HEAD_BYTES: virtio header, and headers up to the payload
 *
 * Return: bytes made. The whole L4 sum is left to the kernel (NEEDS_CSUM). Hot path.
 */
size_t gso_head(const struct gso_run *r, uint8_t *to);

/**
 * gso_lone_head() - The same for the one segment that @f is
 * @f: frame of a buf of many segments
 */
size_t gso_lone_head(const struct frame *f, uint8_t *to);

#endif
