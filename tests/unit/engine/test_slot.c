/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests/unit/engine/test_slot.c - mirrors src/engine/slot.c
 */
#include "config.h"

#include "engine/slot.h"
#include "unit/engine/rig.h"
#include "unit/engine/script.h"
#include "unit/unit.h"

#include <string.h>

static struct spec slots_of_5ms(void)
{
	struct spec s = rig_spec();

	s.netem.slot.active = true;
	s.netem.slot.min_delay_ns = 5 * MS;
	s.netem.slot.max_delay_ns = 5 * MS;
	return s;
}

/* Frames a to e of T10; @want_ms says when each leaves. They leave in order. */
static void t10(const struct spec *s, const unsigned *want_ms)
{
	static const unsigned at_ms[5] = {100, 101, 104, 106, 112};
	struct rig_out o[5];
	struct rig r;
	unsigned in = 0, out = 0;

	rig_init(&r, s, 0);
	/* Whatever comes first: a frame, or the instant the path has asked for. */
	while (out < 5) {
		nsec_t next_ns = path_next_ns(r.path);

		if (in < 5 && next_ns > at_ms[in] * MS) {
			rig_push(&r, in, 1000, at_ms[in] * MS);
			in++;
			continue;
		}
		assert_true(next_ns != NSEC_NEVER);
		for (unsigned n = rig_pop(&r, next_ns, o, 5); n--; out++) {
			assert_true(out < 5);
			assert_int_equal(next_ns, want_ms[out] * MS);
		}
	}
	assert_int_equal(r.count->late.max_ns, 0);
	rig_fini(&r);
}

static void frames_leave_in_bunches(void **state)
{
	static const unsigned unbounded[5] = {105, 105, 105, 111, 117};
	static const unsigned two[5] = {105, 105, 110, 110, 115};
	static const unsigned delayed[5] = {105, 105, 110, 110, 117};
	struct spec s = slots_of_5ms();

	(void)state;
	t10(&s, unbounded);
	s.netem.slot.max_packets = 2;
	t10(&s, two);
	s.netem.slot.max_packets = 0;
	s.netem.slot.max_bytes = 1500;
	t10(&s, two);
	s.netem.slot.max_bytes = 0;
	s.netem.latency_ns = 3 * MS;
	t10(&s, delayed);
}

static void a_slot_lies_between_min_and_max(void **state)
{
	const struct slot_conf c = {.active = true,
		.min_delay_ns = 1000,
		.max_delay_ns = 10 * NSEC_PER_SEC};
	static const uint32_t draws[3] = {0, 2147483648u, 4294967295u};
	static const nsec_t want_ns[3] = {1000, 5000000500, 9999999997};
	struct rng seeded = {{0}};
	struct slot s;

	(void)state;
	assert_int_equal(slot_init(&s, &c, 7, NULL), 0);
	assert_int_equal(s.next_ns, 7);
	for (unsigned i = 0; i < 3; i++) {
		struct rng other = script_rng(&draws[i], 1);

		slot_open(&s, 50, &seeded, &other);
		assert_int_equal(s.next_ns, 50 + want_ns[i]);
	}
	slot_fini(&s);
}

static void a_slot_by_distribution_draws_from_the_seeded_stream(void **state)
{
	const struct slot_conf c = {.active = true,
		.has_dist = true,
		.dist = {.kind = DIST_NORMAL},
		.dist_delay_ns = 20 * MS,
		.dist_jitter_ns = 2 * MS};
	const uint32_t draw = 4096 * 5 + 1023; /* T7.1: entry 1023 is -5531 */
	struct rng seeded = script_rng(&draw, 1), other = {{0}};
	struct slot s;

	(void)state;
	assert_int_equal(slot_init(&s, &c, 0, NULL), 0);
	slot_open(&s, 0, &seeded, &other);
	assert_true(s.next_ns >= 20 * MS - 5532 * 2 * MS / 8192);
	assert_true(s.next_ns <= 20 * MS - 5530 * 2 * MS / 8192);
	slot_fini(&s);
}

static void the_budget_is_refilled_by_each_slot(void **state)
{
	const struct slot_conf c = {
		.active = true, .min_delay_ns = 5, .max_delay_ns = 5, .max_packets = 2};
	struct rng a = {{0}}, b = {{0}};
	struct slot s;

	(void)state;
	assert_int_equal(slot_init(&s, &c, 0, NULL), 0);
	for (unsigned i = 0; i < 3; i++) {
		assert_false(slot_charge(&s, 60));
		assert_true(slot_charge(&s, 60));
		slot_open(&s, 0, &a, &b);
	}
	assert_false(slot_charge(&s, 1u << 30));
	slot_fini(&s);
}

/* A look at the queue that finds the slot before the first due draws a slot anew. */
static void waiting_for_a_delayed_frame_draws_slots_anew(void **state)
{
	struct spec s = slots_of_5ms();
	struct rig_out o[2];
	struct rig r;

	(void)state;
	s.netem.latency_ns = 100 * MS;
	rig_init(&r, &s, 0);
	rig_push(&r, 0, 60, 10 * MS);
	/* Slot at 15, due at 110: the later one is when the queue is looked at again. */
	assert_int_equal(path_next_ns(r.path), 110 * MS);
	rig_push(&r, 1, 60, 106 * MS);
	assert_int_equal(path_next_ns(r.path), 111 * MS);
	assert_int_equal(rig_pop(&r, 110 * MS, o, 2), 0);
	assert_int_equal(path_next_ns(r.path), 111 * MS);
	assert_int_equal(rig_pop(&r, 111 * MS, o, 2), 1);
	rig_fini(&r);
}

static void reordered_frames_pass_the_gate(void **state)
{
	struct spec s = slots_of_5ms();
	struct rig_out o[2];
	struct rig r;

	(void)state;
	s.netem.gap = 2;
	s.netem.reorder.p32 = P32_ONE;
	rig_init(&r, &s, 0);
	rig_push(&r, 0, 60, 10 * MS);
	rig_push(&r, 1, 60, 10 * MS);
	assert_int_equal(rig_pop(&r, 10 * MS, o, 2), 1);
	assert_int_equal(o[0].id, 1);
	assert_int_equal(path_next_ns(r.path), 15 * MS);
	rig_fini(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_leave_in_bunches),
		cmocka_unit_test(a_slot_lies_between_min_and_max),
		cmocka_unit_test(a_slot_by_distribution_draws_from_the_seeded_stream),
		cmocka_unit_test(the_budget_is_refilled_by_each_slot),
		cmocka_unit_test(waiting_for_a_delayed_frame_draws_slots_anew),
		cmocka_unit_test(reordered_frames_pass_the_gate),
	};

	return cmocka_run_group_tests_name("engine/slot", tests, NULL, NULL);
}
