/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/natin.c - does the host's firewall let the relays' flows pass?
 *
 * Theory of operation
 *   What is forwarded has its own rules; what comes from the command to a relay of ours,
 *   or goes from it to the command, is the host's own traffic, which a firewall may drop
 *   as well. As with what is forwarded, rules are not read but tried, both directions:
 *
 *   in    a socket listens where the relay will; a frame as of the command is written to
 *         the device, and the answer waited for there. A connection is begun and at once
 *         reset, so that nobody sees it.
 *   out   a connection is begun to the command's address; its first segment must come
 *         out of the device, and be refused by the answer that is written there.
 *
 *   A firewall may know the port and the protocol: --reach passes if one of TCP and UDP
 *   does.
 */
#include "config.h"

#include "host/natin.h"

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "host/natprobe.h"
#include "host/nattable.h"
#include "host/relays.h"
#include "relay/relay.h"

#define DNS_PORT 53
/* All of it happens within the call that writes, but for kernels that put it off. */
#define ANSWER_NS (200 * NSEC_PER_MSEC)
#define FRAME_MAX 2048

static bool is_readable(int fd, nsec_t until_ns)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	nsec_t left_ns = until_ns - clock_now_ns();

	return left_ns > 0 && poll(&p, 1, (int)(left_ns / NSEC_PER_MSEC) + 1) > 0;
}

/* Until the device brings such a segment, or a datagram where there is no @t. */
static bool hear(
	const struct wayout *w, int family, struct natprobe_tcp *t, unsigned port)
{
	nsec_t until_ns = clock_now_ns() + ANSWER_NS;
	unsigned char frame[FRAME_MAX];
	ssize_t n;

	while (is_readable(w->far.fd, until_ns)) {
		n = read(w->far.fd, frame, sizeof(frame));
		if (n > 0 &&
			(t ? natprobe_is_segment(&w->plan, family, t, frame, (size_t)n)
			   : natprobe_is_datagram(
				     &w->plan, family, port, frame, (size_t)n)))
			return true;
	}
	return false;
}

static bool say(const struct wayout *w, int family, const struct natprobe_tcp *t)
{
	unsigned char frame[NATPROBE_BYTES];
	size_t n = natprobe_segment(&w->plan, family, t, frame);

	return write(w->far.fd, frame, n) == (ssize_t)n;
}

static bool begins_in(const struct wayout *w, int family, unsigned port)
{
	struct natprobe_tcp to = {.far_port = port, .flags = TH_SYN, .seq = 1};
	struct natprobe_tcp back = {.far_port = port, .flags = TH_SYN | TH_ACK};
	bool is_heard;

	if (!say(w, family, &to))
		return true; /* it is not the firewall */
	is_heard = hear(w, family, &back, 0);
	to.flags = TH_RST;
	to.seq++;
	(void)say(w, family, &to);
	return is_heard;
}

static bool is_answered(const struct wayout *w, int family, unsigned port, int fd)
{
	unsigned char frame[NATPROBE_BYTES];
	size_t n = natprobe_datagram(&w->plan, family, port, frame);
	struct sockaddr_storage who;
	socklen_t len = sizeof(who);
	char c;

	if (write(w->far.fd, frame, n) != (ssize_t)n)
		return true;
	if (!is_readable(fd, clock_now_ns() + ANSWER_NS) ||
		recvfrom(fd, &c, 1, 0, (struct sockaddr *)&who, &len) < 0 ||
		sendto(fd, "", 1, MSG_NOSIGNAL, (struct sockaddr *)&who, len) < 0)
		return false;
	return hear(w, family, NULL, port);
}

static const struct cidr *first_of(const struct plan_end *end, int family)
{
	unsigned i;

	for (i = 0; i < end->n_addrs; i++)
		if (end->addr[i].family == family)
			return &end->addr[i];
	return NULL;
}

/* Does what comes to the far end's @port reach a relay there, and its answer the link? */
static bool passes_in(const struct wayout *w, int family, int type, unsigned port)
{
	const struct cidr *far = first_of(&w->plan.far, family);
	struct relay_addr at = {.family = family, .port = (uint16_t)port};
	uint16_t is_port = at.port;
	int fd FD_AUTO = -1;

	if (!far || !first_of(&w->plan.near, family))
		return true;
	memcpy(at.bytes, far->bytes, sizeof(at.bytes));
	fd = relay_listen(type, &at, w->nat.dev);
	if (fd == -EADDRINUSE && port != DNS_PORT) {
		at.port = 0; /* as the relay will do */
		fd = relay_listen(type, &at, w->nat.dev);
	}
	/* Whoever has it, or forbids it, is not the firewall. */
	if (fd < 0 || relay_port(fd, &is_port) < 0)
		return true;
	return type == SOCK_STREAM ? begins_in(w, family, is_port)
				   : is_answered(w, family, is_port, fd);
}

static int begin_out(const struct wayout *w, int family, unsigned port)
{
	union {
		struct sockaddr any;
		struct sockaddr_in v4;
		struct sockaddr_in6 v6;
	} to = {.any.sa_family = (sa_family_t)family};
	const struct cidr *near = first_of(&w->plan.near, family);
	int fd = socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return fd;
	if (family == AF_INET) {
		to.v4.sin_port = htons((uint16_t)port);
		memcpy(&to.v4.sin_addr, near->bytes, sizeof(to.v4.sin_addr));
	} else {
		to.v6.sin6_port = htons((uint16_t)port);
		memcpy(&to.v6.sin6_addr, near->bytes, sizeof(to.v6.sin6_addr));
	}
	/* Whether it is under way shows at the device. */
	(void)connect(fd, &to.any, family == AF_INET ? sizeof(to.v4) : sizeof(to.v6));
	return fd;
}

/* Does a relay's connection reach @port of the near end, and the answer the relay? */
static bool passes_out(const struct wayout *w, int family, unsigned port)
{
	struct natprobe_tcp t = {.near_port = port, .flags = TH_SYN};
	struct pollfd p = {.events = POLLOUT};
	socklen_t len = sizeof(int);
	int fd FD_AUTO = -1;
	int error = 0;

	if (!first_of(&w->plan.near, family))
		return true;
	fd = begin_out(w, family, port);
	if (fd < 0)
		return true;
	if (!hear(w, family, &t, 0))
		return false;
	t.flags = TH_RST | TH_ACK;
	t.ack = t.seq + 1;
	t.seq = 0;
	p.fd = fd;
	return say(w, family, &t) &&
	       poll(&p, 1, (int)(ANSWER_NS / NSEC_PER_MSEC)) > 0 &&
	       getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &len) == 0 &&
	       error == ECONNREFUSED;
}

/* @dir: "from" or "to" the command */
static int refuse(
	struct rules *r, int family, const char *what, const char *dir, struct err *e)
{
	char who[128];

	nattable_dropper(r, "input", family, who, sizeof(who));
	if (!who[0])
		nattable_dropper(r, "output", family, who, sizeof(who));
	return err_set(e, -EHOSTUNREACH,
		"uplink nat: the host's firewall drops the %s packets %s the command "
		"that %s needs%s%s; write uplink passt, or let it accept those "
		"of " NATTABLE_DEV "*",
		family == AF_INET ? "IPv4" : "IPv6", dir, what,
		who[0] ? ", by policy of " : "", who);
}

static int check_ports(struct rules *r, const struct wayout *w, const struct conf *c,
	int family, struct err *e)
{
	char what[32];
	unsigned i;

	for (i = 0; i < c->reach.n; i++) {
		unsigned port = c->reach.port[i];

		if (passes_in(w, family, SOCK_STREAM, port) ||
			passes_in(w, family, SOCK_DGRAM, port))
			continue;
		snprintf(what, sizeof(what), "--reach %u", port);
		return refuse(r, family, what, "from", e);
	}
	if (c->listen.n && !passes_out(w, family, RELAYS_PORT))
		return refuse(r, family, "--listen", "to", e);
	return 0;
}

int natin_check(struct rules *r, const struct wayout *w, const struct conf *c, bool dns,
	struct err *e)
{
	int family = w->plan.far.addr[0].family, rc;

	if (dns && !passes_in(w, family, SOCK_DGRAM, DNS_PORT))
		return refuse(r, family, "the host's name server", "from", e);
	rc = check_ports(r, w, c, AF_INET, e);
	return rc ? rc : check_ports(r, w, c, AF_INET6, e);
}
