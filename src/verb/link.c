/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * verb/link.c - a link in this process: ports from host/, a path a direction, one loop
 */
#include "config.h"

#include "verb/link.h"

#include "base/clock.h"
#include "base/memory.h"
#include "conf/kinds.h"
#include "conf/netem_conf.h"
#include "conf/show.h"
#include "engine/path.h"
#include "host/filter.h"
#include "run/ring.h"
#include "run/sockport.h"
#include "run/uring.h"
#include "wire/buf.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

/* Usual bound on the bytes of frames held. */
#define POOL_SHARE 4
#define POOL_MAX_BYTES ((size_t)1 << 30)

static int draw_seed(struct netem_conf *n, struct err *e)
{
	if (n->has_seed)
		return 0;
	if (getrandom(&n->seed, sizeof(n->seed), 0) != (ssize_t)sizeof(n->seed))
		return err_sys(e, "seed");
	n->has_seed = true;
	return 0;
}

/* A SPEC of the link's own; netem without options where nothing was asked for. */
static int take_spec(struct spec *to, const struct spec *from, struct err *e)
{
	kinds_default(to);
	if (from && from->kind == IMPAIR_NETEM &&
		netem_conf_copy(&to->netem, &from->netem) < 0)
		return err_set(e, -ENOMEM, "no memory for a SPEC");
	return draw_seed(&to->netem, e);
}

static unsigned port_of(const struct link *l, enum port_role role)
{
	unsigned i = 0;

	while (i < l->n_ports && l->port[i].role != role)
		i++;
	return i;
}

/* @spec: NULL for a direction that nobody can impair. */
static int lay_path(struct link *l, enum port_role from, enum port_role to,
	enum direction direction, const struct spec *spec, struct err *e)
{
	struct link_path *p = &l->path[l->n_paths];
	struct loop_path *lp = &l->loop.path[l->n_paths++];
	enum port_role near = from == PORT_FAR ? to : from;

	*p = (struct link_path){.direction = direction,
		.dev = near == PORT_LO ? "lo" : l->port[port_of(l, near)].dev};
	lp->in_port = port_of(l, from);
	lp->out_port = port_of(l, to);
	return spec ? take_spec(&p->spec, spec, e) : 0;
}

int link_lay(struct link *l, const struct conf *c, const struct host_port *port,
	unsigned n_ports, struct err *e)
{
	bool has_lo;
	int rc = 0;

	l->port = port;
	l->n_ports = n_ports;
	has_lo = port_of(l, PORT_LO) < n_ports;
	/* Beside a loopback that is impaired the wire is not. */
	if (has_lo)
		rc = lay_path(l, PORT_LO, PORT_LO, DIR_UP, &c->spec[DIR_UP], e);
	if (!rc && port_of(l, PORT_NEAR) < n_ports)
		rc = lay_path(l, PORT_NEAR, PORT_FAR, DIR_UP,
			has_lo ? NULL : &c->spec[DIR_UP], e);
	if (!rc && port_of(l, PORT_FAR) < n_ports)
		rc = lay_path(l, PORT_FAR, PORT_NEAR, DIR_DOWN,
			has_lo ? NULL : &c->spec[DIR_DOWN], e);
	return rc;
}

static int make_pool(
	struct link *l, const struct conf *c, size_t stock_bytes, struct err *e)
{
	size_t max_bytes = memory_allowed_bytes() / POOL_SHARE;

	if (max_bytes > POOL_MAX_BYTES)
		max_bytes = POOL_MAX_BYTES;
	if (c->memory_bytes)
		max_bytes = c->memory_bytes;
	l->pool = buf_pool_new(max_bytes, stock_bytes, e);
	return l->pool ? 0 : e->code;
}

/* How long frames wait, for the advice about `limit`. */
static void set_window(struct link *l, unsigned i)
{
	const struct netem_conf *n = &l->path[i].spec.netem;
	nsec_t *window_ns = &l->loop.path[i].window_ns;

	*window_ns = 0;
	if (l->path[i].spec.kind == IMPAIR_NETEM &&
		__builtin_add_overflow(n->latency_ns, n->jitter_ns, window_ns))
		*window_ns = INT64_MAX;
}

/* Before privileges fall: afterwards no ring can be made. */
static int make_ring(struct link *l, const struct conf *c, struct err *e)
{
	const struct host_port *last = &l->port[l->n_ports - 1];
	struct err why;

	if (last->kind != PORT_TAP && c->io == IO_URING)
		return err_set(e, -EINVAL,
			"--io uring: %s is spoken to over a socket, which no ring is "
			"made for; leave it out",
			last->dev);
	if (c->io == IO_PLAIN || last->kind != PORT_TAP)
		return 0;
	if (loop_epoll(&l->loop, e) < 0)
		return e->code;
	l->uring = uring_open(l->loop.port, l->n_ports, l->loop.epoll_fd, &why);
	l->loop.uring = l->uring;
	if (l->uring)
		filter_allow(FILTER_RING);
	else if (c->io == IO_URING) {
		*e = why;
		return e->code;
	}
	return 0;
}

/* Another's program is at the far end. */
static int make_sock(
	struct port *p, const struct host_port *hp, const struct conf *c, struct err *e)
{
	if (c->gso == GSO_WHOLE)
		return err_set(e, -EINVAL,
			"--gso whole: %s takes no super-frames; leave it out", hp->dev);
	p->where = "";
	p->sock = sockport_new(hp->kind == PORT_STREAM, hp->dev);
	return p->sock ? 0 : err_set(e, -ENOMEM, "no memory for a socket's frames");
}

/* It works all the time, and others wait: see run/stand.h. */
static void allow_steps(struct link *l, bool has_guards)
{
	if (!l->rank.may_climb && !(l->rank.may_step && has_guards))
		return;
	stand_open(&l->loop.stand);
	if (l->loop.stand.may)
		filter_allow(FILTER_RANK);
}

int link_make(struct link *l, const struct conf *c, size_t stock_bytes, struct err *e)
{
	static const char *const where[] = {[PORT_LO] = "",
		[PORT_NEAR] = " at the near end",
		[PORT_FAR] = " at the far end"};
	struct loop *loop = &l->loop;
	unsigned i;

	if (make_pool(l, c, stock_bytes, e) < 0)
		return e->code;
	loop->pool = l->pool;
	loop->n_ports = l->n_ports;
	for (i = 0; i < l->n_ports; i++) {
		const struct host_port *hp = &l->port[i];

		loop->port[i] = (struct port){.fd = hp->fd,
			.set_dst_mac = hp->set_dst_mac,
			.whole = c->gso == GSO_WHOLE,
			.where = where[hp->role]};
		memcpy(loop->port[i].mac, hp->mac, sizeof(hp->mac));
		if (hp->kind != PORT_TAP && make_sock(&loop->port[i], hp, c, e) < 0)
			return e->code;
	}
	loop->n_paths = l->n_paths;
	for (i = 0; i < l->n_paths; i++) {
		loop->path[i].path =
			path_new(&l->path[i].spec, l->pool, clock_now_ns(), e);
		if (!loop->path[i].path)
			return e->code;
		set_window(l, i);
	}
	allow_steps(l, c->verb == VERB_RUN);
	return make_ring(l, c, e);
}

void link_stop(struct link *l)
{
	uring_close(l->uring, l->pool);
	l->uring = l->loop.uring = NULL;
}

static void look(void *ctx, struct report *r)
{
	link_look(ctx, r);
}

static void changed(void *ctx, enum direction dir)
{
	struct link *l = ctx;

	for (unsigned i = 0; i < l->n_paths; i++)
		if (&l->path[i].spec == l->request.spec[dir])
			set_window(l, i);
}

static void end(void *ctx)
{
	loop_end(&((struct link *)ctx)->loop, "removed by del");
}

int link_serve(struct link *l, int listen_fd, uid_t owner, struct err *e)
{
	struct request_link *r = &l->request;
	unsigned i;

	*r = (struct request_link){.name = l->name,
		.near = l->near,
		.far = l->far,
		.look = look,
		.changed = changed,
		.end = l->words ? end : NULL,
		.words = l->words,
		.ctx = l};
	for (i = 0; i < l->n_paths; i++) {
		enum direction dir = l->path[i].direction;

		if (l->path[i].spec.kind == IMPAIR_NONE)
			continue;
		r->spec[dir] = &l->path[i].spec;
		r->path[dir] = l->loop.path[i].path;
	}
	if (ctl_open(&l->ctl, listen_fd, owner, r, e) < 0)
		return e->code;
	assert(l->loop.n_aux < LOOP_AUX_MAX);
	l->loop.aux[l->loop.n_aux++] =
		(struct loop_aux){.fd = l->ctl.fd, .ready = ctl_turn, .ctx = &l->ctl};
	return 0;
}

static uint64_t ring_now(const struct link *l, unsigned i)
{
	const struct host_port *hp = &l->port[l->loop.path[i].in_port];

	return ring_drops(hp->stats_fd, hp->dev);
}

void link_start(struct link *l)
{
	l->carrier = l->uring ? "uring" : "plain";
	for (unsigned i = 0; i < l->n_paths; i++)
		l->path[i].ring_before = ring_now(l, i);
	if (l->rank.fifo)
		snprintf(l->rank_text, sizeof(l->rank_text), "fifo");
	else if (l->rank.nice)
		snprintf(l->rank_text, sizeof(l->rank_text), "nice %d", l->rank.nice);
	else
		snprintf(l->rank_text, sizeof(l->rank_text), "none");
	l->start_ns = clock_now_ns();
}

static void look_path(const struct link *l, unsigned i, struct report_path *p)
{
	static const char *const direction[] = {"up", "down"};
	const struct loop_path *lp = &l->loop.path[i];
	const struct port *in = &l->loop.port[lp->in_port];
	const struct port *out = &l->loop.port[lp->out_port];
	const struct spec *s = &l->path[i].spec;

	*p = (struct report_path){.link = l->path[i].dev,
		.direction = direction[l->path[i].direction],
		.spec = s,
		.count = path_count(lp->path),
		.reads = in->reads,
		.frames_read = in->frames_read,
		.writes = out->writes,
		.frames_written = out->frames_written};
	p->drop_ring = ring_now(l, i) - l->path[i].ring_before;
	p->need_is_known = !s->netem.rate_byteps && !s->netem.slot.active;
	p->need_limit = s->netem.limit_frames + lp->worst_drops;
}

void link_look(struct link *l, struct report *r)
{
	*r = (struct report){.n_paths = l->n_paths,
		.wakeups = l->loop.wakeups,
		.idle_wakeups = l->loop.idle_wakeups,
		.arms = l->loop.watchdog.arms,
		.elapsed_ns = clock_now_ns() - l->start_ns,
		.carrier = l->carrier,
		.rank = l->rank_text,
		.rank_steps = l->loop.stand.steps,
		.broke = l->loop.broke};
	for (unsigned i = 0; i < l->n_paths; i++)
		look_path(l, i, &r->path[i]);
}

const char *link_words(
	const struct link *l, const struct conf *c, char *text, size_t max_bytes)
{
	bool alike = !c->has_direction[DIR_UP] && !c->has_direction[DIR_DOWN];

	/* A round trip passes a loopback's one path twice. */
	if (l->n_paths == 2)
		show_start_wire(
			&l->path[0].spec, &l->path[1].spec, alike, text, max_bytes);
	else
		show_start_line(&l->path[0].spec, 2, text, max_bytes);
	return text;
}
