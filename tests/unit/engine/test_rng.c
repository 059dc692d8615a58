/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests/unit/engine/test_rng.c - mirrors src/engine/rng.c
 */
#include "config.h"

#include "engine/rng.h"
#include "unit/unit.h"

/* T5.1 */
static void the_generator_gives_the_published_numbers(void **state)
{
	static const struct {
		uint32_t x;
		unsigned nth;
		uint32_t want;
	} t[] = {
		{1, 1, 3484351685u},
		{2, 1, 2623130059u},
		{3, 1, 3125133893u},
		{4, 1, 984847254u},
		{931557656u, 959, 2975593782u},
		{1339693295u, 876, 3887776532u},
		{47485338u, 558, 3521120834u},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		struct rng r;
		uint32_t got = 0;

		rng_seed_chain(&r, t[i].x);
		for (unsigned k = 0; k < t[i].nth; k++)
			got = rng_next(&r);
		assert_int_equal(got, t[i].want);
	}
}

/* T5.2 */
static void a_seed_starts_the_stream_that_netem_has(void **state)
{
	static const struct {
		uint64_t seed;
		uint32_t want[8];
	} t[] = {
		{0, {1574944, 268744, 1109394980, 8552980, 826355289, 2421007874u,
			    771884300, 1085851671}},
		{1, {276959246, 18909696, 2298495022u, 9442690, 3222971081u,
			    2202869889u, 2231400488u, 1621116258}},
		{2, {554442780, 37815360, 1392541821, 27271940, 2687779202u, 383468290,
			    33615965, 3245394628u}},
		{42, {3053367555u, 794645456, 722109529, 489076602, 564259759,
			     537591597, 788936444, 1402359227}},
		{12345, {688432123, 708216489, 990518830, 336400550, 2816971748u,
				3799986227u, 2986384158u, 849693909}},
		{3735928559u,
			{1102069293, 3938551990u, 1700228878, 3940971296u, 1284401374,
				4087523160u, 1544403563, 3196746928u}},
		{1311768467463790320u,
			{1565990206, 3253438099u, 3391650309u, 307209238, 3498746814u,
				4280234225u, 797845788, 1709718644}},
		{18446744073709551615u,
			{260173829, 14711295, 2030026778, 7343233, 3220595128u,
				2126831743, 2197825560u, 3751789345u}},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		struct rng r;

		rng_seed(&r, t[i].seed);
		for (unsigned k = 0; k < 8; k++)
			assert_int_equal(rng_next(&r), t[i].want[k]);
	}
}

static void below_stays_below_and_reaches_both_ends(void **state)
{
	struct rng r;
	unsigned seen = 0;

	(void)state;
	rng_seed(&r, 7);
	for (unsigned i = 0; i < 1000; i++) {
		uint32_t v = rng_below(&r, 8);

		assert_true(v < 8);
		seen |= 1u << v;
	}
	assert_int_equal(seen, 0xff);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_generator_gives_the_published_numbers),
		cmocka_unit_test(a_seed_starts_the_stream_that_netem_has),
		cmocka_unit_test(below_stays_below_and_reaches_both_ends),
	};

	return cmocka_run_group_tests_name("engine/rng", tests, NULL, NULL);
}
