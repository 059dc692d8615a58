/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report/text.c - what a run came to, for a person
 */
#include "config.h"

#include "base/log.h"
#include "base/units.h"
#include "report/report.h"

#include <inttypes.h>

#define NAME_BYTES 32

uint64_t report_host_drops(const struct report_path *p)
{
	return p->count->drop_mem + p->count->drop_io + p->drop_ring;
}

/* Bytes as a person reads them. */
static const char *human_bytes(uint64_t bytes, char *text)
{
	static const char *const unit[] = {"B", "kB", "MB", "GB", "TB"};
	double v = (double)bytes;
	unsigned i = 0;

	while (v >= 1000 && i < 4) {
		v /= 1000;
		i++;
	}
	snprintf(text, NAME_BYTES, i ? "%.1f %s" : "%.0f %s", v, unit[i]);
	return text;
}

static const char *human_ns(nsec_t ns, char *text)
{
	units_print_time(ns, text, NAME_BYTES);
	return text;
}

static double per(uint64_t a, uint64_t b)
{
	return b ? (double)a / (double)b : 0;
}

static void print_delay_and_rate(FILE *to, const struct report_path *p)
{
	char a[NAME_BYTES], b[NAME_BYTES], c[NAME_BYTES], d[NAME_BYTES];
	const struct netem_conf *n = &p->spec->netem;
	const struct late *l = &p->count->late;
	double mbit;

	fprintf(to, "    delay asked %s, late p50 %s p99 %s max %s",
		human_ns(n->latency_ns, a), human_ns(late_quantile_ns(l, 0.5), b),
		human_ns(late_quantile_ns(l, 0.99), c), human_ns(l->max_ns, d));
	if (n->rate_byteps && p->count->busy_ns > 0) {
		/* The command's pauses would say nothing of the link. */
		mbit = (double)p->count->out_bytes * 8e3 / (double)p->count->busy_ns;
		fprintf(to, "   rate %.3f of %.10g Mbit/s while frames waited", mbit,
			(double)n->rate_byteps * 8 / 1e6);
	}
	fputc('\n', to);
}

static void print_all_counters(FILE *to, const struct report_path *p)
{
	const struct count *c = p->count;
	char lo[NAME_BYTES];
	unsigned i;

	fprintf(to,
		"    in %" PRIu64 " bytes  out %" PRIu64 " bytes  loss_hits %" PRIu64
		"  drops %" PRIu64 "  delayed %" PRIu64 "  overtakes %" PRIu64
		"  ecn_marked %" PRIu64 "\n",
		c->in_bytes, c->out_bytes, c->loss_hits, c->drops, c->delayed,
		c->overtakes, c->ecn_marked);
	fprintf(to,
		"    backlog %" PRIu64 " frames %" PRIu64 " bytes, peak %" PRIu64
		" frames %" PRIu64 " bytes   reads %" PRIu64 "  writes %" PRIu64
		"  frames/write %.1f  bytes copied/frame %.1f\n",
		c->backlog, c->backlog_bytes, c->backlog_peak, c->backlog_bytes_peak,
		p->reads, p->writes, per(p->frames_written, p->writes),
		per(c->copied_bytes, p->frames_written));
	fprintf(to, "    lateness:");
	for (i = 0; i < N_LATE_CLASSES; i++)
		if (late_class(&c->late, i))
			fprintf(to, "  <%s %" PRIu64, human_ns(NSEC_PER_USEC << i, lo),
				late_class(&c->late, i));
	fputc('\n', to);
}

static void print_path(
	FILE *to, const struct report *r, const struct report_path *p, unsigned detail)
{
	const struct count *c = p->count;
	char bytes[NAME_BYTES];

	fprintf(to, "%s", p->link);
	if (r->n_paths > 1)
		fprintf(to, " %s", p->direction);
	fprintf(to,
		"  in %" PRIu64 " (%s)  out %" PRIu64 "  lost %" PRIu64
		"  dropped %" PRIu64 "  corrupted %" PRIu64 "  duplicated %" PRIu64
		"  reordered %" PRIu64,
		c->in, human_bytes(c->in_bytes, bytes), c->out, c->lost, c->drop_limit,
		c->corrupted, c->duplicated, c->reordered);
	if (c->ecn_marked)
		fprintf(to, "  marked %" PRIu64, c->ecn_marked);
	if (c->backlog)
		fprintf(to, "  waiting %" PRIu64, c->backlog);
	fputc('\n', to);
	print_delay_and_rate(to, p);
	if (detail > 1)
		print_all_counters(to, p);
	fprintf(to,
		"    host: ring %" PRIu64 "  memory %" PRIu64 "  write %" PRIu64
		"   wake-ups %" PRIu64 "  arms %" PRIu64 "  frames/read %.1f\n",
		p->drop_ring, c->drop_mem, c->drop_io, r->wakeups, r->arms,
		per(p->frames_read, p->reads));
}

void report_text(FILE *to, const struct report *r, unsigned detail)
{
	unsigned i;

	for (i = 0; i < r->n_paths; i++)
		print_path(to, r, &r->path[i], detail);
	if (detail > 1)
		fprintf(to,
			"    carrier %s  rank %s  steps down %" PRIu64
			"  idle wake-ups %" PRIu64 "\n",
			r->carrier, r->rank, r->rank_steps, r->idle_wakeups);
	fflush(to);
}

/* "1 frame", "312 frames" */
static const char *frames(uint64_t n, char *text)
{
	snprintf(text, NAME_BYTES, "%" PRIu64 " frame%s", n, n == 1 ? "" : "s");
	return text;
}

/* "", or which of several paths: "eth0 up: " */
static const char *whose(
	const struct report *r, const struct report_path *p, char text[2 * NAME_BYTES])
{
	text[0] = '\0';
	if (r->n_paths > 1)
		snprintf(text, 2 * NAME_BYTES, "%s %s: ", p->link, p->direction);
	return text;
}

static void warn_limit(const struct report_path *p, const char *who)
{
	const struct netem_conf *n = &p->spec->netem;
	char delay[NAME_BYTES], lost[NAME_BYTES];

	if (!p->count->drop_limit)
		return;
	frames(p->count->drop_limit, lost);
	if (p->need_is_known && n->latency_ns)
		log_warn("%s%s dropped by limit %" PRIu32
			 " (delay %s at this load needs limit %" PRIu64 ")",
			who, lost, n->limit_frames, human_ns(n->latency_ns, delay),
			p->need_limit);
	else
		log_warn("%s%s dropped by limit %" PRIu32
			 " (more came than the link lets through)",
			who, lost, n->limit_frames);
}

void report_warn(const struct report *r)
{
	const struct report_path *p;
	char n[NAME_BYTES], who[2 * NAME_BYTES];
	unsigned i;

	for (i = 0; i < r->n_paths; i++) {
		p = &r->path[i];
		whose(r, p, who);
		warn_limit(p, who);
		if (p->count->drop_mem)
			log_warn("%s%s dropped: no memory within the bound", who,
				frames(p->count->drop_mem, n));
		if (p->count->drop_io)
			log_warn("%s%s dropped: the device refused them (is it down?)",
				who, frames(p->count->drop_io, n));
		if (p->drop_ring)
			log_warn("%s%s dropped by the device's own ring, before the "
				 "link: they came faster than farwire reads",
				who, frames(p->drop_ring, n));
	}
}
