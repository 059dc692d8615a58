/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report/show.c - a link as `farwire show` says it: settings and, with -s, statistics
 *
 * tc's "dropped" and "duplicated" count decisions, ours count frames (engine/count.h);
 * tc's stand among tc's words, ours in "ext" and in our own lines.
 */
#include "config.h"

#include "report/show.h"

#include "base/units.h"
#include "conf/kinds.h"
#include "conf/show.h"

#include <inttypes.h>
#include <json-c/json.h>
#include <string.h>

#define NAME_BYTES 32

/* "12s", "3m20s", "2h5m", "4d2h" */
static const char *human_span(nsec_t ns, char text[NAME_BYTES])
{
	uint64_t s = ns > 0 ? (uint64_t)(ns / NSEC_PER_SEC) : 0;

	if (s < 60)
		snprintf(text, NAME_BYTES, "%" PRIu64 "s", s);
	else if (s < 3600)
		snprintf(text, NAME_BYTES, "%" PRIu64 "m%" PRIu64 "s", s / 60, s % 60);
	else if (s < 86400)
		snprintf(text, NAME_BYTES, "%" PRIu64 "h%" PRIu64 "m", s / 3600,
			s / 60 % 60);
	else
		snprintf(text, NAME_BYTES, "%" PRIu64 "d%" PRIu64 "h", s / 86400,
			s / 3600 % 24);
	return text;
}

static const char *human_ns(nsec_t ns, char text[UNITS_TEXT_BYTES])
{
	units_print_time(ns, text, UNITS_TEXT_BYTES);
	return text;
}

static double per(uint64_t a, uint64_t b)
{
	return b ? (double)a / (double)b : 0;
}

/* What tc prints with -s, two blanks further in. */
static void tc_lines(FILE *to, const struct count *c)
{
	uint64_t backlog =
		c->backlog_bytes < UINT32_MAX ? c->backlog_bytes : UINT32_MAX;
	char bytes[UNITS_TEXT_BYTES];

	units_print_size((uint32_t)backlog, bytes, sizeof(bytes));
	fprintf(to,
		"   Sent %" PRIu64 " bytes %" PRIu64 " pkt (dropped %" PRIu64
		", overlimits 0 requeues %" PRIu64 ") \n",
		c->out_bytes, c->out, c->drops, c->reordered);
	fprintf(to, "   backlog %s %" PRIu64 "p requeues %" PRIu64 "\n", bytes,
		c->backlog, c->reordered);
	fprintf(to,
		"    delayed %" PRIu64 " dropped %" PRIu64 " corrupted %" PRIu64
		" duplicated %" PRIu64 " reordered %" PRIu64 " ecn_marked %" PRIu64
		"\n",
		c->delayed, c->loss_hits, c->corrupted, c->dup_hits, c->reordered,
		c->ecn_marked);
}

static void own_line(FILE *to, const struct report_path *p)
{
	const struct late *l = &p->count->late;
	char a[UNITS_TEXT_BYTES], b[UNITS_TEXT_BYTES], c[UNITS_TEXT_BYTES];

	fprintf(to, "   late p50 %s p99 %s max %s",
		human_ns(late_quantile_ns(l, 0.5), a),
		human_ns(late_quantile_ns(l, 0.99), b), human_ns(l->max_ns, c));
	fprintf(to, "   drop_limit %" PRIu64 " host_drops %" PRIu64 "\n",
		p->count->drop_limit, report_host_drops(p));
}

static void all_lines(FILE *to, const struct report_path *p)
{
	const struct count *c = p->count;
	char text[UNITS_TEXT_BYTES];

	fprintf(to,
		"   in %" PRIu64 " frames %" PRIu64 " bytes  out %" PRIu64
		" frames %" PRIu64 " bytes  lost %" PRIu64 "  duplicated %" PRIu64
		"  overtakes %" PRIu64 "\n",
		c->in, c->in_bytes, c->out, c->out_bytes, c->lost, c->duplicated,
		c->overtakes);
	fprintf(to,
		"   backlog peak %" PRIu64 " frames %" PRIu64 " bytes  late p99.9 %s\n",
		c->backlog_peak, c->backlog_bytes_peak,
		human_ns(late_quantile_ns(&c->late, 0.999), text));
	fprintf(to,
		"   host: ring %" PRIu64 "  memory %" PRIu64 "  write %" PRIu64
		"   reads %" PRIu64 "  writes %" PRIu64
		"  frames/read %.1f  frames/write %.1f\n",
		p->drop_ring, c->drop_mem, c->drop_io, p->reads, p->writes,
		per(p->frames_read, p->reads), per(p->frames_written, p->writes));
	fputs("   lateness:", to);
	for (unsigned i = 0; i < N_LATE_CLASSES; i++)
		if (late_class(&c->late, i))
			fprintf(to, "  <%s %" PRIu64,
				human_ns(NSEC_PER_USEC << i, text),
				late_class(&c->late, i));
	fputc('\n', to);
}

static bool has_several_devices(const struct report *r)
{
	for (unsigned i = 1; i < r->n_paths; i++)
		if (strcmp(r->path[i].link, r->path[0].link) != 0)
			return true;
	return false;
}

static void header(FILE *to, const struct show_link *l)
{
	char up[NAME_BYTES];

	fprintf(to, "%s: ", l->name);
	if (l->far)
		fprintf(to, "near %s far %s", l->near, l->far);
	else
		fputs(l->near, to);
	fprintf(to, " pid %d up %s\n", (int)l->pid,
		human_span(l->report->elapsed_ns, up));
}

static void direction_line(FILE *to, const struct report_path *p, bool with_device)
{
	const struct kind *k = kinds_get(p->spec->kind);
	char text[SHOW_BYTES];

	if (with_device)
		fprintf(to, "  %-4s", p->link);
	fprintf(to, "  %-4s ", p->direction);
	if (k && show_spec(p->spec, text, sizeof(text)))
		fprintf(to, "%s %s\n", k->name, text);
	else
		fputs("unimpaired\n", to);
}

void show_link_text(FILE *to, const struct show_link *l, unsigned detail)
{
	const struct report *r = l->report;

	header(to, l);
	for (unsigned i = 0; i < r->n_paths; i++) {
		const struct report_path *p = &r->path[i];

		direction_line(to, p, has_several_devices(r));
		if (detail)
			tc_lines(to, p->count);
		if (detail)
			own_line(to, p);
		if (detail > 1)
			all_lines(to, p);
	}
	if (detail > 1)
		fprintf(to,
			"  wake-ups %" PRIu64 "  idle %" PRIu64 "  arms %" PRIu64
			"  carrier %s  rank %s\n",
			r->wakeups, r->idle_wakeups, r->arms, r->carrier, r->rank);
}

void show_link_exact(FILE *to, const struct show_link *l)
{
	char text[SHOW_BYTES];

	if (l->words)
		fprintf(to, "add %s %s", l->name, l->words);
	else
		fprintf(to, "set %s", l->name);
	for (unsigned i = 0; i < l->report->n_paths; i++) {
		const struct report_path *p = &l->report->path[i];

		if (show_exact(p->spec, text, sizeof(text)))
			fprintf(to, " %s %s", p->direction, text);
	}
	fputc('\n', to);
}

static void add_u64(struct json_object *o, const char *key, uint64_t v)
{
	json_object_object_add(o, key, json_object_new_uint64(v));
}

static void add_text(struct json_object *o, const char *key, const char *v)
{
	json_object_object_add(o, key, json_object_new_string(v));
}

/* What tc -s -j adds, in its order. */
static void add_tc_counters(struct json_object *o, const struct count *c)
{
	add_u64(o, "bytes", c->out_bytes);
	add_u64(o, "packets", c->out);
	add_u64(o, "drops", c->drops);
	add_u64(o, "overlimits", 0);
	add_u64(o, "requeues", c->reordered);
	add_u64(o, "backlog", c->backlog_bytes);
	add_u64(o, "qlen", c->backlog);
	add_u64(o, "delayed", c->delayed);
	add_u64(o, "dropped", c->loss_hits);
	add_u64(o, "corrupted", c->corrupted);
	add_u64(o, "duplicated", c->dup_hits);
	add_u64(o, "reordered", c->reordered);
	add_u64(o, "ecn_marked", c->ecn_marked);
}

static struct json_object *ext_object(
	const struct show_link *l, const struct report_path *p, unsigned detail)
{
	const struct report *r = l->report;
	struct json_object *o = json_object_new_object();

	add_text(o, "near", l->near);
	if (l->far)
		add_text(o, "far", l->far);
	add_u64(o, "pid", (uint64_t)l->pid);
	add_u64(o, "up_ns", (uint64_t)r->elapsed_ns);
	if (detail)
		report_add_counters(o, p);
	if (detail < 2)
		return o;
	add_u64(o, "wakeups", r->wakeups);
	add_u64(o, "idle_wakeups", r->idle_wakeups);
	add_u64(o, "timer_arms", r->arms);
	add_text(o, "carrier", r->carrier);
	add_text(o, "rank", r->rank);
	add_u64(o, "rank_steps", r->rank_steps);
	return o;
}

struct json_object *show_link_json(const struct show_link *l, unsigned detail)
{
	struct json_object *all = json_object_new_array();

	for (unsigned i = 0; all && i < l->report->n_paths; i++) {
		const struct report_path *p = &l->report->path[i];
		struct json_object *o = show_json(p->spec, NULL);

		if (!o) {
			json_object_put(all);
			return NULL;
		}
		if (p->spec->kind == IMPAIR_NONE)
			add_text(o, "kind", "none");
		if (detail)
			add_tc_counters(o, p->count);
		add_text(o, "link", l->name);
		add_text(o, "dev", p->link);
		add_text(o, "direction", p->direction);
		json_object_object_add(o, "ext", ext_object(l, p, detail));
		json_object_array_add(all, o);
	}
	return all;
}
