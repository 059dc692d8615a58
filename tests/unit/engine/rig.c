/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests/unit/engine/rig.c - a path with a pool and a virtual clock
 */
#include "config.h"

#include "unit/engine/rig.h"

#include "unit/unit.h"

#include <string.h>

#define ID_OFFSET 14
/* Enough for every test here; the pool's own bound is tested in unit/wire. */
#define POOL_BYTES ((size_t)256 << 20)

/* One for all rigs of a program, since thousands of them are made. */
static struct buf_pool *pool;

struct spec rig_spec(void)
{
	struct spec s = {.kind = IMPAIR_NETEM};

	s.netem.limit_frames = 1000;
	s.netem.has_seed = true;
	s.netem.seed = 1;
	return s;
}

void rig_init(struct rig *r, const struct spec *s, nsec_t start_ns)
{
	struct err e;

	if (!pool)
		pool = buf_pool_new(POOL_BYTES, 0, &e);
	assert_non_null(pool);
	assert_int_equal(buf_pool_live_bufs(pool), 0);
	r->pool = pool;
	r->path = path_new(s, r->pool, start_ns, &e);
	assert_non_null(r->path);
	r->count = path_count(r->path);
}

void rig_check_books(const struct rig *r)
{
	const struct count *c = r->count;

	assert_int_equal(c->in + c->duplicated, c->out + c->lost + c->drop_limit +
							c->drop_mem + c->drop_io +
							c->backlog);
	/* The same by tc's counters (a duplicate cancelled by a loss is in both). */
	assert_int_equal(c->dup_hits - c->duplicated, c->loss_hits - c->lost);
	assert_int_equal(c->backlog, buf_pool_live_bufs(r->pool));
	assert_true(c->backlog <= c->backlog_peak);
	assert_true(c->backlog_bytes <= c->backlog_bytes_peak);
	if (!c->backlog)
		assert_int_equal(c->backlog_bytes, 0);
}

void rig_fini(struct rig *r)
{
	rig_check_books(r);
	path_reset(r->path);
	rig_check_books(r);
	path_free(r->path);
	assert_int_equal(buf_pool_live_bufs(r->pool), 0);
}

void rig_push(struct rig *r, uint32_t id, uint32_t n_bytes, nsec_t at_ns)
{
	uint8_t *room = buf_room(r->pool, BUF_VNET_BYTES + (size_t)n_bytes);

	assert_non_null(room);
	memset(room, 0, BUF_VNET_BYTES + (size_t)n_bytes);
	memcpy(room + BUF_VNET_BYTES + ID_OFFSET, &id, sizeof(id));
	path_push(
		r->path, buf_commit(r->pool, BUF_VNET_BYTES + (size_t)n_bytes), at_ns);
}

unsigned rig_pop(struct rig *r, nsec_t now_ns, struct rig_out *out, unsigned max)
{
	struct frame f;
	unsigned n = 0;

	while (n < max && path_pop(r->path, now_ns, &f, 1)) {
		memcpy(&out[n].id, buf_bytes(f.buf) + ID_OFFSET, sizeof(out[n].id));
		out[n].due_ns = f.due_ns;
		out[n].is_copy = f.flags & FRAME_COPY;
		assert_true(f.due_ns <= now_ns);
		buf_unref(r->pool, f.buf);
		n++;
	}
	return n;
}

unsigned rig_drain(struct rig *r, struct rig_out *out, unsigned max)
{
	unsigned n = 0;
	nsec_t ns;

	while (n < max && (ns = path_next_ns(r->path)) != NSEC_NEVER)
		n += rig_pop(r, ns, out + n, max - n);
	return n;
}
