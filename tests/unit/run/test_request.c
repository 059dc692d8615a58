/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests/unit/run/test_request.c - mirrors src/run/request.c
 */
#include "config.h"

#include "run/request.h"

#include "conf/args.h"
#include "conf/kinds.h"
#include "conf/netem_conf.h"
#include "conf/show.h"
#include "unit/unit.h"

#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MS NSEC_PER_MSEC

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

static struct buf_pool *pool;
static struct spec spec[N_DIRS];
static struct path *path[N_DIRS];
static struct request_link link;
static unsigned n_changed[N_DIRS];

static void look(void *ctx, struct report *r)
{
	assert_ptr_equal(ctx, &link);
	*r = (struct report){.n_paths = link.path[DIR_DOWN] ? 2 : 1,
		.elapsed_ns = 5 * NSEC_PER_SEC,
		.carrier = "plain",
		.rank = "none"};
	for (unsigned i = 0; i < r->n_paths; i++)
		r->path[i] = (struct report_path){.link = "eth0",
			.direction = i ? "down" : "up",
			.spec = &spec[i],
			.count = path_count(path[i])};
}

static void changed(void *ctx, enum direction dir)
{
	assert_ptr_equal(ctx, &link);
	n_changed[dir]++;
}

/* Words behind `farwire check` into a conf of another verb. */
static struct conf words(enum verb verb, const char *line)
{
	static char text[512];
	char *argv[64], *save = NULL;
	struct conf c;
	struct err e;
	int argc = 0;

	snprintf(text, sizeof(text), "farwire check %s", line);
	for (char *w = strtok_r(text, " ", &save); w; w = strtok_r(NULL, " ", &save))
		argv[argc++] = w;
	argv[argc] = NULL;
	conf_init(&c);
	if (conf_read(&c, argc, argv, &e) < 0)
		fail_msg("%s: %s", line, e.text);
	c.verb = verb;
	c.link_name = "wan";
	return c;
}

static int set_up(void **state)
{
	struct conf c = words(VERB_RUN, "up netem delay 40ms rate 20mbit seed 7 "
					"down netem delay 10ms limit 50 seed 8");
	struct err e;

	(void)state;
	pool = buf_pool_new((size_t)16 << 20, 0, &e);
	link = (struct request_link){.name = "wan",
		.near = "9/eth0",
		.far = "8/eth0",
		.look = look,
		.changed = changed,
		.ctx = &link};
	for (int d = 0; d < N_DIRS; d++) {
		spec[d] = c.spec[d];
		path[d] = path_new(&spec[d], pool, 0, &e);
		assert_non_null(path[d]);
		link.spec[d] = &spec[d];
		link.path[d] = path[d];
		n_changed[d] = 0;
	}
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	for (int d = 0; d < N_DIRS; d++) {
		path_free(path[d]);
		kinds_fini(&spec[d]);
	}
	buf_pool_free(pool);
	return 0;
}

/* What the link has now, and that its path does it: a frame's delay. */
static void assert_link(enum direction dir, const char *want, nsec_t delay_ns)
{
	static nsec_t at_ns;
	char text[SHOW_BYTES];
	struct frame f;
	uint8_t *room;

	show_exact(&spec[dir], text, sizeof(text));
	assert_string_equal(text, want);
	room = buf_room(pool, BUF_VNET_BYTES + 100);
	assert_non_null(room);
	memset(room, 0, BUF_VNET_BYTES + 100);
	at_ns += 100 * NSEC_PER_SEC;
	path_push(path[dir], buf_commit(pool, BUF_VNET_BYTES + 100), at_ns);
	assert_int_equal(path_next_ns(path[dir]) - at_ns, delay_ns);
	assert_int_equal(path_pop(path[dir], at_ns + delay_ns, &f, 1), 1);
	buf_unref(pool, f.buf);
}

static struct json_object *answer;

static const char *member(const char *key)
{
	struct json_object *v;

	return json_object_object_get_ex(answer, key, &v) ? json_object_get_string(v)
							  : NULL;
}

static const char *warning(unsigned i)
{
	struct json_object *list;

	if (!json_object_object_get_ex(answer, "warnings", &list) ||
		i >= json_object_array_length(list))
		return "";
	return json_object_get_string(json_object_array_get_idx(list, i));
}

/* Return: the status. */
static int ask(enum verb verb, const char *line)
{
	struct conf c = words(verb, line);

	json_object_put(answer);
	answer = request_run(&link, &c);
	conf_fini(&c);
	assert_non_null(answer);
	return atoi(member("status"));
}

#define UP "netem limit 1000 delay 40000000ns rate 2500000bps seed 7"
#define DOWN "netem limit 50 delay 10000000ns seed 8"
/* What 100 bytes take at 20 Mbit/s. */
#define LINE_NS 40000

static void a_direction_not_named_is_left_alone(void **state)
{
	(void)state;
	assert_link(DIR_UP, UP, 40 * MS + LINE_NS);
	assert_int_equal(ask(VERB_CHANGE, "up netem delay 5ms"), 0);
	assert_link(DIR_UP, "netem limit 1000 delay 5000000ns rate 2500000bps seed 7",
		5 * MS + LINE_NS);
	assert_link(DIR_DOWN, DOWN, 10 * MS);
	assert_int_equal(ask(VERB_REPLACE, "down netem delay 3ms"), 0);
	assert_link(DIR_UP, "netem limit 1000 delay 5000000ns rate 2500000bps seed 7",
		5 * MS + LINE_NS);
	assert_link(DIR_DOWN, "netem limit 1000 delay 3000000ns seed 8", 3 * MS);
	assert_int_equal(n_changed[DIR_UP], 1);
	assert_int_equal(n_changed[DIR_DOWN], 1);
}

static void words_without_a_direction_are_for_both(void **state)
{
	(void)state;
	assert_int_equal(ask(VERB_CHANGE, "netem delay 5ms seed 42"), 0);
	assert_link(DIR_UP, "netem limit 1000 delay 5000000ns rate 2500000bps seed 42",
		5 * MS + LINE_NS);
	assert_link(DIR_DOWN,
		"netem limit 1000 delay 5000000ns seed 13679457532755275413", 5 * MS);
}

static void set_says_everything(void **state)
{
	(void)state;
	assert_int_equal(ask(VERB_SET, "up netem delay 5ms"), 0);
	assert_null(member("warnings"));
	assert_link(DIR_UP, "netem limit 1000 delay 5000000ns seed 7", 5 * MS);
	assert_link(DIR_DOWN, "netem limit 1000 seed 8", 0);
	assert_int_equal(ask(VERB_SET, "netem delay 6ms"), 0);
	assert_link(DIR_UP, "netem limit 1000 delay 6000000ns seed 7", 6 * MS);
	assert_link(DIR_DOWN, "netem limit 1000 delay 6000000ns seed 8", 6 * MS);
}

static void a_loopback_has_one_direction(void **state)
{
	(void)state;
	link.path[DIR_DOWN] = NULL;
	link.spec[DIR_DOWN] = NULL;
	assert_int_equal(ask(VERB_CHANGE, "up netem delay 5ms down netem loss 1%"), 1);
	assert_string_equal(member("error"),
		"down: a loopback has one direction; write up, or netem alone");
	assert_link(DIR_UP, UP, 40 * MS + LINE_NS);
	assert_int_equal(ask(VERB_CHANGE, "netem delay 5ms"), 0);
	assert_string_equal(warning(0),
		"wan: still rate 20Mbit: change keeps what it does "
		"not name of rate, corrupt, slot, ecn, tables; "
		"set starts anew");
	assert_link(DIR_UP, "netem limit 1000 delay 5000000ns rate 2500000bps seed 7",
		5 * MS + LINE_NS);
}

/* Wherever memory ends: both directions or none. */
static void without_memory_nothing_changes(void **state)
{
	struct conf c =
		words(VERB_CHANGE, "up netem delay 5ms 1ms distribution pareto "
				   "down netem delay 5ms 1ms distribution pareto");
	int n = 0, status;

	(void)state;
	do {
		assert_true(n < 50);
		json_object_put(answer);
		mallocs_left = n++;
		answer = request_run(&link, &c);
		mallocs_left = -1;
		assert_non_null(answer);
		status = atoi(member("status"));
		if (status == 0)
			break;
		assert_int_equal(status, 2);
		assert_non_null(strstr(member("error"), "memory"));
		assert_link(DIR_UP, UP, 40 * MS + LINE_NS);
		assert_link(DIR_DOWN, DOWN, 10 * MS);
		assert_int_equal(n_changed[DIR_UP], 0);
	} while (status);
	assert_true(n > 2);
	assert_int_equal(spec[DIR_UP].netem.latency_ns, 5 * MS);
	assert_int_equal(spec[DIR_DOWN].netem.latency_ns, 5 * MS);
	conf_fini(&c);
}

static void what_may_surprise_is_said_once(void **state)
{
	(void)state;
	assert_int_equal(ask(VERB_CHANGE, "netem loss 3%"), 0);
	assert_memory_equal(warning(0), "wan up: no more delay 40ms: ", 27);
	assert_memory_equal(warning(1), "wan up: still rate 20Mbit: ", 26);
	assert_memory_equal(warning(2), "wan down: no more limit 50 delay 10ms: ", 38);
	assert_string_equal(warning(3), "");
	/* Now they are alike but for the rate. */
	assert_int_equal(ask(VERB_CHANGE, "netem delay 1ms"), 0);
	assert_memory_equal(warning(0), "wan: no more loss 3%: ", 22);
	assert_memory_equal(warning(1), "wan up: still rate 20Mbit: ", 26);
	assert_string_equal(warning(2), "");
	assert_int_equal(ask(VERB_CHANGE, "netem delay 2ms rate 0"), 0);
	assert_string_equal(warning(0), "");
}

static void show_looks_at_the_link_of_now(void **state)
{
	struct conf c = {.verb = VERB_SHOW, .link_name = "wan"};
	struct json_object *links, *o;

	(void)state;
	json_object_put(answer);
	answer = request_run(&link, &c);
	assert_non_null(strstr(member("text"), "wan: near 9/eth0 far 8/eth0 pid "));
	assert_non_null(strstr(member("text"),
		" up 5s\n  up   netem limit 1000 delay 40ms rate 20Mbit"));
	assert_null(strstr(member("text"), "Sent"));
	c.stats = 1;
	c.link_name = NULL;
	json_object_put(answer);
	answer = request_run(&link, &c);
	assert_non_null(strstr(member("text"), "   Sent 0 bytes 0 pkt"));
	c.exact = true;
	json_object_put(answer);
	answer = request_run(&link, &c);
	assert_string_equal(member("text"), "set wan up " UP " down " DOWN "\n");
	c.json = true;
	json_object_put(answer);
	answer = request_run(&link, &c);
	assert_null(member("text"));
	assert_true(json_object_object_get_ex(answer, "links", &links));
	assert_int_equal(json_object_array_length(links), 2);
	o = json_object_array_get_idx(links, 0);
	assert_true(json_object_object_get_ex(o, "bytes", NULL));
}

static void what_is_no_request_is_refused(void **state)
{
	struct conf c = {.verb = VERB_SHOW, .link_name = "lan"};
	static const enum verb verbs[] = {VERB_RUN, VERB_CHECK, VERB_DOCTOR, VERB_HELP,
		VERB_VERSION, VERB_MONITOR};

	(void)state;
	json_object_put(answer);
	answer = request_run(&link, &c);
	assert_string_equal(member("status"), "2");
	assert_string_equal(member("error"), "this link has another name");
	c.link_name = NULL;
	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++) {
		c.verb = verbs[i];
		json_object_put(answer);
		answer = request_run(&link, &c);
		assert_string_equal(member("status"), "1");
		assert_string_equal(member("error"), "no verb for a running link");
	}
}

static void a_line_is_cut_into_words(void **state)
{
	char many[2 * REQUEST_WORDS_MAX + 20], wrong[] = "check netem delay 5";
	char good[] = "check netem delay 5ms", none[] = "";

	(void)state;
	json_object_put(answer);
	answer = request_line(&link, wrong, NULL, 0);
	assert_string_equal(member("status"), "1");
	assert_memory_equal(member("error"), "netem delay '5': ", 17);
	json_object_put(answer);
	answer = request_line(&link, good, NULL, 0);
	assert_string_equal(member("error"), "no verb for a running link");
	json_object_put(answer);
	answer = request_line(&link, none, NULL, 0);
	assert_string_equal(member("status"), "1");
	memset(many, 0, sizeof(many));
	for (unsigned i = 0; i <= REQUEST_WORDS_MAX; i++)
		strcat(many, "x ");
	json_object_put(answer);
	answer = request_line(&link, many, NULL, 0);
	assert_string_equal(member("error"), "too many words");
	json_object_put(answer);
	answer = NULL;
}

/* No name is opened here: what came with the line is the table. */
static void a_table_comes_as_a_file(void **state)
{
	char line[] =
		"change wan down netem delay 40ms 1ms distribution ./no-such-file";
	char bare[] =
		"change wan down netem delay 40ms 1ms distribution ./no-such-file";
	FILE *file = tmpfile();
	int fd;

	(void)state;
	assert_non_null(file);
	fputs("-7 0 7\n", file);
	fflush(file);
	fd = fileno(file);
	json_object_put(answer);
	answer = request_line(&link, bare, NULL, 0);
	assert_string_equal(member("status"), "1");
	assert_int_equal(spec[DIR_DOWN].netem.latency_ns, 10 * MS);
	json_object_put(answer);
	answer = request_line(&link, line, &fd, 1);
	assert_string_equal(member("status"), "0");
	assert_int_equal(spec[DIR_DOWN].netem.dist.kind, DIST_FILE);
	assert_int_equal(spec[DIR_DOWN].netem.dist.n_values, 3);
	assert_int_equal(spec[DIR_DOWN].netem.dist.values[0], -7);
	assert_string_equal(spec[DIR_DOWN].netem.dist.name, "./no-such-file");
	fclose(file);
	json_object_put(answer);
	answer = NULL;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_direction_not_named_is_left_alone),
		TEST(words_without_a_direction_are_for_both),
		TEST(set_says_everything),
		TEST(a_loopback_has_one_direction),
		TEST(without_memory_nothing_changes),
		TEST(what_may_surprise_is_said_once),
		TEST(show_looks_at_the_link_of_now),
		TEST(what_is_no_request_is_refused),
		TEST(a_line_is_cut_into_words),
		TEST(a_table_comes_as_a_file),
	};

	return cmocka_run_group_tests_name("run/request", tests, NULL, NULL);
}
