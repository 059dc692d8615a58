/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * main.c - the story: words, checks, set-up, privileges fall, run, report
 *
 * Privileges, in the order of main_run():
 *   start    what the user gave us; words and files are read, nothing is made
 *   set-up   host_run_start(): namespaces, TAP, redirect, guards. CAP_NET_ADMIN and
 *            CAP_SYS_ADMIN, those of an own user namespace when the user has none
 *   run      host_drop(): no capability, no_new_privs, the loop's system calls only.
 *            Held: the TAPs, the guards' sockets, the signalfd, the report's file
 */
#include "config.h"

#include "base/clock.h"
#include "base/fd.h"
#include "base/log.h"
#include "base/memory.h"
#include "conf/args.h"
#include "conf/help.h"
#include "conf/show.h"
#include "conf/warn.h"
#include "engine/path.h"
#include "host/doctor.h"
#include "host/host.h"
#include "report/doctor.h"
#include "report/report.h"
#include "run/loop.h"
#include "run/ring.h"
#include "run/signals.h"
#include "wire/buf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <unistd.h>

#define EXIT_WRONG_WORDS 1
#define EXIT_SYSTEM 2
#define EXIT_OURS 125 /* of run: everything that is not the command's own */

/* Bound on the bytes of frames held, and how much of it is faulted in at the start. */
#define POOL_SHARE 4
#define POOL_MAX_BYTES ((size_t)1 << 30)
#define POOL_STOCK_BYTES ((size_t)2 * BUF_CHUNK_BYTES)

/* Everything of one run, so that each step is one function. */
struct run {
	const struct conf *conf;
	struct spec spec;
	struct host_run host;
	struct host_rank rank;
	struct buf_pool *pool;
	struct path *path;
	struct signals signals;
	struct loop loop;
	int report_fd;
	uint64_t ring_before;
	nsec_t start_ns, end_ns;
};

static int draw_seed(struct netem_conf *n, struct err *e)
{
	if (n->has_seed)
		return 0;
	if (getrandom(&n->seed, sizeof(n->seed), 0) != (ssize_t)sizeof(n->seed))
		return err_sys(e, "seed");
	n->has_seed = true;
	return 0;
}

/* Made only now that all else stands: a refused run leaves no empty report. */
static int open_report(struct run *r, struct err *e)
{
	const char *path = r->conf->report_path;

	if (!path)
		return 0;
	/* Not to wait for the reader of a FIFO, who may be the command. */
	r->report_fd =
		open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NONBLOCK, 0666);
	if (r->report_fd < 0)
		return err_sys(e, "run: --report '%s'", path);
	return fcntl(r->report_fd, F_SETFL, 0) < 0 ? err_sys(e, "run: --report") : 0;
}

static int make_path(struct run *r, struct err *e)
{
	size_t max_bytes = memory_allowed_bytes() / POOL_SHARE;

	if (max_bytes > POOL_MAX_BYTES)
		max_bytes = POOL_MAX_BYTES;
	r->pool = buf_pool_new(max_bytes, POOL_STOCK_BYTES, e);
	if (!r->pool)
		return e->code;
	r->path = path_new(&r->spec, r->pool, clock_now_ns(), e);
	return r->path ? 0 : e->code;
}

/* dev lo: one TAP, one path, out where it came in. */
static int make_loop(struct run *r, struct err *e)
{
	const struct host_port *hp = &r->host.port[0];
	struct loop *l = &r->loop;
	unsigned i;

	l->n_ports = 1;
	l->port[0] = (struct port){.fd = hp->fd,
		.set_dst_mac = hp->set_dst_mac,
		.whole = r->conf->gso == GSO_WHOLE};
	memcpy(l->port[0].mac, hp->mac, sizeof(hp->mac));
	l->n_paths = 1;
	l->path[0].path = r->path;
	l->path[0].window_ns = r->spec.netem.latency_ns + r->spec.netem.jitter_ns;
	l->pool = r->pool;
	l->signals = &r->signals;
	l->n_guards = N_GUARDS;
	for (i = 0; i < N_GUARDS; i++)
		l->guard_sock[i] = r->host.guard_sock[i];
	return loop_init(l, e);
}

static void say_start(const struct run *r)
{
	char text[SHOW_BYTES];

	/* A round trip passes the loopback's one path twice. */
	show_start_line(&r->spec, 2, text, sizeof(text));
	log_note("lo: %s%s%s", text, r->host.run_as[0] ? ", command runs as " : "",
		r->host.run_as);
}

static int set_up(struct run *r, struct err *e)
{
	int rc = draw_seed(&r->spec.netem, e);

	if (!rc)
		rc = host_run_start(r->conf, &r->host, e);
	if (rc)
		return rc;
	rc = open_report(r, e);
	if (!rc) {
		host_rank(&r->rank);
		rc = make_path(r, e);
	}
	if (!rc)
		rc = signals_open(&r->signals, r->host.child_pid, e);
	if (!rc)
		rc = make_loop(r, e);
	if (!rc)
		rc = host_drop(e);
	if (!rc) {
		r->ring_before =
			ring_drops(r->host.port[0].stats_fd, r->host.port[0].dev);
		say_start(r);
		r->start_ns = clock_now_ns();
		rc = host_run_go(&r->host, e);
	}
	if (rc)
		host_run_abort(&r->host);
	return rc;
}

static void fill_report(
	const struct run *r, struct report *rep, char *rank, size_t rank_bytes)
{
	const struct loop *l = &r->loop;
	const struct loop_path *lp = &l->path[0];
	const struct host_port *hp = &r->host.port[0];
	struct report_path *p = &rep->path[0];
	int st = r->signals.child_status;

	if (r->rank.fifo)
		snprintf(rank, rank_bytes, "fifo");
	else
		snprintf(rank, rank_bytes, "nice %d", r->rank.nice);
	*rep = (struct report){.n_paths = 1,
		.wakeups = l->wakeups,
		.idle_wakeups = l->idle_wakeups,
		.arms = l->watchdog.arms,
		.elapsed_ns = r->end_ns - r->start_ns,
		.carrier = "plain",
		.rank = rank,
		.broke = l->broke};
	rep->exit_status = l->broke        ? EXIT_OURS
			   : WIFEXITED(st) ? WEXITSTATUS(st)
					   : 128 + WTERMSIG(st);
	*p = (struct report_path){.link = "lo",
		.direction = "up",
		.spec = &r->spec,
		.count = path_count(r->path),
		.reads = l->port[0].reads,
		.frames_read = l->port[0].frames_read,
		.writes = l->port[0].writes,
		.frames_written = l->port[0].frames_written};
	p->drop_ring = ring_drops(hp->stats_fd, hp->dev) - r->ring_before;
	p->need_is_known = !r->spec.netem.rate_byteps && !r->spec.netem.slot.active;
	p->need_limit = r->spec.netem.limit_frames + lp->worst_drops;
}

static void say_end(struct run *r)
{
	struct report rep;
	char rank[32];
	struct err e;

	fill_report(r, &rep, rank, sizeof(rank));
	if (r->loop.unguarded)
		log_warn("both guards were killed or stopped: nothing has ended what "
			 "the "
			 "command left running");
	if (r->loop.leftovers[0] && !r->loop.broke)
		log_note("%s", r->loop.leftovers);
	if (r->conf->stats)
		report_text(stderr, &rep, r->conf->stats);
	report_warn(&rep);
	if (r->report_fd >= 0 && report_json(r->report_fd, &rep, &e) < 0)
		log_error("run: --report '%s': %s", r->conf->report_path, e.text);
	if (r->loop.broke)
		log_error("run: %s", r->loop.why);
}

static int main_run(const struct conf *c)
{
	struct run r = {.conf = c, .spec = c->spec[DIR_UP], .report_fd = -1};
	struct err e = {0};

	if (set_up(&r, &e) < 0) {
		log_error("%s", e.text);
		return EXIT_OURS;
	}
	loop_run(&r.loop);
	r.end_ns = clock_now_ns();
	say_end(&r);
	/* No memory is given back: the end of the process does it, and what the devices
	 * take to close is the guards' time, not the user's. */
	if (r.loop.broke)
		return EXIT_OURS;
	signals_die_like(r.signals.child_status);
}

static void say_warnings(const struct conf *c)
{
	char lines[WARN_LINES_MAX][WARN_LINE_BYTES];
	unsigned i, n;

	n = warn_spec(&c->spec[DIR_UP], lines);
	for (i = 0; i < n; i++)
		log_warn("%s", lines[i]);
	/* Where one SPEC stands for both directions it is warned of once. */
	if (!c->has_direction[DIR_DOWN])
		return;
	n = warn_spec(&c->spec[DIR_DOWN], lines);
	for (i = 0; i < n; i++)
		log_warn("down: %s", lines[i]);
}

/* Results that could not be written are no results. */
static int end_of_output(int rc)
{
	if (rc < 0 || fflush(stdout) == EOF || ferror(stdout)) {
		log_error("cannot write to stdout");
		return EXIT_SYSTEM;
	}
	return EXIT_SUCCESS;
}

static int main_help(const struct conf *c)
{
	struct err e = {0};
	int rc = help_print(stdout, c->help_word, &e);

	if (rc == -EINVAL) {
		log_error("%s", e.text);
		return EXIT_WRONG_WORDS;
	}
	return end_of_output(rc);
}

static int main_doctor(const struct conf *c)
{
	struct doctor d;
	int rc;

	doctor_examine(&d);
	rc = c->json ? doctor_json(stdout, &d, c->pretty) : doctor_text(stdout, &d);
	rc = end_of_output(rc);
	return rc ? rc : d.can_run ? EXIT_SUCCESS : EXIT_WRONG_WORDS;
}

int main(int argc, char **argv)
{
	struct conf c;
	struct err e = {0};
	int status;

	conf_init(&c);
	if (conf_read(&c, argc, argv, &e) < 0) {
		log_error("%s", e.text);
		return c.verb == VERB_RUN ? EXIT_OURS : EXIT_WRONG_WORDS;
	}
	log_quiet(c.quiet);
	say_warnings(&c);
	switch (c.verb) {
	case VERB_RUN:
		status = main_run(&c);
		break;
	case VERB_CHECK:
		status = end_of_output(show_check(&c, stdout));
		break;
	case VERB_DOCTOR:
		status = main_doctor(&c);
		break;
	case VERB_VERSION:
		status = end_of_output(help_version(stdout));
		break;
	case VERB_ADD:
	case VERB_DEL:
	case VERB_CHANGE:
	case VERB_REPLACE:
	case VERB_SET:
	case VERB_SHOW:
	case VERB_MONITOR:
	case VERB_HELP:
	default:
		status = main_help(&c);
		break;
	}
	conf_fini(&c);
	return status;
}
