/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests/unit/engine/test_impair.c - mirrors src/engine/impair.c
 */
#include "config.h"

#include "unit/engine/rig.h"
#include "unit/unit.h"

#include <math.h>
#include <string.h>

#define N_OUT 256

/* T2.2 */
static void the_limit_is_tested_before_the_copy_is_queued(void **state)
{
	struct spec s = rig_spec();
	struct rig r;

	(void)state;
	s.netem.limit_frames = 3;
	s.netem.duplicate.p32 = P32_ONE;
	s.netem.latency_ns = MS;
	rig_init(&r, &s, 0);
	for (uint32_t i = 0; i < 3; i++)
		rig_push(&r, i, 60, 0);
	assert_int_equal(r.count->backlog, 4);
	assert_int_equal(r.count->duplicated, 3);
	assert_int_equal(r.count->delayed, 4);
	assert_int_equal(r.count->drops, 1);
	assert_int_equal(r.count->drop_limit, 2);
	assert_int_equal(r.count->drop_limit_bytes, 120);
	rig_fini(&r);
}

/* T2.3 */
static void what_exceeds_the_limit_is_dropped(void **state)
{
	struct spec s = rig_spec();
	struct rig r;

	(void)state;
	s.netem.limit_frames = 3;
	s.netem.latency_ns = MS;
	rig_init(&r, &s, 0);
	for (uint32_t i = 0; i < 5; i++)
		rig_push(&r, i, 60, 0);
	assert_int_equal(r.count->backlog, 3);
	assert_int_equal(r.count->drop_limit, 2);
	assert_int_equal(r.count->drops, 2);
	rig_fini(&r);
}

static void limit_0_drops_everything(void **state)
{
	struct spec s = rig_spec();
	struct rig_out o;
	struct rig r;

	(void)state;
	s.netem.limit_frames = 0;
	rig_init(&r, &s, 0);
	rig_push(&r, 0, 60, 0);
	assert_int_equal(rig_drain(&r, &o, 1), 0);
	assert_int_equal(r.count->drop_limit, 1);
	rig_fini(&r);
}

/* T2.1, and each number of copies by its share. */
static void duplicate_and_loss_are_decided_apart(void **state)
{
	const unsigned n = 100000;
	static const double share[4] = {0.16, 0.64 + 0.04 + 0.16 * 0.2, 0.16 * 0.8, 0};
	unsigned of[4] = {0};
	struct spec s = rig_spec();
	struct rig r;

	(void)state;
	s.netem.duplicate.p32 = PERCENT(20);
	s.netem.loss.p32 = PERCENT(20);
	s.netem.seed = 20;
	rig_init(&r, &s, 0);
	for (uint32_t i = 0; i < n; i++) {
		struct rig_out o[4];
		unsigned k;

		rig_push(&r, i, 60, i);
		k = rig_drain(&r, o, 4);
		of[k]++;
	}
	for (unsigned k = 0; k < 4; k++)
		assert_true(fabs(of[k] - n * share[k]) <=
			    5 * sqrt(n * share[k] * (1 - share[k])));
	assert_true(fabs((double)r.count->out / n - 0.968) < 0.01);
	rig_fini(&r);
}

struct trace {
	uint32_t id;
	nsec_t due_ns;
	bool is_copy;
};

/* Section 22. */
static void the_trace_of_seed_42_is_netem_s(void **state)
{
	static const struct trace want[] = {{2, 9359227, false}, {1, 10259759, false},
		{4, 11414484, false}, {9, 14852613, true}, {7, 14993904, false},
		{6, 16735405, false}, {5, 17596669, false}, {3, 17979804, false},
		{8, 21367489, false}, {9, 23632538, false}};
	struct spec s = rig_spec();
	struct rig_out o[N_OUT];
	struct rig r;

	(void)state;
	s.netem.latency_ns = 10 * MS;
	s.netem.jitter_ns = 5 * MS;
	s.netem.loss.p32 = PERCENT(20);
	s.netem.duplicate.p32 = PERCENT(20);
	s.netem.seed = 42;
	rig_init(&r, &s, 0);
	for (uint32_t k = 0; k < 10; k++)
		rig_push(&r, k, 60, k * MS);
	assert_int_equal(rig_drain(&r, o, N_OUT), 10);
	for (unsigned i = 0; i < 10; i++) {
		assert_int_equal(o[i].id, want[i].id);
		assert_int_equal(o[i].due_ns, want[i].due_ns);
		assert_int_equal(o[i].is_copy, want[i].is_copy);
	}
	assert_int_equal(r.count->delayed, 10);
	assert_int_equal(r.count->loss_hits, 4);
	assert_int_equal(r.count->lost, 2);
	assert_int_equal(r.count->dup_hits, 4);
	assert_int_equal(r.count->duplicated, 2);
	assert_int_equal(r.count->drops, 2);
	assert_int_equal(r.count->corrupted, 0);
	rig_fini(&r);
}

static void fates_are(double percent, uint64_t seed, const char *want)
{
	struct spec s = rig_spec();
	struct rig r;

	s.netem.loss.p32 = PERCENT(percent);
	s.netem.seed = seed;
	rig_init(&r, &s, 0);
	for (uint32_t i = 0; want[i]; i++) {
		struct rig_out o[2];

		rig_push(&r, i, 60, i);
		assert_int_equal(rig_drain(&r, o, 2), want[i] == 'x' ? 0 : 1);
	}
	rig_fini(&r);
}

/* Section 22, loss alone. */
static void seeded_losses_are_netem_s(void **state)
{
	(void)state;
	fates_are(30, 42,
		".xxxxxx..x.x.xx............x.......x.xxx..xxx..x.xx..xx.x.......");
	fates_are(10, 12345, "...x............xx...x...xx...........x.");
	fates_are(1, 0, "xx.x....x...");
	fates_are(1, 1, ".x.x........");
	fates_are(1, 3, "...x........");
	fates_are(1, 42, "............");
}

static void seed_12345_loses_10097_of_100000(void **state)
{
	struct spec s = rig_spec();
	struct rig_out o;
	struct rig r;

	(void)state;
	s.netem.loss.p32 = PERCENT(10);
	s.netem.seed = 12345;
	rig_init(&r, &s, 0);
	for (uint32_t i = 0; i < 100000; i++) {
		rig_push(&r, i, 60, i);
		rig_drain(&r, &o, 1);
	}
	assert_int_equal(r.count->lost, 10097);
	rig_fini(&r);
}

/* d for delayed, R for reordered, as each frame comes. */
static void reorders_are(const struct spec *s, const char *want)
{
	struct rig r;

	rig_init(&r, s, 0);
	for (uint32_t i = 0; want[i]; i++) {
		uint64_t before = r.count->reordered;

		rig_push(&r, i, 60, i);
		assert_int_equal(r.count->reordered - before, want[i] == 'R');
	}
	rig_fini(&r);
}

/* T11.1 and T11.3 */
static void seeded_reorders_are_netem_s(void **state)
{
	struct spec s = rig_spec();

	(void)state;
	s.netem.latency_ns = MS;
	s.netem.gap = 5;
	s.netem.reorder.p32 = P32_ONE;
	reorders_are(&s, "ddddRddddRddddRddddR");
	/* Without a probability a gap means all. */
	s.netem.reorder.p32 = 0;
	reorders_are(&s, "ddddRddddRddddRddddR");
	s.netem.seed = 42;
	s.netem.gap = 1;
	s.netem.reorder.p32 = PERCENT(25);
	reorders_are(&s, "dRRRRRRddddRdRdddddddddddddRdddddddRdRRR");
	s.netem.gap = 5;
	s.netem.reorder.p32 = PERCENT(50);
	reorders_are(&s, "dddddRddddRddddRddddRddddRddddRddddRdddd");
}

/* T11.2: a share of 1 / (gap - 1 + 1 / p), narrower than binomial for a gap above 1. */
static void reordered_frames_have_their_share(void **state)
{
	static const struct {
		uint32_t gap;
		double percent, share;
	} t[] = {{1, 25, 0.25}, {5, 50, 1 / 6.0}, {3, 25, 1 / 6.0}, {5, 100, 0.2}};
	const unsigned n = 100000;

	(void)state;
	for (unsigned i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		struct spec s = rig_spec();
		struct rig_out o[8];
		double p = t[i].share;
		struct rig r;

		s.netem.gap = t[i].gap;
		s.netem.reorder.p32 = PERCENT(t[i].percent);
		s.netem.seed = 4711 + i;
		rig_init(&r, &s, 0);
		for (uint32_t k = 0; k < n; k++) {
			rig_push(&r, k, 60, k);
			rig_drain(&r, o, 8);
		}
		assert_true(fabs((double)r.count->reordered / n - p) <=
			    5 * sqrt(p * (1 - p) / n));
		rig_fini(&r);
	}
}

static void a_reordered_frame_overtakes_all_that_wait(void **state)
{
	struct spec s = rig_spec();
	struct rig_out o[4];
	struct rig r;

	(void)state;
	s.netem.latency_ns = 100 * MS;
	s.netem.gap = 4;
	s.netem.reorder.p32 = P32_ONE;
	rig_init(&r, &s, 0);
	for (uint32_t i = 0; i < 4; i++)
		rig_push(&r, i, 60, i * MS);
	assert_int_equal(rig_drain(&r, o, 4), 4);
	assert_int_equal(o[0].id, 3);
	assert_int_equal(o[0].due_ns, 3 * MS);
	assert_int_equal(o[1].id, 0);
	assert_int_equal(o[3].id, 2);
	assert_int_equal(r.count->overtakes, 1);
	assert_int_equal(r.count->delayed, 3);
	rig_fini(&r);
}

/* Lost frames do not advance the gap. */
static void the_gap_counts_queued_frames_only(void **state)
{
	struct spec s = rig_spec();
	unsigned since = 0;
	struct rig r;

	(void)state;
	s.netem.latency_ns = MS;
	s.netem.loss.p32 = PERCENT(30);
	s.netem.gap = 4;
	s.netem.reorder.p32 = P32_ONE;
	rig_init(&r, &s, 0);
	for (uint32_t i = 0; i < 500; i++) {
		uint64_t lost = r.count->lost, reordered = r.count->reordered;

		rig_push(&r, i, 60, i);
		if (r.count->lost != lost)
			continue;
		since = r.count->reordered != reordered ? 0 : since + 1;
		assert_true(since <= 3);
		assert_int_equal(r.count->reordered - reordered, since == 0);
	}
	assert_true(r.count->reordered > 80);
	rig_fini(&r);
}

/* Table 19.3a holds for every decision: 20 % 25 % comes out as 10.19 %. */
static void correlations_reach_each_decision(void **state)
{
	const struct chance chance = {PERCENT(20), PERCENT(25)};
	const unsigned n = 200000;
	const double p = 0.1019;

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		struct spec s = rig_spec();
		struct rig_out o[4];
		uint64_t hits[4];
		struct rig r;

		s.netem.seed = 100 + i;
		s.netem.gap = i == 0;
		*(i == 0         ? &s.netem.reorder
			: i == 1 ? &s.netem.duplicate
			: i == 2 ? &s.netem.corrupt
				 : &s.netem.loss) = chance;
		rig_init(&r, &s, 0);
		for (uint32_t k = 0; k < n; k++) {
			rig_push(&r, k, 60, k);
			rig_drain(&r, o, 4);
		}
		hits[0] = r.count->reordered;
		hits[1] = r.count->duplicated;
		hits[2] = r.count->corrupted;
		hits[3] = r.count->lost;
		/* Alike neighbours widen the spread; see test_loss.c. */
		assert_true(fabs((double)hits[i] / n - p) <=
			    5 * sqrt(p * (1 - p) / n * 1.25 / 0.75) + 0.001);
		rig_fini(&r);
	}
}

/* At 100 % the first draw is kept: one random delay for all (oracle: corr100). */
static void correlation_reaches_the_delay(void **state)
{
	struct spec s = rig_spec();
	struct rig_out o[100];
	struct rig r;

	(void)state;
	s.netem.latency_ns = 20 * MS;
	s.netem.jitter_ns = 10 * MS;
	s.netem.delay_corr_p32 = P32_ONE;
	rig_init(&r, &s, 0);
	for (uint32_t i = 0; i < 100; i++)
		rig_push(&r, i, 60, i * 1000);
	assert_int_equal(rig_drain(&r, o, 100), 100);
	for (uint32_t i = 0; i < 100; i++)
		assert_int_equal(o[i].due_ns - i * 1000, o[0].due_ns);
	assert_true(o[0].due_ns >= 10 * MS && o[0].due_ns < 30 * MS);
	rig_fini(&r);
}

/* Section 14: delayed counts what got a delay, be it the line's alone. */
static void delayed_counts_the_final_delay(void **state)
{
	struct spec s = rig_spec();
	struct rig r;

	(void)state;
	rig_init(&r, &s, 0);
	rig_push(&r, 0, 60, 0);
	assert_int_equal(r.count->delayed, 0);
	rig_fini(&r);
	s.netem.rate_byteps = 1000000;
	rig_init(&r, &s, 0);
	rig_push(&r, 0, 60, 0);
	assert_int_equal(r.count->delayed, 1);
	rig_fini(&r);
	/* A negative delay is one, too; on a line it becomes 0 if something waits. */
	s.netem.rate_byteps = 0;
	s.netem.jitter_ns = MS;
	rig_init(&r, &s, 0);
	for (uint32_t i = 0; i < 10; i++)
		rig_push(&r, i, 60, i);
	assert_int_equal(r.count->delayed, 10);
	rig_fini(&r);
}

/* Section 12. */
static void duplicate_100_gives_two_and_never_three(void **state)
{
	struct spec s = rig_spec();
	struct rig_out o[4];
	struct rig r;

	(void)state;
	s.netem.duplicate.p32 = P32_ONE;
	rig_init(&r, &s, 0);
	for (uint32_t i = 0; i < 100; i++) {
		rig_push(&r, i, 60, i);
		assert_int_equal(rig_drain(&r, o, 4), 2);
		assert_true(o[0].is_copy);
		assert_false(o[1].is_copy);
		assert_int_equal(o[0].id, i);
		assert_int_equal(o[1].id, i);
	}
	rig_fini(&r);
}

static void lost_and_doubled_at_100_loses_nothing(void **state)
{
	struct spec s = rig_spec();
	struct rig_out o[4];
	struct rig r;

	(void)state;
	s.netem.duplicate.p32 = P32_ONE;
	s.netem.loss.p32 = P32_ONE;
	rig_init(&r, &s, 0);
	for (uint32_t i = 0; i < 50; i++) {
		rig_push(&r, i, 60, i);
		assert_int_equal(rig_drain(&r, o, 4), 1);
		assert_false(o[0].is_copy);
	}
	assert_int_equal(r.count->dup_hits, 50);
	assert_int_equal(r.count->loss_hits, 50);
	assert_int_equal(r.count->drops, 0);
	rig_fini(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_limit_is_tested_before_the_copy_is_queued),
		cmocka_unit_test(what_exceeds_the_limit_is_dropped),
		cmocka_unit_test(limit_0_drops_everything),
		cmocka_unit_test(duplicate_and_loss_are_decided_apart),
		cmocka_unit_test(the_trace_of_seed_42_is_netem_s),
		cmocka_unit_test(seeded_losses_are_netem_s),
		cmocka_unit_test(seeded_reorders_are_netem_s),
		cmocka_unit_test(reordered_frames_have_their_share),
		cmocka_unit_test(a_reordered_frame_overtakes_all_that_wait),
		cmocka_unit_test(the_gap_counts_queued_frames_only),
		cmocka_unit_test(correlations_reach_each_decision),
		cmocka_unit_test(correlation_reaches_the_delay),
		cmocka_unit_test(delayed_counts_the_final_delay),
		cmocka_unit_test(duplicate_100_gives_two_and_never_three),
		cmocka_unit_test(lost_and_doubled_at_100_loses_nothing),
		cmocka_unit_test(seed_12345_loses_10097_of_100000),
	};

	return cmocka_run_group_tests_name("engine/impair", tests, NULL, NULL);
}
