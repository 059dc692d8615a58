/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * verb/run.c - a command on a bad wire: set-up, privileges fall, run, report
 *
 * Privileges, in the order of verb_run():
 *   start    what the user gave us; words and files are read, nothing is made
 *   set-up   host_run_start(): namespaces, TAPs, redirect, guards. CAP_NET_ADMIN and
 *            CAP_SYS_ADMIN, those of an own user namespace when the user has none
 *   run      host_drop(): no capability, no_new_privs, the loop's system calls only.
 *            Held: the TAPs, the guards' sockets, the signalfd, the report's file, the
 *            control socket, what the far command says
 */
#include "config.h"

#include "verb/verb.h"

#include "base/clock.h"
#include "base/log.h"
#include "conf/show.h"
#include "host/helper.h"
#include "host/host.h"
#include "host/wayout.h"
#include "report/report.h"
#include "run/prefix.h"
#include "run/signals.h"
#include "verb/link.h"
#include "wire/buf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* How much of the frames' memory is faulted in at the start. */
#define STOCK_BYTES ((size_t)2 * BUF_CHUNK_BYTES)

/* Everything of one run, so that each step is one function. */
struct run {
	const struct conf *conf;
	struct host_run host;
	struct link link;
	struct signals signals;
	struct prefix far_says;
	bool has_far_says;
	int report_fd;
};

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

static int open_far_says(struct run *r, struct err *e)
{
	struct loop *l = &r->link.loop;

	if (r->host.far_out_fd < 0)
		return 0;
	if (prefix_open(&r->far_says, r->host.far_out_fd, STDERR_FILENO, "far: ", e) <
		0)
		return e->code;
	r->has_far_says = true;
	l->aux[l->n_aux++] = (struct loop_aux){
		.fd = r->far_says.fd, .ready = prefix_ready, .ctx = &r->far_says};
	return 0;
}

/* It says nothing any more: readable means that it is gone. */
static bool relay_is_gone(void *ctx)
{
	struct run *r = ctx;
	const struct conf *c = r->conf;
	char why[128];

	/* The guards end it with all that is left. */
	if (r->link.loop.ending)
		return false;
	if (!c->reach.n && !c->listen.n)
		snprintf(why, sizeof(why), "the relay of the name server was killed");
	else
		snprintf(why, sizeof(why),
			"the relay of %s%s%s was killed, and what it carried cut",
			c->reach.n ? "--reach" : "",
			c->reach.n && c->listen.n ? " and " : "",
			c->listen.n ? "--listen" : "");
	loop_break(&r->link.loop, why);
	return false;
}

static void watch_relays(struct run *r)
{
	struct loop *l = &r->link.loop;

	for (unsigned i = 0; i < r->host.n_relays; i++)
		l->aux[l->n_aux++] = (struct loop_aux){
			.fd = r->host.relay_sock[i], .ready = relay_is_gone, .ctx = r};
}

/* Everything the loop serves, at last the loop itself. */
static int make_loop(struct run *r, struct err *e)
{
	struct link *l = &r->link;
	struct host_run *h = &r->host;
	int rc = link_make(l, r->conf, STOCK_BYTES, e);

	if (!rc)
		rc = signals_open(&r->signals, h->child_pid, e);
	if (!rc && h->place.fd >= 0)
		rc = link_serve(l, h->place.fd, h->owner_uid, e);
	if (!rc)
		rc = open_far_says(r, e);
	if (rc)
		return rc;
	watch_relays(r);
	l->loop.signals = &r->signals;
	l->loop.n_guards = N_GUARDS;
	memcpy(l->loop.guard_sock, h->guard_sock, sizeof(h->guard_sock));
	return loop_init(&l->loop, e);
}

/* ", reach 5432 6379", or nothing */
static void add_ports(
	char *text, size_t size, const char *what, const struct port_list *p)
{
	size_t at = strlen(text);

	for (unsigned i = 0; i < p->n && at < size; i++) {
		snprintf(text + at, size - at, "%s %u", i ? "" : what, p->port[i]);
		at = strlen(text);
	}
}

static void say_start(const struct run *r)
{
	const struct host_run *h = &r->host;
	char text[2 * SHOW_BYTES], uplink[96] = "";
	/* A blank and five digits each, and what they are. */
	char ports[2 * (6 * PORTS_MAX + 16)] = "";
	const char *limit = wayout_limit(h->uplink);

	if (h->uplink)
		snprintf(uplink, sizeof(uplink), ", uplink %s%s%s%s",
			wayout_name(h->uplink), *limit ? " (" : "", limit,
			*limit ? ")" : "");
	link_words(&r->link, r->conf, text, sizeof(text));
	add_ports(ports, sizeof(ports), ", reach", &r->conf->reach);
	add_ports(ports, sizeof(ports), ", listen", &r->conf->listen);
	log_note("%s: %s%s%s%s%s", r->link.path[0].dev, text, uplink, ports,
		h->run_as[0] ? ", command runs as " : "", h->run_as);
}

static bool is_lossy(const struct spec *s)
{
	const struct netem_conf *n = &s->netem;

	return s->kind == IMPAIR_NETEM &&
	       (n->loss_model != LOSS_RANDOM || n->loss.p32 || n->corrupt.p32);
}

/* Do frames overtake each other? A rate sends them one behind the other. */
static bool is_disordered(const struct spec *s)
{
	const struct netem_conf *n = &s->netem;

	return s->kind == IMPAIR_NETEM &&
	       (n->reorder.p32 || (n->jitter_ns && !n->rate_byteps));
}

/* What is measured over passt then is passt. */
static void warn_passt(const struct run *r)
{
	const struct conf *c = r->conf;

	if (r->host.uplink != FAR_UPLINK_PASST || c->near_lo)
		return;
	if (is_lossy(&c->spec[DIR_UP]) || is_lossy(&c->spec[DIR_DOWN]))
		log_warn("uplink passt: its TCP has no congestion control: under loss "
			 "downloads go on at full speed and uploads crawl; uplink nat "
			 "(as root) or slirp is closer to a real network");
	else if (is_disordered(&c->spec[DIR_UP]) || is_disordered(&c->spec[DIR_DOWN]))
		log_warn(
			"uplink passt: its TCP takes nothing out of order: where "
			"frames "
			"overtake each other, as by jitter, uploads stall; name a "
			"rate, "
			"which keeps the order, or take uplink nat (as root) or slirp");
}

/* The ends as `show` names them. */
static void name_ends(struct run *r)
{
	struct link *l = &r->link;
	static char near[IFNAMSIZ + 8], far[IFNAMSIZ + 8];

	l->name = r->host.name;
	l->near = "lo";
	if (l->n_ports < 2)
		return;
	snprintf(near, sizeof(near), "command/%s", l->port[l->n_ports - 2].dev);
	snprintf(far, sizeof(far), "%s%s", r->host.uplink ? "" : "far/",
		l->port[l->n_ports - 1].dev);
	l->near = near;
	l->far = far;
}

static int set_up(struct run *r, struct err *e)
{
	int rc = host_run_start(r->conf, &r->host, e);

	if (rc)
		return rc;
	rc = link_lay(&r->link, r->conf, r->host.port, r->host.n_ports, e);
	if (!rc)
		rc = open_report(r, e);
	if (!rc)
		rc = host_rank(r->conf->rank, &r->link.rank, e);
	if (!rc) {
		name_ends(r);
		rc = make_loop(r, e);
	}
	if (!rc)
		rc = host_drop(e);
	if (!rc) {
		link_start(&r->link);
		say_start(r);
		warn_passt(r);
		rc = host_run_go(&r->host, e);
	}
	if (rc) {
		link_stop(&r->link);
		host_run_abort(&r->host);
	}
	return rc;
}

/* With what a helper program said last, which is its reason. */
static void say_broke(const struct run *r)
{
	char line[160] = "";

	if (r->host.helper_says_fd >= 0)
		helper_last_line(r->host.helper_says_fd, line, sizeof(line));
	log_error("run: %s%s%s", r->link.loop.why, *line ? ": " : "", line);
}

static void say_end(struct run *r)
{
	const struct loop *l = &r->link.loop;
	int st = r->signals.child_status;
	struct report rep;
	struct err e;

	link_look(&r->link, &rep);
	rep.exit_status = l->broke        ? EXIT_OURS
			  : WIFEXITED(st) ? WEXITSTATUS(st)
					  : 128 + WTERMSIG(st);
	if (r->has_far_says)
		prefix_close(&r->far_says);
	if (l->unguarded)
		log_error("both guards were killed or stopped: nothing has ended what "
			  "the command left running");
	/* Neither the start line nor a warning: -q does not silence it. */
	if (l->leftovers[0] && !l->broke)
		log_error("%s", l->leftovers);
	if (r->conf->stats)
		report_text(stderr, &rep, r->conf->stats);
	report_warn(&rep);
	if (r->report_fd >= 0 && report_json(r->report_fd, &rep, &e) < 0)
		log_error("run: --report '%s': %s", r->conf->report_path, e.text);
	if (l->broke)
		say_broke(r);
}

int verb_run(const struct conf *c)
{
	static struct run r;
	struct err e = {0};

	r = (struct run){.conf = c, .report_fd = -1};
	if (set_up(&r, &e) < 0) {
		log_error("%s", e.text);
		return EXIT_OURS;
	}
	loop_run(&r.link.loop);
	link_stop(&r.link);
	say_end(&r);
	/* No memory is given back: the end of the process does it, and what the devices
	 * take to close is the guards' time, not the user's. */
	if (r.link.loop.broke)
		return EXIT_OURS;
	signals_die_like(r.signals.child_status);
}
