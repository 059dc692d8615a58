/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wire/csum.h - the Internet checksum (RFC 1071), and the virtio header's half-made
 * ones
 */
#ifndef FW_WIRE_CSUM_H
#define FW_WIRE_CSUM_H

#include <stddef.h>
#include <stdint.h>

/**
 * csum_add() - Sum of 16-bit words, folded
 * @sum:   what was summed before, at most 16 bits and a carry
 * @bytes: an odd last byte counts as if a zero byte followed
 *
 * Return: the sum, not yet inverted, at most 0xffff; words in the order of the wire.
 */
uint32_t csum_add(uint32_t sum, const uint8_t *bytes, size_t n_bytes);

/** csum_replace16() - The inverted sum @csum after a word changed from @from to @to. */
uint16_t csum_replace16(uint16_t csum, uint16_t from, uint16_t to);

/**
 * csum_complete() - Finish a checksum that the sender left to its device
 * @vnet:    virtio header of the frame; its checksum flags are cleared, so that the
 *           receiver will verify
 * @bytes:   the frame
 * @n_bytes: of the frame
 */
void csum_complete(uint8_t *vnet, uint8_t *bytes, size_t n_bytes);

#endif
