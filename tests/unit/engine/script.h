/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests/unit/engine/script.h - a generator that is about to give the numbers one wants
 */
#ifndef FW_TESTS_ENGINE_SCRIPT_H
#define FW_TESTS_ENGINE_SCRIPT_H

#include "engine/rng.h"

/* Three draws are 96 equations in 113 unknown bits. */
#define SCRIPT_DRAWS_MAX 3

/** script_rng() - A state whose next @n outputs are @draws; after them it is random. */
struct rng script_rng(const uint32_t *draws, unsigned n);

/** script_fraction() - The draw that stands for a fraction of 2^32. */
static inline uint32_t script_fraction(double f)
{
	return (uint32_t)(f * 4294967296.0);
}

#endif
