/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests/unit/conf/test_netem_args.c - mirrors src/conf/netem_args.c and netem_show.c
 *
 * tests/data/tc-lines.tsv has lines that were given to tc, and what tc sent to the
 * kernel. Each is read here, told in the notation of that file, and compared; what is
 * accepted is also shown in exact words and read back.
 */
#include "config.h"

#include "conf/netem_args.h"

#include "base/units.h"
#include "conf/check.h"
#include "conf/kinds.h"
#include "conf/netem_conf.h"
#include "conf/show.h"
#include "unit/conf/netem.h"
#include "unit/unit.h"

#include <errno.h>
#include <inttypes.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void tell_time(FILE *out, const char *before, nsec_t ns)
{
	double value = (double)ns;

	fputs(before, out);
	if (ns >= 1000000000)
		fprintf(out, "%.9gs", value / 1e9);
	else if (ns >= 1000000)
		fprintf(out, "%.9gms", value / 1e6);
	else if (ns >= 1000)
		fprintf(out, "%.9gus", value / 1e3);
	else
		fprintf(out, ns ? "%" PRId64 "ns" : "0", ns);
}

static void tell_p32(FILE *out, const char *before, uint32_t p32)
{
	fprintf(out, "%s%.7g%%", before, 100.0 * p32 / UINT32_MAX);
}

static void tell_dist(FILE *out, const struct dist_conf *d)
{
	if (d->kind != DIST_UNIFORM)
		fprintf(out, "; dist[%u]", d->kind == DIST_FILE ? d->n_values : 4096);
}

static void tell_loss(FILE *out, const struct netem_conf *n)
{
	if (n->loss_model == LOSS_STATE) {
		tell_p32(out, "; 4-state p13 ", n->p13_p32);
		tell_p32(out, " p31 ", n->p31_p32);
		tell_p32(out, " p32 ", n->p32_p32);
		tell_p32(out, " p14 ", n->p14_p32);
		tell_p32(out, " p23 ", n->p23_p32);
	} else if (n->loss_model == LOSS_GEMODEL) {
		tell_p32(out, "; GE p ", n->ge_p_p32);
		tell_p32(out, " r ", n->ge_r_p32);
		tell_p32(out, " bad-loss ", n->ge_1_h_p32);
		tell_p32(out, " good-loss ", n->ge_1_k_p32);
	}
}

static void tell_chance(FILE *out, const char *before, const struct chance *c)
{
	tell_p32(out, before, c->p32);
	if (c->corr_p32)
		tell_p32(out, " corr ", c->corr_p32);
}

static void tell_rate(FILE *out, const struct netem_conf *n)
{
	fprintf(out, "; rate %" PRIu64 " B/s", n->rate_byteps);
	if (n->overhead_bytes || n->cell_bytes || n->cell_overhead_bytes)
		fprintf(out, " ovh %d cell %u cellovh %d", n->overhead_bytes,
			n->cell_bytes, n->cell_overhead_bytes);
}

static void tell_slot(FILE *out, const struct slot_conf *s)
{
	if (s->has_dist) {
		tell_time(out, "; slot dist ", s->dist_delay_ns);
		tell_time(out, " ", s->dist_jitter_ns);
	} else {
		tell_time(out, "; slot ", s->min_delay_ns);
		tell_time(out, "..", s->max_delay_ns);
	}
	if (s->max_packets)
		fprintf(out, " pkts %d", s->max_packets);
	if (s->max_bytes)
		fprintf(out, " bytes %d", s->max_bytes);
}

/* The settings in the notation of the file. */
static char *tell(const struct netem_conf *n)
{
	char *text = NULL;
	size_t n_bytes;
	FILE *out = open_memstream(&text, &n_bytes);

	fprintf(out, "limit %u", n->limit_frames);
	if (n->named & NAMED_DELAY)
		tell_time(out, "; delay ", n->latency_ns);
	if (n->jitter_ns)
		tell_time(out, "; jitter ", n->jitter_ns);
	if (n->delay_corr_p32)
		tell_p32(out, "; delay-corr ", n->delay_corr_p32);
	if (n->loss.corr_p32)
		tell_p32(out, "; loss-corr ", n->loss.corr_p32);
	if (n->duplicate.corr_p32)
		tell_p32(out, "; dup-corr ", n->duplicate.corr_p32);
	tell_dist(out, &n->dist);
	if (n->loss.p32)
		tell_p32(out, "; loss ", n->loss.p32);
	if (n->duplicate.p32)
		tell_p32(out, "; dup ", n->duplicate.p32);
	tell_loss(out, n);
	if (n->named & NAMED_REORDER)
		tell_chance(out, "; reorder ", &n->reorder);
	if (n->named & NAMED_CORRUPT)
		tell_chance(out, "; corrupt ", &n->corrupt);
	if (n->gap)
		fprintf(out, "; gap %u", n->gap);
	if (n->named & NAMED_RATE)
		tell_rate(out, n);
	if (n->slot.active)
		tell_slot(out, &n->slot);
	if (n->ecn)
		fputs("; ecn", out);
	if (n->has_seed)
		fprintf(out, "; seed %" PRIu64, n->seed);
	fclose(out);
	return text;
}

static void want_round_trip(const struct netem_conf *n, const char *line)
{
	struct spec s = {.kind = IMPAIR_NETEM, .netem = *n};
	struct netem_conf again;
	struct err e = {0};
	char exact[SHOW_BYTES];

	show_exact(&s, exact, sizeof(exact));
	assert_memory_equal(exact, "netem ", 6);
	if (netem_read_line(&again, exact + 6, &e))
		fail_msg("'%s' is shown as '%s': %s", line, exact, e.text);
	if (!netem_same(n, &again))
		fail_msg("'%s' is shown as '%s', and that is something else", line,
			exact);
	netem_conf_fini(&again);
}

static void tc_lines_mean_what_tc_sends(void **state)
{
	FILE *file = fopen(TEST_DATA "/tc-lines.tsv", "re");
	char line[1024];
	unsigned n_lines = 0;

	(void)state;
	assert_non_null(file);
	while (fgets(line, sizeof(line), file)) {
		char *rest = line;
		const char *args, *verdict, *meaning;
		struct netem_conf n;
		struct err e = {0};
		int rc;

		line[strcspn(line, "\n")] = '\0';
		if (line[0] == '#')
			continue;
		args = strsep(&rest, "\t");
		verdict = strsep(&rest, "\t");
		meaning = strsep(&rest, "\t");
		assert_non_null(meaning);
		n_lines++;
		rc = netem_read_line(&n, args, &e);
		if (strcmp(verdict, "refuse") == 0) {
			if (rc == 0)
				fail_msg("accepted: %s", args);
			if (!*meaning || !strstr(e.text, meaning))
				fail_msg("%s: %s, not %s", args, e.text, meaning);
			continue;
		}
		if (rc)
			fail_msg("%s: %s", args, e.text);
		char *told = tell(&n);

		if (strcmp(told, meaning) != 0)
			fail_msg("%s\n got: %s\nwant: %s", args, told, meaning);
		free(told);
		want_round_trip(&n, args);
		netem_conf_fini(&n);
	}
	fclose(file);
	assert_int_equal(n_lines, 184);
}

/* What is odd, and yet must come back. */
static const char *const odd[] = {
	"loss 0% 25%",
	"loss 0% 25% loss gemodel 1%",
	"reorder 0% 50%",
	"corrupt 0% 5%",
	"delay 0 5ms",
	"delay 5ms 1ms distribution uniform",
	"loss 1% 0% duplicate 1% 50%",
	"rate 0 5 6 7",
	"rate 1mbit -5 -6",
	"slot 0 packets 5",
	"slot 1ms 2ms bytes 9 slot distribution pareto 5ms 1ns packets 3",
	"slot distribution normal 0 1ms slot 3ms",
	"slot distribution uniform 1ms 1ms",
	"loss state 0% 100% 0% 0% 0%",
	"loss state 33.33333% 12.34567% 1e-7% 99.99999% 0.1%",
	"loss gemodel 0.0000001% 99.9999999%",
	"limit 4294967295 gap 7 reorder 3% delay 1ns",
	"seed 18446744073709551615",
	"rate 18446744073709549568bps 2147483647 4294967295 -2147483648",
	"delay 9223372036s 2147483647ns 77.7%",
	"delay 4.35us 1.1us",
};

static void odd_settings_come_back_too(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
		struct netem_conf n;
		struct err e = {0};

		if (netem_read_line(&n, odd[i], &e))
			fail_msg("%s: %s", odd[i], e.text);
		want_round_trip(&n, odd[i]);
		netem_conf_fini(&n);
	}
}

/* Every probability has words that make it again: 10^5 of them, spread over all. */
static void every_probability_comes_back(void **state)
{
	uint64_t p32 = 0;

	(void)state;
	for (int i = 0; i < 100000 && p32 <= UINT32_MAX; i++, p32 += 42949) {
		struct spec s = {.kind = IMPAIR_NETEM};
		struct netem_conf again;
		char exact[SHOW_BYTES];

		netem_conf_init(&s.netem);
		s.netem.loss.p32 = (uint32_t)p32;
		show_exact(&s, exact, sizeof(exact));
		assert_int_equal(netem_read_line(&again, exact + 6, NULL), 0);
		if (again.loss.p32 != (uint32_t)p32)
			fail_msg("%u is shown as %s", (uint32_t)p32, exact);
	}
}

static void named_says_which_words_stood_there(void **state)
{
	struct netem_conf n;

	(void)state;
	assert_int_equal(
		netem_read_line(&n, "delay 5ms 1ms 2% loss 1% rate 1mbit", NULL), 0);
	assert_int_equal(
		n.named, NAMED_DELAY | NAMED_DELAY_CORR | NAMED_LOSS | NAMED_RATE);
	assert_int_equal(
		netem_read_line(&n, "loss gemodel 1% ecn limit 3 seed 1", NULL), 0);
	assert_int_equal(n.named, NAMED_LOSS | NAMED_ECN | NAMED_LIMIT | NAMED_SEED);
	assert_int_equal(
		netem_read_line(&n,
			"duplicate 1% 2% corrupt 3% reorder 4% 5% gap 2 slot 1ms "
			"delay 1ms 1ns distribution normal",
			NULL),
		0);
	assert_int_equal(n.named, NAMED_DUPLICATE | NAMED_DUPLICATE_CORR |
					  NAMED_CORRUPT | NAMED_REORDER |
					  NAMED_REORDER_CORR | NAMED_GAP | NAMED_SLOT |
					  NAMED_DELAY | NAMED_DISTRIBUTION);
	netem_conf_fini(&n);
	/* Alone it is not sent, and still it was named. */
	assert_int_equal(netem_read_line(&n, "duplicate 1% 2%", NULL), 0);
	assert_int_equal(n.duplicate.corr_p32, 0);
	assert_true(n.named & NAMED_DUPLICATE_CORR);
}

/* Section 18.1 and the start line, letter by letter. */
static void settings_are_shown_as_tc_does(void **state)
{
	static const char *const shown[][2] = {
		{"delay 100ms 10ms 25% loss 1% 25% rate 20kbit seed 42",
			"limit 1000 delay 100ms  10ms 25% loss 1% 25% rate 20Kbit seed "
			"42"},
		{"delay 10ms reorder 25% 50% seed 42",
			"limit 1000 delay 10ms reorder 25% 50% seed 42 gap 1"},
		{"loss 5% seed 42 ecn", "limit 1000 loss 5% seed 42 ecn "},
		{"loss state 1%",
			"limit 1000 loss state p13 1% p31 99% p32 0% p23 100% p14 0%"},
		{"loss gemodel 1% 10% 70% 0.1%",
			"limit 1000 loss gemodel p 1% r 10% 1-h 70% 1-k 0.1%"},
		{"duplicate 1% 2% reorder 25% 5% corrupt 1% 3% delay 1us",
			"limit 1000 delay 1us duplicate 1% 2% reorder 25% 5% corrupt "
			"1% 3% "
			"gap 1"},
		{"rate 1mbit 20 100 5",
			"limit 1000 rate 1Mbit packetoverhead 20 cellsize "
			"100 celloverhead 5"},
		{"slot 800us 10ms packets 42 bytes 64k",
			"limit 1000 slot 800us 10ms packets 42 bytes 65536"},
		{"slot distribution normal 1ms 100us",
			"limit 1000 slot distribution 1ms 100us"},
		{"reorder 0%", "limit 1000"},
		{"delay 0 5ms", "limit 1000"},
	};
	char text[SHOW_BYTES];

	(void)state;
	for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++) {
		struct spec s = {.kind = IMPAIR_NETEM};

		assert_int_equal(netem_read_line(&s.netem, shown[i][0], NULL), 0);
		assert_int_equal(
			show_spec(&s, text, sizeof(text)), strlen(shown[i][1]));
		assert_string_equal(text, shown[i][1]);
		assert_int_equal(show_spec(&s, text, 6), 5);
		assert_string_equal(text, "limit");
		kinds_fini(&s);
	}
}

static void the_start_line_is_short(void **state)
{
	static const char *const shown[][2] = {
		{"delay 50ms loss 1% seed 42",
			"netem delay 50ms loss 1%, RTT +100ms, limit 1000, seed 42"},
		{"delay 50ms 10ms distribution pareto rate 10mbit",
			"netem delay 50ms 10ms distribution pareto rate 10Mbit, RTT "
			"+100ms, "
			"limit 1000"},
		{"loss 1%", "netem loss 1%, limit 1000"},
		{"limit 5", "netem, limit 5"},
		{"delay 9223372036s",
			"netem delay 9.22e+09s, RTT +9.22e+09s, limit 1000"},
	};
	struct spec none = {.kind = IMPAIR_NONE};
	char text[SHOW_BYTES];

	(void)state;
	for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++) {
		struct spec s = {.kind = IMPAIR_NETEM};

		assert_int_equal(netem_read_line(&s.netem, shown[i][0], NULL), 0);
		show_start_line(&s, 2, text, sizeof(text));
		assert_string_equal(text, shown[i][1]);
		kinds_fini(&s);
	}
	show_start_line(&none, 2, text, sizeof(text));
	assert_string_equal(text, "unimpaired");
	assert_int_equal(show_spec(&none, text, sizeof(text)), 0);
}

/* 18.3: keys, their order, and numbers as tc prints them. */
static void json_is_that_of_tc(void **state)
{
	struct spec s = {.kind = IMPAIR_NETEM};
	struct json_object *o, *options;

	(void)state;
	assert_int_equal(netem_read_line(&s.netem,
				 "delay 123456789ns 10ms loss 1% 25% duplicate 1% "
				 "reorder 25% corrupt "
				 "1% rate 1mbit 5 slot 1ms 2ms packets 3 ecn seed "
				 "18446744073709551615",
				 NULL),
		0);
	o = show_json(&s, NULL);
	assert_true(json_object_object_get_ex(o, "options", &options));
	json_object_object_del(options, "ext");
	assert_string_equal(json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN),
		"{\"kind\":\"netem\",\"handle\":\"1:\",\"root\":true,\"options\":{"
		"\"limit\":1000,\"delay\":{\"delay\":0.123457,\"jitter\":0.01,"
		"\"correlation\":0},\"loss-random\":{\"loss\":0.01,\"correlation\":0."
		"25},"
		"\"duplicate\":{\"duplicate\":0.01,\"correlation\":0},"
		"\"reorder\":{\"reorder\":0.25,\"correlation\":0},"
		"\"corrupt\":{\"corrupt\":0.01,\"correlation\":0},"
		"\"rate\":{\"rate\":125000,\"packetoverhead\":5,\"cellsize\":0,"
		"\"celloverhead\":0},\"slot\":{\"min-delay\":0.001,\"max-delay\":0.002,"
		"\"packets\":3,\"bytes\":0},\"seed\":18446744073709551615,\"ecn\":true,"
		"\"gap\":1}}");
	json_object_put(o);
	kinds_fini(&s);
}

/* The one line that names a table of iproute2 which we do not have. */
static int make_tables(void **state)
{
	static char dir[] = "/tmp/farwire-test-XXXXXX";
	char path[64];
	FILE *out;

	if (!mkdtemp(dir))
		return -1;
	*state = dir;
	snprintf(path, sizeof(path), "%s/experimental.dist", dir);
	out = fopen(path, "we");
	if (!out)
		return -1;
	for (int i = 0; i < 4096; i++)
		fprintf(out, "%d\n", i - 2048);
	fclose(out);
	return setenv("TC_LIB_DIR", dir, 1);
}

static int remove_tables(void **state)
{
	char path[64];

	snprintf(path, sizeof(path), "%s/experimental.dist", (const char *)*state);
	unlink(path);
	return rmdir(*state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tc_lines_mean_what_tc_sends),
		cmocka_unit_test(odd_settings_come_back_too),
		cmocka_unit_test(every_probability_comes_back),
		cmocka_unit_test(named_says_which_words_stood_there),
		cmocka_unit_test(settings_are_shown_as_tc_does),
		cmocka_unit_test(the_start_line_is_short),
		cmocka_unit_test(json_is_that_of_tc),
	};

	return cmocka_run_group_tests_name(
		"conf/netem_args", tests, make_tables, remove_tables);
}
