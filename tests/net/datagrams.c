/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests/net/datagrams.c - datagrams that the kernel cuts out of one send (UDP_SEGMENT)
 *
 *   datagrams ADDRESS SENDS DATAGRAMS BYTES
 *
 * Each send stands for so many datagrams of so many bytes, the last one half as long;
 * DATAGRAMS 1 sends plain ones. Both ends are in this process. Datagrams are numbered
 * and filled by their number. One line: sent, got, wrong (in length or content),
 * overtaken, twice, and a number that stands for the fates of all.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#ifndef UDP_SEGMENT
#define UDP_SEGMENT 103
#endif

#define QUIET_MS 1000
/* Fewer than a ring or a socket's buffer hold. */
#define WINDOW 300

static unsigned sent, got, wrong, overtaken, twice, last, first_in_flight;
static unsigned n_each = 1, n_bytes;
static uint8_t *seen;

static unsigned length(unsigned number)
{
	return number % n_each + 1 == n_each && n_each > 1 ? n_bytes / 2 : n_bytes;
}

static void fill(uint8_t *p, unsigned number)
{
	memcpy(p, &number, 4);
	memset(p + 4, (int)(number * 7), length(number) - 4);
}

static void receive(int fd)
{
	static uint8_t p[70000], want[70000];
	unsigned number;
	ssize_t n;

	while ((n = recv(fd, p, sizeof(p), MSG_DONTWAIT)) >= 0) {
		memcpy(&number, p, 4);
		got++;
		if (n < 4 || number >= sent || n != (ssize_t)length(number)) {
			wrong++;
			continue;
		}
		fill(want, number);
		wrong += memcmp(p, want, (size_t)n) != 0;
		overtaken += number < last;
		twice += seen[number]++ != 0;
		last = number;
	}
}

static void send_one(int fd)
{
	static uint8_t p[70000];
	char control[CMSG_SPACE(2)] = {0};
	struct iovec iov = {.iov_base = p};
	struct msghdr m = {.msg_iov = &iov, .msg_iovlen = 1};
	struct cmsghdr *c;
	uint16_t size = (uint16_t)n_bytes;

	for (unsigned i = 0; i < n_each; i++) {
		fill(p + iov.iov_len, sent);
		iov.iov_len += length(sent++);
	}
	if (n_each > 1) {
		m.msg_control = control;
		m.msg_controllen = sizeof(control);
		c = CMSG_FIRSTHDR(&m);
		c->cmsg_level = IPPROTO_UDP;
		c->cmsg_type = UDP_SEGMENT;
		c->cmsg_len = CMSG_LEN(2);
		memcpy(CMSG_DATA(c), &size, 2);
	}
	if (sendmsg(fd, &m, 0) < 0) {
		perror("sendmsg");
		exit(2);
	}
}

int main(int argc, char **argv)
{
	struct sockaddr_storage a = {0};
	struct sockaddr_in *v4 = (struct sockaddr_in *)&a;
	struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)&a;
	socklen_t a_bytes = sizeof(a);
	struct pollfd p = {.events = POLLIN};
	unsigned n_sends, fates = 2166136261;
	int tx, rx, buf = 4 << 20;

	if (argc != 5)
		return 2;
	n_sends = (unsigned)atoi(argv[2]);
	n_each = (unsigned)atoi(argv[3]);
	n_bytes = (unsigned)atoi(argv[4]);
	if (!n_sends || !n_each || n_bytes < 8)
		return 2;
	seen = calloc(n_sends * n_each, 1);
	if (inet_pton(AF_INET, argv[1], &v4->sin_addr) == 1)
		a.ss_family = AF_INET;
	else if (inet_pton(AF_INET6, argv[1], &v6->sin6_addr) == 1)
		a.ss_family = AF_INET6;
	rx = socket(a.ss_family, SOCK_DGRAM, 0);
	tx = socket(a.ss_family, SOCK_DGRAM, 0);
	setsockopt(rx, SOL_SOCKET, SO_RCVBUF, &buf, sizeof(buf));
	if (!seen || bind(rx, (struct sockaddr *)&a, sizeof(a)) < 0 ||
		getsockname(rx, (struct sockaddr *)&a, &a_bytes) < 0 ||
		connect(tx, (struct sockaddr *)&a, a_bytes) < 0) {
		perror(argv[1]);
		return 2;
	}
	p.fd = rx;
	for (unsigned i = 0; i < n_sends; i++) {
		send_one(tx);
		receive(rx);
		/* What is lost must not stop the sender for good. */
		while (sent - first_in_flight - got > WINDOW) {
			if (poll(&p, 1, 50) == 0)
				first_in_flight = sent - got;
			receive(rx);
		}
	}
	while (poll(&p, 1, QUIET_MS) > 0)
		receive(rx);
	for (unsigned i = 0; i < sent; i++)
		fates = (fates ^ seen[i]) * 16777619; /* FNV-1a */
	printf("sent=%u got=%u wrong=%u overtaken=%u twice=%u fates=%u\n", sent, got,
		wrong, overtaken, twice, fates);
	return wrong != 0;
}
