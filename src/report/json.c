/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report/json.c - what a run came to, for a program
 *
 * One object: version, exit_status, broke, elapsed_ns, carrier, rank, the loop's
 * counters, and "paths", one object a direction. Times are whole ns, seeds whole
 * numbers; a share is never rounded into a percent.
 */
#include "config.h"

#include "report/report.h"

#include <errno.h>
#include <json.h>
#include <string.h>
#include <unistd.h>

static void add_u64(struct json_object *o, const char *key, uint64_t v)
{
	json_object_object_add(o, key, json_object_new_uint64(v));
}

static void add_text(struct json_object *o, const char *key, const char *v)
{
	json_object_object_add(o, key, json_object_new_string(v));
}

static struct json_object *lateness(const struct late *l)
{
	struct json_object *o = json_object_new_object();
	struct json_object *h = json_object_new_array();
	struct json_object *row;
	unsigned i;

	add_u64(o, "frames", l->n);
	add_u64(o, "p50_ns", (uint64_t)late_quantile_ns(l, 0.5));
	add_u64(o, "p99_ns", (uint64_t)late_quantile_ns(l, 0.99));
	add_u64(o, "p99.9_ns", (uint64_t)late_quantile_ns(l, 0.999));
	add_u64(o, "max_ns", (uint64_t)l->max_ns);
	for (i = 0; i < N_LATE_CLASSES; i++) {
		if (!late_class(l, i))
			continue;
		row = json_object_new_object();
		add_u64(row, "below_ns", (uint64_t)NSEC_PER_USEC << i);
		add_u64(row, "frames", late_class(l, i));
		json_object_array_add(h, row);
	}
	json_object_object_add(o, "histogram", h);
	return o;
}

void report_add_counters(struct json_object *o, const struct report_path *p)
{
	const struct count *c = p->count;

	add_u64(o, "in", c->in);
	add_u64(o, "in_bytes", c->in_bytes);
	add_u64(o, "out", c->out);
	add_u64(o, "out_bytes", c->out_bytes);
	add_u64(o, "lost", c->lost);
	add_u64(o, "loss_hits", c->loss_hits);
	add_u64(o, "drops", c->drops);
	add_u64(o, "drop_limit", c->drop_limit);
	add_u64(o, "drop_limit_bytes", c->drop_limit_bytes);
	add_u64(o, "drop_mem", c->drop_mem);
	add_u64(o, "drop_io", c->drop_io);
	add_u64(o, "drop_ring", p->drop_ring);
	add_u64(o, "host_drops", report_host_drops(p));
	add_u64(o, "duplicated", c->duplicated);
	add_u64(o, "dup_hits", c->dup_hits);
	add_u64(o, "corrupted", c->corrupted);
	add_u64(o, "reordered", c->reordered);
	add_u64(o, "overtakes", c->overtakes);
	add_u64(o, "ecn_marked", c->ecn_marked);
	add_u64(o, "delayed", c->delayed);
	add_u64(o, "backlog", c->backlog);
	add_u64(o, "backlog_bytes", c->backlog_bytes);
	add_u64(o, "backlog_peak", c->backlog_peak);
	add_u64(o, "backlog_bytes_peak", c->backlog_bytes_peak);
	add_u64(o, "busy_ns", (uint64_t)c->busy_ns);
	add_u64(o, "reads", p->reads);
	add_u64(o, "frames_read", p->frames_read);
	add_u64(o, "writes", p->writes);
	add_u64(o, "frames_written", p->frames_written);
	add_u64(o, "copied_bytes", c->copied_bytes);
	json_object_object_add(o, "lateness", lateness(&c->late));
}

static struct json_object *path_object(const struct report_path *p)
{
	struct json_object *o = json_object_new_object();

	add_text(o, "link", p->link);
	add_text(o, "direction", p->direction);
	add_u64(o, "limit", p->spec->netem.limit_frames);
	add_u64(o, "delay_ns", (uint64_t)p->spec->netem.latency_ns);
	add_u64(o, "seed", p->spec->netem.seed);
	report_add_counters(o, p);
	return o;
}

static int write_all(int fd, const char *text, size_t n)
{
	ssize_t done;

	while (n > 0) {
		done = write(fd, text, n);
		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return -errno;
		text += done;
		n -= (size_t)done;
	}
	return 0;
}

int report_json(int fd, const struct report *r, struct err *e)
{
	struct json_object *o = json_object_new_object();
	struct json_object *paths = json_object_new_array();
	const char *text;
	size_t len;
	unsigned i;
	int rc;

	add_text(o, "version", PACKAGE_VERSION);
	json_object_object_add(o, "exit_status", json_object_new_int(r->exit_status));
	json_object_object_add(o, "broke", json_object_new_boolean(r->broke));
	add_u64(o, "elapsed_ns", (uint64_t)r->elapsed_ns);
	add_text(o, "carrier", r->carrier);
	add_text(o, "rank", r->rank);
	add_u64(o, "rank_steps", r->rank_steps);
	add_u64(o, "wakeups", r->wakeups);
	add_u64(o, "idle_wakeups", r->idle_wakeups);
	add_u64(o, "timer_arms", r->arms);
	for (i = 0; i < r->n_paths; i++)
		json_object_array_add(paths, path_object(&r->path[i]));
	json_object_object_add(o, "paths", paths);
	text = json_object_to_json_string_length(
		o, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE, &len);
	rc = write_all(fd, text, len);
	if (!rc)
		rc = write_all(fd, "\n", 1);
	json_object_put(o);
	if (rc)
		return err_set(e, rc, "cannot write the report: %s", strerror(-rc));
	return 0;
}
