/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run/request.c - one command line to a running link, and its answer
 */
#include "config.h"

#include "run/request.h"

#include "base/clock.h"
#include "conf/args.h"
#include "conf/change.h"
#include "conf/kinds.h"
#include "conf/netem_conf.h"
#include "report/show.h"

#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STATUS_WRONG_WORDS 1
#define STATUS_REFUSED 2

/* What a change does to one direction. */
struct step {
	bool taken;
	struct spec to;
	struct path_change change;
};

struct json_object *request_refused(int status, const char *why)
{
	struct json_object *o = json_object_new_object();

	if (!o)
		return NULL;
	json_object_object_add(o, "status", json_object_new_int(status));
	json_object_object_add(o, "error", json_object_new_string(why));
	return o;
}

static struct json_object *done(void)
{
	struct json_object *o = json_object_new_object();

	if (o)
		json_object_object_add(o, "status", json_object_new_int(0));
	return o;
}

static struct json_object *show(const struct request_link *l, const struct conf *c)
{
	struct report r = {0};
	struct show_link s = {.name = l->name,
		.near = l->near,
		.far = l->far,
		.words = l->words,
		.pid = getpid(),
		.report = &r};
	struct json_object *o = done();
	char *text = NULL;
	size_t n_bytes;
	FILE *out;

	l->look(l->ctx, &r);
	if (o && c->json) {
		json_object_object_add(o, "links", show_link_json(&s, c->stats));
		return o;
	}
	out = o ? open_memstream(&text, &n_bytes) : NULL;
	if (!out)
		return o;
	if (c->exact)
		show_link_exact(out, &s);
	else
		show_link_text(out, &s, c->stats);
	fclose(out);
	if (text)
		json_object_object_add(o, "text", json_object_new_string(text));
	free(text);
	return o;
}

/*
 * The words for @dir, or NULL where it is left alone. `set` says everything: a direction
 * that it does not name lets everything through.
 */
static const struct spec *words_for(const struct conf *c, enum direction dir)
{
	bool all = !c->has_direction[DIR_UP] && !c->has_direction[DIR_DOWN];

	if (all || c->has_direction[dir] || c->verb == VERB_SET)
		return &c->spec[dir];
	return NULL;
}

/* The first half of a change: everything that can fail. */
static int prepare(struct step *s, const struct request_link *l, const struct conf *c,
	enum direction dir, struct err *e)
{
	const struct spec *words = words_for(c, dir);
	int rc;

	if (!words)
		return 0;
	s->to.kind = IMPAIR_NETEM;
	if (netem_conf_copy(&s->to.netem, &l->spec[dir]->netem))
		return err_set(e, -ENOMEM, "no memory for a SPEC");
	rc = c->verb == VERB_SET ? change_set(&s->to, words, e)
				 : change_apply(&s->to, words, e);
	if (!rc)
		rc = path_change_prepare(l->path[dir], &s->to, &s->change, e);
	if (rc)
		kinds_fini(&s->to);
	s->taken = !rc;
	return rc;
}

/* The second half: cannot fail. */
static void commit(
	struct step *s, const struct request_link *l, enum direction dir, nsec_t now_ns)
{
	path_change_commit(l->path[dir], &s->change, now_ns);
	kinds_fini(l->spec[dir]);
	*l->spec[dir] = s->to;
	if (l->changed)
		l->changed(l->ctx, dir);
}

static void add_warning(struct json_object *list, const struct request_link *l,
	const char *direction, const char *line)
{
	char text[WARN_LINE_BYTES + 64];

	snprintf(text, sizeof(text), "%s%s%s: %s", l->name, direction ? " " : "",
		direction ? direction : "", line);
	json_object_array_add(list, json_object_new_string(text));
}

/* What is true of both directions alike is said once. */
static void add_warnings(struct json_object *answer, const struct request_link *l,
	const struct step *step, const struct conf *c)
{
	char lines[N_DIRS][WARN_LINES_MAX][WARN_LINE_BYTES];
	struct json_object *list = json_object_new_array();
	unsigned n[N_DIRS] = {0};
	bool one_way = !l->path[DIR_DOWN];

	for (int d = 0; d < N_DIRS; d++)
		if (step[d].taken)
			n[d] = change_warn(l->spec[d], words_for(c, d), lines[d]);
	for (unsigned i = 0; i < n[DIR_UP]; i++) {
		bool both = i < n[DIR_DOWN] &&
			    strcmp(lines[DIR_UP][i], lines[DIR_DOWN][i]) == 0;

		add_warning(list, l, one_way || both ? NULL : "up", lines[DIR_UP][i]);
		if (both)
			lines[DIR_DOWN][i][0] = '\0';
	}
	for (unsigned i = 0; i < n[DIR_DOWN]; i++)
		if (lines[DIR_DOWN][i][0])
			add_warning(list, l, "down", lines[DIR_DOWN][i]);
	json_object_object_add(answer, "warnings", list);
}

static struct json_object *change(const struct request_link *l, const struct conf *c)
{
	struct step step[N_DIRS] = {0};
	struct json_object *answer;
	nsec_t now_ns;
	struct err e;
	int rc = 0;

	if (c->has_direction[DIR_DOWN] && !l->path[DIR_DOWN])
		return request_refused(STATUS_WRONG_WORDS,
			"down: a loopback has one direction; write up, or netem alone");
	for (int d = 0; d < N_DIRS && !rc; d++)
		if (l->path[d])
			rc = prepare(&step[d], l, c, d, &e);
	answer = rc ? request_refused(STATUS_REFUSED, e.text) : done();
	if (!rc && answer && c->verb != VERB_SET)
		add_warnings(answer, l, step, c);
	now_ns = clock_now_ns();
	for (int d = 0; d < N_DIRS; d++) {
		if (!step[d].taken)
			continue;
		if (!rc && answer) {
			commit(&step[d], l, d, now_ns);
		} else {
			path_change_cancel(&step[d].change);
			kinds_fini(&step[d].to);
		}
	}
	return answer;
}

static struct json_object *end(const struct request_link *l)
{
	if (!l->end)
		return request_refused(
			STATUS_REFUSED, "it is a run and ends with its command");
	l->end(l->ctx);
	return done();
}

struct json_object *request_run(const struct request_link *l, const struct conf *c)
{
	if (c->link_name && strcmp(c->link_name, l->name) != 0)
		return request_refused(STATUS_REFUSED, "this link has another name");
	switch (c->verb) {
	case VERB_SHOW:
		return show(l, c);
	case VERB_CHANGE:
	case VERB_REPLACE:
	case VERB_SET:
		return change(l, c);
	case VERB_DEL:
		return end(l);
	case VERB_RUN:
	case VERB_ADD:
	case VERB_CHECK:
	case VERB_DOCTOR:
	case VERB_MONITOR:
	case VERB_HELP:
	case VERB_VERSION:
	case VERB_BATCH:
		break;
	}
	return request_refused(STATUS_WRONG_WORDS, "no verb for a running link");
}

/* Cut @line into words behind argv[0]. Return: argc, or -1. */
static int cut(char *line, char *argv[REQUEST_WORDS_MAX + 2])
{
	char *save = NULL;
	int argc = 1;

	for (char *w = strtok_r(line, " ", &save); w; w = strtok_r(NULL, " ", &save)) {
		if (argc > REQUEST_WORDS_MAX)
			return -1;
		argv[argc++] = w;
	}
	argv[argc] = NULL;
	return argc;
}

struct json_object *request_line(
	const struct request_link *l, char *line, const int *files, int n_files)
{
	static char program[] = "farwire";
	char *argv[REQUEST_WORDS_MAX + 2] = {program};
	struct json_object *answer;
	struct conf c;
	struct err e;
	int argc = cut(line, argv);

	if (argc < 0)
		return request_refused(STATUS_WRONG_WORDS, "too many words");
	conf_init(&c);
	if (conf_read_files(&c, argc, argv, files, n_files, &e) < 0)
		return request_refused(
			e.code == -ENOMEM ? STATUS_REFUSED : STATUS_WRONG_WORDS,
			e.text);
	answer = request_run(l, &c);
	conf_fini(&c);
	return answer;
}
