/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests/net/standfar.c - uplink none without run/: a wire that does nothing to frames
 *
 *   standfar [lo] [dev DEV] [addr CIDR]... [mac LLADDR] [mtu N] [name NAME]
 *            [far COMMAND] [hold] -- COMMAND...
 *
 * What the far command says goes to stderr, each line behind "far: ". When the command
 * has ended it says on stderr what passed: "standfar: lo 0 near 5 far 5", and what the
 * guard said. With hold nothing is carried before the command has ended.
 */
#include "config.h"

#include "base/err.h"
#include "conf/conf.h"
#include "conf/guard_msg.h"
#include "host/host.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#define VNET_HDR_BYTES 10

static unsigned long n_frames[HOST_PORTS_MAX]; /* by role */

static const struct host_port *other_end(const struct host_run *h, unsigned i)
{
	static const enum port_role to[] = {
		[PORT_LO] = PORT_LO, [PORT_NEAR] = PORT_FAR, [PORT_FAR] = PORT_NEAR};
	unsigned j;

	for (j = 0; j < h->n_ports; j++)
		if (h->port[j].role == to[h->port[i].role])
			return &h->port[j];
	return &h->port[i];
}

static void forward(const struct host_run *h, unsigned i)
{
	const struct host_port *p = &h->port[i], *to = other_end(h, i);
	static char buf[70000];
	ssize_t n;

	while ((n = read(p->fd, buf, sizeof(buf))) > 0) {
		n_frames[p->role]++;
		if (p->set_dst_mac)
			memcpy(buf + VNET_HDR_BYTES, p->mac, sizeof(p->mac));
		if (write(to->fd, buf, (size_t)n) != n)
			perror("standfar: write");
	}
}

static void far_says(int fd)
{
	static char line[4096];
	static size_t at;
	ssize_t n;
	char c;

	while ((n = read(fd, &c, 1)) == 1) {
		if (c != '\n' && at < sizeof(line) - 1)
			line[at++] = c;
		if (c != '\n')
			continue;
		fprintf(stderr, "far: %.*s\n", (int)at, line);
		at = 0;
	}
	if (n == 0)
		fprintf(stderr, "far: EOF\n");
}

/* Carry what is there; @ms: how long to wait for something. */
static void carry(struct host_run *h, int sig_fd, bool hold, int ms)
{
	struct pollfd p[HOST_PORTS_MAX + 2];
	unsigned i, n = 0;

	for (i = 0; i < h->n_ports; i++)
		p[n++] = (struct pollfd){
			.fd = hold ? -1 : h->port[i].fd, .events = POLLIN};
	p[n++] = (struct pollfd){.fd = h->far_out_fd, .events = POLLIN};
	p[n++] = (struct pollfd){.fd = sig_fd, .events = POLLIN};
	poll(p, n, ms);
	for (i = 0; i < h->n_ports; i++)
		if (p[i].revents)
			forward(h, i);
	if (p[h->n_ports].revents) {
		far_says(h->far_out_fd);
		if (p[h->n_ports].revents & POLLHUP)
			h->far_out_fd = -1;
	}
}

/* Until the command is gone. Return: its wait status. */
static int serve(struct host_run *h, int sig_fd, bool hold)
{
	struct signalfd_siginfo si;
	int status;
	pid_t pid;

	for (;;) {
		carry(h, sig_fd, hold, -1);
		while (read(sig_fd, &si, sizeof(si)) > 0)
			;
		while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
			if (pid == h->far_pid)
				fprintf(stderr, "standfar: far ended %d\n",
					WIFEXITED(status) ? WEXITSTATUS(status) : -1);
			if (pid == h->child_pid)
				return status;
		}
	}
}

/* The wire carries while what is left is ended. */
static void end_left(struct host_run *h, int sig_fd)
{
	struct guard_msg m = {.op = GUARD_END};
	char text[GUARD_TEXT_BYTES] = "";
	ssize_t n = -1;

	if (write(h->guard_sock[0], &m, sizeof(m)) != (ssize_t)sizeof(m))
		return;
	fcntl(h->guard_sock[0], F_SETFL, O_NONBLOCK);
	while ((n = read(h->guard_sock[0], text, sizeof(text) - 1)) < 0 &&
		errno == EAGAIN)
		carry(h, sig_fd, false, 5);
	if (n < 1)
		fprintf(stderr, "standfar: no answer\n");
	if (*text)
		fprintf(stderr, "standfar: %s\n", text);
}

static void add_addr(struct link_end *near, char *text)
{
	struct cidr *c = &near->addr[near->n_addrs++];
	char *slash = strchr(text, '/');

	*slash = '\0';
	c->prefix = (unsigned)atoi(slash + 1);
	c->family = strchr(text, ':') ? AF_INET6 : AF_INET;
	if (inet_pton(c->family, text, c->bytes) != 1)
		exit(125);
}

static bool read_words(struct conf *c, char **w, bool *hold)
{
	unsigned b[6];
	int i;

	for (; *w && strcmp(*w, "--") != 0; w++) {
		if (!strcmp(*w, "lo"))
			c->near_lo = true;
		else if (!strcmp(*w, "hold"))
			*hold = true;
		else if (!strcmp(*w, "dev"))
			c->near.dev = *++w;
		else if (!strcmp(*w, "addr"))
			add_addr(&c->near, *++w);
		else if (!strcmp(*w, "mtu"))
			c->near.mtu_bytes = (unsigned)atoi(*++w);
		else if (!strcmp(*w, "name"))
			c->name = *++w;
		else if (!strcmp(*w, "far"))
			c->far_command = *++w;
		else if (!strcmp(*w, "mac") &&
			 sscanf(*++w, "%x:%x:%x:%x:%x:%x", b, b + 1, b + 2, b + 3,
				 b + 4, b + 5) == 6)
			for (i = 0, c->near.has_mac = true; i < 6; i++)
				c->near.mac[i] = (uint8_t)b[i];
		else
			return false;
	}
	c->command = *w ? w + 1 : NULL;
	return c->command && *c->command;
}

int main(int argc, char **argv)
{
	struct conf c = {.verb = VERB_RUN, .far = FAR_UPLINK_NONE, .gso = GSO_OFF};
	struct host_rank rank;
	struct host_run h;
	bool hold = false;
	struct err e;
	sigset_t set;
	int status, sig_fd;

	if (argc < 3 || !read_words(&c, argv + 1, &hold))
		return 125;
	c.user = getenv("STANDIN_USER");
	if (host_run_start(&c, &h, &e) < 0) {
		fprintf(stderr, "standfar: %s\n", e.text);
		return 125;
	}
	if (c.name)
		fprintf(stderr, "standfar: socket %s\n", h.place.path);
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	sig_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	(void)host_rank(RANK_AUTO, &rank, &e);
	if (host_drop(&e) < 0 || host_run_go(&h, &e) < 0) {
		fprintf(stderr, "standfar: %s\n", e.text);
		host_run_abort(&h);
		return 125;
	}
	status = serve(&h, sig_fd, hold);
	end_left(&h, sig_fd);
	if (h.far_out_fd >= 0)
		far_says(h.far_out_fd);
	fprintf(stderr, "standfar: lo %lu near %lu far %lu\n", n_frames[PORT_LO],
		n_frames[PORT_NEAR], n_frames[PORT_FAR]);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
