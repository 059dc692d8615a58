/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/impair.c - the order of operations
 */
#include "config.h"

#include "engine/impair.h"

#include "wire/csum.h"
#include "wire/gso.h"
#include "wire/proto.h"

#include <string.h>

#define ALL_NAMED UINT32_MAX
/* The three that tc sends together as soon as one of these is named. */
#define NAMED_CORRS                                                                    \
	(NAMED_DELAY_CORR | NAMED_LOSS_CORR | NAMED_REORDER_CORR | NAMED_CORRUPT_CORR)

static void take_settings(struct impair *m, const struct netem_conf *c)
{
	nsec_t jitter_ns = c->jitter_ns;

	if (jitter_ns > DIST_JITTER_MAX_NS)
		jitter_ns = DIST_JITTER_MAX_NS;
	m->latency_ns = c->latency_ns;
	m->jitter_ns = (uint32_t)jitter_ns;
	m->limit_frames = c->limit_frames;
	m->ecn = c->ecn;
	m->delay_corr.rho_p32 = c->delay_corr_p32;
	loss_set(&m->loss, c);
	m->duplicate.p32 = c->duplicate.p32;
	m->duplicate.corr.rho_p32 = c->duplicate.corr_p32;
	m->reorder.p32 = c->reorder.p32;
	m->reorder.corr.rho_p32 = c->reorder.corr_p32;
	m->corrupt.p32 = c->corrupt.p32;
	m->corrupt.corr.rho_p32 = c->corrupt.corr_p32;
	/* A gap without a probability means all, as the kernel reads it. */
	m->gap = c->gap;
	m->gap_count = 0;
	if (m->gap && !m->reorder.p32)
		m->reorder.p32 = P32_ONE;
	m->rate = (struct rate){
		.byteps = c->rate_byteps,
		.overhead_bytes = c->overhead_bytes,
		.cell_bytes = c->cell_bytes,
		.cell_overhead_bytes = c->cell_overhead_bytes,
	};
}

/*
 * What the words of @named start anew. The starts of the correlations are draws of the
 * second stream, in this order.
 */
static void restart(struct impair *m, const struct netem_conf *c, uint32_t named)
{
	if (named & NAMED_SEED) {
		m->is_seeded = true;
		rng_seed(&m->rng, c->seed);
		rng_seed(&m->other, c->seed ^ RNG_SECOND_STREAM);
	}
	if (named & NAMED_CORRS) {
		m->delay_corr.last = rng_next(&m->other);
		m->loss.random.corr.last = rng_next(&m->other);
		m->duplicate.corr.last = rng_next(&m->other);
	}
	if (named & NAMED_REORDER)
		m->reorder.corr.last = rng_next(&m->other);
	if (named & NAMED_CORRUPT)
		m->corrupt.corr.last = rng_next(&m->other);
	if (named & NAMED_LOSS)
		m->loss.state = LOSS_S1;
}

int impair_init(struct impair *m, const struct spec *s, struct err *e)
{
	*m = (struct impair){.limit_frames = UINT32_MAX, .loss = {.state = LOSS_S1}};
	if (s->kind == IMPAIR_NONE)
		return 0;
	take_settings(m, &s->netem);
	restart(m, &s->netem, ALL_NAMED);
	return dist_init(&m->dist, &s->netem.dist, e);
}

void impair_change(struct impair *m, const struct netem_conf *c, struct dist *dist)
{
	take_settings(m, c);
	restart(m, c, m->is_seeded ? c->named : ALL_NAMED);
	if (!dist)
		return;
	dist_fini(&m->dist);
	m->dist = *dist;
	*dist = (struct dist){0};
}

void impair_fini(struct impair *m)
{
	dist_fini(&m->dist);
}

/* Bytes of @f alone, with headers of its own where it is one segment of many. */
static size_t copy_bytes(const struct frame *f, uint8_t *to)
{
	const struct buf *b = f->buf;
	size_t n_bytes = BUF_VNET_BYTES + (size_t)b->n_bytes;

	if (b->n_segs > 1 && !(f->flags & FRAME_WHOLE)) {
		n_bytes = BUF_VNET_BYTES + (size_t)frame_bytes(f);
		to += gso_lone_head(f, to);
		memcpy(to, gso_payload(b, f->seg), frame_bytes(f) - b->hdr_bytes);
	} else {
		memcpy(to, buf_vnet(b), n_bytes);
	}
	return n_bytes;
}

/* Give @f bytes of its own. False: no memory. */
static bool unshare(struct impair *m, struct frame *f)
{
	bool is_segment = f->buf->n_segs > 1 && !(f->flags & FRAME_WHOLE);
	struct buf *old = f->buf, *b;
	size_t n_bytes;
	uint8_t *room;

	f->flags |= FRAME_MODIFIED;
	if (!is_segment && !buf_is_shared(old))
		return true;
	n_bytes = is_segment ? frame_bytes(f) : old->n_bytes;
	room = buf_room(m->pool, BUF_VNET_BYTES + n_bytes);
	if (!room)
		return false;
	n_bytes = copy_bytes(f, room);
	b = buf_commit(m->pool, n_bytes);
	b->hdr_bytes = old->hdr_bytes;
	b->flags = old->flags;
	if (!is_segment) {
		b->gso_bytes = old->gso_bytes;
		b->n_segs = old->n_segs;
	}
	m->count->copied_bytes += n_bytes;
	buf_unref(m->pool, old);
	f->buf = b;
	f->seg = 0;
	return true;
}

/* Congestion marked instead of lost, where the frame allows it. */
static bool mark(struct impair *m, struct frame *f)
{
	struct proto p = proto_parse(buf_bytes(f->buf), f->buf->n_bytes);
	enum proto_ecn ecn = proto_ecn(&p, buf_bytes(f->buf));

	if (ecn == PROTO_NOT_ECT)
		return false;
	if (ecn != PROTO_CE) {
		if (!unshare(m, f))
			return false;
		proto_set_ce(&p, buf_bytes(f->buf));
	}
	m->count->ecn_marked++;
	return true;
}

/* Flip one bit, such that the receiver's checksum shows it. False: no memory. */
static bool corrupt(struct impair *m, struct frame *f)
{
	uint32_t at = rng_below(&m->other, frame_bytes(f));
	uint32_t bit = rng_below(&m->other, 8);

	if (!unshare(m, f))
		return false;
	csum_complete(buf_vnet(f->buf), buf_bytes(f->buf), frame_bytes(f));
	buf_bytes(f->buf)[at] ^= (uint8_t)(1u << bit);
	f->buf->flags |= BUF_DAMAGED;
	m->count->corrupted++;
	return true;
}

static void drop(struct impair *m, const struct frame *f, unsigned copies)
{
	while (copies--)
		buf_unref(m->pool, f->buf);
}

static void drop_mem(struct impair *m, const struct frame *f, unsigned copies)
{
	m->count->drop_mem += copies;
	m->count->drops++;
	drop(m, f, copies);
}

static void count_queued(struct count *c, unsigned n, uint64_t n_bytes)
{
	c->backlog += n;
	c->backlog_bytes += n_bytes;
	if (c->backlog > c->backlog_peak)
		c->backlog_peak = c->backlog;
	if (c->backlog_bytes > c->backlog_bytes_peak)
		c->backlog_bytes_peak = c->backlog_bytes;
}

static nsec_t add_ns(nsec_t a, nsec_t b)
{
	nsec_t sum;

	return __builtin_add_overflow(a, b, &sum) ? NSEC_NEVER : sum;
}

static void queue_delayed(struct impair *m, struct frame *f, nsec_t at_ns)
{
	nsec_t delay_ns = m->latency_ns, base_ns = at_ns;

	if (m->jitter_ns)
		delay_ns = dist_delay_ns(&m->dist, m->latency_ns, m->jitter_ns,
			corr_draw(&m->delay_corr, &m->rng));
	if (m->rate.byteps) {
		/* The line is free when the last that waits has left. */
		if (m->q->n) {
			base_ns = timeq_last_ns(m->q);
			delay_ns -= base_ns - at_ns;
			if (delay_ns < 0)
				delay_ns = 0;
		}
		delay_ns = add_ns(delay_ns, rate_ser_ns(&m->rate, frame_bytes(f)));
	}
	f->due_ns = add_ns(base_ns, delay_ns);
	m->gap_count++;
	if (!timeq_push(m->q, f)) {
		drop_mem(m, f, 1);
		return;
	}
	if (delay_ns)
		m->count->delayed++;
	count_queued(m->count, 1, frame_bytes(f));
}

static void queue_at_once(struct impair *m, struct frame *f, nsec_t at_ns)
{
	f->due_ns = at_ns;
	m->gap_count = 0;
	if (!timeq_push_head(m->q, f)) {
		drop_mem(m, f, 1);
		return;
	}
	m->count->reordered++;
	count_queued(m->count, 1, frame_bytes(f));
}

/* Unlike the other decisions this one draws whenever the gap lets it, also at 0. */
static bool is_reordered(struct impair *m)
{
	return m->gap && m->gap_count >= m->gap - 1 &&
	       m->reorder.p32 >= corr_draw(&m->reorder.corr, &m->rng);
}

/* Twice and lost? Return: how many go on, 0 to 2. */
static unsigned n_copies(struct impair *m, struct frame *f)
{
	struct count *c = m->count;
	unsigned n = 1;

	if (!(f->flags & FRAME_COPY) && decision_hit(&m->duplicate, &m->rng)) {
		c->dup_hits++;
		n++;
	}
	if (loss_hit(&m->loss, &m->rng) && !(m->ecn && mark(m, f))) {
		c->loss_hits++;
		n--;
	}
	return n;
}

static void drop_limit(struct impair *m, const struct frame *f)
{
	m->count->drop_limit++;
	m->count->drop_limit_bytes += frame_bytes(f);
	drop(m, f, 1);
}

/*
 * A super-frame under one verdict that is to be damaged: the kernel takes it apart, and
 * damages the first frame. Return: what stands for the others, which come anew.
 */
static struct frame take_apart(struct impair *m, struct frame *f)
{
	unsigned n_others = f->buf->n_segs - 1u;

	buf_ref_n(f->buf, n_others);
	m->count->in += n_others;
	f->flags &= (uint16_t)~FRAME_WHOLE;
	return *f;
}

/* Return: false when the limit was reached. @others: see take_apart(), without buf: none */
static bool judge(struct impair *m, struct frame f, nsec_t at_ns, struct frame *others)
{
	struct count *c = m->count;
	unsigned n = n_copies(m, &f);
	struct frame copy;

	if (n == 0) {
		c->lost++;
		c->drops++;
		drop(m, &f, 1);
		return true;
	}
	if (n == 2) {
		c->duplicated++;
		buf_ref(f.buf);
		copy = f;
		copy.flags |= FRAME_COPY;
	}
	if (decision_hit(&m->corrupt, &m->rng)) {
		if (f.flags & FRAME_WHOLE)
			*others = take_apart(m, &f);
		if (!corrupt(m, &f)) {
			drop_mem(m, &f, n);
			return true;
		}
	}
	if (m->q->n >= m->limit_frames) {
		c->drops++;
		drop_limit(m, &f);
		if (n == 2)
			drop_limit(m, &copy);
		return false;
	}
	if (n == 2)
		impair_frame(m, copy, at_ns);
	if (is_reordered(m))
		queue_at_once(m, &f, at_ns);
	else
		queue_delayed(m, &f, at_ns);
	return true;
}

void impair_frame(struct impair *m, struct frame f, nsec_t at_ns)
{
	struct frame others = {0};
	bool fits = judge(m, f, at_ns, &others);
	unsigned n_segs;

	if (!others.buf)
		return;
	n_segs = others.buf->n_segs;
	while (++others.seg < n_segs) {
		if (fits)
			impair_frame(m, others, at_ns);
		else
			drop_limit(m, &others);
	}
}

static bool is_alike(const struct impair *m)
{
	return !m->jitter_ns && !m->rate.byteps && !m->gap && !m->duplicate.p32 &&
	       !m->corrupt.p32 && m->loss.model == LOSS_RANDOM && !m->loss.random.p32;
}

static uint64_t run_bytes(const struct frame *f, unsigned n)
{
	struct frame last = *f;

	last.seg += (uint16_t)(n - 1);
	return (uint64_t)(n - 1) * frame_bytes(f) + frame_bytes(&last);
}

bool impair_run(struct impair *m, struct frame f, unsigned n, nsec_t at_ns)
{
	struct count *c = m->count;
	uint32_t waiting = m->q->n, n_fit = n;

	if (!is_alike(m))
		return false;
	f.due_ns = add_ns(at_ns, m->latency_ns);
	if (f.due_ns > at_ns) {
		n_fit = waiting < m->limit_frames ? m->limit_frames - waiting : 0;
		if (n_fit > n)
			n_fit = n;
	} else if (!m->limit_frames) {
		return false; /* else each has left when the next one comes */
	}
	if (n_fit && !timeq_push_run(m->q, &f, n_fit))
		return false;
	if (n_fit) {
		c->delayed += m->latency_ns ? n_fit : 0;
		count_queued(c, n_fit, run_bytes(&f, n_fit));
	}
	for (f.seg += (uint16_t)n_fit; n_fit < n; n_fit++, f.seg++) {
		c->drops++;
		drop_limit(m, &f);
	}
	return true;
}
