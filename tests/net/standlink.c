/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests/net/standlink.c - a link that stays without run/: a wire that does nothing
 *
 *   standlink [-b] [-n] NAME [netns NS] [dev DEV] [addr CIDR]... [mac M] [mtu N]
 *             {peer [netns NS] ... | bridge BR}
 *
 * Says "near NS/DEV far NS/DEV" and the words that make it again when it stands: with -b
 * from the background, then detached; with -n it tells $NOTIFY_SOCKET too. SIGTERM or
 * the end of a device ends it; then NAME.last holds what passed, and what it ended by:
 * "near 5 far 5 frames: term". SIGUSR1 writes that, and what the rings dropped, without
 * ending it. Exit status as cli.md has it for add.
 */
#include "config.h"

#include "base/err.h"
#include "base/log.h"
#include "conf/conf.h"
#include "host/daemon.h"
#include "host/host.h"
#include "host/host_link.h"
#include "host/last.h"
#include "host/notify.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

static unsigned long n_frames[N_LINK_ENDS];
static const char *const names[N_LINK_ENDS] = {"near", "far"};

/* Return: false when the device is gone. */
static bool forward(const struct host_link *h, int i)
{
	static char buf[70000];
	ssize_t n;

	while ((n = read(h->port[i].fd, buf, sizeof(buf))) > 0) {
		n_frames[i]++;
		(void)!write(h->port[!i].fd, buf, (size_t)n);
	}
	return n < 0 && errno == EAGAIN;
}

static void say_last(const struct host_link *h, const char *why)
{
	char text[256], drops[N_LINK_ENDS][32] = {"-", "-"};
	int i;

	for (i = 0; i < N_LINK_ENDS; i++)
		if (h->port[i].stats_fd >= 0) {
			ssize_t n = pread(
				h->port[i].stats_fd, drops[i], sizeof(drops[i]) - 1, 0);

			drops[i][n > 0 ? n - 1 : 0] = '\0';
		}
	snprintf(text, sizeof(text), "near %lu far %lu frames, rings %s %s: %s",
		n_frames[LINK_NEAR], n_frames[LINK_FAR], drops[0], drops[1], why);
	last_write(&h->place, text);
}

/* Return: why it ended. */
static const char *serve(const struct host_link *h, int sig_fd)
{
	struct pollfd p[N_LINK_ENDS + 2];
	static char why[ERR_TEXT_BYTES];
	struct signalfd_siginfo si;
	int i;

	for (;;) {
		for (i = 0; i < N_LINK_ENDS; i++)
			p[i] = (struct pollfd){.fd = h->port[i].fd, .events = POLLIN};
		p[i] = (struct pollfd){.fd = sig_fd, .events = POLLIN};
		p[i + 1] = (struct pollfd){.fd = h->member.fd, .events = POLLIN};
		poll(p, N_LINK_ENDS + 2, -1);
		if (!host_link_stands(h, why))
			return why;
		for (i = 0; i < N_LINK_ENDS; i++)
			if (p[i].revents && !forward(h, i))
				return names[i];
		if (read(sig_fd, &si, sizeof(si)) != (ssize_t)sizeof(si))
			continue;
		if (si.ssi_signo == SIGIO)
			continue;
		if (si.ssi_signo == SIGTERM)
			return "term";
		say_last(h, "lives");
	}
}

static void add_addr(struct link_end *end, char *text)
{
	struct cidr *c = &end->addr[end->n_addrs++];
	char *slash = strchr(text, '/');

	*slash = '\0';
	c->prefix = (unsigned)atoi(slash + 1);
	c->family = strchr(text, ':') ? AF_INET6 : AF_INET;
	if (inet_pton(c->family, text, c->bytes) != 1)
		exit(1);
}

static bool read_words(struct conf *c, char **w)
{
	struct link_end *end = &c->near;
	unsigned b[6];
	int i;

	for (; *w; w++) {
		if (!strcmp(*w, "peer")) {
			c->far = FAR_PEER;
			end = &c->peer;
		} else if (!strcmp(*w, "bridge")) {
			c->far = FAR_BRIDGE;
			c->bridge = *++w;
		} else if (!strcmp(*w, "netns"))
			end->netns = *++w;
		else if (!strcmp(*w, "dev"))
			end->dev = *++w;
		else if (!strcmp(*w, "addr"))
			add_addr(end, *++w);
		else if (!strcmp(*w, "mtu"))
			end->mtu_bytes = (unsigned)atoi(*++w);
		else if (!strcmp(*w, "mac") &&
			 sscanf(*++w, "%x:%x:%x:%x:%x:%x", b, b + 1, b + 2, b + 3,
				 b + 4, b + 5) == 6)
			for (i = 0, end->has_mac = true; i < 6; i++)
				end->mac[i] = (uint8_t)b[i];
		else
			return false;
	}
	return c->far != FAR_ABSENT;
}

static int open_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGIO);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static int status_of(const struct err *e)
{
	return e->code == -EINVAL ? 1 : 2;
}

/* All of a link's life. @fd: daemon_fork()'s, or -1. */
static int live(const struct conf *c, int fd, bool notify)
{
	char note[ERR_TEXT_BYTES];
	struct host_rank rank;
	struct host_link h;
	int sig_fd = -1, notify_fd = -1, r;
	const char *why;
	struct err e;

	r = host_link_start(c, NULL, NULL, &h, &e);
	if (!r) {
		sig_fd = open_signals();
		(void)host_rank(RANK_AUTO, &rank, &e);
		r = last_hold(&h.place, &e);
		if (notify)
			notify_fd = notify_open();
		snprintf(note, sizeof(note), "near %.*s far %.*s: %.*s", 80,
			h.end[LINK_NEAR], 80, h.end[LINK_FAR], 320, h.words);
	}
	if (!r && fd >= 0) {
		log_to_syslog(h.name);
		r = daemon_detach(&e);
	}
	if (!r)
		r = host_link_drop(&h, &e);
	if (r < 0) {
		if (fd >= 0)
			daemon_fail(&fd, &e);
		else
			fprintf(stderr, "standlink: %s\n", e.text);
		return status_of(&e);
	}
	if (fd < 0)
		fprintf(stderr, "standlink: %s\n", note);
	else if (daemon_ready(&fd, note) < 0)
		raise(SIGTERM);
	notify_send(notify_fd, NOTIFY_READY);
	why = serve(&h, sig_fd);
	notify_send(notify_fd, NOTIFY_STOPPING);
	log_error("ends: %s", why);
	say_last(&h, why);
	host_link_abort(&h);
	return strcmp(why, "term") == 0 ? 0 : 3;
}

static int background(const struct conf *c)
{
	struct err e;
	pid_t child;
	int fd, r;

	switch (daemon_fork(&fd, &child, &e)) {
	case DAEMON_CHILD:
		_exit(live(c, fd, false));
	case DAEMON_PARENT:
		r = daemon_hear(&fd, &e);
		fprintf(stderr, "standlink: %s\n", e.text);
		return r < 0 ? status_of(&e) : 0;
	default:
		fprintf(stderr, "standlink: %s\n", e.text);
		return 2;
	}
}

int main(int argc, char **argv)
{
	struct conf c = {.verb = VERB_ADD};
	bool back = argc > 1 && !strcmp(argv[1], "-b");
	bool notify = argc > 1 && !strcmp(argv[1], "-n");

	argv += 1 + (back || notify);
	if (!argv[0] || !read_words(&c, argv + 1))
		return 1;
	c.link_name = argv[0];
	return back ? background(&c) : live(&c, -1, notify);
}
