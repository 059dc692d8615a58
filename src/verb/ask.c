/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * verb/ask.c - show, change, monitor and del: what is asked of links that run
 *
 * The words were read and checked here first, so that a slip needs no link; the link
 * reads the same words again by the same reader.
 */
#include "config.h"

#include "verb/verb.h"

#include "base/log.h"
#include "conf/args.h"
#include "conf/dist_file.h"
#include "conf/show.h"
#include "host/last.h"
#include "host/place.h"
#include "host/place_list.h"
#include "run/client.h"
#include "run/ctl.h"
#include "run/follow.h"

#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* No such link: why the last one of that name ended, where it left word. */
static void add_last(const struct place *place, const char *name, struct err *e)
{
	char last[LAST_TEXT_BYTES];
	struct err had = *e;

	if (last_read(place, name, last) == 0)
		err_set(e, had.code, "link '%s': it has ended: %s", name, last);
}

static int open_link(
	const struct place *place, const char *name, struct client *k, struct err *e)
{
	int fd = place_connect(place, name, e);
	int rc;

	if (fd == -ENOENT)
		add_last(place, name, e);
	if (fd < 0)
		return fd;
	rc = client_open(k, fd, name, e);
	if (rc < 0)
		close(fd);
	return rc;
}

/* A link may end between the look at the names and the question; others are not ours. */
static bool is_no_matter(int rc)
{
	return rc == -ENOENT || rc == -EACCES || rc == -EPIPE || rc == -ECONNREFUSED;
}

/* The one link that was named, or all there are. Return: 0 or -ENOMEM. */
static int list(const struct place *place, const struct conf *c, struct place_names *n,
	struct err *e)
{
	*n = (struct place_names){0};
	if (!c->link_name)
		return place_list(place, n, e);
	n->name = calloc(1, sizeof(*n->name));
	if (!n->name)
		return err_set(e, -ENOMEM, "links: out of memory");
	snprintf(n->name[0], sizeof(n->name[0]), "%s", c->link_name);
	n->n = 1;
	return 0;
}

/* What goes along with a line: open files, none for most. */
struct parcel {
	int n;
	int fd[CONF_TABLES_MAX];
};

static int ask_one(const struct place *place, const char *name, const char *line,
	const struct parcel *with, struct json_object **answer, struct err *e)
{
	struct client k;
	int rc = open_link(place, name, &k, e);

	if (rc < 0)
		return rc;
	rc = client_ask(&k, line, with->fd, with->n, answer, e);
	client_close(&k);
	return rc;
}

/* What one link said: text goes out at once, objects are collected in @all. */
static void take_answer(struct json_object *answer, struct json_object *all)
{
	struct json_object *o;

	if (json_object_object_get_ex(answer, "text", &o))
		fputs(json_object_get_string(o), stdout);
	if (json_object_object_get_ex(answer, "links", &o) &&
		json_object_is_type(o, json_type_array))
		for (size_t i = 0; i < json_object_array_length(o); i++)
			json_object_array_add(
				all, json_object_get(json_object_array_get_idx(o, i)));
	json_object_put(answer);
}

static int show_all(const struct conf *c, const struct place *place,
	const struct place_names *names, struct json_object *all)
{
	const struct parcel nothing = {0};
	struct json_object *answer;
	int rc, status = EXIT_SUCCESS;
	char line[256];
	struct err e;

	for (unsigned i = 0; i < names->n; i++) {
		client_show_words(c, names->name[i], line, sizeof(line));
		rc = ask_one(place, names->name[i], line, &nothing, &answer, &e);
		if (rc == 0) {
			take_answer(answer, all);
		} else if (c->link_name || !is_no_matter(rc)) {
			log_error("%s", e.text);
			status = EXIT_SYSTEM;
		}
	}
	return status;
}

int verb_show(const struct conf *c)
{
	struct json_object *all = json_object_new_array();
	struct place_names names;
	struct place place;
	struct err e;
	int status;

	place_usual(&place);
	if (!all || list(&place, c, &names, &e) < 0) {
		log_error("show: out of memory");
		return EXIT_SYSTEM;
	}
	status = show_all(c, &place, &names, all);
	if (c->json && (status == EXIT_SUCCESS || !c->link_name))
		show_put_json(all, c->pretty, stdout);
	json_object_put(all);
	place_list_fini(&names);
	return status;
}

/* The tables of the words, as they were read here. */
static int pack(const struct conf *c, struct parcel *with, struct err *e)
{
	const struct dist_conf *table[CONF_TABLES_MAX];
	int n = (int)conf_tables(c, table);

	for (with->n = 0; with->n < n; with->n++) {
		with->fd[with->n] = dist_file_to_fd(table[with->n], e);
		if (with->fd[with->n] < 0)
			return e->code;
	}
	return 0;
}

int verb_change(const struct conf *c, int argc, char **argv)
{
	struct json_object *answer;
	char line[CTL_LINE_BYTES];
	struct parcel with = {0};
	struct place place;
	struct err e;
	int rc;

	place_usual(&place);
	rc = client_words(argc, argv, line, sizeof(line), &e);
	if (!rc)
		rc = pack(c, &with, &e);
	if (!rc)
		rc = ask_one(&place, c->link_name, line, &with, &answer, &e);
	while (with.n > 0)
		close(with.fd[--with.n]);
	if (!rc) {
		json_object_put(answer);
		return EXIT_SUCCESS;
	}
	log_error("%s", e.text);
	return verb_status(rc);
}

/* Ask for the end of a link and keep the connection. @k is closed on failure. */
static int ask_end(
	const struct place *place, const char *name, struct client *k, struct err *e)
{
	struct json_object *answer;
	char line[64];
	int rc = open_link(place, name, k, e);

	if (rc < 0)
		return rc;
	snprintf(line, sizeof(line), "del %s", name);
	rc = client_ask(k, line, NULL, 0, &answer, e);
	if (rc < 0)
		client_close(k);
	else
		json_object_put(answer);
	return rc;
}

/* All are told first, since each takes its time. Return: the status. */
static int del_all(const struct conf *c, const struct place *place,
	const struct place_names *names, struct client *k, bool *told)
{
	int rc, status = EXIT_SUCCESS;
	struct err e;

	for (unsigned i = 0; i < names->n; i++) {
		rc = ask_end(place, names->name[i], &k[i], &e);
		told[i] = rc == 0;
		/* `del all` leaves runs alone: they end with their command. */
		if (rc < 0 && (c->link_name || !(is_no_matter(rc) || rc == -EIO))) {
			log_error("%s", e.text);
			status = EXIT_SYSTEM;
		}
	}
	for (unsigned i = 0; i < names->n; i++) {
		if (!told[i])
			continue;
		if (client_wait_end(&k[i], &e) < 0) {
			log_error("%s", e.text);
			status = EXIT_SYSTEM;
		}
		client_close(&k[i]);
	}
	return status;
}

int verb_del(const struct conf *c)
{
	struct place_names names;
	struct client *k = NULL;
	struct place place;
	bool *told = NULL;
	struct err e;
	int status = EXIT_SYSTEM;

	place_usual(&place);
	if (list(&place, c, &names, &e) == 0) {
		k = calloc(names.n + 1, sizeof(*k));
		told = calloc(names.n + 1, sizeof(*told));
	}
	if (k && told)
		status = del_all(c, &place, &names, k, told);
	else
		log_error("del: out of memory");
	place_list_fini(&names);
	free(k);
	free(told);
	return status;
}

int verb_monitor(const struct conf *c)
{
	static struct client links[FOLLOW_LINKS_MAX];
	struct place_names names;
	struct place place;
	unsigned n = 0;
	struct err e;
	int rc;

	place_usual(&place);
	if (list(&place, c, &names, &e) < 0) {
		log_error("%s", e.text);
		return EXIT_SYSTEM;
	}
	for (unsigned i = 0; i < names.n && n < FOLLOW_LINKS_MAX; i++) {
		rc = open_link(&place, names.name[i], &links[n], &e);
		if (rc == 0)
			n++;
		else if (c->link_name || !is_no_matter(rc))
			log_error("%s", e.text);
	}
	place_list_fini(&names);
	if (!n) {
		if (!c->link_name)
			log_error("monitor: no link runs");
		return EXIT_SYSTEM;
	}
	if (follow_links(links, n, c->json, NSEC_PER_SEC, stdout, &e) == 0)
		return EXIT_SUCCESS;
	log_error("%s", e.text);
	return EXIT_SYSTEM;
}
