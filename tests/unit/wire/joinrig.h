/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests/unit/wire/joinrig.h - a pool, a join, and what it writes, cut into plain frames
 */
#ifndef FW_TESTS_JOINRIG_H
#define FW_TESTS_JOINRIG_H

#include "lib/plain.h"
#include "unit/unit.h"
#include "wire/join.h"

extern struct buf_pool *pool;
extern struct join join;

/* Of a group of tests: at the end no buf may be left. */
int joinrig_set_up(void **state);
int joinrig_tear_down(void **state);

/** joinrig_take() - A buf as read, with a reference for each of its frames */
struct buf *joinrig_take(const uint8_t *read, uint32_t n_bytes);

/** joinrig_written() - What the first job would write. Return: its length. */
uint32_t joinrig_written(uint8_t *to);

/** joinrig_write_all() - Writes all jobs into @l. Return: how many there were. */
unsigned joinrig_write_all(struct plain_list *l);

#endif
