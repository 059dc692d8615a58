/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/path.c - settings, queue, slots and counters of one direction, put together
 *
 * Theory of operation
 *   A frame is *ready* when the kernel would have sent it: it has left the queue,
 *   limits and slots know it no more, only its write is still to come. The queue is run
 *   after each frame that enters, at its stamp, and by path_pop() when the earliest
 *   instant has come, at the clock of the release; never in between, because with slots
 *   each run may draw.
 */
#include "config.h"

#include "engine/path.h"

#include "engine/impair.h"
#include "engine/slot.h"
#include "engine/timeq.h"
#include "wire/gso.h"

#include <errno.h>
#include <stdlib.h>

struct path {
	struct impair impair;
	struct timeq q;
	struct frame_ring ready;
	struct slot slot;
	struct buf_pool *pool;
	struct count count;
	nsec_t busy_since_ns; /* while there is a backlog */
};

struct path *path_new(
	const struct spec *s, struct buf_pool *pool, nsec_t start_ns, struct err *e)
{
	struct path *p = calloc(1, sizeof(*p));

	if (!p) {
		err_set(e, -ENOMEM, "memory of a path");
		return NULL;
	}
	p->pool = pool;
	timeq_init(&p->q);
	if (impair_init(&p->impair, s, e) < 0 ||
		(s->kind == IMPAIR_NETEM &&
			slot_init(&p->slot, &s->netem.slot, start_ns, e) < 0)) {
		path_free(p);
		return NULL;
	}
	p->impair.q = &p->q;
	p->impair.count = &p->count;
	p->impair.pool = pool;
	return p;
}

void path_free(struct path *p)
{
	if (!p)
		return;
	path_reset(p);
	impair_fini(&p->impair);
	slot_fini(&p->slot);
	timeq_fini(&p->q);
	free(p->ready.at);
	free(p);
}

/* A table for @c, if @present is not it. */
static int get_table(bool *got, struct dist *table, const struct dist *present,
	const struct dist_conf *c, struct err *e)
{
	if (dist_is(present, c))
		return 0;
	if (dist_init(table, c, e) < 0)
		return -ENOMEM;
	*got = true;
	return 0;
}

int path_change_prepare(const struct path *p, const struct spec *s,
	struct path_change *ch, struct err *e)
{
	const struct netem_conf *c = &s->netem;
	int rc;

	*ch = (struct path_change){.to = c};
	rc = get_table(&ch->has_dist, &ch->dist, &p->impair.dist, &c->dist, e);
	if (!rc && c->slot.active && c->slot.has_dist)
		rc = get_table(&ch->has_slot_dist, &ch->slot_dist, &p->slot.dist,
			&c->slot.dist, e);
	if (rc)
		path_change_cancel(ch);
	return rc;
}

void path_change_commit(struct path *p, struct path_change *ch, nsec_t now_ns)
{
	bool slot_anew = ch->to->named & NAMED_SLOT || !p->impair.is_seeded;

	impair_change(&p->impair, ch->to, ch->has_dist ? &ch->dist : NULL);
	if (slot_anew)
		slot_change(&p->slot, &ch->to->slot, now_ns,
			ch->has_slot_dist ? &ch->slot_dist : NULL);
	path_change_cancel(ch);
}

void path_change_cancel(struct path_change *ch)
{
	dist_fini(&ch->dist);
	dist_fini(&ch->slot_dist);
}

/* When the queue has something; the head list does not wait. */
static nsec_t queue_next_ns(const struct path *p)
{
	nsec_t due_ns;

	if (!p->q.n)
		return NSEC_NEVER;
	if (p->q.head.n)
		return INT64_MIN;
	due_ns = timeq_first_ns(&p->q);
	return p->slot.active && p->slot.next_ns > due_ns ? p->slot.next_ns : due_ns;
}

static void open_slot(struct path *p, nsec_t now_ns)
{
	slot_open(&p->slot, now_ns, &p->impair.rng, &p->impair.other);
}

/* netem's look at the first frame that waits: one due after the slot moves the slot. */
static void look(struct path *p, nsec_t now_ns)
{
	if (p->slot.active && p->q.n && !p->q.head.n &&
		p->slot.next_ns < timeq_first_ns(&p->q))
		open_slot(p, now_ns);
}

/* With slots, or not in order. Return: false where none may leave. */
static bool dequeue_odd(struct path *p, nsec_t now_ns, struct frame *f)
{
	struct timeq *q = &p->q;
	struct slot *s = &p->slot;
	bool timed;

	look(p, now_ns);
	if (queue_next_ns(p) > now_ns)
		return false;
	timed = !q->head.n;
	p->count.overtakes += timeq_pop(q, f);
	if (timed && s->active) {
		if (f->due_ns < s->next_ns)
			f->due_ns = s->next_ns;
		if (slot_charge(s, frame_bytes(f)))
			open_slot(p, now_ns);
	}
	return true;
}

/*
 * One frame out of the queue, if it may leave at @now_ns. Its due becomes the instant
 * from which on it could leave: not before its slot, nor before it came (a jitter
 * larger than the delay gives dues in the past); @fresh is the order number of the
 * first frame that came at @now_ns.
 */
static inline bool dequeue(
	struct path *p, nsec_t now_ns, uint32_t fresh, struct frame *f)
{
	if (!p->slot.active && timeq_is_in_order(&p->q)) {
		if (!timeq_pop_due(&p->q, now_ns, f))
			return false;
	} else if (!dequeue_odd(p, now_ns, f)) {
		return false;
	}
	if (f->due_ns < now_ns && (int32_t)(f->order - fresh) >= 0)
		f->due_ns = now_ns;
	return true;
}

/* A frame for which there is no room stays in the queue a while longer. */
static void run_queue(struct path *p, nsec_t at_ns, uint32_t fresh)
{
	struct frame f;

	while (frame_ring_reserve(&p->ready) && dequeue(p, at_ns, fresh, &f))
		frame_ring_push(&p->ready, &f);
}

/*
 * What is decided for one holds for all behind it. Those that were due have left with the
 * first. Return: false where each is judged by itself.
 */
static bool push_rest(struct path *p, struct frame f, unsigned n, nsec_t at_ns)
{
	uint32_t fresh = p->q.next_order;
	uint64_t n_bytes = gso_wire_bytes(f.buf);

	if (p->slot.active)
		return false;
	n_bytes -= (uint64_t)f.seg * (f.buf->hdr_bytes + (uint64_t)f.buf->gso_bytes);
	if (!p->count.backlog)
		p->busy_since_ns = at_ns;
	if (!impair_run(&p->impair, f, n, at_ns))
		return false;
	p->count.in += n;
	p->count.in_bytes += n_bytes;
	run_queue(p, at_ns, fresh);
	return true;
}

void path_push(struct path *p, struct buf *b, nsec_t at_ns)
{
	uint16_t whole = b->flags & BUF_WHOLE ? FRAME_WHOLE : 0;
	unsigned n_frames = whole ? 1 : b->n_segs;
	struct frame f;

	if (n_frames > 1)
		buf_ref_n(b, n_frames - 1);
	for (unsigned seg = 0; seg < n_frames; seg++) {
		uint32_t fresh = p->q.next_order;

		f = (struct frame){.buf = b, .seg = (uint16_t)seg, .flags = whole};
		if (seg == 1 && push_rest(p, f, n_frames - 1, at_ns))
			return;
		if (!p->count.backlog)
			p->busy_since_ns = at_ns;
		p->count.in++;
		p->count.in_bytes += frame_bytes(&f);
		impair_frame(&p->impair, f, at_ns);
		run_queue(p, at_ns, fresh);
	}
}

static void count_out(struct count *c, const struct frame *f, unsigned n, nsec_t now_ns)
{
	uint64_t n_bytes = 0;
	unsigned i, end;

	for (i = 0; i < n; i = end) {
		nsec_t due_ns = f[i].due_ns;

		for (end = i; end < n && f[end].due_ns == due_ns; end++)
			n_bytes += frame_bytes(&f[end]);
		late_add_n(&c->late, now_ns > due_ns ? now_ns - due_ns : 0, end - i);
	}
	c->out += n;
	c->out_bytes += n_bytes;
	c->backlog -= n;
	c->backlog_bytes -= n_bytes;
}

unsigned path_pop(struct path *p, nsec_t now_ns, struct frame *out, unsigned max)
{
	unsigned n = frame_ring_shift_n(&p->ready, out, max);

	if (n < max && queue_next_ns(p) <= now_ns) {
		while (n < max && dequeue(p, now_ns, p->q.next_order, &out[n]))
			n++;
		/* A run ends with a look in vain, also when @out is full. */
		look(p, now_ns);
	}
	count_out(&p->count, out, n, now_ns);
	if (n && !p->count.backlog)
		p->count.busy_ns += now_ns - p->busy_since_ns;
	return n;
}

nsec_t path_next_ns(const struct path *p)
{
	if (p->ready.n)
		return p->ready.at[p->ready.first].due_ns;
	return queue_next_ns(p);
}

void path_reset(struct path *p)
{
	struct count *c = &p->count;

	timeq_reset(&p->q, p->pool);
	frame_ring_reset(&p->ready, p->pool);
	c->drop_io += c->backlog;
	c->backlog = 0;
	c->backlog_bytes = 0;
}

void path_drop_io(struct path *p, uint64_t n, uint64_t n_bytes)
{
	p->count.drop_io += n;
	p->count.out -= n;
	p->count.out_bytes -= n_bytes;
}

void path_drop_mem(struct path *p, uint64_t n, uint64_t n_bytes)
{
	p->count.in += n;
	p->count.in_bytes += n_bytes;
	p->count.drop_mem += n;
}

void path_copied(struct path *p, uint64_t n_bytes)
{
	p->count.copied_bytes += n_bytes;
}

const struct count *path_count(const struct path *p)
{
	return &p->count;
}
