/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/rate.h - how long a frame occupies the line
 */
#ifndef FW_ENGINE_RATE_H
#define FW_ENGINE_RATE_H

#include "base/clock.h"

#include <stdint.h>

struct rate {
	uint64_t byteps; /* 0: off */
	int32_t overhead_bytes;
	uint32_t cell_bytes; /* 0: no cells */
	int32_t cell_overhead_bytes;
};

/**
 * rate_ser_ns() - Serialisation time
 * @r:       rate, not off
 * @n_bytes: of the frame
 *
 * Return: ns, at least 0: lengths that the overheads make negative count as 0. Hot
 * path.
 */
nsec_t rate_ser_ns(const struct rate *r, uint32_t n_bytes);

#endif
