/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * relay/relay.c - the turn of a relay, and its orders
 *
 * One thread, one epoll, level-triggered. No call in it waits but epoll_wait(), which
 * has an end only while a UDP session may grow too old or a TCP session is about to end.
 */
#include "config.h"

#include "relay/inner.h"

#include "base/fd.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <unistd.h>

#define EVENTS 64
/* Files that are neither a rule's nor a session's, with some to spare. */
#define FILES_SPARE 16

int watch_set(struct relay *r, struct watch *w, uint32_t events)
{
	struct epoll_event ev = {.events = events, .data.ptr = w};

	if (w->known && w->events == events)
		return 0;
	if (epoll_ctl(r->epoll_fd, w->known ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, w->fd,
		    &ev) < 0)
		return -errno;
	w->known = true;
	w->events = events;
	return 0;
}

void watch_close(struct watch *w)
{
	if (w->fd < 0)
		return;
	fd_close(&w->fd);
	w->known = false;
}

void relay_deaf(struct relay *r, bool deaf)
{
	unsigned i;

	r->deaf = deaf;
	r->hear_ns = NSEC_NEVER;
	for (i = 0; i < r->n_listeners; i++)
		if (r->listener[i]->rule.type == SOCK_STREAM)
			(void)watch_set(r, &r->listener[i]->w, deaf ? 0 : EPOLLIN);
}

static int add_rule(struct relay *r, const struct relay_rule *rule, int fd)
{
	struct listener *l;
	int rc;

	if (rule->n_to < 1 || rule->n_to > RELAY_TO_MAX)
		return -EINVAL;
	if (r->n_listeners == RELAY_RULES_MAX)
		return -ENOSPC;
	l = calloc(1, sizeof(*l));
	if (!l)
		return -ENOMEM;
	*l = (struct listener){.w = {.kind = WATCH_LISTEN, .fd = fd}, .rule = *rule};
	rc = watch_set(r, &l->w, EPOLLIN);
	if (rc < 0) {
		free(l);
		return rc;
	}
	r->listener[r->n_listeners++] = l;
	return 0;
}

/* Return: false when nobody wants the relay any longer. */
static bool take_order(struct relay *r)
{
	struct relay_rule rule;
	int fd, answer, n = fd_recv(r->orders.fd, &rule, sizeof(rule), &fd, 1);

	if (n <= 0)
		return false;
	answer = n == (int)sizeof(rule) && fd >= 0 ? add_rule(r, &rule, fd) : -EINVAL;
	if (answer < 0)
		fd_close(&fd);
	return fd_send(r->orders.fd, &answer, sizeof(answer), NULL, 0) == 0;
}

static bool dispatch(struct relay *r, const struct epoll_event *ev)
{
	struct watch *w = ev->data.ptr;

	/* Closed by an event before this one. */
	if (w->fd < 0)
		return true;
	switch (w->kind) {
	case WATCH_ORDERS:
		return take_order(r);
	case WATCH_LISTEN: {
		struct listener *l = (struct listener *)w;

		if (l->rule.type == SOCK_STREAM)
			tcp_accept(r, l);
		else
			udp_receive(r, l);
		break;
	}
	case WATCH_TCP:
		tcp_ready(r, w, ev->events);
		break;
	case WATCH_UDP:
		udp_ready(r, w, ev->events);
		break;
	}
	return true;
}

static int patience_ms(const struct relay *r)
{
	nsec_t next_ns = tcp_next_ns(r), udp_ns = udp_next_ns(r), left_ns;

	if (udp_ns < next_ns)
		next_ns = udp_ns;
	if (r->hear_ns < next_ns)
		next_ns = r->hear_ns;
	if (next_ns == NSEC_NEVER)
		return -1;
	left_ns = next_ns - clock_now_ns();
	return left_ns <= 0 ? 0 : (int)(left_ns / NSEC_PER_MSEC) + 1;
}

/* As many sessions as there may be files, two each and one for a UDP one. */
static unsigned room_for_tcp(void)
{
	const rlim_t others = RELAY_RULES_MAX + RELAY_UDP_MAX + FILES_SPARE;
	struct rlimit lim;

	if (getrlimit(RLIMIT_NOFILE, &lim) < 0)
		return 1;
	lim.rlim_cur = lim.rlim_max;
	(void)setrlimit(RLIMIT_NOFILE, &lim);
	if (getrlimit(RLIMIT_NOFILE, &lim) < 0 || lim.rlim_cur < others + 2)
		return 1;
	if (lim.rlim_cur > others + (rlim_t)2 * RELAY_TCP_MAX)
		return RELAY_TCP_MAX;
	return (unsigned)(lim.rlim_cur - others) / 2;
}

void relay_serve(int sock)
{
	struct relay *r = calloc(1, sizeof(*r));
	struct epoll_event ev[EVENTS];
	bool wanted = r != NULL;
	int i, n;

	if (!r)
		return;
	r->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	r->hear_ns = NSEC_NEVER;
	r->max_tcp = room_for_tcp();
	r->orders = (struct watch){.kind = WATCH_ORDERS, .fd = sock};
	wanted = r->epoll_fd >= 0 && watch_set(r, &r->orders, EPOLLIN) == 0;
	while (wanted) {
		n = epoll_wait(r->epoll_fd, ev, EVENTS, patience_ms(r));
		r->now_ns = clock_now_ns();
		if (r->hear_ns <= r->now_ns)
			relay_deaf(r, false);
		for (i = 0; i < n && wanted; i++)
			wanted = dispatch(r, &ev[i]);
		tcp_tend(r);
		udp_tend(r);
	}
	/* The rest goes with the process. */
	fd_close(&r->epoll_fd);
}
