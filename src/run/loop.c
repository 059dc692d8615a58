/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run/loop.c - the turn: read, stamp, judge, release, write; else sleep
 */
#include "config.h"

#include "run/loop.h"

#include "base/clock.h"
#include "base/fd.h"
#include "run/lack.h"
#include "run/uring.h"

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

/* Frames asked of a path at a time. */
#define POP_BATCH 64
/* A guard needs 2 s for who ignores TERM; one that says nothing for so long is stopped. */
#define GUARD_PATIENCE_NS (5 * NSEC_PER_SEC)
#define EVENTS 8
#define SIGNALS 16

/* What an epoll event is about: kind and index, packed into its 64 bits. */
enum event_kind { EVENT_TIMER, EVENT_PORT, EVENT_SIGNAL, EVENT_GUARD, EVENT_AUX };

static uint64_t event_pack(enum event_kind kind, unsigned index)
{
	return (uint64_t)kind << 32 | index;
}

static int watch(
	struct loop *l, int fd, uint32_t events, enum event_kind kind, unsigned index)
{
	struct epoll_event ev = {.events = events, .data.u64 = event_pack(kind, index)};

	return epoll_ctl(l->epoll_fd, EPOLL_CTL_ADD, fd, &ev);
}

int loop_epoll(struct loop *l, struct err *e)
{
	l->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	return l->epoll_fd < 0 ? err_sys(e, "epoll") : 0;
}

static int watch_ports(struct loop *l)
{
	int bad = 0;

	for (unsigned i = 0; i < l->n_ports; i++)
		bad |= watch(l, l->port[i].fd, EPOLLIN, EVENT_PORT, i);
	return bad;
}

static void send_guard(struct loop *l, uint32_t op, int arg)
{
	struct guard_msg m = {.op = op, .arg = arg};

	while (l->guard < l->n_guards) {
		if (send(l->guard_sock[l->guard], &m, sizeof(m), MSG_NOSIGNAL) > 0)
			return;
		l->guard++;
	}
}

static void ask_rank(void *ctx, int priority)
{
	send_guard(ctx, GUARD_RANK, priority);
}

int loop_init(struct loop *l, struct err *e)
{
	unsigned i;
	int bad = 0;

	for (i = 0; i < l->n_paths; i++)
		join_init(&l->path[i].join);
	if (!l->guard_patience_ns)
		l->guard_patience_ns = GUARD_PATIENCE_NS;
	if (l->epoll_fd <= 0 && loop_epoll(l, e) < 0)
		return e->code;
	l->stand.ask = l->n_guards ? ask_rank : NULL;
	l->stand.ask_ctx = l;
	if (watchdog_open(&l->watchdog, e) < 0)
		return e->code;
	/* Edge-triggered, so that an expiry need not be read away. */
	bad |= watch(l, l->watchdog.fd, EPOLLIN | EPOLLET, EVENT_TIMER, 0);
	bad |= watch(l, l->signals->fd, EPOLLIN, EVENT_SIGNAL, 0);
	if (!l->uring)
		bad |= watch_ports(l);
	for (i = 0; i < l->n_guards; i++)
		bad |= watch(l, l->guard_sock[i], EPOLLIN, EVENT_GUARD, i);
	for (i = 0; i < l->n_aux; i++)
		bad |= watch(l, l->aux[i].fd, EPOLLIN, EVENT_AUX, i);
	return bad ? err_sys(e, "epoll") : 0;
}

void loop_fini(struct loop *l)
{
	unsigned i;

	for (i = 0; i < l->n_paths; i++)
		join_drop(&l->path[i].join, l->pool);
	watchdog_close(&l->watchdog);
	fd_close(&l->epoll_fd);
}

void loop_end(struct loop *l, const char *why)
{
	if (!l->done)
		snprintf(l->why, sizeof(l->why), "%s", why);
	l->done = true;
}

/* Asks the first guard that lives; without any, there is nothing more to wait for. */
static void end_run(struct loop *l)
{
	if (l->stands) {
		l->done = true;
		return;
	}
	send_guard(l, GUARD_END, 0);
	l->ending = true;
	l->patience_ns = clock_now_ns() + l->guard_patience_ns;
	if (l->guard == l->n_guards) {
		l->unguarded = l->n_guards > 0;
		l->patience_ns = NSEC_NEVER;
		if (!l->signals->child_ended)
			kill(l->signals->child, SIGKILL);
		l->done = l->signals->child_ended;
	}
}

void loop_break(struct loop *l, const char *why)
{
	if (l->broke || l->done)
		return;
	l->broke = true;
	snprintf(l->why, sizeof(l->why), "%s", why);
	if (!l->ending)
		end_run(l);
}

static void note_broken(struct loop *l, unsigned i)
{
	char why[sizeof(l->why)];

	epoll_ctl(l->epoll_fd, EPOLL_CTL_DEL, l->port[i].fd, NULL);
	/* The guard ends a helper when the command and all it left are gone. */
	if (l->port[i].sock && l->ending)
		return;
	snprintf(why, sizeof(why), "the link broke: %s%s", port_why(&l->port[i]),
		l->port[i].where ? l->port[i].where : "");
	loop_break(l, why);
}

static unsigned read_port(struct loop *l, unsigned i)
{
	struct buf *bufs[PORT_BATCH];
	struct port_lost lost = {0};
	struct loop_path *lp = NULL;
	unsigned n, k;
	nsec_t at_ns;

	for (k = 0; k < l->n_paths; k++)
		if (l->path[k].in_port == i)
			lp = &l->path[k];
	assert(lp);
	n = port_read(&l->port[i], l->pool, bufs, &lost);
	at_ns = clock_now_ns();
	for (k = 0; k < n; k++)
		path_push(lp->path, bufs[k], at_ns);
	if (lost.frames)
		path_drop_mem(lp->path, lost.frames, lost.bytes);
	if (path_count(lp->path)->drop_limit != lp->last_drops)
		lack_note(lp, at_ns);
	if (l->port[i].broken)
		note_broken(l, i);
	return n;
}

/* Asks to be told when the device takes frames again, or no longer. */
static void watch_writable(struct loop *l, unsigned i, bool wanted)
{
	struct epoll_event ev = {.data.u64 = event_pack(EVENT_PORT, i)};
	int op = EPOLL_CTL_MOD;

	ev.events = wanted ? EPOLLIN | EPOLLOUT : EPOLLIN;
	if (l->uring) { /* which tells of what can be read */
		op = wanted ? EPOLL_CTL_ADD : EPOLL_CTL_DEL;
		ev.events = EPOLLOUT;
	}
	epoll_ctl(l->epoll_fd, op, l->port[i].fd, &ev);
}

/* Writes what is joined; what the device cannot take now waits in front of everything
 * else. */
static void write_jobs(struct loop *l, struct loop_path *lp, bool was_stuck)
{
	struct port *p = &l->port[lp->out_port];
	struct port_lost lost = {0};
	bool is_stuck;

	lp->is_queued = false;
	port_write(p, l->pool, &lp->join, &lost);
	if (lost.frames)
		path_drop_io(lp->path, lost.frames, lost.bytes);
	if (p->broken)
		note_broken(l, lp->out_port);
	is_stuck = !join_is_empty(&lp->join);
	if (was_stuck != is_stuck)
		watch_writable(l, lp->out_port, is_stuck);
}

/* Joins what is due, as long as there is room. Return: frames. */
static unsigned join_due(struct loop_path *lp)
{
	struct join *j = &lp->join;
	struct frame f[POP_BATCH];
	unsigned room, n, total = 0;

	while ((room = join_room(j)) > 0) {
		if (room > POP_BATCH)
			room = POP_BATCH;
		n = path_pop(lp->path, clock_now_ns(), f, room);
		join_add_all(j, f, n);
		total += n;
		if (n < room)
			break;
	}
	join_seal(j);
	return total;
}

/* What a path could not write before, else what is due. Return: frames joined. */
static unsigned prepare(struct loop *l, struct loop_path *lp)
{
	uint64_t copied_bytes = lp->join.copied_bytes;
	unsigned n = 0;

	if (!join_is_empty(&lp->join))
		write_jobs(l, lp, true);
	if (join_is_empty(&lp->join))
		n = join_due(lp);
	if (lp->join.copied_bytes != copied_bytes)
		path_copied(lp->path, lp->join.copied_bytes - copied_bytes);
	lp->is_queued = n > 0;
	if (n)
		port_queue(&l->port[lp->out_port], &lp->join);
	return n;
}

static void write_queued(struct loop *l)
{
	for (unsigned i = 0; i < l->n_paths; i++)
		if (l->path[i].is_queued)
			write_jobs(l, &l->path[i], false);
}

/* Where a ring waits it writes in the same call. Return: frames joined. */
static unsigned release(struct loop *l)
{
	unsigned sum = 0;

	for (unsigned i = 0; i < l->n_paths; i++)
		sum += prepare(l, &l->path[i]);
	if (!l->uring)
		write_queued(l);
	return sum;
}

/* Without a command signals are for us. */
static void end_by_signal(struct loop *l, const int *signals, unsigned n)
{
	static const int ends[] = {SIGTERM, SIGINT, SIGQUIT, SIGHUP};
	char why[64];

	for (unsigned i = 0; i < n; i++)
		for (unsigned k = 0; k < sizeof(ends) / sizeof(*ends); k++)
			if (signals[i] == ends[k]) {
				snprintf(why, sizeof(why), "ended by %s",
					strsignal(signals[i]));
				loop_end(l, why);
			}
}

static void read_signals(struct loop *l)
{
	int forward[SIGNALS];
	unsigned i, n = signals_read(l->signals, forward, SIGNALS);

	if (l->stands) {
		end_by_signal(l, forward, n);
		if (l->signalled && !l->done)
			l->signalled(l->signalled_ctx);
		return;
	}
	/* The command may run as another user, whom only the guard may signal. */
	for (i = 0; i < n && !l->signals->child_ended; i++)
		if (kill(l->signals->child, forward[i]) < 0 && errno == EPERM)
			send_guard(l, GUARD_SIGNAL, forward[i]);
	if (l->signals->child_ended && !l->ending)
		end_run(l);
	if (l->signals->child_ended && l->guard == l->n_guards)
		l->done = true;
}

static void read_guard(struct loop *l, unsigned i)
{
	ssize_t n = recv(
		l->guard_sock[i], l->leftovers, sizeof(l->leftovers) - 1, MSG_DONTWAIT);

	if (n > 0) {
		l->leftovers[n] = '\0';
		/* Also from one that was passed over and has come to itself. */
		l->done = l->ending;
		return;
	}
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	/* This guard is gone; the other one serves. */
	epoll_ctl(l->epoll_fd, EPOLL_CTL_DEL, l->guard_sock[i], NULL);
	if (i == l->guard) {
		l->guard++;
		if (l->ending)
			end_run(l);
	}
}

static void dispatch(struct loop *l, const struct epoll_event *ev)
{
	unsigned index = (unsigned)(ev->data.u64 & UINT32_MAX);

	switch ((enum event_kind)(ev->data.u64 >> 32)) {
	case EVENT_TIMER:
		watchdog_fired(&l->watchdog);
		break;
	case EVENT_PORT:
		/* An error is learnt by reading. */
		if (ev->events & ~(uint32_t)EPOLLOUT)
			l->readable |= 1u << index;
		break;
	case EVENT_SIGNAL:
		read_signals(l);
		break;
	case EVENT_GUARD:
		read_guard(l, index);
		break;
	case EVENT_AUX:
		if (!l->aux[index].ready(l->aux[index].ctx))
			epoll_ctl(l->epoll_fd, EPOLL_CTL_DEL, l->aux[index].fd, NULL);
		break;
	}
}

/* When the next frame is due that a port can take. */
static nsec_t next_ns(const struct loop *l)
{
	nsec_t next = NSEC_NEVER, at;
	unsigned i;

	for (i = 0; i < l->n_paths; i++) {
		const struct loop_path *lp = &l->path[i];

		if (!join_is_empty(&lp->join) && !lp->is_queued)
			continue; /* the epoll says when the device takes more */
		at = path_next_ns(lp->path);
		if (at < next)
			next = at;
	}
	return l->ending && l->patience_ns < next ? l->patience_ns : next;
}

/* Ports that have brought frames already: bit per port. */
static unsigned foreseen(const struct loop *l)
{
	unsigned bits = 0;

	for (unsigned i = 0; i < l->n_ports; i++)
		if (port_has_read(&l->port[i]))
			bits |= 1u << i;
	return bits;
}

static void take_events(struct loop *l, int timeout_ms)
{
	struct epoll_event ev[EVENTS];
	int i, n = epoll_wait(l->epoll_fd, ev, EVENTS, timeout_ms);

	for (i = 0; i < n; i++)
		dispatch(l, &ev[i]);
}

/* It slept for what is due at @due_ns, until @wake_ns or until something came. */
static void note_sleep(struct loop *l, nsec_t from_ns, nsec_t due_ns, nsec_t wake_ns)
{
	nsec_t now = clock_now_ns();

	l->wakeups++;
	l->woke = true;
	lead_learn(&l->lead, due_ns, wake_ns, now);
	if (l->stand.may)
		stand_slept(&l->stand, from_ns, now);
}

/*
 * Looks for events; sleeps when there are none and nothing is due. A look without
 * waiting saves arming the timer, so there is none where it is armed already.
 */
static void wait_epoll(struct loop *l)
{
	nsec_t next = next_ns(l), now = clock_now_ns();
	nsec_t wake = lead_wake(&l->lead, next, now);

	stand_turn(&l->stand, now, next);
	l->readable = foreseen(l);
	if (l->readable || (wake != NSEC_NEVER && wake != l->watchdog.armed_ns)) {
		take_events(l, 0);
		/* What came may have changed it. */
		next = next_ns(l);
		now = clock_now_ns();
		wake = lead_wake(&l->lead, next, now);
		if (l->readable || l->done || wake <= now)
			return;
		watchdog_arm(&l->watchdog, wake);
	}
	take_events(l, -1);
	note_sleep(l, now, next, wake);
}

/* The same in one call, the writes included. The ring is armed by sleeping. */
static void wait_ring(struct loop *l)
{
	nsec_t next = next_ns(l), now = clock_now_ns();
	nsec_t wake = lead_wake(&l->lead, next, now);
	struct uring_news news;

	stand_turn(&l->stand, now, next);
	if (wake <= now)
		wake = 0;
	news = uring_wait(l->uring, l->pool, wake);
	l->readable = news.readable;
	write_queued(l);
	if (news.has_slept) {
		note_sleep(l, now, next, wake);
		l->watchdog.arms += wake != NSEC_NEVER;
	}
	if (news.others)
		take_events(l, 0);
	if (news.is_broken) {
		l->uring = NULL;
		watch_ports(l);
	}
}

void loop_run(struct loop *l)
{
	unsigned i, moved;

	if (l->signals->child_ended)
		end_run(l);
	while (!l->done) {
		moved = 0;
		for (i = 0; i < l->n_ports; i++)
			if (l->readable & (1u << i) && !l->port[i].broken)
				moved += read_port(l, i);
		moved += release(l);
		if (l->woke && !moved)
			l->idle_wakeups++;
		l->woke = false;
		if (l->ending && clock_now_ns() >= l->patience_ns) {
			l->guard++;
			end_run(l);
		}
		/* A port may have broken in this turn. */
		if (l->done)
			break;
		if (l->uring)
			wait_ring(l);
		else
			wait_epoll(l);
	}
	write_queued(l);
}
