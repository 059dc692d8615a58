/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests/unit/engine/test_path.c - mirrors src/engine/path.c
 */
#include "config.h"

#include "unit/engine/rig.h"
#include "unit/unit.h"

#include <string.h>

static void without_impairment_a_frame_is_ready_at_once(void **state)
{
	struct spec s = {.kind = IMPAIR_NONE};
	struct rig_out o[8];
	struct rig r;

	(void)state;
	rig_init(&r, &s, 0);
	assert_int_equal(path_next_ns(r.path), NSEC_NEVER);
	for (uint32_t i = 0; i < 5; i++)
		rig_push(&r, i, 100, 77);
	assert_int_equal(path_next_ns(r.path), 77);
	assert_int_equal(rig_pop(&r, 80, o, 8), 5);
	for (uint32_t i = 0; i < 5; i++)
		assert_int_equal(o[i].id, i);
	assert_int_equal(r.count->out, 5);
	assert_int_equal(r.count->out_bytes, 500);
	assert_int_equal(r.count->in_bytes, 500);
	assert_int_equal(r.count->late.max_ns, 3);
	assert_int_equal(path_next_ns(r.path), NSEC_NEVER);
	rig_fini(&r);
}

static void a_frame_leaves_at_its_due_and_not_before(void **state)
{
	struct spec s = rig_spec();
	struct rig_out o;
	struct rig r;

	(void)state;
	s.netem.latency_ns = 50 * MS;
	rig_init(&r, &s, 0);
	rig_push(&r, 1, 60, 1000);
	assert_int_equal(path_next_ns(r.path), 50 * MS + 1000);
	assert_int_equal(rig_pop(&r, 50 * MS + 999, &o, 1), 0);
	assert_int_equal(rig_pop(&r, 50 * MS + 1000, &o, 1), 1);
	assert_int_equal(r.count->late.max_ns, 0);
	assert_int_equal(r.count->delayed, 1);
	rig_fini(&r);
}

/* 10 ms and then, after a pause, 50 ms in which something waited. */
static void the_spans_of_waiting_add_up(void **state)
{
	struct spec s = rig_spec();
	struct rig_out o[2];
	struct rig r;

	(void)state;
	s.netem.latency_ns = 10 * MS;
	rig_init(&r, &s, 0);
	rig_push(&r, 1, 60, 0);
	assert_int_equal(rig_pop(&r, 10 * MS, o, 1), 1);
	assert_int_equal(r.count->busy_ns, 10 * MS);
	rig_push(&r, 2, 60, 1000 * MS);
	rig_push(&r, 3, 60, 1005 * MS);
	assert_int_equal(rig_pop(&r, 1012 * MS, o, 2), 1);
	assert_int_equal(r.count->busy_ns, 10 * MS);
	assert_int_equal(rig_pop(&r, 1050 * MS, o, 2), 1);
	assert_int_equal(r.count->busy_ns, 60 * MS);
	rig_fini(&r);
}

static void a_batch_has_at_most_the_frames_asked_for(void **state)
{
	struct spec s = rig_spec();
	struct frame f[4];
	struct rig r;

	(void)state;
	s.netem.latency_ns = MS;
	rig_init(&r, &s, 0);
	for (uint32_t i = 0; i < 6; i++)
		rig_push(&r, i, 60, 0);
	assert_int_equal(path_pop(r.path, MS, f, 4), 4);
	for (unsigned i = 0; i < 4; i++)
		buf_unref(r.pool, f[i].buf);
	assert_int_equal(path_next_ns(r.path), MS);
	assert_int_equal(path_pop(r.path, MS, f, 4), 2);
	for (unsigned i = 0; i < 2; i++)
		buf_unref(r.pool, f[i].buf);
	assert_int_equal(r.count->backlog_peak, 6);
	assert_int_equal(r.count->backlog_bytes_peak, 360);
	rig_fini(&r);
}

/* The queue is run after each frame, so what is due makes room before the next one. */
static void due_frames_do_not_count_against_the_limit(void **state)
{
	struct spec s = rig_spec();
	struct rig r;

	(void)state;
	s.netem.latency_ns = MS;
	s.netem.limit_frames = 2;
	rig_init(&r, &s, 0);
	rig_push(&r, 0, 60, 0);
	rig_push(&r, 1, 60, 0);
	/* The run comes after the frame: at 1 ms it still finds the queue full. */
	rig_push(&r, 2, 60, MS);
	assert_int_equal(r.count->drop_limit, 1);
	rig_push(&r, 3, 60, MS);
	rig_push(&r, 4, 60, MS);
	assert_int_equal(r.count->drop_limit, 1);
	rig_push(&r, 5, 60, MS);
	assert_int_equal(r.count->drop_limit, 2);
	assert_int_equal(path_next_ns(r.path), MS);
	rig_fini(&r);
}

static void jitter_counts_the_frames_that_overtake(void **state)
{
	struct spec s = rig_spec();
	struct rig_out o[64];
	uint64_t want = 0;
	unsigned n;
	struct rig r;

	(void)state;
	s.netem.latency_ns = 20 * MS;
	s.netem.jitter_ns = 10 * MS;
	rig_init(&r, &s, 0);
	for (uint32_t i = 0; i < 64; i++)
		rig_push(&r, i, 60, i * 1000);
	n = rig_drain(&r, o, 64);
	assert_int_equal(n, 64);
	for (unsigned i = 0; i < n; i++) {
		bool overtook = false;

		for (unsigned k = i + 1; k < n; k++)
			overtook |= o[k].id < o[i].id;
		want += overtook;
	}
	assert_true(want > 20);
	assert_int_equal(r.count->overtakes, want);
	rig_fini(&r);
}

static void lateness_counts_from_when_a_frame_could_leave(void **state)
{
	struct spec s = rig_spec();
	struct rig_out o[64];
	struct rig r;

	(void)state;
	/* Half of the delays are negative: those frames are late from their arrival on.
	 */
	s.netem.jitter_ns = 10 * MS;
	rig_init(&r, &s, 0);
	for (uint32_t i = 0; i < 64; i++)
		rig_push(&r, i, 60, 100 * MS);
	assert_true(r.count->backlog == 64);
	assert_int_equal(path_next_ns(r.path), 100 * MS);
	assert_true(rig_pop(&r, 100 * MS + 7, o, 64) > 20);
	assert_int_equal(r.count->late.max_ns, 7);
	rig_fini(&r);
}

static void a_reset_drops_what_waits_and_keeps_the_rest(void **state)
{
	struct spec s = rig_spec();
	struct rig_out o[4];
	struct rig r;

	(void)state;
	s.netem.latency_ns = MS;
	rig_init(&r, &s, 0);
	rig_push(&r, 0, 60, 0);
	rig_push(&r, 1, 60, MS);
	rig_push(&r, 2, 60, MS);
	assert_int_equal(r.count->backlog, 3);
	path_reset(r.path);
	rig_check_books(&r);
	assert_int_equal(path_next_ns(r.path), NSEC_NEVER);
	assert_int_equal(r.count->in, 3);
	assert_int_equal(rig_pop(&r, 9 * MS, o, 4), 0);
	rig_push(&r, 3, 60, 10 * MS);
	assert_int_equal(rig_drain(&r, o, 4), 1);
	assert_int_equal(o[0].id, 3);
	assert_int_equal(o[0].due_ns, 11 * MS);
	rig_fini(&r);
}

static void drops_of_others_keep_the_books(void **state)
{
	struct spec s = rig_spec();
	struct rig_out o[4];
	struct rig r;

	(void)state;
	rig_init(&r, &s, 0);
	rig_push(&r, 0, 60, 0);
	rig_push(&r, 1, 70, 0);
	assert_int_equal(rig_drain(&r, o, 4), 2);
	path_drop_io(r.path, 1, 70);
	path_drop_mem(r.path, 3, 180);
	rig_check_books(&r);
	assert_int_equal(r.count->out, 1);
	assert_int_equal(r.count->out_bytes, 60);
	assert_int_equal(r.count->drop_io, 1);
	assert_int_equal(r.count->in, 5);
	assert_int_equal(r.count->drop_mem, 3);
	rig_fini(&r);
}

/* A super-frame is so many frames, each with its own fate. */
static void each_segment_of_a_buf_is_a_frame(void **state)
{
	struct spec s = rig_spec();
	struct frame f[8];
	struct buf *b;
	struct rig r;
	unsigned n;

	(void)state;
	s.netem.loss.p32 = PERCENT(30);
	s.netem.seed = 42;
	rig_init(&r, &s, 0);
	assert_non_null(buf_room(r.pool, 1000));
	b = buf_commit(r.pool, 1000);
	b->n_segs = 8;
	path_push(r.path, b, 0);
	assert_int_equal(r.count->in, 8);
	/* The first eight fates of this seed are .xxxxxx. (semantics 22) */
	n = path_pop(r.path, 0, f, 8);
	assert_int_equal(n, 2);
	assert_int_equal(f[0].seg, 0);
	assert_int_equal(f[1].seg, 7);
	for (unsigned i = 0; i < n; i++)
		buf_unref(r.pool, f[i].buf);
	rig_fini(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_impairment_a_frame_is_ready_at_once),
		cmocka_unit_test(a_frame_leaves_at_its_due_and_not_before),
		cmocka_unit_test(the_spans_of_waiting_add_up),
		cmocka_unit_test(a_batch_has_at_most_the_frames_asked_for),
		cmocka_unit_test(due_frames_do_not_count_against_the_limit),
		cmocka_unit_test(jitter_counts_the_frames_that_overtake),
		cmocka_unit_test(lateness_counts_from_when_a_frame_could_leave),
		cmocka_unit_test(a_reset_drops_what_waits_and_keeps_the_rest),
		cmocka_unit_test(drops_of_others_keep_the_books),
		cmocka_unit_test(each_segment_of_a_buf_is_a_frame),
	};

	return cmocka_run_group_tests_name("engine/path", tests, NULL, NULL);
}
