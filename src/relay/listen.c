/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * relay/listen.c - the sockets of rules, and how a rule comes to a relay
 */
#include "config.h"

#include "relay/inner.h"

#include "base/fd.h"

#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

socklen_t address_of(const struct relay_addr *at, union address *to)
{
	memset(to, 0, sizeof(*to));
	if (at->family == AF_INET) {
		to->v4.sin_family = AF_INET;
		to->v4.sin_port = htons(at->port);
		memcpy(&to->v4.sin_addr, at->bytes, 4);
		return sizeof(to->v4);
	}
	to->v6.sin6_family = AF_INET6;
	to->v6.sin6_port = htons(at->port);
	to->v6.sin6_scope_id = at->scope;
	memcpy(&to->v6.sin6_addr, at->bytes, 16);
	return sizeof(to->v6);
}

const char *relay_text(const struct relay_addr *at)
{
	static char text[INET6_ADDRSTRLEN + 16];
	char host[INET6_ADDRSTRLEN] = "?";

	inet_ntop(at->family, at->bytes, host, sizeof(host));
	snprintf(text, sizeof(text), at->family == AF_INET ? "%s:%u" : "[%s]:%u", host,
		at->port);
	return text;
}

static int prepare(int fd, int family, int type, const char *dev)
{
	static const int one = 1;
	int r = 0;

	/* After a run there may be connections in TIME-WAIT; for UDP it would mean that
	 * two share the port. */
	if (type == SOCK_STREAM)
		r |= setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (family == AF_INET6)
		r |= setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &one, sizeof(one));
	if (dev)
		r |= setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, dev,
			(socklen_t)strnlen(dev, IFNAMSIZ));
	return r;
}

int relay_listen(int type, const struct relay_addr *at, const char *dev)
{
	int fd = socket(at->family, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	union address to;
	socklen_t len = address_of(at, &to);
	int r;

	if (fd < 0)
		return -errno;
	if (prepare(fd, at->family, type, dev) == 0 && bind(fd, &to.any, len) == 0 &&
		(type != SOCK_STREAM || listen(fd, SOMAXCONN) == 0))
		return fd;
	r = -errno;
	fd_close(&fd);
	return r;
}

int relay_port(int fd, uint16_t *port)
{
	union address at = {0};
	socklen_t len = sizeof(at);

	if (getsockname(fd, &at.any, &len) < 0)
		return -errno;
	*port = ntohs(at.any.sa_family == AF_INET ? at.v4.sin_port : at.v6.sin6_port);
	return 0;
}

int relay_give(int sock, const struct relay_rule *rule, int fd, struct err *e)
{
	int answer, r = fd_send(sock, rule, sizeof(*rule), &fd, 1);

	if (!r &&
		fd_recv(sock, &answer, sizeof(answer), NULL, 0) == (int)sizeof(answer))
		r = answer;
	else if (!r)
		r = -ECHILD;
	if (r < 0)
		return err_set(e, r, "relay: %s",
			r == -ECHILD || r == -EPIPE ? "its process is gone"
						    : strerror(-r));
	return 0;
}
