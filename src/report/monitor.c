/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report/monitor.c - what a link did between two looks at it
 */
#include "config.h"

#include "report/monitor.h"

#include "base/units.h"

#include <inttypes.h>
#include <json-c/json.h>
#include <string.h>

#define LINE_BYTES 160
/* Of all that left. */
#define LATE_SHARE 0.99

static struct json_object *get(struct json_object *o, const char *key)
{
	struct json_object *v = NULL;

	json_object_object_get_ex(o, key, &v);
	return v;
}

static uint64_t number(struct json_object *o, const char *key)
{
	struct json_object *v = get(o, key);

	return v ? json_object_get_uint64(v) : 0;
}

static void text(char *to, size_t max_bytes, struct json_object *o, const char *key)
{
	struct json_object *v = get(o, key);

	snprintf(to, max_bytes, "%s", v ? json_object_get_string(v) : "");
}

/* By how much a counter grew. */
static double grew(
	struct json_object *before, struct json_object *after, const char *key)
{
	uint64_t a = number(before, key), b = number(after, key);

	return b > a ? (double)(b - a) : 0;
}

static uint64_t frames_below(struct json_object *histogram, uint64_t below_ns)
{
	size_t n = histogram ? json_object_array_length(histogram) : 0;

	for (size_t i = 0; i < n; i++) {
		struct json_object *class = json_object_array_get_idx(histogram, i);

		if (number(class, "below_ns") == below_ns)
			return number(class, "frames");
	}
	return 0;
}

/* The end of the class in which the last of 99 of 100 frames lies. */
static nsec_t late_below_ns(struct json_object *before, struct json_object *after)
{
	struct json_object *h0 = get(get(before, "lateness"), "histogram");
	struct json_object *h1 = get(get(after, "lateness"), "histogram");
	double all = grew(get(before, "lateness"), get(after, "lateness"), "frames");
	size_t n = h1 ? json_object_array_length(h1) : 0;
	double seen = 0;

	for (size_t i = 0; i < n; i++) {
		struct json_object *class = json_object_array_get_idx(h1, i);
		uint64_t below_ns = number(class, "below_ns");

		seen += (double)(number(class, "frames") - frames_below(h0, below_ns));
		if (all > 0 && seen >= LATE_SHARE * all)
			return (nsec_t)below_ns;
	}
	return 0;
}

static void fill_row(
	struct monitor_row *r, struct json_object *before, struct json_object *after)
{
	double s = (double)r->span_ns / (double)NSEC_PER_SEC;
	double in = grew(before, after, "in"), out = grew(before, after, "out");
	/* By Little's law, with what waited on the average of the two looks. */
	double waits =
		((double)number(before, "backlog") + (double)number(after, "backlog")) /
		2;

	r->in_per_s = in / s;
	r->out_per_s = out / s;
	r->out_mbit_per_s = grew(before, after, "out_bytes") * 8 / 1e6 / s;
	r->lost_percent = in > 0 ? 100 * grew(before, after, "lost") / in : 0;
	r->drop_per_s = (grew(before, after, "drop_limit") +
				grew(before, after, "host_drops")) /
			s;
	r->backlog = number(after, "backlog");
	r->wait_ns = out > 0 ? (nsec_t)(waits / out * (double)r->span_ns) : -1;
	r->late_below_ns = late_below_ns(before, after);
}

/* The same path in another look. */
static struct json_object *find(struct json_object *look, const struct monitor_row *r)
{
	struct monitor_row other;

	for (size_t i = 0; i < json_object_array_length(look); i++) {
		struct json_object *o = json_object_array_get_idx(look, i);

		text(other.dev, sizeof(other.dev), o, "dev");
		text(other.direction, sizeof(other.direction), o, "direction");
		if (strcmp(other.dev, r->dev) == 0 &&
			strcmp(other.direction, r->direction) == 0)
			return o;
	}
	return NULL;
}

unsigned monitor_rows(struct json_object *before, struct json_object *after,
	struct monitor_row rows[MONITOR_ROWS_MAX])
{
	unsigned n = 0;

	if (!json_object_is_type(before, json_type_array) ||
		!json_object_is_type(after, json_type_array))
		return 0;
	for (size_t i = 0; i < json_object_array_length(after) && n < MONITOR_ROWS_MAX;
		i++) {
		struct json_object *o = json_object_array_get_idx(after, i);
		struct monitor_row *r = &rows[n];
		struct json_object *old;

		*r = (struct monitor_row){0};
		text(r->link, sizeof(r->link), o, "link");
		text(r->dev, sizeof(r->dev), o, "dev");
		text(r->direction, sizeof(r->direction), o, "direction");
		old = find(before, r);
		r->span_ns = (nsec_t)(number(get(o, "ext"), "up_ns") -
				      number(get(old, "ext"), "up_ns"));
		if (!old || r->span_ns <= 0)
			continue;
		fill_row(r, get(old, "ext"), get(o, "ext"));
		n++;
	}
	return n;
}

/* "41ms", or "-" where there is no such time. */
static const char *human_ns(nsec_t ns, bool known, char room[UNITS_TEXT_BYTES])
{
	if (known)
		units_print_time(ns, room, UNITS_TEXT_BYTES);
	else
		snprintf(room, UNITS_TEXT_BYTES, "-");
	return room;
}

void monitor_line(FILE *to, const struct monitor_row *r)
{
	char wait[UNITS_TEXT_BYTES], late[UNITS_TEXT_BYTES];

	fprintf(to,
		"%s %s %s in/s %.0f out/s %.0f Mbit/s %.1f lost%% %.1f drop/s %.0f "
		"queue %" PRIu64 " wait %s late_p99 %s%s\n",
		r->link, r->dev, r->direction, r->in_per_s, r->out_per_s,
		r->out_mbit_per_s, r->lost_percent, r->drop_per_s, r->backlog,
		human_ns(r->wait_ns, r->wait_ns >= 0, wait),
		r->late_below_ns ? "<" : "",
		human_ns(r->late_below_ns, r->late_below_ns > 0, late));
}

static void add_double(struct json_object *o, const char *key, double v)
{
	struct json_object *number_object = json_object_new_double(v);

	if (number_object)
		json_object_set_serializer(number_object,
			json_object_double_to_json_string, (void *)(uintptr_t) "%.10g",
			NULL);
	json_object_object_add(o, key, number_object);
}

struct json_object *monitor_json(const struct monitor_row *r)
{
	struct json_object *o = json_object_new_object();

	if (!o)
		return NULL;
	json_object_object_add(o, "link", json_object_new_string(r->link));
	json_object_object_add(o, "dev", json_object_new_string(r->dev));
	json_object_object_add(o, "direction", json_object_new_string(r->direction));
	json_object_object_add(o, "span_ns", json_object_new_int64(r->span_ns));
	add_double(o, "in_per_s", r->in_per_s);
	add_double(o, "out_per_s", r->out_per_s);
	add_double(o, "out_mbit_per_s", r->out_mbit_per_s);
	add_double(o, "lost_percent", r->lost_percent);
	add_double(o, "drop_per_s", r->drop_per_s);
	json_object_object_add(o, "backlog", json_object_new_uint64(r->backlog));
	if (r->wait_ns >= 0)
		json_object_object_add(o, "wait_ns", json_object_new_int64(r->wait_ns));
	if (r->late_below_ns)
		json_object_object_add(o, "late_p99_below_ns",
			json_object_new_int64(r->late_below_ns));
	return o;
}

static void put_cut(FILE *to, const char *line, unsigned columns, const char *end)
{
	fprintf(to, "%.*s%s", (int)columns, line, end);
}

unsigned monitor_table(FILE *to, const struct monitor_row *rows, unsigned n,
	unsigned columns, const char *end)
{
	char line[LINE_BYTES], wait[UNITS_TEXT_BYTES], late[UNITS_TEXT_BYTES + 1];

	snprintf(line, sizeof(line), "%-12s %-6s %-4s %9s %9s %9s %6s %8s %7s %7s %8s",
		"link", "dev", "dir", "in/s", "out/s", "Mbit/s", "lost%", "drop/s",
		"queue", "wait", "late p99");
	put_cut(to, line, columns, end);
	for (unsigned i = 0; i < n; i++) {
		const struct monitor_row *r = &rows[i];

		human_ns(r->late_below_ns, r->late_below_ns > 0, late + 1);
		late[0] = '<';
		snprintf(line, sizeof(line),
			"%-12s %-6s %-4s %9.0f %9.0f %9.1f %6.1f %8.0f %7" PRIu64
			" %7s %8s",
			r->link, r->dev, r->direction, r->in_per_s, r->out_per_s,
			r->out_mbit_per_s, r->lost_percent, r->drop_per_s, r->backlog,
			human_ns(r->wait_ns, r->wait_ns >= 0, wait),
			late + !r->late_below_ns);
		put_cut(to, line, columns, end);
	}
	return n + 1;
}
