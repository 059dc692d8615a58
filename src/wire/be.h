/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wire/be.h - numbers in the byte order of the wire, at any address
 */
#ifndef FW_WIRE_BE_H
#define FW_WIRE_BE_H

#include <stdint.h>

static inline uint16_t be_get16(const uint8_t *p)
{
	return (uint16_t)(p[0] << 8 | p[1]);
}

static inline void be_put16(uint8_t *p, uint32_t v)
{
	p[0] = (uint8_t)(v >> 8);
	p[1] = (uint8_t)v;
}

static inline uint32_t be_get32(const uint8_t *p)
{
	return (uint32_t)be_get16(p) << 16 | be_get16(p + 2);
}

static inline void be_put32(uint8_t *p, uint32_t v)
{
	be_put16(p, v >> 16);
	be_put16(p + 2, v);
}

#endif
