/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests/net/standin.c - host/ without run/: a forwarder that writes back what it reads
 *
 *   standin [auto|tc|nft] COMMAND...   like `farwire run dev lo -- COMMAND`
 *
 * Says on stderr "standin: redirect tc, frames N" when the command has ended, so that a
 * test can count what an idle link carries, and what the guard said.
 */
#include "config.h"

#include "base/err.h"
#include "conf/conf.h"
#include "conf/guard_msg.h"
#include "host/hook.h"
#include "host/host.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#define VNET_HDR_BYTES 10

static unsigned long n_frames;

static void forward(const struct host_port *p)
{
	char buf[70000];
	ssize_t n;

	while ((n = read(p->fd, buf, sizeof(buf))) > 0) {
		n_frames++;
		if (p->set_dst_mac)
			memcpy(buf + VNET_HDR_BYTES, p->mac, sizeof(p->mac));
		if (write(p->fd, buf, (size_t)n) != n)
			perror("standin: write");
	}
}

/* Until the command is gone. Return: its wait status. */
static int serve(const struct host_run *h, int sig_fd)
{
	struct pollfd p[] = {{.fd = h->port[0].fd, .events = POLLIN},
		{.fd = sig_fd, .events = POLLIN}};
	struct signalfd_siginfo si;
	int status;
	pid_t pid;

	for (;;) {
		poll(p, 2, -1);
		if (p[0].revents)
			forward(&h->port[0]);
		if (!p[1].revents || read(sig_fd, &si, sizeof(si)) != sizeof(si))
			continue;
		while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
			if (pid == h->child_pid)
				return status;
	}
}

static void end_left(const struct host_run *h)
{
	struct guard_msg m = {.op = GUARD_END};
	char text[GUARD_TEXT_BYTES] = "";

	if (write(h->guard_sock[0], &m, sizeof(m)) != (ssize_t)sizeof(m) ||
		read(h->guard_sock[0], text, sizeof(text) - 1) < 1)
		fprintf(stderr, "standin: no answer\n");
	if (*text)
		fprintf(stderr, "standin: %s\n", text);
}

int main(int argc, char **argv)
{
	struct conf c = {
		.verb = VERB_RUN, .near_lo = true, .gso = GSO_OFF, .command = argv + 2};
	struct host_rank rank;
	struct host_run h;
	struct err e;
	sigset_t set;
	int status, sig_fd;

	if (argc < 3)
		return 125;
	c.user = getenv("STANDIN_USER");
	if (getenv("STANDIN_SUPERS"))
		c.gso = GSO_SEGMENT;
	host_redirect = !strcmp(argv[1], "tc")    ? REDIRECT_TC
			: !strcmp(argv[1], "nft") ? REDIRECT_NFT
						  : REDIRECT_AUTO;
	if (host_run_start(&c, &h, &e) < 0) {
		fprintf(stderr, "standin: %s\n", e.text);
		return 125;
	}
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	sig_fd = signalfd(-1, &set, SFD_CLOEXEC);
	(void)host_rank(RANK_AUTO, &rank, &e);
	if (host_drop(&e) < 0 || host_run_go(&h, &e) < 0) {
		fprintf(stderr, "standin: %s\n", e.text);
		host_run_abort(&h);
		return 125;
	}
	status = serve(&h, sig_fd);
	end_left(&h);
	fprintf(stderr, "standin: redirect %s, frames %lu, %s%s%s\n", h.redirect,
		n_frames, rank.fifo ? "fifo" : "nice", rank.locked ? ", locked" : "",
		h.rootless ? ", rootless" : "");
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
