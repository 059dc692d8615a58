/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests/unit/engine/test_timeq.c - mirrors src/engine/timeq.c
 *
 * The queue against a model that looks through all that waits: stable order by due, the
 * head list first and last in first out, and who overtook whom.
 */
#include "config.h"

#include "engine/rng.h"
#include "engine/timeq.h"
#include "unit/unit.h"

#include <stdlib.h>
#include <string.h>

#define N_MAX 4096

struct model {
	struct {
		nsec_t due_ns;
		uint32_t order;
		bool head;
	} at[N_MAX];
	unsigned n;
};

/* The timeq never looks into a buf, so any address will do. */
static struct frame frame_due(nsec_t due_ns, uint32_t tag)
{
	return (struct frame){.due_ns = due_ns,
		.buf = (struct buf *)(uintptr_t)(tag * 16 + 16),
		.seg = (uint16_t)(tag % 1000),
		.flags = (uint16_t)(tag % 3)};
}

static unsigned model_first(const struct model *m)
{
	unsigned best = 0;

	for (unsigned i = 1; i < m->n; i++) {
		bool before;

		if (m->at[i].head != m->at[best].head)
			before = m->at[i].head;
		else if (m->at[i].head)
			before = (int32_t)(m->at[i].order - m->at[best].order) > 0;
		else
			before = m->at[i].due_ns < m->at[best].due_ns ||
				 (m->at[i].due_ns == m->at[best].due_ns &&
					 (int32_t)(m->at[i].order - m->at[best].order) <
						 0);
		if (before)
			best = i;
	}
	return best;
}

static void pop_both(struct timeq *q, struct model *m)
{
	unsigned k = model_first(m);
	bool overtook = false;
	struct frame f;

	if (!m->at[k].head)
		assert_int_equal(timeq_first_ns(q), m->at[k].due_ns);
	for (unsigned i = 0; i < m->n; i++)
		overtook |= (int32_t)(m->at[i].order - m->at[k].order) < 0;
	assert_int_equal(timeq_pop(q, &f), overtook);
	assert_int_equal(f.order, m->at[k].order);
	assert_int_equal(f.due_ns, m->at[k].due_ns);
	assert_ptr_equal(f.buf, (void *)(uintptr_t)(f.order * 16 + 16));
	assert_int_equal(f.seg, f.order % 1000);
	assert_int_equal(f.flags, f.order % 3);
	m->at[k] = m->at[--m->n];
	assert_int_equal(q->n, m->n);
}

static void push_both(struct timeq *q, struct model *m, nsec_t due_ns, bool head)
{
	struct frame f = frame_due(due_ns, q->next_order);

	m->at[m->n].due_ns = due_ns;
	m->at[m->n].order = q->next_order;
	m->at[m->n].head = head;
	m->n++;
	assert_true(head ? timeq_push_head(q, &f) : timeq_push(q, &f));
	assert_int_equal(q->n, m->n);
}

static nsec_t model_last(const struct model *m)
{
	nsec_t last = INT64_MIN;
	int32_t eldest = 0;
	unsigned heads = 0;

	for (unsigned i = 0; i < m->n; i++) {
		if (!m->at[i].head && m->at[i].due_ns > last)
			last = m->at[i].due_ns;
		if (m->at[i].head && (!heads++ || (int32_t)m->at[i].order < eldest))
			eldest = (int32_t)m->at[i].order;
	}
	for (unsigned i = 0; i < m->n; i++) {
		if (m->at[i].head && (int32_t)m->at[i].order == eldest &&
			m->at[i].due_ns > last)
			last = m->at[i].due_ns;
	}
	return last;
}

/* One random run: a spread of dues, a share of heads, a chance of popping. */
static void run_against_model(uint64_t seed, unsigned steps)
{
	static struct model m;
	struct timeq q;
	struct rng r;
	uint32_t spread, heads, pops;

	rng_seed(&r, seed);
	spread = 1u << rng_below(&r, 20);
	heads = rng_below(&r, 3) ? 0 : rng_below(&r, 100);
	pops = 20 + rng_below(&r, 90);
	m.n = 0;
	timeq_init(&q);
	for (unsigned i = 0; i < steps; i++) {
		if (m.n && (m.n == N_MAX || rng_below(&r, 128) < pops))
			pop_both(&q, &m);
		else
			push_both(&q, &m,
				(nsec_t)i * 100 + rng_below(&r, spread) - spread / 2,
				rng_below(&r, 100) < heads);
		if (m.n && i % 16 == 0)
			assert_int_equal(timeq_last_ns(&q), model_last(&m));
	}
	while (m.n)
		pop_both(&q, &m);
	timeq_fini(&q);
}

static void order_is_the_stable_sort_by_due(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 200; seed++)
		run_against_model(seed * 7919, 1000);
}

/*
 * Fills that the heap alone does not hold: the spread of the dues, what lies far out and
 * the pace of time change from phase to phase, so that bins are aimed anew and wrap.
 */
static bool run_large(uint64_t seed)
{
	static struct model m;
	bool used;
	nsec_t now_ns = (nsec_t)(seed % 3) * INT64_C(1000000000000) - 1000000;
	struct timeq q;
	struct rng r;

	rng_seed(&r, seed);
	m.n = 0;
	timeq_init(&q);
	for (unsigned phase = 0; phase < 6; phase++) {
		uint32_t spread = 1u << rng_below(&r, 31),
			 step = 1 + rng_below(&r, 5000);
		uint32_t far = rng_below(&r, 3) ? 0 : 1 + rng_below(&r, 10);
		unsigned fill = rng_below(&r, 4) ? 600 + rng_below(&r, 3000) : 0;

		for (unsigned i = 0; i < 3000; i++) {
			nsec_t due_ns = now_ns + rng_below(&r, spread);

			if (far && rng_below(&r, 100) < far)
				due_ns += (nsec_t)spread * rng_below(&r, 100);
			if (m.n < N_MAX)
				push_both(&q, &m, due_ns, rng_below(&r, 500) == 0);
			now_ns += step;
			while (m.n > fill && rng_below(&r, 8))
				pop_both(&q, &m);
		}
	}
	while (m.n)
		pop_both(&q, &m);
	used = q.bins && q.bins->chunk_max;
	timeq_fini(&q);
	return used;
}

static void order_holds_when_bins_take_over(void **state)
{
	unsigned used = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 25; seed++)
		used += run_large(seed * 104729);
	/* Where frames come slower than their dues spread there is nothing to sort. */
	assert_true(used >= 15);
}

static void dues_at_the_ends_of_time_are_kept_in_order(void **state)
{
	static struct model m;
	struct timeq q;
	struct rng r;

	(void)state;
	rng_seed(&r, 12);
	m.n = 0;
	timeq_init(&q);
	push_both(&q, &m, INT64_MAX, false);
	for (unsigned i = 0; i < 2000; i++)
		push_both(&q, &m,
			(nsec_t)((uint64_t)rng_next(&r) << 32 >> rng_below(&r, 40)) *
				(rng_below(&r, 2) ? 1 : -1),
			false);
	while (m.n)
		pop_both(&q, &m);
	timeq_fini(&q);
}

static void equal_dues_leave_in_order_of_arrival(void **state)
{
	struct timeq q;
	struct frame f;

	(void)state;
	timeq_init(&q);
	for (uint32_t i = 0; i < 1000; i++) {
		f = frame_due(i % 3 == 0 ? 1000 : 5, i);
		assert_true(timeq_push(&q, &f));
	}
	for (uint32_t i = 0, last = 0; i < 1000; i++) {
		timeq_pop(&q, &f);
		if (i && i != 666)
			assert_true(f.order > last);
		last = f.order;
		assert_int_equal(f.due_ns, i < 666 ? 5 : 1000);
	}
	timeq_fini(&q);
}

static void order_numbers_may_wrap(void **state)
{
	static struct model m;
	struct timeq q;
	struct rng r;

	(void)state;
	rng_seed(&r, 5);
	timeq_init(&q);
	q.next_order = UINT32_MAX - 300;
	m.n = 0;
	for (unsigned i = 0; i < 700; i++) {
		struct frame f = frame_due(1000 + rng_below(&r, 8), 0);

		m.at[m.n].due_ns = f.due_ns;
		m.at[m.n].order = q.next_order;
		m.at[m.n++].head = false;
		assert_true(timeq_push(&q, &f));
	}
	while (m.n) {
		unsigned k = model_first(&m);
		struct frame f;

		timeq_pop(&q, &f);
		assert_int_equal(f.order, m.at[k].order);
		m.at[k] = m.at[--m.n];
	}
	timeq_fini(&q);
}

static void reset_gives_every_reference_back(void **state)
{
	struct buf_pool *pool = buf_pool_new(64u << 20, 0, NULL);
	struct timeq q;
	struct rng r;

	(void)state;
	assert_non_null(pool);
	timeq_init(&q);
	rng_seed(&r, 9);
	for (unsigned round = 0; round < 3; round++) {
		for (unsigned i = 0; i < 100000; i++) {
			struct frame f = {.due_ns = rng_below(&r, 1000)};

			assert_non_null(buf_room(pool, 74));
			f.buf = buf_commit(pool, 74);
			assert_true(
				i % 100 ? timeq_push(&q, &f) : timeq_push_head(&q, &f));
			if (i % 3 == 0) {
				timeq_pop(&q, &f);
				buf_unref(pool, f.buf);
			}
		}
		assert_int_equal(buf_pool_live_bufs(pool), q.n);
		timeq_reset(&q, pool);
		assert_int_equal(q.n, 0);
		assert_int_equal(buf_pool_live_bufs(pool), 0);
	}
	timeq_fini(&q);
	buf_pool_free(pool);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(order_is_the_stable_sort_by_due),
		cmocka_unit_test(order_holds_when_bins_take_over),
		cmocka_unit_test(dues_at_the_ends_of_time_are_kept_in_order),
		cmocka_unit_test(equal_dues_leave_in_order_of_arrival),
		cmocka_unit_test(order_numbers_may_wrap),
		cmocka_unit_test(reset_gives_every_reference_back),
	};

	return cmocka_run_group_tests_name("engine/timeq", tests, NULL, NULL);
}
