/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests/unit/engine/test_random.c - random settings and random frames through a path
 *
 * What must hold whatever is asked for: the books balance after every call, no frame
 * leaves early, and every reference comes back.
 */
#include "config.h"

#include "engine/rng.h"
#include "unit/engine/rig.h"
#include "unit/unit.h"

#include <stdlib.h>
#include <string.h>

#define N_CONFIGS 10000
#define N_FRAMES 60

static uint32_t below(struct rng *g, uint32_t n)
{
	return rng_below(g, n);
}

static bool one_in(struct rng *g, uint32_t n)
{
	return rng_below(g, n) == 0;
}

/* Often none, sometimes all, else anything. */
static uint32_t some_p32(struct rng *g)
{
	switch (below(g, 6)) {
	case 0:
	case 1:
		return 0;
	case 2:
		return P32_ONE;
	case 3:
		return P32_ONE / 100;
	default:
		return rng_next(g);
	}
}

static struct chance some_chance(struct rng *g)
{
	struct chance c = {some_p32(g), one_in(g, 2) ? 0 : some_p32(g)};

	return c;
}

static nsec_t some_ns(struct rng *g)
{
	return one_in(g, 3) ? 0 : (nsec_t)(rng_next(g) >> below(g, 32));
}

static int16_t table[300];

static struct dist_conf some_dist(struct rng *g)
{
	struct dist_conf d = {.kind = DIST_UNIFORM};

	/* The built-in tables take their time to make. */
	if (one_in(g, 500))
		d.kind = DIST_NORMAL + below(g, 3);
	else if (one_in(g, 2))
		d = (struct dist_conf){.kind = DIST_FILE,
			.values = table,
			.n_values = 1 + below(g, 300)};
	return d;
}

static void some_slots(struct slot_conf *s, struct rng *g)
{
	s->active = true;
	s->has_dist = one_in(g, 3);
	s->dist = some_dist(g);
	s->min_delay_ns = some_ns(g);
	s->max_delay_ns = s->min_delay_ns + some_ns(g);
	s->dist_delay_ns = some_ns(g);
	s->dist_jitter_ns = 1 + (rng_next(g) >> 1 >> below(g, 31));
	s->max_packets = one_in(g, 2) ? 0 : 1 + (int32_t)below(g, 20);
	s->max_bytes = one_in(g, 2) ? 0 : 1 + (int32_t)below(g, 20000);
}

static void some_rate(struct netem_conf *c, struct rng *g)
{
	c->rate_byteps = 1 + ((uint64_t)rng_next(g) << below(g, 20) >> below(g, 32));
	c->overhead_bytes = one_in(g, 2) ? 0 : (int32_t)rng_next(g) >> below(g, 32);
	c->cell_bytes = one_in(g, 2) ? 0 : rng_next(g) >> below(g, 32);
	c->cell_overhead_bytes =
		one_in(g, 2) ? 0 : (int32_t)rng_next(g) >> below(g, 32);
}

static struct spec some_spec(struct rng *g)
{
	struct spec s = rig_spec();
	struct netem_conf *c = &s.netem;

	c->seed = (uint64_t)rng_next(g) << 32 | rng_next(g);
	c->limit_frames = one_in(g, 3) ? below(g, 20) : 1000;
	c->latency_ns = some_ns(g);
	c->jitter_ns = some_ns(g) / 2;
	c->delay_corr_p32 = some_p32(g);
	c->dist = some_dist(g);
	c->loss_model = LOSS_RANDOM + below(g, 3);
	c->loss = some_chance(g);
	c->p13_p32 = some_p32(g) / 2;
	c->p14_p32 = some_p32(g) / 2;
	c->p31_p32 = some_p32(g) / 2;
	c->p32_p32 = some_p32(g) / 2;
	c->p23_p32 = some_p32(g);
	c->ge_p_p32 = some_p32(g);
	c->ge_r_p32 = some_p32(g);
	c->ge_1_h_p32 = some_p32(g);
	c->ge_1_k_p32 = some_p32(g);
	c->ecn = one_in(g, 2);
	c->duplicate = some_chance(g);
	c->corrupt = some_chance(g);
	c->reorder = some_chance(g);
	c->gap = one_in(g, 2) ? 0 : below(g, 6);
	if (one_in(g, 3))
		some_rate(c, g);
	if (one_in(g, 3))
		some_slots(&c->slot, g);
	return s;
}

static void push_garbage(struct rig *r, struct rng *g, uint32_t n_bytes, nsec_t at_ns)
{
	static const uint16_t types[] = {0x0800, 0x86dd, 0x8100, 0x88a8};
	uint8_t *room = buf_room(r->pool, BUF_VNET_BYTES + (size_t)n_bytes);

	assert_non_null(room);
	for (uint32_t i = 0; i < BUF_VNET_BYTES + n_bytes; i++)
		room[i] = (uint8_t)(i * 31 + n_bytes);
	for (uint32_t i = 0; i < BUF_VNET_BYTES + n_bytes && i < 80; i++)
		room[i] = (uint8_t)rng_next(g);
	for (unsigned at = 12; at < 22; at += 4) {
		uint16_t type = types[below(g, 4)];

		if (at + 2 > n_bytes || one_in(g, 4))
			break;
		room[BUF_VNET_BYTES + at] = (uint8_t)(type >> 8);
		room[BUF_VNET_BYTES + at + 1] = (uint8_t)type;
	}
	path_push(
		r->path, buf_commit(r->pool, BUF_VNET_BYTES + (size_t)n_bytes), at_ns);
}

/* Pop at a clock that runs ahead as it likes; nothing may be early. */
static void pop_some(struct rig *r, nsec_t now_ns)
{
	struct frame f[7];
	unsigned n;

	do {
		nsec_t next_ns = path_next_ns(r->path);

		n = path_pop(r->path, now_ns, f, 7);
		if (n)
			assert_true(next_ns <= now_ns);
		for (unsigned i = 0; i < n; i++) {
			assert_true(f[i].due_ns <= now_ns);
			buf_unref(r->pool, f[i].buf);
		}
		rig_check_books(r);
	} while (n == 7);
}

static uint32_t some_length(struct rng *g, bool long_too)
{
	if (long_too && one_in(g, 4))
		return 14 + below(g, 65549 - 14 + 1);
	return 14 + below(g, one_in(g, 2) ? 100 : 1501);
}

static void run_one(struct rng *g, unsigned n_frames, bool long_too)
{
	struct spec s = some_spec(g);
	nsec_t now_ns = (nsec_t)1 << below(g, 50);
	nsec_t next_ns;
	struct rig r;

	rig_init(&r, &s, now_ns);
	for (unsigned i = 0; i < n_frames; i++) {
		push_garbage(&r, g, some_length(g, long_too), now_ns);
		rig_check_books(&r);
		if (one_in(g, 2))
			now_ns += some_ns(g);
		if (one_in(g, 3))
			pop_some(&r, now_ns);
		if (one_in(g, 200))
			path_reset(r.path);
	}
	/* Some settings hold a frame for all time; the rest must come out. */
	for (unsigned i = 0; i < 2 * n_frames; i++) {
		next_ns = path_next_ns(r.path);
		if (next_ns >= INT64_MAX / 4)
			break;
		now_ns = next_ns > now_ns ? next_ns : now_ns;
		pop_some(&r, now_ns);
	}
	rig_fini(&r);
}

static void the_books_balance_under_10000_settings(void **state)
{
	struct rng g;

	(void)state;
	rng_seed(&g, 20260801);
	for (unsigned i = 0; i < 300; i++)
		table[i] = (int16_t)rng_next(&g);
	for (unsigned i = 0; i < N_CONFIGS; i++)
		run_one(&g, N_FRAMES, false);
}

static void garbage_of_any_length_does_no_harm(void **state)
{
	struct rng g;

	(void)state;
	rng_seed(&g, 99);
	for (unsigned i = 0; i < 300; i++)
		run_one(&g, 200, true);
}

/* Everything on at once, and long enough for the memory of the pool to go round. */
static void all_impairments_together(void **state)
{
	struct spec s = rig_spec();
	struct rng g;
	struct rig r;
	nsec_t now_ns = 0;

	(void)state;
	rng_seed(&g, 7);
	s.netem.latency_ns = 5 * MS;
	s.netem.jitter_ns = 4 * MS;
	s.netem.dist.kind = DIST_PARETONORMAL;
	s.netem.delay_corr_p32 = PERCENT(30);
	s.netem.loss_model = LOSS_GEMODEL;
	s.netem.ge_p_p32 = PERCENT(5);
	s.netem.ge_r_p32 = PERCENT(50);
	s.netem.ge_1_h_p32 = PERCENT(90);
	s.netem.ecn = true;
	s.netem.duplicate = (struct chance){PERCENT(20), PERCENT(5)};
	s.netem.corrupt = (struct chance){PERCENT(40), PERCENT(5)};
	s.netem.reorder = (struct chance){PERCENT(30), PERCENT(5)};
	s.netem.gap = 2;
	s.netem.slot = (struct slot_conf){.active = true,
		.min_delay_ns = MS / 10,
		.max_delay_ns = MS,
		.max_packets = 20};
	rig_init(&r, &s, 0);
	for (unsigned i = 0; i < 20000; i++) {
		push_garbage(&r, &g, some_length(&g, true), now_ns);
		now_ns += below(&g, MS / 5);
		if (one_in(&g, 2))
			pop_some(&r, now_ns);
	}
	assert_true(r.count->out > 10000);
	assert_true(r.count->corrupted > 1000 && r.count->reordered > 1000);
	assert_true(r.count->duplicated > 1000 && r.count->lost > 100);
	assert_true(r.count->ecn_marked > 20 && r.count->overtakes > 1000);
	rig_fini(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_books_balance_under_10000_settings),
		cmocka_unit_test(garbage_of_any_length_does_no_harm),
		cmocka_unit_test(all_impairments_together),
	};

	return cmocka_run_group_tests_name("engine/random", tests, NULL, NULL);
}
