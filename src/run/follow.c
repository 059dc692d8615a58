/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run/follow.c - `farwire monitor`: what running links do, second by second
 */
#include "config.h"

#include "run/follow.h"

#include "base/log.h"
#include "report/monitor.h"

#include <errno.h>
#include <json-c/json.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* A terminal that does not say how wide it is. */
#define COLUMNS_DEFAULT 80
#define LINES_DEFAULT 24

struct follow {
	struct client *links;
	struct json_object *look[FOLLOW_LINKS_MAX]; /* the last of each link */
	unsigned n;
	bool json, table;
	FILE *out;
	unsigned n_drawn; /* lines of the table that stands on the terminal */
	struct monitor_row row[FOLLOW_LINKS_MAX * MONITOR_ROWS_MAX];
	unsigned n_rows;
};

static void forget(struct follow *f, unsigned i)
{
	json_object_put(f->look[i]);
	client_close(&f->links[i]);
	f->n--;
	for (; i < f->n; i++) {
		f->look[i] = f->look[i + 1];
		f->links[i] = f->links[i + 1];
	}
}

/* Ask all links; rows for those that were asked before. */
static void look_at_all(struct follow *f)
{
	struct json_object *answer, *look;
	char line[128];
	struct err e;
	unsigned i = 0;

	f->n_rows = 0;
	while (i < f->n) {
		snprintf(line, sizeof(line), "show -s -j %s", f->links[i].name);
		if (client_ask(&f->links[i], line, NULL, 0, &answer, &e) < 0) {
			/* The line stands below the table, a new one below the line. */
			f->n_drawn = 0;
			log_error("%s", e.text);
			forget(f, i);
			continue;
		}
		look = NULL;
		if (json_object_object_get_ex(answer, "links", &look))
			json_object_get(look);
		json_object_put(answer);
		f->n_rows += monitor_rows(f->look[i], look, f->row + f->n_rows);
		json_object_put(f->look[i]);
		f->look[i++] = look;
	}
}

static void draw(struct follow *f)
{
	struct winsize w = {0};
	unsigned n = f->n_rows;

	if (ioctl(fileno(f->out), TIOCGWINSZ, &w) < 0 || !w.ws_col || !w.ws_row)
		w = (struct winsize){
			.ws_col = COLUMNS_DEFAULT, .ws_row = LINES_DEFAULT};
	/* A line that is wrapped or scrolled away could not be drawn over. */
	if (n + 2 > w.ws_row)
		n = w.ws_row > 2 ? w.ws_row - 2u : 0;
	if (f->n_drawn)
		fprintf(f->out, "\r\033[%uA", f->n_drawn);
	f->n_drawn = monitor_table(f->out, f->row, n, w.ws_col - 1u, "\033[K\n");
	fputs("\033[J", f->out);
}

static void print(struct follow *f)
{
	for (unsigned i = 0; i < f->n_rows && !f->table; i++) {
		struct json_object *o = f->json ? monitor_json(&f->row[i]) : NULL;

		if (o)
			fprintf(f->out, "%s\n",
				json_object_to_json_string_ext(
					o, JSON_C_TO_STRING_PLAIN));
		else if (!f->json)
			monitor_line(f->out, &f->row[i]);
		json_object_put(o);
	}
	if (f->table && f->n_rows)
		draw(f);
}

/* Sleep until @at_ns. Return: whether one of @ends came. */
static bool is_ended(const sigset_t *ends, nsec_t at_ns)
{
	nsec_t left_ns = at_ns - clock_now_ns();
	struct timespec t = {0};

	if (left_ns > 0)
		t = (struct timespec){.tv_sec = left_ns / NSEC_PER_SEC,
			.tv_nsec = left_ns % NSEC_PER_SEC};
	return sigtimedwait(ends, NULL, &t) > 0;
}

int follow_links(struct client *links, unsigned n, bool json, nsec_t every_ns,
	FILE *out, struct err *e)
{
	const char *term = getenv("TERM");
	struct follow f = {.links = links, .n = n, .json = json, .out = out};
	nsec_t next_ns = clock_now_ns();
	sigset_t ends;
	int rc = 0;

	f.table = !json && isatty(fileno(out)) && term && strcmp(term, "dumb") != 0;
	/* A table is seen whole or not at all. */
	if (f.table)
		setvbuf(out, NULL, _IOFBF, BUFSIZ);
	sigemptyset(&ends);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGTERM);
	sigprocmask(SIG_BLOCK, &ends, NULL);
	while (!rc) {
		look_at_all(&f);
		print(&f);
		if (fflush(out) == EOF)
			rc = err_sys(e, "monitor: cannot write");
		/* Looks that took too long are left out, not made up for. */
		do
			next_ns += every_ns;
		while (next_ns < clock_now_ns());
		if (!f.n || rc || is_ended(&ends, next_ns))
			break;
	}
	if (f.table) {
		/* What the terminal made of Ctrl-C stands where the next line will. */
		fputs("\r\033[K", out);
		fflush(out);
	}
	while (f.n)
		forget(&f, f.n - 1);
	return rc;
}
