/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/slirp.c - the way out over slirp4netns
 *
 * Theory of operation
 *   slirp4netns speaks frames, one a message, to whoever connects to a socket that it
 *   makes at a path. The path is in a directory of the command's user that is there
 *   until the connection stands, and then gone. It ends when the file that it was given
 *   for that is closed at our end. Its addresses are fixed: of the command
 *   10.0.2.100 and fd00::100, of the gateway .2, of the name server .3, which hands
 *   queries on to the host's, even to one on its loopback.
 *
 *   It could also let the command reach the host's loopback at the gateway's address.
 *   It is told not to, but for --reach and --listen. For --listen it takes the host's
 *   ports itself, which it is asked to by a second socket, one request a connection, in
 *   JSON: docs/api in its sources, slirp4netns(1).
 *
 * Limits   no other addresses. What TCP may have in flight is bound by its buffers.
 */
#include "config.h"

#include "host/slirp.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "host/knock.h"
#include "host/relays.h"
#include "host/sockbuf.h"
#include "host/wayout.h"

#define NAME "slirp"
#define PROGRAM "slirp4netns"
#define FD_TEXT "3"
_Static_assert(HELPER_FD == 3, "FD_TEXT");

#define LOOK_MS 2

static const struct cidr near4 = {
	.family = AF_INET, .bytes = {10, 0, 2, 100}, .prefix = 24};
static const struct cidr near6 = {
	.family = AF_INET6, .bytes = {0xfd, [14] = 1, 0}, .prefix = 64};

/* Its gateway and its name server in the network of @c. */
static struct cidr host(const struct cidr *c, uint8_t number)
{
	struct cidr h = *c;
	unsigned last = c->family == AF_INET ? 3 : 15;

	h.bytes[14] = 0;
	h.bytes[last] = number;
	return h;
}

static void make_plan(struct wayout *w, const struct link_end *near)
{
	struct plan *p = &w->plan;
	unsigned i, n;

	plan_make(p, near, false);
	n = p->near.n_addrs;
	for (i = 0; i < n; i++) {
		p->across[i] = i;
		p->apart[i] = false;
		p->far.addr[i] = host(&p->near.addr[i], 2);
		/* A neighbour as well. */
		p->far.addr[n + i] = host(&p->near.addr[i], 3);
	}
	p->far.n_addrs = 2 * n;
	for (i = 0; i < n; i++)
		if (resolv_has(&w->resolv, p->near.addr[i].family))
			w->dns[w->n_dns++] = p->far.addr[n + i];
}

static int connect_to(struct helper *h, const char *path, nsec_t until_ns)
{
	struct sockaddr_un to = {.sun_family = AF_UNIX};
	int r, fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -errno;
	sockbuf_grow(fd);
	snprintf(to.sun_path, sizeof(to.sun_path), "%s", path);
	for (;;) {
		if (connect(fd, (struct sockaddr *)&to, sizeof(to)) == 0)
			return fd;
		r = -errno;
		if (r == -ENOENT || r == -ECONNREFUSED)
			r = helper_is_gone(h) ? -EPIPE : -ETIMEDOUT;
		if (r != -ETIMEDOUT || clock_now_ns() >= until_ns)
			break;
		poll(NULL, 0, LOOK_MS);
	}
	fd_close(&fd);
	return r;
}

/* Say @request to it, and see whether it has done so: -EADDRINUSE, it will not. */
static int ask(const char *path, const char *request, nsec_t until_ns)
{
	nsec_t left_ns = until_ns - clock_now_ns();
	struct sockaddr_un to = {.sun_family = AF_UNIX};
	int fd FD_AUTO = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct timeval limit = {.tv_sec = left_ns / NSEC_PER_SEC,
		.tv_usec = left_ns % NSEC_PER_SEC / NSEC_PER_USEC};
	char answer[512];
	size_t at = 0;
	ssize_t n;

	if (fd < 0)
		return -errno;
	if (left_ns < NSEC_PER_MSEC) /* 0 would be for ever */
		return -ETIMEDOUT;
	snprintf(to.sun_path, sizeof(to.sun_path), "%s", path);
	(void)setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
	(void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	if (connect(fd, (struct sockaddr *)&to, sizeof(to)) < 0 ||
		send(fd, request, strlen(request), MSG_NOSIGNAL) < 0 ||
		shutdown(fd, SHUT_WR) < 0)
		return -errno;
	while ((n = read(fd, answer + at, sizeof(answer) - 1 - at)) > 0)
		at += (size_t)n;
	answer[at] = '\0';
	return strstr(answer, "\"return\"") ? 0 : n < 0 ? -errno : -EADDRINUSE;
}

static int take_ports(
	const struct wayout_start *s, struct wayout *w, const char *path, struct err *e)
{
	const struct port_list *listen = &s->conf->listen;
	static const char *const kinds[] = {"tcp", "udp"};
	char text[256];
	int r;

	for (unsigned i = 0; i < 2 * listen->n; i++) {
		snprintf(text, sizeof(text),
			"{\"execute\": \"add_hostfwd\", \"arguments\": {\"proto\": "
			"\"%s\", \"host_addr\": \"127.0.0.1\", \"host_port\": %u, "
			"\"guest_addr\": \"10.0.2.100\", \"guest_port\": %u}}",
			kinds[i % 2], listen->port[i / 2], RELAYS_PORT + i / 2);
		r = ask(path, text, s->until_ns);
		if (r < 0 && r != -EADDRINUSE)
			return helper_failed(&w->helper, NAME,
				r == -EAGAIN ? -ETIMEDOUT : -EPIPE, e);
		if (r < 0)
			return err_set(e, -EADDRINUSE,
				"--listen '%u': slirp4netns cannot take it; let the "
				"command use another port",
				listen->port[i / 2]);
	}
	return 0;
}

static int start_at(const struct wayout_start *s, struct wayout *w, char *program,
	char *sock_path, char *ask_path, struct err *e)
{
	const struct conf *c = s->conf;
	char mtu[32], api[112];
	char apart[] = "--disable-host-loopback", ipv6[] = "--enable-ipv6";
	char *argv[9] = {program, (char[]){"--target-type=bess"}, mtu,
		(char[]){"--exit-fd=" FD_TEXT}};
	int life[2], r, fd, n = 4;

	snprintf(mtu, sizeof(mtu), "--mtu=%u", w->plan.near.mtu_bytes);
	snprintf(api, sizeof(api), "--api-socket=%s", ask_path);
	if (!c->reach.n && !c->listen.n)
		argv[n++] = apart;
	if (c->listen.n)
		argv[n++] = api;
	if (s->ipv6)
		argv[n++] = ipv6;
	argv[n] = sock_path;
	if (pipe2(life, O_CLOEXEC) < 0)
		return err_sys(e, "uplink " NAME ": pipe");
	w->helper.life_fd = life[1];
	r = helper_start(&w->helper, NAME, argv, s->ident, life[0], e);
	fd_close(&life[0]);
	if (r < 0)
		return r;
	fd = connect_to(&w->helper, sock_path, s->until_ns);
	r = fd < 0 ? fd : knock(&w->plan, PORT_PACKET, fd, s->until_ns);
	if (!r && fcntl(fd, F_SETFL, O_NONBLOCK) < 0)
		r = -errno;
	if (r < 0) {
		fd_close(&fd);
		return helper_failed(&w->helper, NAME, r, e);
	}
	r = take_ports(s, w, ask_path, e);
	if (r < 0) {
		fd_close(&fd);
		helper_stop(&w->helper);
		return r;
	}
	w->far = (struct host_port){.role = PORT_FAR,
		.kind = PORT_PACKET,
		.fd = fd,
		.stats_fd = -1,
		.dev = NAME};
	return 0;
}

/* Around start_at(): the directory for its socket. */
static int run(
	const struct wayout_start *s, struct wayout *w, char *program, struct err *e)
{
	static const char *const places[] = {"/run", "/tmp", "/dev/shm", "/var/tmp"};
	char dir[64], path[80], ask_path[80];
	size_t i, n = sizeof(places) / sizeof(places[0]);
	int r;

	for (i = 0; i < n; i++) {
		snprintf(dir, sizeof(dir), "%s/farwire.XXXXXX", places[i]);
		if (mkdtemp(dir))
			break;
	}
	if (i == n)
		return err_sys(e, "uplink " NAME ": '%s'", dir);
	snprintf(path, sizeof(path), "%s/s", dir);
	snprintf(ask_path, sizeof(ask_path), "%s/a", dir);
	if (s->ident->change && chown(dir, s->ident->uid, s->ident->gid) < 0)
		r = err_sys(e, "uplink " NAME ": '%s'", dir);
	else
		r = start_at(s, w, program, path, ask_path, e);
	(void)unlink(path);
	(void)unlink(ask_path);
	(void)rmdir(dir);
	return r;
}

int slirp_start(const struct wayout_start *s, struct wayout *w, struct err *e)
{
	struct link_end near;
	char program[512];

	if (!s->conf->near_lo && s->conf->near.n_addrs)
		return err_set(e, -EINVAL,
			"uplink slirp: its addresses are fixed, 10.0.2.100 and "
			"fd00::100; leave out addr, or write uplink passt");
	if (!helper_find(PROGRAM, program, sizeof(program)))
		return err_set(e, -ENOENT,
			"uplink slirp: it is not installed; install the package "
			"slirp4netns");
	if (s->conf->listen.n && !s->ipv4)
		return err_set(e, -EINVAL,
			"uplink slirp: --listen needs IPv4, which leads nowhere here; "
			"write uplink passt");
	near = wayout_near(s->conf, s->ipv4 ? &near4 : NULL, s->ipv6 ? &near6 : NULL);
	make_plan(w, &near);
	return run(s, w, program, e);
}
