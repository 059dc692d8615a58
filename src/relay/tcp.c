/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * relay/tcp.c - connections
 *
 * Theory of operation
 *   A session has two ends: 0 was accepted, 1 is connected by us. What is read at one end
 *   is written at the other at once; what that one does not take is kept, and until it is
 *   gone nothing more is read: memory is held only for a reader that is behind.
 *
 *   An end that has nothing more to say and to hear is closed, though the other may still
 *   work off what is kept for it. A session that breaks at one end is reset at the other,
 *   but not before that one has been given what was said before: natively a reset comes
 *   behind the data, too. Then the session is dying; a reset would throw away what the
 *   kernel has not sent yet, so that is waited for, by looking, as no event tells of it.
 */
#include "config.h"

#include "relay/inner.h"

#include "base/fd.h"

#include <errno.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* How often a dying session is looked at, and for how long. */
#define LOOK_NS (20 * NSEC_PER_MSEC)
#define DYING_NS (10 * NSEC_PER_SEC)
/* When there are no files: a session's end may not be what brings one. */
#define DEAF_NS (100 * NSEC_PER_MSEC)
/* Taken from a listening socket in a turn. */
#define ACCEPTS 16

struct tcp_end {
	struct watch w;
	struct tcp *of;
	uint8_t *kept; /* to be written here */
	size_t kept_at, kept_bytes;
	bool said_all;  /* end of file was read here */
	bool heard_all; /* and written here */
};

struct tcp {
	struct tcp_end end[2];
	const struct listener *from;
	unsigned tries; /* addresses that were tried */
	bool connecting, dying, dead;
	nsec_t dying_ns; /* since */
	struct tcp *next, **at;
};

static struct tcp_end *other(struct tcp_end *end)
{
	return &end->of->end[end == &end->of->end[0]];
}

static void drop_kept(struct tcp_end *end)
{
	free(end->kept);
	end->kept = NULL;
	end->kept_at = end->kept_bytes = 0;
}

static void bury(struct relay *r, struct tcp *t)
{
	if (t->dead)
		return;
	t->dead = true;
	r->n_tcp--;
	r->n_dying -= t->dying;
	watch_close(&t->end[0].w);
	watch_close(&t->end[1].w);
	*t->at = t->next;
	if (t->next)
		t->next->at = t->at;
	t->next = r->dead_tcp;
	r->dead_tcp = t;
	if (r->deaf)
		relay_deaf(r, false);
}

/* Close it so that the other side sees a reset. */
static void reset_end(struct tcp_end *end)
{
	static const struct linger now = {.l_onoff = 1};

	if (end->w.fd < 0)
		return;
	(void)setsockopt(end->w.fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
	watch_close(&end->w);
}

static bool has_unsent(const struct tcp_end *end)
{
	int n_bytes;

	if (end->kept_bytes)
		return true;
	return ioctl(end->w.fd, TIOCOUTQ, &n_bytes) == 0 && n_bytes > 0;
}

static bool is_open(const struct tcp_end *end)
{
	return end->w.fd >= 0;
}

/* @end is broken: the other one is to see that, and all that came before. */
static void break_at(struct relay *r, struct tcp_end *end)
{
	struct tcp_end *o = other(end);
	struct tcp *t = end->of;

	reset_end(end);
	if (!is_open(o) || t->dying || !has_unsent(o)) {
		reset_end(o);
		bury(r, t);
		return;
	}
	t->dying = true;
	t->dying_ns = r->now_ns;
	r->n_dying++;
	if (watch_set(r, &o->w, o->kept_bytes ? EPOLLOUT : 0) < 0)
		bury(r, t);
}

/* What each end waits for; what has nothing to wait for is closed. */
static void settle(struct relay *r, struct tcp *t)
{
	unsigned i;

	for (i = 0; i < 2 && !t->dead; i++) {
		struct tcp_end *end = &t->end[i];
		bool in = !t->connecting && !end->said_all && !other(end)->kept_bytes;
		bool out = (t->connecting && i == 1) || end->kept_bytes;

		if (!is_open(end) || t->dying)
			continue;
		if (end->said_all && end->heard_all)
			watch_close(&end->w);
		else if (watch_set(r, &end->w,
				 (in ? EPOLLIN : 0U) | (out ? EPOLLOUT : 0U)) < 0)
			break_at(r, end);
	}
	if (!t->dead && !is_open(&t->end[0]) && !is_open(&t->end[1]))
		bury(r, t);
}

/* Everything of one side is written: now its end of file. */
static void pass_end(struct tcp_end *to)
{
	if (!other(to)->said_all || to->heard_all || to->kept_bytes)
		return;
	to->heard_all = true;
	(void)shutdown(to->w.fd, SHUT_WR);
}

static bool keep(struct tcp_end *to, const uint8_t *bytes, size_t n)
{
	to->kept = malloc(n);
	if (!to->kept)
		return false;
	memcpy(to->kept, bytes, n);
	to->kept_at = 0;
	to->kept_bytes = n;
	return true;
}

static ssize_t put(struct tcp_end *to, const uint8_t *bytes, size_t n)
{
	ssize_t done = send(to->w.fd, bytes, n, MSG_NOSIGNAL | MSG_DONTWAIT);

	return done < 0 && (errno == EAGAIN || errno == EINTR) ? 0 : done;
}

/* Return: false when the session has broken. */
static bool write_kept(struct relay *r, struct tcp_end *to)
{
	ssize_t n;

	if (!to->kept_bytes)
		return true;
	n = put(to, to->kept + to->kept_at, to->kept_bytes);
	if (n < 0) {
		break_at(r, to);
		return false;
	}
	to->kept_at += (size_t)n;
	to->kept_bytes -= (size_t)n;
	if (!to->kept_bytes)
		drop_kept(to);
	return true;
}

static bool read_end(struct relay *r, struct tcp_end *end)
{
	struct tcp_end *to = other(end);
	ssize_t n, done;

	if (end->said_all || to->kept_bytes)
		return true;
	n = recv(end->w.fd, r->scratch, RELAY_TCP_BYTES, MSG_DONTWAIT);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return true;
	if (n < 0) {
		break_at(r, end);
		return false;
	}
	if (n == 0) {
		end->said_all = true;
		return true;
	}
	done = put(to, r->scratch, (size_t)n);
	if (done < 0) {
		break_at(r, to);
		return false;
	}
	if (done < n && !keep(to, r->scratch + done, (size_t)(n - done))) {
		break_at(r, end);
		return false;
	}
	return true;
}

static bool start_connect(struct relay *r, struct tcp *t, const struct relay_addr *at)
{
	static const int one = 1;
	union address to;
	socklen_t len = address_of(at, &to);
	struct watch *w = &t->end[1].w;

	w->fd = socket(at->family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (w->fd < 0)
		return false;
	/* Whoever sends in pieces has waited for us already. */
	(void)setsockopt(w->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	if ((connect(w->fd, &to.any, len) == 0 || errno == EINPROGRESS) &&
		watch_set(r, w, EPOLLOUT) == 0)
		return true;
	watch_close(w);
	return false;
}

static void connect_next(struct relay *r, struct tcp *t)
{
	const struct relay_rule *rule = &t->from->rule;

	t->connecting = true;
	while (t->tries < rule->n_to)
		if (start_connect(r, t, &rule->to[t->tries++]))
			return;
	if (!rule->ends_softly)
		reset_end(&t->end[0]);
	bury(r, t);
}

/* Return: whether the connection stands. */
static bool has_connected(struct relay *r, struct tcp *t)
{
	socklen_t len = sizeof(int);
	int why = 0;

	if (getsockopt(t->end[1].w.fd, SOL_SOCKET, SO_ERROR, &why, &len) < 0)
		why = errno;
	if (why) {
		watch_close(&t->end[1].w);
		connect_next(r, t);
		return false;
	}
	t->connecting = false;
	return true;
}

static void adopt(struct relay *r, const struct listener *l, int fd)
{
	static const int one = 1;
	struct tcp *t = calloc(1, sizeof(*t));
	unsigned i;

	if (!t) {
		close(fd);
		return;
	}
	for (i = 0; i < 2; i++)
		t->end[i] =
			(struct tcp_end){.w = {.kind = WATCH_TCP, .fd = -1}, .of = t};
	t->end[0].w.fd = fd;
	t->from = l;
	t->next = r->tcp;
	if (t->next)
		t->next->at = &t->next;
	t->at = &r->tcp;
	r->tcp = t;
	r->n_tcp++;
	(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	connect_next(r, t);
	if (!t->dead)
		settle(r, t);
}

void tcp_accept(struct relay *r, struct listener *l)
{
	unsigned i;
	int fd;

	for (i = 0; i < ACCEPTS; i++) {
		if (r->n_tcp >= r->max_tcp) {
			relay_deaf(r, true);
			return;
		}
		fd = accept4(l->w.fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
		if (fd >= 0) {
			adopt(r, l, fd);
			continue;
		}
		/* Who was in the queue and has gone is nobody's business. */
		if (errno == EMFILE || errno == ENFILE || errno == ENOMEM ||
			errno == ENOBUFS) {
			relay_deaf(r, true);
			r->hear_ns = r->now_ns + DEAF_NS;
		}
		return;
	}
}

static void dying_ready(struct relay *r, struct tcp_end *end, uint32_t events)
{
	if (events & (EPOLLERR | EPOLLHUP)) {
		bury(r, end->of);
		return;
	}
	if (write_kept(r, end) && !end->kept_bytes)
		(void)watch_set(r, &end->w, 0);
}

void tcp_ready(struct relay *r, struct watch *w, uint32_t events)
{
	struct tcp_end *end = (struct tcp_end *)w;
	struct tcp *t = end->of;

	if (t->dying) {
		dying_ready(r, end, events);
		return;
	}
	if (t->connecting && end == &t->end[1]) {
		if (!has_connected(r, t))
			return;
	} else if (events & EPOLLERR && t->connecting) {
		break_at(r, end);
		return;
	}
	if (!t->connecting) {
		if (events & EPOLLOUT && !write_kept(r, end))
			return;
		if (events & (EPOLLIN | EPOLLHUP | EPOLLERR) && !read_end(r, end))
			return;
		/* Broken, and reading does not tell it. */
		if (events & EPOLLERR && (end->said_all || other(end)->kept_bytes)) {
			break_at(r, end);
			return;
		}
		pass_end(end);
		pass_end(other(end));
	}
	settle(r, t);
}

void tcp_tend(struct relay *r)
{
	struct tcp *t, *next;

	for (t = r->n_dying ? r->tcp : NULL; t; t = next) {
		struct tcp_end *end = &t->end[!is_open(&t->end[0])];

		next = t->next;
		if (!t->dying ||
			(has_unsent(end) && r->now_ns < t->dying_ns + DYING_NS))
			continue;
		reset_end(end);
		bury(r, t);
	}
	while ((t = r->dead_tcp)) {
		r->dead_tcp = t->next;
		drop_kept(&t->end[0]);
		drop_kept(&t->end[1]);
		free(t);
	}
}

nsec_t tcp_next_ns(const struct relay *r)
{
	return r->n_dying ? r->now_ns + LOOK_NS : NSEC_NEVER;
}
