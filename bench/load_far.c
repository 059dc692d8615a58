/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bench/load_far.c - the receiving half of a load
 *
 * Each test says that it is ready, and returns when the near half has written a byte.
 */
#define _GNU_SOURCE
#include "load.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

static char buffer[STREAM_CHUNK];

/* What the stack of this namespace took for UDP, read or not. */
static uint64_t udp_arrived(void)
{
	unsigned long long in = 0, no_port = 0, errors = 0;
	FILE *f = fopen("/proc/thread-self/net/snmp", "re");
	char line[1024];

	if (!f)
		die("/proc/thread-self/net/snmp");
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "Udp: %llu %llu %llu", &in, &no_port, &errors) == 3)
			break;
	fclose(f);
	return in + no_port + errors;
}

/* What all devices of this namespace but the loopback received. */
static uint64_t device_packets(void)
{
	FILE *f = fopen("/proc/thread-self/net/dev", "re");
	unsigned long long bytes, packets;
	uint64_t sum = 0;
	char line[512], name[32];

	if (!f)
		die("/proc/thread-self/net/dev");
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, " %31[^:]: %llu %llu", name, &bytes, &packets) == 3 &&
			strcmp(name, "lo") != 0)
			sum += packets;
	fclose(f);
	return sum;
}

static bool told(int ctl, int timeout_ms)
{
	struct pollfd p = {.fd = ctl, .events = POLLIN};

	return poll(&p, 1, timeout_ms) > 0;
}

static void ready(int ctl)
{
	if (write(ctl, "r", 1) != 1)
		die("the near half is gone");
}

static void far_flood(int ctl, int fd, struct load_far *t)
{
	uint64_t before = udp_arrived();

	ready(ctl);
	told(ctl, -1);
	/* The stack counts a datagram when it is read or refused; a few still wait. */
	while (recv(fd, buffer, MAX_PAYLOAD, MSG_DONTWAIT) > 0)
		;
	t->got = udp_arrived() - before;
}

/* Bytes and time start with the end of the first batch, so that both are of the same
 * datagrams. */
static void far_sink(int ctl, int fd, struct load_far *t)
{
	static char room[BATCH][MAX_PAYLOAD];
	struct mmsghdr m[BATCH];
	struct iovec iov[BATCH];
	struct timeval tv = {.tv_usec = 10000};
	int64_t first_ns = 0;

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv));
	ready(ctl);
	for (;;) {
		memset(m, 0, sizeof(m));
		for (int i = 0; i < BATCH; i++) {
			iov[i].iov_base = room[i];
			iov[i].iov_len = MAX_PAYLOAD;
			m[i].msg_hdr.msg_iov = &iov[i];
			m[i].msg_hdr.msg_iovlen = 1;
		}
		int n = recvmmsg(fd, m, BATCH, MSG_WAITFORONE, NULL);
		if (n > 0) {
			t->got += (uint64_t)n;
			if (first_ns)
				for (int i = 0; i < n; i++)
					t->bytes += m[i].msg_len;
			else
				first_ns = now_ns();
			t->span_ns = (uint64_t)(now_ns() - first_ns);
		} else if (told(ctl, 0)) {
			return;
		}
	}
}

static void far_echo(int ctl, int fd, struct load_far *t)
{
	struct sockaddr_in from;
	socklen_t len = sizeof(from);
	struct timeval tv = {.tv_usec = 10000};

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv));
	ready(ctl);
	for (;;) {
		ssize_t n = recvfrom(
			fd, buffer, MAX_PAYLOAD, 0, (struct sockaddr *)&from, &len);
		if (n > 0 && sendto(fd, buffer, (size_t)n, 0, (struct sockaddr *)&from,
				     len) > 0)
			t->got++;
		else if (told(ctl, 0))
			return;
	}
}

/* Reads what comes, and answers each byte where @echo says so. */
static void far_streams(int ctl, int fd, struct load_far *t, bool echo)
{
	struct epoll_event e = {.events = EPOLLIN, .data.fd = fd}, ready_ev[BATCH];
	int ep = epoll_create1(EPOLL_CLOEXEC);

	if (listen(fd, MAX_STREAMS) < 0 || epoll_ctl(ep, EPOLL_CTL_ADD, fd, &e) < 0)
		die("listen");
	e.data.fd = ctl;
	epoll_ctl(ep, EPOLL_CTL_ADD, ctl, &e);
	ready(ctl);
	for (;;) {
		int n = epoll_wait(ep, ready_ev, BATCH, -1);

		for (int i = 0; i < n; i++) {
			int from = ready_ev[i].data.fd;

			if (from == ctl)
				return;
			if (from == fd) {
				e.data.fd = accept4(fd, NULL, NULL, SOCK_CLOEXEC);
				if (e.data.fd >= 0)
					epoll_ctl(ep, EPOLL_CTL_ADD, e.data.fd, &e);
				continue;
			}
			ssize_t got = recv(from, buffer, sizeof(buffer), MSG_DONTWAIT);
			if (got > 0) {
				t->got += (uint64_t)got;
				if (echo && send(from, buffer, (size_t)got,
						    MSG_NOSIGNAL) < 0)
					close(from);
			} else if (got == 0) {
				close(from);
			}
		}
	}
}

void far_half(const struct load *l, int ctl, const char *netns)
{
	const struct load_test *t = l->test;
	struct load_far far = {0};
	int fd, ns = netns ? open(netns, O_RDONLY | O_CLOEXEC) : -1;

	if (netns && (ns < 0 || setns(ns, CLONE_NEWNET) < 0))
		die(netns);
	fd = open_socket(l, t->type);
	if (bind(fd, (const struct sockaddr *)&l->to, sizeof(l->to)) < 0)
		die("bind");
	uint64_t before = device_packets();
	if (t->type == SOCK_STREAM)
		far_streams(ctl, fd, &far, t->streams == MAX_STREAMS);
	else if (!strcmp(t->name, "rtt"))
		far_echo(ctl, fd, &far);
	else if (!strcmp(t->name, "sink"))
		far_sink(ctl, fd, &far);
	else
		far_flood(ctl, fd, &far);
	far.device = device_packets() - before;
	if (write(ctl, &far, sizeof(far)) != sizeof(far))
		die("the near half is gone");
}
