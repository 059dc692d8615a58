/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/rate.c - serialisation time with overheads and cells
 */
#include "config.h"

#include "engine/rate.h"

/* Up to here bytes times 10^9 fits 64 bits. */
#define SHORT_BYTES_MAX (INT64_MAX / NSEC_PER_SEC)

nsec_t rate_ser_ns(const struct rate *r, uint32_t n_bytes)
{
	int64_t len = (int64_t)n_bytes + r->overhead_bytes;
	unsigned __int128 ns;

	if (len < 0)
		len = 0;
	if (r->cell_bytes) {
		int64_t cells = (len + r->cell_bytes - 1) / r->cell_bytes;

		/* Below 2^32 cells of less than 2^33: no overflow. */
		len = cells * ((int64_t)r->cell_bytes + r->cell_overhead_bytes);
		if (len < 0)
			len = 0;
	}
	if (len <= SHORT_BYTES_MAX)
		return (nsec_t)((uint64_t)len * NSEC_PER_SEC / r->byteps);
	ns = (unsigned __int128)len * NSEC_PER_SEC / r->byteps;
	return ns > INT64_MAX ? INT64_MAX : (nsec_t)ns;
}
