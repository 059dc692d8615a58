/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * relay/udp.c - datagrams
 *
 * Theory of operation
 *   A session is a sender's address at a rule's socket, and a socket of its own that is
 *   connected to one of the rule's addresses. What arrives there goes back to the sender
 *   from the rule's socket. Sessions are in the order of their last use; the list is
 *   searched from its newest. A refusal shows behind a datagram: the first one is kept
 *   until there is an answer, and sent to the next address.
 */
#include "config.h"

#include "relay/inner.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

/* Datagrams taken from a socket in a turn. */
#define BATCH 16

struct udp {
	struct watch w;
	const struct listener *from;
	union address peer;
	socklen_t peer_len;
	unsigned tries; /* addresses that were tried */
	bool answered;  /* the present one */
	void *kept;     /* the last datagram, while another address could take it */
	size_t kept_bytes;
	nsec_t used_ns;
	struct udp *older, *newer; /* .older also in the list of the dead */
};

static void take_out(struct relay *r, struct udp *u)
{
	*(u->older ? &u->older->newer : &r->oldest) = u->newer;
	*(u->newer ? &u->newer->older : &r->newest) = u->older;
}

static void put_newest(struct relay *r, struct udp *u)
{
	u->used_ns = r->now_ns;
	u->older = r->newest;
	u->newer = NULL;
	*(u->older ? &u->older->newer : &r->oldest) = u;
	r->newest = u;
}

static void drop_kept(struct udp *u)
{
	free(u->kept);
	u->kept = NULL;
}

static void bury(struct relay *r, struct udp *u)
{
	take_out(r, u);
	watch_close(&u->w);
	drop_kept(u);
	u->older = r->dead_udp;
	r->dead_udp = u;
	r->n_udp--;
}

static bool same(const struct udp *u, const struct listener *l,
	const union address *peer, socklen_t len)
{
	return u->from == l && u->peer_len == len && memcmp(&u->peer, peer, len) == 0;
}

static int open_to(const struct relay_addr *at)
{
	union address to;
	socklen_t len = address_of(at, &to);
	int fd = socket(at->family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd >= 0 && connect(fd, &to.any, len) < 0) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/* Return: false when no address is left; the session is gone then. */
static bool connect_next(struct relay *r, struct udp *u)
{
	const struct relay_rule *rule = &u->from->rule;

	watch_close(&u->w);
	while (u->tries < rule->n_to) {
		u->w.fd = open_to(&rule->to[u->tries++]);
		if (u->w.fd >= 0 && watch_set(r, &u->w, EPOLLIN) == 0)
			return true;
		watch_close(&u->w);
	}
	bury(r, u);
	return false;
}

static struct udp *session(struct relay *r, const struct listener *l,
	const union address *peer, socklen_t len)
{
	struct udp *u;

	for (u = r->newest; u; u = u->older)
		if (same(u, l, peer, len)) {
			take_out(r, u);
			put_newest(r, u);
			return u;
		}
	if (r->n_udp == RELAY_UDP_MAX)
		bury(r, r->oldest);
	u = calloc(1, sizeof(*u));
	if (!u)
		return NULL;
	u->w = (struct watch){.kind = WATCH_UDP, .fd = -1};
	u->from = l;
	u->peer = *peer;
	u->peer_len = len;
	put_newest(r, u);
	r->n_udp++;
	return connect_next(r, u) ? u : NULL;
}

static void keep(struct udp *u, const void *bytes, size_t n)
{
	drop_kept(u);
	if (u->answered || u->tries == u->from->rule.n_to)
		return;
	u->kept = malloc(n ? n : 1);
	if (!u->kept)
		return;
	memcpy(u->kept, bytes, n);
	u->kept_bytes = n;
}

/*
 * The address refuses what was sent. One that has answered before may be back soon; else
 * the next one gets it, and after the last one the session begins anew.
 */
static void refused(struct relay *r, struct udp *u)
{
	if (u->answered)
		return;
	if (!u->kept) {
		bury(r, u);
		return;
	}
	if (!connect_next(r, u))
		return;
	(void)send(u->w.fd, u->kept, u->kept_bytes, MSG_NOSIGNAL);
	if (u->tries == u->from->rule.n_to)
		drop_kept(u);
}

static void pass(struct relay *r, struct udp *u, size_t n)
{
	keep(u, r->scratch, n);
	if (send(u->w.fd, r->scratch, n, MSG_NOSIGNAL) >= 0 || errno != ECONNREFUSED)
		return;
	/* That was said of one before it; this one has not been sent. */
	if (u->kept)
		refused(r, u);
	else
		(void)send(u->w.fd, r->scratch, n, MSG_NOSIGNAL);
}

void udp_receive(struct relay *r, struct listener *l)
{
	union address peer;
	socklen_t len;
	struct udp *u;
	unsigned i;
	ssize_t n;

	for (i = 0; i < BATCH; i++) {
		memset(&peer, 0, sizeof(peer));
		len = sizeof(peer);
		n = recvfrom(
			l->w.fd, r->scratch, sizeof(r->scratch), 0, &peer.any, &len);
		if (n < 0)
			return;
		u = session(r, l, &peer, len);
		if (u)
			pass(r, u, (size_t)n);
	}
}

void udp_ready(struct relay *r, struct watch *w, uint32_t events)
{
	struct udp *u = (struct udp *)w;
	unsigned i;
	ssize_t n;

	(void)events;
	for (i = 0; i < BATCH; i++) {
		n = recv(w->fd, r->scratch, sizeof(r->scratch), 0);
		if (n < 0) {
			if (errno == ECONNREFUSED)
				refused(r, u);
			return;
		}
		u->answered = true;
		drop_kept(u);
		take_out(r, u);
		put_newest(r, u);
		(void)sendto(u->from->w.fd, r->scratch, (size_t)n, MSG_NOSIGNAL,
			&u->peer.any, u->peer_len);
	}
}

void udp_tend(struct relay *r)
{
	struct udp *u;

	while (r->oldest && r->oldest->used_ns + RELAY_UDP_IDLE_NS <= r->now_ns)
		bury(r, r->oldest);
	while ((u = r->dead_udp)) {
		/* Who is buried is not the oldest any more, nor buried twice. */
		r->dead_udp = u->older; /* NOLINT(clang-analyzer-unix.Malloc) */
		free(u);
	}
}

nsec_t udp_next_ns(const struct relay *r)
{
	return r->oldest ? r->oldest->used_ns + RELAY_UDP_IDLE_NS : NSEC_NEVER;
}
