/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests/unit/wire/joinrig.c - a pool, a join, and what it writes, cut into plain frames
 */
#include "config.h"

#include "unit/wire/joinrig.h"

#include <string.h>

struct buf_pool *pool;
struct join join;

int joinrig_set_up(void **state)
{
	struct err e;

	(void)state;
	pool = buf_pool_new((size_t)64 << 20, 0, &e);
	join_init(&join);
	return !pool;
}

int joinrig_tear_down(void **state)
{
	(void)state;
	assert_int_equal(buf_pool_live_bufs(pool), 0);
	buf_pool_free(pool);
	return 0;
}

struct buf *joinrig_take(const uint8_t *read, uint32_t n_bytes)
{
	uint8_t *room = buf_room(pool, n_bytes);
	struct buf *b;

	assert_non_null(room);
	memcpy(room, read, n_bytes);
	b = buf_commit(pool, n_bytes);
	gso_parse(b);
	buf_ref_n(b, b->n_segs - 1u);
	return b;
}

/* What the first job would write, in one piece. Return: its length. */
uint32_t joinrig_written(uint8_t *to)
{
	const struct join_job *job = join_first(&join);
	uint32_t n = 0;

	for (unsigned i = 0; i < job->n_iov; i++) {
		const struct iovec *v = &join.iov[job->first_iov + i];

		assert_true(n + v->iov_len <= BUF_READ_BYTES);
		memcpy(to + n, v->iov_base, v->iov_len);
		n += (uint32_t)v->iov_len;
	}
	return n;
}

/* Writes all jobs into @l. Return: how many there were. */
unsigned joinrig_write_all(struct plain_list *l)
{
	static uint8_t out[BUF_READ_BYTES];
	unsigned n_jobs = 0;

	join_seal(&join);
	while (!join_is_empty(&join)) {
		struct join_job job = *join_first(&join);
		unsigned before = l->n_frames;
		uint32_t bytes = l->n_bytes;
		const char *wrong = plain_add(l, out, joinrig_written(out));

		if (wrong)
			fail_msg("the kernel would not take it: %s", wrong);
		assert_int_equal(l->n_frames - before, job.n_wire);
		assert_int_equal(l->n_frames - before, job.n_frames);
		assert_int_equal(l->n_bytes - bytes, job.n_bytes);
		join_done(&join, pool);
		n_jobs++;
	}
	return n_jobs;
}
