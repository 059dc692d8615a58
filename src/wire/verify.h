/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wire/verify.h - would the host that gets this frame take what it carries?
 */
#ifndef FW_WIRE_VERIFY_H
#define FW_WIRE_VERIFY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * verify_frame() - Are lengths and checksums right that a receiver looks at?
 * @bytes: one frame, its checksums whole
 *
 * Those of IPv4's header, TCP, UDP and ICMP. What has none that can be seen in one frame
 * (other protocols, a fragment) is right. Reads all of it. Hot path of damaged frames
 * alone.
 */
bool verify_frame(const uint8_t *bytes, size_t n_bytes);

#endif
