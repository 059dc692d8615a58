/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests/unit/engine/test_rate.c - mirrors src/engine/rate.c
 */
#include "config.h"

#include "engine/impair.h"
#include "engine/rate.h"
#include "unit/engine/rig.h"
#include "unit/engine/script.h"
#include "unit/unit.h"

/* T9.1 */
static void serialisation_times_are_netem_s(void **state)
{
	static const struct {
		uint32_t n_bytes;
		struct rate r;
		nsec_t want_ns;
	} t[] = {
		{1514, {125000, 0, 0, 0}, 12112000},
		{150, {625, 20, 100, 5}, 336000000},
		{60, {1250000, -14, 0, 0}, 36800},
		{1514, {1000000, 0, 48, 5}, 1696000},
		{1500, {1000000, 8, 48, 5}, 1696000},
		{96, {1000000, 0, 48, 5}, 106000},
		{97, {1000000, 0, 48, 5}, 159000},
		{1, {1000000, 0, 48, 5}, 53000},
		{48, {1000000, 0, 48, -5}, 43000},
		{64, {125000000, 4, 0, 0}, 544},
		{1514, {12500000000, 0, 0, 0}, 121},
		{1514, {3, 0, 0, 0}, 504666666666},
		{65535, {1, 0, 0, 0}, 65535000000000},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(t) / sizeof(t[0]); i++)
		assert_int_equal(rate_ser_ns(&t[i].r, t[i].n_bytes), t[i].want_ns);
}

/* 19.14: what the overheads make negative is 0, and what is too long ends at the end. */
static void absurd_overheads_are_clamped(void **state)
{
	const struct rate below = {125000, -100, 0, 0};
	const struct rate cells = {125000, 0, 48, -100};
	const struct rate wide = {1, INT32_MAX, 1, INT32_MAX};
	const struct rate big = {1, INT32_MIN, 1, INT32_MIN};
	const struct rate broad = {UINT64_MAX, INT32_MAX, UINT32_MAX, INT32_MAX};

	(void)state;
	assert_int_equal(rate_ser_ns(&below, 60), 0);
	assert_int_equal(rate_ser_ns(&cells, 60), 0);
	assert_int_equal(rate_ser_ns(&wide, 65549), INT64_MAX);
	assert_int_equal(rate_ser_ns(&big, 65549), 0);
	assert_int_equal(rate_ser_ns(&broad, 65549), 0);
}

/* T9.2 */
static void a_link_of_constant_delay_is_ideal(void **state)
{
	static const nsec_t at_ns[] = {0, 0, 5 * MS, 50 * MS};
	static const nsec_t want_ns[] = {110 * MS, 120 * MS, 130 * MS, 160 * MS};
	struct spec s = rig_spec();
	struct rig_out o[4];
	struct rig r;

	(void)state;
	s.netem.rate_byteps = 125000;
	s.netem.latency_ns = 100 * MS;
	rig_init(&r, &s, 0);
	for (uint32_t i = 0; i < 4; i++)
		rig_push(&r, i, 1250, at_ns[i]);
	assert_int_equal(rig_drain(&r, o, 4), 4);
	for (uint32_t i = 0; i < 4; i++) {
		assert_int_equal(o[i].id, i);
		assert_int_equal(o[i].due_ns, want_ns[i]);
	}
	rig_fini(&r);
}

/* T9.3, with a generator that is about to give its draws. */
static void one_late_frame_holds_the_line(void **state)
{
	static const nsec_t at_ns[] = {0, 0, 20 * MS, 20 * MS};
	static const uint32_t draws[] = {19999999, 0, 0, 19999999};
	static const nsec_t want_ns[] = {110999999, 111999999, 112999999, 130999999};
	struct buf_pool *pool = buf_pool_new(0, 0, NULL);
	struct spec s = rig_spec();
	struct count c = {0};
	struct impair m;
	struct timeq q;

	(void)state;
	s.netem.rate_byteps = 125000;
	s.netem.latency_ns = 100 * MS;
	s.netem.jitter_ns = 10 * MS;
	assert_int_equal(impair_init(&m, &s, NULL), 0);
	timeq_init(&q);
	m.q = &q;
	m.count = &c;
	m.pool = pool;
	for (unsigned i = 0; i < 4; i++) {
		struct frame f = {0};

		assert_non_null(buf_room(pool, 200));
		f.buf = buf_commit(pool, BUF_VNET_BYTES + 125);
		m.rng = script_rng(&draws[i], 1);
		impair_frame(&m, f, at_ns[i]);
	}
	for (unsigned i = 0; i < 4; i++) {
		struct frame f;

		timeq_pop(&q, &f);
		assert_int_equal(f.due_ns, want_ns[i]);
	}
	timeq_fini(&q);
	impair_fini(&m);
	buf_pool_free(pool);
}

static void with_jitter_the_line_keeps_its_order(void **state)
{
	struct spec s = rig_spec();
	struct rig_out o[200];
	nsec_t last_ns = 0;
	struct rig r;
	struct rng g;

	(void)state;
	s.netem.rate_byteps = 125000;
	s.netem.latency_ns = 100 * MS;
	s.netem.jitter_ns = 10 * MS;
	s.netem.seed = 31;
	rig_init(&r, &s, 0);
	rng_seed(&g, 31);
	for (uint32_t i = 0; i < 200; i++)
		rig_push(&r, i, 125, i * MS / 2);
	assert_int_equal(rig_drain(&r, o, 200), 200);
	for (uint32_t i = 0; i < 200; i++) {
		nsec_t due_ns = i * MS / 2 + rng_next(&g) % 20000000 + 90 * MS;

		/* All 200 wait until the first leaves at 91 ms or later. */
		if (i && due_ns < last_ns)
			due_ns = last_ns;
		due_ns += MS;
		assert_int_equal(o[i].id, i);
		assert_int_equal(o[i].due_ns, due_ns);
		last_ns = due_ns;
	}
	assert_int_equal(r.count->overtakes, 0);
	rig_fini(&r);
}

/* Semantics 9, consequence 5. */
static void reordered_frames_use_no_rate(void **state)
{
	struct spec s = rig_spec();
	struct rig_out o[3];
	struct rig r;

	(void)state;
	s.netem.rate_byteps = 125000;
	s.netem.gap = 2;
	s.netem.reorder.p32 = P32_ONE;
	rig_init(&r, &s, 0);
	rig_push(&r, 0, 1250, 0);
	rig_push(&r, 1, 1250, 0);
	rig_push(&r, 2, 1250, MS);
	assert_int_equal(rig_drain(&r, o, 3), 3);
	assert_int_equal(o[0].id, 1);
	assert_int_equal(o[0].due_ns, 0);
	assert_int_equal(o[1].due_ns, 10 * MS);
	assert_int_equal(o[2].due_ns, 20 * MS);
	rig_fini(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(serialisation_times_are_netem_s),
		cmocka_unit_test(absurd_overheads_are_clamped),
		cmocka_unit_test(a_link_of_constant_delay_is_ideal),
		cmocka_unit_test(one_late_frame_holds_the_line),
		cmocka_unit_test(with_jitter_the_line_keeps_its_order),
		cmocka_unit_test(reordered_frames_use_no_rate),
	};

	return cmocka_run_group_tests_name("engine/rate", tests, NULL, NULL);
}
