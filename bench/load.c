/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bench/load.c - both ends of one load, for whatever lies between them
 *
 *   load [OPTION...] TEST SECONDS ADDRESS [NETNS]
 *
 *   -c CC      congestion control of streams (cubic)
 *   -b BYTES   all sockets' buffers, past the limits where that is allowed
 *   -n N       senders of datagrams (1)
 *   -p RATE    datagrams a second of each (as fast as it can)
 *   -l BYTES   payload of a datagram (18)
 *   -w SECONDS of load before the time that is measured (0)
 *
 * Theory of operation
 *   The receiving half is a child, which enters the network namespace NETNS (a path)
 *   first, so the same program loads a loopback and a pair of namespaces. The halves
 *   meet over a socket pair: the child says that it is ready, the parent that the time
 *   is up, the child answers with what it received. One line of name=value pairs comes
 *   out; what they mean is the scripts' business.
 *
 *   flood   datagrams as fast as the senders can, to a socket nobody reads; what
 *           arrived is what the receiving stack counted, so the reader is not measured
 *   burst   the same for 20 ms of each 100
 *   sink    an application reads them
 *   tcp1/4  bytes of 1 or 4 streams; rr200: 1-byte questions and answers on 200 streams
 *   rtt     one datagram there and back, the median of all
 */
#define _GNU_SOURCE
#include "load.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PORT 7071
#define SMALL 18 /* with headers 60 bytes, the shortest Ethernet frame */

void die(const char *what)
{
	fprintf(stderr, "load: %s: %s\n", what, strerror(errno));
	exit(1);
}

int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void set_buffers(int fd, int bytes)
{
	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes)) < 0)
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes));
	if (setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &bytes, sizeof(bytes)) < 0)
		setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof(bytes));
}

int open_socket(const struct load *l, int type)
{
	int fd = socket(AF_INET, type | SOCK_CLOEXEC, 0), one = 1;

	if (fd < 0)
		die("socket");
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (type == SOCK_STREAM) {
		setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, l->cc,
			(socklen_t)strlen(l->cc));
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	}
	if (l->buffer_bytes)
		set_buffers(fd, l->buffer_bytes);
	return fd;
}

static const struct load_test tests[] = {
	{"flood", SOCK_DGRAM, 0},
	{"burst", SOCK_DGRAM, 0},
	{"sink", SOCK_DGRAM, 0},
	{"rtt", SOCK_DGRAM, 0},
	{"tcp1", SOCK_STREAM, 1},
	{"tcp4", SOCK_STREAM, 4},
	{"rr200", SOCK_STREAM, MAX_STREAMS},
};

static const struct load_test *find_test(const char *name)
{
	for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++)
		if (!strcmp(tests[i].name, name))
			return &tests[i];
	return NULL;
}

/* What was asked for, or what this user gets instead. */
static void congestion_control(const struct load *l, char *name, socklen_t room)
{
	int fd = open_socket(l, SOCK_STREAM);

	if (getsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, name, &room) < 0)
		name[0] = 0;
	close(fd);
}

static bool read_words(struct load *l, int argc, char **argv)
{
	int c;

	while ((c = getopt(argc, argv, "+c:b:n:p:l:w:")) != -1)
		switch (c) {
		case 'c':
			l->cc = optarg;
			break;
		case 'b':
			l->buffer_bytes = (int)strtol(optarg, NULL, 10);
			break;
		case 'n':
			l->senders = (int)strtol(optarg, NULL, 10);
			break;
		case 'p':
			l->pps = strtod(optarg, NULL);
			break;
		case 'l':
			l->payload = (size_t)strtol(optarg, NULL, 10);
			break;
		case 'w':
			l->warm_s = strtod(optarg, NULL);
			break;
		default:
			return false;
		}
	if (argc - optind < 3)
		return false;
	l->test = find_test(argv[optind]);
	l->seconds = strtod(argv[optind + 1], NULL);
	l->to.sin_family = AF_INET;
	l->to.sin_port = htons(PORT);
	return l->test && l->seconds > 0 && l->senders >= 1 &&
	       l->senders <= MAX_SENDERS && l->payload >= 1 &&
	       l->payload <= MAX_PAYLOAD &&
	       inet_pton(AF_INET, argv[optind + 2], &l->to.sin_addr) == 1;
}

int main(int argc, char **argv)
{
	struct load l = {
		.cc = "cubic", .senders = 1, .payload = SMALL, .parent = getppid()};
	struct load_far far = {0};
	struct load_near near;
	char cc[32] = "", byte;
	int pair[2];

	if (!read_words(&l, argc, argv)) {
		fputs("load [-c CC] [-b BYTES] [-n N] [-p RATE] [-l BYTES] [-w "
		      "SECONDS] "
		      "TEST SECONDS ADDRESS [NETNS]\n",
			stderr);
		return 1;
	}
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		die("socketpair");
	pid_t child = fork();
	if (child < 0)
		die("fork");
	close(pair[child ? 1 : 0]);
	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		far_half(&l, pair[1], argc - optind > 3 ? argv[optind + 3] : NULL);
		return 0;
	}
	if (read(pair[0], &byte, 1) != 1)
		return 1; /* the child has said why */
	near = near_half(&l);
	if (write(pair[0], "e", 1) != 1 ||
		recv(pair[0], &far, sizeof(far), MSG_WAITALL) != sizeof(far))
		die("the far half is gone");
	waitpid(child, NULL, 0);
	congestion_control(&l, cc, sizeof(cc));
	printf("near=%llu total=%llu got=%llu bytes=%llu span=%llu device=%llu ns=%llu "
	       "cpu_ns=%llu cc=%s\n",
		(unsigned long long)near.count, (unsigned long long)near.total,
		(unsigned long long)far.got, (unsigned long long)far.bytes,
		(unsigned long long)far.span_ns, (unsigned long long)far.device,
		(unsigned long long)near.ns, (unsigned long long)near.cpu_ns, cc);
	return 0;
}
