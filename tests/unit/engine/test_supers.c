/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests/unit/engine/test_supers.c - super-frames through a path: each segment is a frame
 *
 * The same frames go through two paths with the same settings, once in super-frames,
 * once one by one as a TAP without offloads has them. Fates, times, bytes and counters
 * must be the same.
 */
#include "config.h"

#include "lib/plain.h"
#include "lib/supers.h"
#include "unit/engine/rig.h"
#include "unit/unit.h"
#include "wire/gso.h"
#include "wire/join.h"

#include <string.h>

static const uint8_t mac_a[6] = {2, 0, 0, 0, 0, 1}, mac_b[6] = {2, 0, 0, 0, 0, 2};

static struct join join;

static struct buf *take(struct rig *r, const uint8_t *read, uint32_t n_bytes)
{
	uint8_t *room = buf_room(r->pool, n_bytes);
	struct buf *b;

	assert_non_null(room);
	memcpy(room, read, n_bytes);
	b = buf_commit(r->pool, n_bytes);
	gso_parse(b);
	return b;
}

/* Each of the frames by itself, with a virtio header that says nothing. */
static void push_plain(struct rig *r, const struct plain_list *l, nsec_t at_ns)
{
	for (unsigned i = 0; i < l->n_frames; i++) {
		uint32_t n = BUF_VNET_BYTES + l->frame[i].n_bytes;
		uint8_t *room = buf_room(r->pool, n);
		struct buf *b;

		assert_non_null(room);
		memset(room, 0, BUF_VNET_BYTES);
		memcpy(room + BUF_VNET_BYTES, plain_frame(l, i), n - BUF_VNET_BYTES);
		b = buf_commit(r->pool, n);
		gso_parse(b);
		path_push(r->path, b, at_ns);
	}
}

static void write_all(struct rig *r, struct plain_list *l)
{
	static uint8_t out[BUF_READ_BYTES];

	join_seal(&join);
	while (!join_is_empty(&join)) {
		const struct join_job *job = join_first(&join);
		uint32_t n = 0;

		for (unsigned i = 0; i < job->n_iov; i++) {
			const struct iovec *v = &join.iov[job->first_iov + i];

			memcpy(out + n, v->iov_base, v->iov_len);
			n += (uint32_t)v->iov_len;
		}
		assert_null(plain_add(l, out, n));
		join_done(&join, r->pool);
	}
}

static void assert_same_counts(const struct count *a, const struct count *b)
{
	struct count x = *a, y = *b;

	/* Only here is anything copied for want of one segment's own bytes. */
	x.copied_bytes = y.copied_bytes = 0;
	x.busy_ns = y.busy_ns = 0;
	assert_memory_equal(&x, &y, sizeof(x));
}

/* Both paths at @now_ns, compared frame by frame. Return: how many left. */
static unsigned pop_both(struct rig *a, struct rig *b, nsec_t now_ns)
{
	struct plain_list *got = plain_list_new(64, 300000);
	unsigned n, total = 0;

	do {
		struct frame fa[64], fb[64];

		got->n_frames = got->n_bytes = 0;
		n = path_pop(a->path, now_ns, fa, 64);
		assert_int_equal(path_pop(b->path, now_ns, fb, 64), n);
		for (unsigned i = 0; i < n; i++) {
			assert_int_equal(fa[i].due_ns, fb[i].due_ns);
			assert_int_equal(fa[i].flags, fb[i].flags);
		}
		join_add_all(&join, fa, n);
		write_all(a, got);
		assert_int_equal(got->n_frames, n);
		for (unsigned i = 0; i < n; i++) {
			assert_int_equal(got->frame[i].n_bytes, frame_bytes(&fb[i]));
			assert_memory_equal(plain_frame(got, i), buf_bytes(fb[i].buf),
				frame_bytes(&fb[i]));
			buf_unref(b->pool, fb[i].buf);
		}
		total += n;
	} while (n == 64);
	plain_list_free(got);
	return total;
}

static void same_fates(const struct netem_conf *c, unsigned n_reads)
{
	static uint8_t read[SUPERS_BYTES_MAX];
	struct plain_list *cut = plain_list_new(130, 400000);
	struct spec s = rig_spec();
	unsigned n_in = 0, n_out = 0;
	struct supers rng;
	struct rig a, b;
	nsec_t now = 0;

	s.netem = *c;
	rig_init(&a, &s, 0);
	rig_init(&b, &s, 0);
	join_init(&join);
	supers_init(&rng, c->seed, mac_a, mac_b);
	for (unsigned i = 0; i < n_reads; i++) {
		uint32_t n = supers_next(&rng, read);

		cut->n_frames = cut->n_bytes = 0;
		assert_null(plain_add(cut, read, n));
		n_in += cut->n_frames;
		path_push(a.path, take(&a, read, n), now);
		push_plain(&b, cut, now);
		if (supers_below(&rng, 3) == 0) {
			now += supers_below(&rng, 2000000);
			n_out += pop_both(&a, &b, now);
		}
		assert_same_counts(a.count, b.count);
	}
	while (path_next_ns(a.path) != NSEC_NEVER) {
		now = path_next_ns(a.path);
		assert_int_equal(path_next_ns(b.path), now);
		n_out += pop_both(&a, &b, now);
	}
	assert_same_counts(a.count, b.count);
	assert_int_equal(a.count->in, n_in);
	assert_int_equal(a.count->out, n_out);
	assert_true(c->limit_frames ? n_out > n_in / 4 : n_out == 0);
	/* Both live in one pool. */
	path_reset(b.path);
	path_free(b.path);
	rig_fini(&a);
	plain_list_free(cut);
}

static struct netem_conf conf(uint64_t seed)
{
	struct netem_conf c = rig_spec().netem;

	c.limit_frames = 100000;
	c.seed = seed;
	return c;
}

static void every_segment_has_the_fate_of_a_frame(void **state)
{
	struct netem_conf c = conf(11);

	(void)state;
	c.latency_ns = MS;
	c.loss.p32 = PERCENT(10);
	same_fates(&c, 400);
	c.jitter_ns = MS / 2;
	c.delay_corr_p32 = PERCENT(25);
	c.duplicate.p32 = PERCENT(10);
	same_fates(&c, 400);
	c.reorder.p32 = PERCENT(20);
	c.gap = 3;
	same_fates(&c, 400);
}

/* Where nothing is drawn all segments are judged at once. */
static void what_is_alike_is_judged_as_one_by_one(void **state)
{
	struct netem_conf c = conf(13);

	(void)state;
	same_fates(&c, 400);
	c.latency_ns = MS;
	same_fates(&c, 400);
	/* The limit is reached inside of a super-frame, and by whole ones. */
	c.limit_frames = 300;
	same_fates(&c, 400);
	c.limit_frames = 7;
	c.latency_ns = 0;
	same_fates(&c, 400);
	c.limit_frames = 0;
	same_fates(&c, 10);
}

/* Each alone is enough for a verdict of its own. */
static void what_draws_is_judged_frame_by_frame(void **state)
{
	const struct netem_conf plain = conf(15);
	struct netem_conf c = plain;

	(void)state;
	c.jitter_ns = MS;
	same_fates(&c, 100);
	c = plain;
	c.loss.p32 = PERCENT(10);
	same_fates(&c, 100);
	c = plain;
	c.loss_model = LOSS_GEMODEL;
	c.ge_p_p32 = PERCENT(5);
	c.ge_r_p32 = PERCENT(50);
	c.ge_1_h_p32 = P32_ONE;
	same_fates(&c, 100);
	c = plain;
	c.duplicate.p32 = PERCENT(10);
	same_fates(&c, 100);
	c = plain;
	c.corrupt.p32 = PERCENT(10);
	same_fates(&c, 100);
	c = plain;
	c.latency_ns = MS;
	c.gap = 5;
	same_fates(&c, 100);
	c = plain;
	c.rate_byteps = 100000000;
	same_fates(&c, 100);
	c = plain;
	c.limit_frames = 100;
	c.slot.active = true;
	c.slot.min_delay_ns = c.slot.max_delay_ns = MS / 10;
	same_fates(&c, 100);
}

/* Frames that wait for a longer delay are behind those that come now. */
static void a_shorter_delay_overtakes_as_one_by_one(void **state)
{
	static uint8_t read[SUPERS_BYTES_MAX];
	struct plain_list *cut = plain_list_new(130, 400000);
	struct netem_conf c = conf(14);
	struct spec s = rig_spec();
	struct path_change ch;
	struct supers rng;
	struct rig a, b;
	nsec_t now = 0;

	(void)state;
	s.netem = c;
	rig_init(&a, &s, 0);
	rig_init(&b, &s, 0);
	join_init(&join);
	supers_init(&rng, c.seed, mac_a, mac_b);
	for (unsigned i = 0; i < 300; i++, now += 50000) {
		uint32_t n = supers_next(&rng, read);

		s.netem.latency_ns = (nsec_t)supers_below(&rng, 3) * MS;
		s.netem.limit_frames = supers_below(&rng, 8) * 50;
		for (unsigned k = 0; k < 2; k++) {
			struct rig *r = k ? &b : &a;

			assert_int_equal(
				path_change_prepare(r->path, &s, &ch, NULL), 0);
			path_change_commit(r->path, &ch, now);
		}
		cut->n_frames = cut->n_bytes = 0;
		assert_null(plain_add(cut, read, n));
		path_push(a.path, take(&a, read, n), now);
		push_plain(&b, cut, now);
		assert_int_equal(path_next_ns(a.path), path_next_ns(b.path));
		if (i % 4 == 0)
			pop_both(&a, &b, now);
		assert_same_counts(a.count, b.count);
	}
	assert_true(a.count->overtakes > 100 && a.count->drop_limit > 100);
	path_free(b.path);
	rig_fini(&a);
	plain_list_free(cut);
}

static void damage_and_marks_fall_on_single_segments(void **state)
{
	struct netem_conf c = conf(12);

	(void)state;
	c.latency_ns = MS;
	c.corrupt.p32 = PERCENT(5);
	same_fates(&c, 400);
	c.loss.p32 = PERCENT(5);
	c.ecn = true;
	c.duplicate.p32 = PERCENT(20);
	same_fates(&c, 400);
}

static void rate_limit_and_slots_count_wire_frames(void **state)
{
	struct netem_conf c = conf(13);

	(void)state;
	c.rate_byteps = 10000000;
	same_fates(&c, 400);
	c.overhead_bytes = 20;
	c.cell_bytes = 48;
	c.limit_frames = 30;
	same_fates(&c, 400);
	c = conf(14);
	c.slot.active = true;
	c.slot.min_delay_ns = MS;
	c.slot.max_delay_ns = 2 * MS;
	c.slot.max_packets = 10;
	c.slot.max_bytes = 5000;
	same_fates(&c, 200);
}

/* A super-frame of 10 segments, 1000 bytes of payload each. */
static struct buf *tcp_of_ten(struct rig *r, bool whole)
{
	static uint8_t read[SUPERS_BYTES_MAX];
	struct supers rng;
	struct buf *b;

	supers_init(&rng, 1, mac_a, mac_b);
	for (unsigned i = 0; i < SUPERS_FLOWS; i++)
		rng.flow[i].gso_bytes = 1000;
	do
		b = take(r, read, supers_next(&rng, read));
	while (b->n_segs != 10 && (buf_unref(r->pool, b), true));
	if (whole)
		b->flags |= BUF_WHOLE;
	return b;
}

static void a_whole_super_frame_has_one_verdict(void **state)
{
	struct spec s = rig_spec();
	struct frame f;
	struct rig r;
	struct buf *b;

	(void)state;
	rig_init(&r, &s, 0);
	b = tcp_of_ten(&r, true);
	path_push(r.path, b, 0);
	assert_int_equal(r.count->in, 1);
	assert_int_equal(r.count->in_bytes, b->n_bytes + 9 * b->hdr_bytes);
	assert_int_equal(path_pop(r.path, 0, &f, 1), 1);
	join_init(&join);
	join_add(&join, &f);
	join_seal(&join);
	assert_int_equal(join_first(&join)->n_iov, 1);
	assert_int_equal(join_first(&join)->n_frames, 1);
	assert_int_equal(join_first(&join)->n_wire, 10);
	assert_ptr_equal(join.iov[0].iov_base, buf_vnet(b));
	join_done(&join, r.pool);
	rig_fini(&r);
}

/* Section 13: of a whole super-frame the first segment is damaged, the others come anew. */
static void damage_takes_a_whole_super_frame_apart(void **state)
{
	struct spec s = rig_spec();
	struct rig r;

	(void)state;
	s.netem.latency_ns = MS;
	s.netem.corrupt.p32 = P32_ONE;
	for (unsigned twice = 0; twice < 2; twice++) {
		s.netem.duplicate.p32 = twice ? P32_ONE : 0;
		rig_init(&r, &s, 0);
		path_push(r.path, tcp_of_ten(&r, true), 0);
		/* The others are damaged in their turn; of a copy they are copies. */
		assert_int_equal(r.count->in, twice ? 19 : 10);
		assert_int_equal(r.count->duplicated, twice ? 10 : 0);
		assert_int_equal(r.count->corrupted, twice ? 29 : 10);
		assert_int_equal(r.count->backlog, twice ? 29 : 10);
		rig_fini(&r);
	}
	s.netem.limit_frames = 0;
	rig_init(&r, &s, 0);
	path_push(r.path, tcp_of_ten(&r, true), 0);
	assert_int_equal(r.count->drop_limit, 11);
	assert_int_equal(r.count->drops, 1);
	rig_fini(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_segment_has_the_fate_of_a_frame),
		cmocka_unit_test(what_is_alike_is_judged_as_one_by_one),
		cmocka_unit_test(what_draws_is_judged_frame_by_frame),
		cmocka_unit_test(a_shorter_delay_overtakes_as_one_by_one),
		cmocka_unit_test(damage_and_marks_fall_on_single_segments),
		cmocka_unit_test(rate_limit_and_slots_count_wire_frames),
		cmocka_unit_test(a_whole_super_frame_has_one_verdict),
		cmocka_unit_test(damage_takes_a_whole_super_frame_apart),
	};

	return cmocka_run_group_tests_name("engine/supers", tests, NULL, NULL);
}
