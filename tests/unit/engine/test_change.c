/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests/unit/engine/test_change.c - other settings while frames wait
 *
 * mirrors path_change_*() of src/engine/path.c, impair_change() and slot_change().
 * Most tests have a twin that is not changed, or one that was made with the new
 * settings: every frame has to leave both at the same instants.
 */
#include "config.h"

#include "engine/impair.h"
#include "unit/engine/rig.h"
#include "unit/unit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define N_FRAMES 500
#define N_OUT (4 * N_FRAMES)

/* malloc() as the linker's --wrap gives it, so that it can fail. */
static int mallocs_left = -1;
void *__real_malloc(size_t n);
void *__wrap_malloc(size_t n);

void *__wrap_malloc(size_t n)
{
	if (mallocs_left == 0)
		return NULL;
	if (mallocs_left > 0)
		mallocs_left--;
	return __real_malloc(n);
}

static int16_t table_values[5] = {-8192, 100, 4000, 8192, -3};
static const struct dist_conf table = {
	.kind = DIST_FILE, .values = table_values, .n_values = 5};

static void change(struct rig *r, const struct spec *s, nsec_t now_ns)
{
	struct path_change ch;
	struct err e;

	assert_int_equal(path_change_prepare(r->path, s, &ch, &e), 0);
	path_change_commit(r->path, &ch, now_ns);
}

static void push(struct rig *r, uint32_t first, uint32_t n, nsec_t at_ns)
{
	for (uint32_t i = 0; i < n; i++)
		rig_push(r, first + i, 60 + i % 40, at_ns);
}

/* @n frames, one each @step_ns, and what comes out meanwhile. Return: how many. */
static unsigned flow(
	struct rig *r, uint32_t n, nsec_t at_ns, nsec_t step_ns, struct rig_out *o)
{
	unsigned n_out = 0;

	for (uint32_t i = 0; i < n; i++, at_ns += step_ns) {
		nsec_t next_ns = path_next_ns(r->path);

		while (next_ns <= at_ns) {
			n_out += rig_pop(r, next_ns, o + n_out, N_OUT - n_out);
			next_ns = path_next_ns(r->path);
		}
		rig_push(r, i, 60 + i % 40, at_ns);
	}
	return n_out;
}

static void assert_same(
	const struct rig_out *a, unsigned n_a, const struct rig_out *b, unsigned n_b)
{
	assert_int_equal(n_a, n_b);
	for (unsigned i = 0; i < n_a; i++) {
		assert_int_equal(a[i].id, b[i].id);
		assert_int_equal(a[i].due_ns, b[i].due_ns);
		assert_int_equal(a[i].is_copy, b[i].is_copy);
	}
}

#define P PERCENT

/* Settings with something of everything; none of them makes a formula's table. */
static const struct netem_conf many[] = {
	{.latency_ns = 100 * MS},
	{.latency_ns = 20 * MS, .jitter_ns = 10 * MS},
	{.latency_ns = 20 * MS, .jitter_ns = 10 * MS, .delay_corr_p32 = P(30)},
	{.loss = {P(20), 0}},
	{.loss = {P(40), P(30)}},
	{.loss_model = LOSS_STATE,
		.p13_p32 = P(20),
		.p31_p32 = P(40),
		.p32_p32 = P(30),
		.p23_p32 = P(50),
		.p14_p32 = P(5)},
	{.loss_model = LOSS_GEMODEL,
		.ge_p_p32 = P(10),
		.ge_r_p32 = P(30),
		.ge_1_h_p32 = P(80),
		.ge_1_k_p32 = P(1)},
	{.duplicate = {P(30), 0}},
	{.latency_ns = 5 * MS,
		.jitter_ns = 2 * MS,
		.delay_corr_p32 = P(10),
		.duplicate = {P(40), P(20)}},
	{.latency_ns = 10 * MS, .reorder = {P(25), P(50)}, .gap = 1},
	{.latency_ns = 10 * MS, .reorder = {P(50), 0}, .gap = 5},
	{.corrupt = {P(20), 0}},
	{.corrupt = {P(30), P(20)}},
	{.rate_byteps = 125000},
	{.latency_ns = 5 * MS, .rate_byteps = 62500, .overhead_bytes = 20},
	{.latency_ns = 30 * MS,
		.jitter_ns = 20 * MS,
		.delay_corr_p32 = P(5),
		.loss = {P(30), P(20)},
		.duplicate = {P(20), P(10)},
		.corrupt = {P(10), 0}},
	{.limit_frames = 20, .latency_ns = 100 * MS},
	{.slot = {.active = true,
		 .min_delay_ns = 2 * MS,
		 .max_delay_ns = 9 * MS,
		 .max_packets = 4}},
};
#define N_MANY (sizeof(many) / sizeof(many[0]))

static struct spec spec_of(const struct netem_conf *c)
{
	struct spec s = {.kind = IMPAIR_NETEM, .netem = *c};

	if (!s.netem.limit_frames)
		s.netem.limit_frames = 1000;
	s.netem.has_seed = true;
	s.netem.seed = 77;
	return s;
}

static struct spec delay_spec(nsec_t latency_ns, nsec_t jitter_ns)
{
	const struct netem_conf c = {.latency_ns = latency_ns, .jitter_ns = jitter_ns};

	return spec_of(&c);
}

/* Both rigs get the same frames from now on: they have to come out the same. */
static void assert_twins(struct rig *a, struct rig *b, nsec_t at_ns)
{
	static struct rig_out of_a[N_OUT], of_b[N_OUT];
	unsigned n_a, n_b;

	n_a = flow(a, N_FRAMES, at_ns, MS / 4, of_a);
	n_a += rig_drain(a, of_a + n_a, N_OUT - n_a);
	n_b = flow(b, N_FRAMES, at_ns, MS / 4, of_b);
	n_b += rig_drain(b, of_b + n_b, N_OUT - n_b);
	assert_same(of_a, n_a, of_b, n_b);
}

/* The jitter of each new frame is the draw that the unchanged twin makes for it. */
static void queued_frames_keep_their_dues_and_the_stream_goes_on(void **state)
{
	static struct rig_out a[N_OUT], b[N_OUT];
	nsec_t due_a[2 * N_FRAMES], due_b[2 * N_FRAMES];
	struct spec s = delay_spec(900 * MS, 200 * MS);
	struct rig changed, twin;
	unsigned n;

	(void)state;
	rig_init(&changed, &s, 0);
	rig_init(&twin, &s, 0);
	push(&changed, 0, N_FRAMES, 0);
	push(&twin, 0, N_FRAMES, 0);
	s.netem.latency_ns = 300 * MS;
	s.netem.named = NAMED_DELAY;
	change(&changed, &s, MS);
	assert_int_equal(changed.count->backlog, N_FRAMES);
	push(&changed, N_FRAMES, N_FRAMES, MS);
	push(&twin, N_FRAMES, N_FRAMES, MS);
	n = rig_drain(&changed, a, N_OUT);
	assert_int_equal(rig_drain(&twin, b, N_OUT), n);
	for (unsigned i = 0; i < n; i++) {
		due_a[a[i].id] = a[i].due_ns;
		due_b[b[i].id] = b[i].due_ns;
	}
	for (unsigned i = 0; i < n; i++)
		assert_int_equal(due_b[i] - due_a[i], i < N_FRAMES ? 0 : 600 * MS);
	rig_fini(&changed);
	rig_fini(&twin);
}

/* Nothing named: streams, last draws and chains go on, whatever the settings are. */
static void a_change_to_the_same_settings_changes_nothing(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_MANY; i++) {
		struct spec s = spec_of(&many[i]);
		struct rig_out a[N_OUT], b[N_OUT];
		struct rig changed, twin;
		unsigned n;

		rig_init(&changed, &s, 0);
		rig_init(&twin, &s, 0);
		/* An odd number: a chain then stands anywhere, but with a gap the count
		 * of frames, which starts anew, must stand at its start. */
		for (nsec_t at = 0; at < 40 * MS; at += 7 * MS) {
			if (s.netem.gap > 1)
				break;
			n = flow(&changed, 41, at, MS / 10, a);
			assert_int_equal(n, flow(&twin, 41, at, MS / 10, b));
			change(&changed, &s, at + 5 * MS);
		}
		assert_twins(&changed, &twin, 50 * MS);
		rig_fini(&changed);
		rig_fini(&twin);
	}
}

/* Everything named: as if the path had been made with these settings. */
static void a_change_of_everything_is_a_new_start(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_MANY; i++) {
		struct spec old = spec_of(&many[(i + 5) % N_MANY]);
		struct spec s = spec_of(&many[i]);
		struct rig changed, fresh;
		struct rig_out o[N_OUT];

		s.netem.named = UINT32_MAX;
		s.netem.seed = 4711;
		rig_init(&changed, &old, 0);
		rig_init(&fresh, &s, 0);
		flow(&changed, 111, 0, MS / 10, o);
		rig_drain(&changed, o, N_OUT);
		change(&changed, &s, 500 * MS);
		assert_twins(&changed, &fresh, 20000 * MS);
		rig_fini(&changed);
		rig_fini(&fresh);
	}
}

static void an_unimpaired_path_can_be_given_settings(void **state)
{
	struct spec none = {.kind = IMPAIR_NONE};
	struct spec s = spec_of(&many[15]);
	struct rig changed, fresh;

	(void)state;
	rig_init(&changed, &none, 0);
	rig_init(&fresh, &s, 0);
	change(&changed, &s, MS);
	assert_twins(&changed, &fresh, 2 * MS);
	rig_fini(&changed);
	rig_fini(&fresh);
}

static void a_lower_limit_drops_nothing_that_waits(void **state)
{
	struct spec s = delay_spec(100 * MS, 0);
	struct rig_out o[N_OUT];
	struct rig r;

	(void)state;
	rig_init(&r, &s, 0);
	push(&r, 0, 50, 0);
	s.netem.limit_frames = 10;
	change(&r, &s, 0);
	assert_int_equal(r.count->backlog, 50);
	push(&r, 50, 5, 0);
	assert_int_equal(r.count->drop_limit, 5);
	assert_int_equal(rig_drain(&r, o, N_OUT), 50);
	push(&r, 60, 11, 200 * MS);
	assert_int_equal(r.count->drop_limit, 6);
	assert_int_equal(r.count->in, 66);
	rig_fini(&r);
}

/* Of everything that has a state. */
static struct spec everything(void)
{
	struct netem_conf c = many[5];

	c.latency_ns = 5 * MS;
	c.jitter_ns = 2 * MS;
	c.delay_corr_p32 = P(10);
	c.duplicate = (struct chance){P(40), P(20)};
	c.reorder = (struct chance){P(10), P(5)};
	c.gap = 3;
	c.corrupt = (struct chance){P(1), P(2)};
	return spec_of(&c);
}

/* A decider alone, so that its state can be seen. */
static void open_decider(struct impair *m)
{
	struct spec s = everything();

	assert_int_equal(impair_init(m, &s, NULL), 0);
	m->gap_count = 9;
	m->loss.state = LOSS_S2;
	for (unsigned k = 0; k < 10; k++) {
		rng_next(&m->rng);
		rng_next(&m->other);
	}
}

static void name_words(struct impair *m, uint32_t named)
{
	struct spec s = everything();

	s.netem.named = named;
	impair_change(m, &s.netem, NULL);
}

static void each_word_starts_anew_what_is_its_own(void **state)
{
	static const struct {
		uint32_t named;
		bool three, reorder, corrupt, chain, streams;
	} t[] = {
		{0, false, false, false, false, false},
		{NAMED_LIMIT | NAMED_DELAY | NAMED_DUPLICATE | NAMED_DUPLICATE_CORR |
				NAMED_ECN | NAMED_RATE | NAMED_GAP | NAMED_SLOT |
				NAMED_DISTRIBUTION,
			false, false, false, false, false},
		{NAMED_DELAY_CORR, true, false, false, false, false},
		{NAMED_LOSS_CORR, true, false, false, false, false},
		{NAMED_REORDER | NAMED_REORDER_CORR, true, true, false, false, false},
		{NAMED_CORRUPT | NAMED_CORRUPT_CORR, true, false, true, false, false},
		{NAMED_REORDER, false, true, false, false, false},
		{NAMED_CORRUPT, false, false, true, false, false},
		{NAMED_LOSS, false, false, false, true, false},
		{NAMED_SEED, false, false, false, false, true},
	};
	struct impair m, was;

	(void)state;
	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		open_decider(&m);
		was = m;
		name_words(&m, t[i].named);
		assert_int_equal(m.gap_count, 0);
		assert_int_equal(m.delay_corr.last != was.delay_corr.last, t[i].three);
		assert_int_equal(m.loss.random.corr.last != was.loss.random.corr.last,
			t[i].three);
		assert_int_equal(
			m.duplicate.corr.last != was.duplicate.corr.last, t[i].three);
		assert_int_equal(
			m.reorder.corr.last != was.reorder.corr.last, t[i].reorder);
		assert_int_equal(
			m.corrupt.corr.last != was.corrupt.corr.last, t[i].corrupt);
		assert_int_equal(m.loss.state, t[i].chain ? LOSS_S1 : LOSS_S2);
		assert_int_equal(
			memcmp(&m.rng, &was.rng, sizeof(m.rng)) != 0, t[i].streams);
		impair_fini(&m);
	}
}

static void a_seed_named_starts_both_streams(void **state)
{
	struct spec s = everything();
	struct impair m, fresh;

	(void)state;
	open_decider(&m);
	name_words(&m, UINT32_MAX);
	assert_int_equal(impair_init(&fresh, &s, NULL), 0);
	assert_memory_equal(&m.rng, &fresh.rng, sizeof(m.rng));
	assert_memory_equal(&m.other, &fresh.other, sizeof(m.other));
	assert_int_equal(m.delay_corr.last, fresh.delay_corr.last);
	assert_int_equal(m.corrupt.corr.last, fresh.corrupt.corr.last);
	impair_fini(&m);
	impair_fini(&fresh);
}

static struct spec slots(int32_t max_packets)
{
	struct spec s = delay_spec(0, 0);

	s.netem.slot.active = true;
	s.netem.slot.min_delay_ns = 10 * MS;
	s.netem.slot.max_delay_ns = 10 * MS;
	s.netem.slot.max_packets = max_packets;
	return s;
}

/* A budget of 3: after two frames one is left, unless slot was named. */
static void a_slot_stands_where_it_stood_unless_named(void **state)
{
	struct spec s = slots(3);
	struct rig_out o[8];
	struct rig r;

	(void)state;
	for (int named = 0; named < 2; named++) {
		rig_init(&r, &s, 0);
		rig_push(&r, 0, 60, 100 * MS);
		assert_int_equal(path_next_ns(r.path), 110 * MS);
		rig_push(&r, 1, 60, 100 * MS);
		assert_int_equal(rig_pop(&r, 110 * MS, o, 8), 2);
		s.netem.named = named ? NAMED_SLOT : 0;
		change(&r, &s, 110 * MS);
		push(&r, 2, 4, 110 * MS);
		/* The slot of 110 takes what is left of its budget; the rest waits. */
		assert_int_equal(rig_pop(&r, 110 * MS, o, 8), named ? 3 : 1);
		assert_int_equal(path_next_ns(r.path), 120 * MS);
		rig_drain(&r, o, 8);
		rig_fini(&r);
	}
}

static void slots_named_as_none_let_go_at_the_due(void **state)
{
	struct spec s = slots(1);
	struct rig_out o[8];
	struct rig r;

	(void)state;
	s.netem.latency_ns = 2 * MS;
	rig_init(&r, &s, 0);
	push(&r, 0, 4, 100 * MS);
	s.netem.slot = (struct slot_conf){0};
	s.netem.named = NAMED_SLOT;
	change(&r, &s, 101 * MS);
	assert_int_equal(path_next_ns(r.path), 102 * MS);
	assert_int_equal(rig_pop(&r, 102 * MS, o, 8), 4);
	rig_fini(&r);
}

static void a_table_is_made_only_where_it_differs(void **state)
{
	struct spec s = delay_spec(20 * MS, 10 * MS);
	struct path_change ch;
	struct rig_out o[2];
	struct rig r;

	(void)state;
	s.netem.dist = table;
	s.netem.slot = slots(0).netem.slot;
	s.netem.slot.has_dist = true;
	s.netem.slot.dist_jitter_ns = 1;
	s.netem.slot.dist = table;
	rig_init(&r, &s, 0);
	assert_int_equal(path_change_prepare(r.path, &s, &ch, NULL), 0);
	assert_false(ch.has_dist);
	assert_false(ch.has_slot_dist);
	path_change_cancel(&ch);
	s.netem.dist.n_values = 1;
	s.netem.slot.dist.kind = DIST_PARETO;
	s.netem.named = NAMED_SLOT;
	assert_int_equal(path_change_prepare(r.path, &s, &ch, NULL), 0);
	assert_true(ch.has_dist);
	assert_true(ch.has_slot_dist);
	path_change_commit(r.path, &ch, 0);
	assert_int_equal(path_change_prepare(r.path, &s, &ch, NULL), 0);
	assert_false(ch.has_dist);
	assert_false(ch.has_slot_dist);
	path_change_cancel(&ch);
	/* The one value left is one jitter down; then it is uniform again. */
	s.netem.slot = (struct slot_conf){0};
	s.netem.named = NAMED_SLOT;
	change(&r, &s, 0);
	rig_push(&r, 0, 60, MS);
	assert_int_equal(rig_drain(&r, o, 2), 1);
	assert_int_equal(o[0].due_ns, 11 * MS);
	s.netem.dist = (struct dist_conf){.kind = DIST_UNIFORM};
	change(&r, &s, 0);
	push(&r, 0, 2, 50 * MS);
	assert_int_equal(rig_drain(&r, o, 2), 2);
	assert_true(o[0].due_ns != o[1].due_ns);
	rig_fini(&r);
}

static void without_memory_nothing_changes(void **state)
{
	struct spec s = spec_of(&many[2]), to = s;
	struct path_change ch;
	struct rig changed, twin;
	struct err e;

	(void)state;
	to.netem.latency_ns = MS;
	to.netem.named = UINT32_MAX;
	to.netem.dist = table;
	to.netem.slot = slots(0).netem.slot;
	to.netem.slot.has_dist = true;
	to.netem.slot.dist_jitter_ns = 1;
	to.netem.slot.dist = table;
	rig_init(&changed, &s, 0);
	rig_init(&twin, &s, 0);
	for (int good = 0; good < 2; good++) {
		mallocs_left = good;
		assert_int_equal(
			path_change_prepare(changed.path, &to, &ch, &e), -ENOMEM);
		mallocs_left = -1;
		assert_int_equal(e.code, -ENOMEM);
	}
	assert_twins(&changed, &twin, 50 * MS);
	rig_fini(&changed);
	rig_fini(&twin);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(queued_frames_keep_their_dues_and_the_stream_goes_on),
		cmocka_unit_test(a_change_to_the_same_settings_changes_nothing),
		cmocka_unit_test(a_change_of_everything_is_a_new_start),
		cmocka_unit_test(an_unimpaired_path_can_be_given_settings),
		cmocka_unit_test(a_lower_limit_drops_nothing_that_waits),
		cmocka_unit_test(each_word_starts_anew_what_is_its_own),
		cmocka_unit_test(a_seed_named_starts_both_streams),
		cmocka_unit_test(a_slot_stands_where_it_stood_unless_named),
		cmocka_unit_test(slots_named_as_none_let_go_at_the_due),
		cmocka_unit_test(a_table_is_made_only_where_it_differs),
		cmocka_unit_test(without_memory_nothing_changes),
	};

	return cmocka_run_group_tests_name("engine/change", tests, NULL, NULL);
}
