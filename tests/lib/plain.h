/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests/lib/plain.h - what a kernel makes of a frame with a virtio header: plain frames
 *
 * Written apart from src/wire, and sharing nothing with it, so that a slip in one is not
 * one in the other. It is strict: what a kernel would refuse, or take and lose, is an
 * error here.
 */
#ifndef FW_TESTS_PLAIN_H
#define FW_TESTS_PLAIN_H

#include <stdint.h>

#define PLAIN_VNET_BYTES 10

/* Frames one behind the other, as many as the memory that was given holds. */
struct plain_list {
	uint8_t *bytes;
	uint32_t max_bytes, n_bytes;
	struct plain_at {
		uint32_t at, n_bytes;
	} * frame;
	unsigned max_frames, n_frames;
};

/** plain_list_new() / plain_list_free() - Memory for so much; ends the program without. */
struct plain_list *plain_list_new(unsigned max_frames, uint32_t max_bytes);
void plain_list_free(struct plain_list *l);

/**
 * plain_add() - Append the frames that a super-frame stands for, sums complete
 * @in:      virtio header and frame
 * @n_bytes: of both
 *
 * A TCP or UDP sum of 0 is written as 0xffff, also where the kernel's TSO leaves 0.
 *
 * Return: NULL, or what is wrong with it.
 */
const char *plain_add(struct plain_list *l, const uint8_t *in, uint32_t n_bytes);

/** plain_same_zero() - Of a plain frame: write a TCP sum of 0 as plain_add() does */
void plain_same_zero(uint8_t *frame, uint32_t n_bytes);

/** plain_frame() - Frame @i */
static inline const uint8_t *plain_frame(const struct plain_list *l, unsigned i)
{
	return l->bytes + l->frame[i].at;
}

#endif
