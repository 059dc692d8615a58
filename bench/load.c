/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bench/load.c - both ends of one load, for whatever lies between them
 *
 *   load TEST SECONDS ADDRESS [NETNS]     TEST: flood sink tcp1 tcp4 rtt rr200
 *
 * Theory of operation
 *   The receiving half is a child, which enters the network namespace NETNS (a path)
 *   first, so the same program loads a loopback and a pair of namespaces. The halves
 *   meet over a socket pair: the child says that it is ready, the parent that the time
 *   is up, the child answers with what it received. One line of name=value pairs comes
 *   out; what they mean is bench/quick's business.
 *
 *   flood   18-byte datagrams as fast as one sender can, to a socket nobody reads; what
 *           arrived is what the receiving stack counted, so the reader is not measured
 *   sink    the same, and an application reads them
 *   tcp1/4  bytes of 1 or 4 streams; rr200: 1-byte questions and answers on 200 streams
 *   rtt     one 18-byte datagram there and back, the median of all
 *
 * The congestion control is CUBIC where this user may choose it; the line says which.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PORT 7071
#define SMALL 18 /* with headers 60 bytes, the shortest Ethernet frame */
#define BATCH 32
#define STREAM_CHUNK (128 * 1024)
#define MAX_STREAMS 200
#define RTT_SAMPLES_MAX (1 << 20)
/* After the last datagram was sent, until the slowest path has surely delivered it. */
#define SETTLE_NS 200000000

struct tally {
	uint64_t got; /* frames, datagrams, bytes or answers, as the test has it */
};

static struct sockaddr_in address;
static char buffer[STREAM_CHUNK];

static void die(const char *what)
{
	fprintf(stderr, "load: %s: %s\n", what, strerror(errno));
	exit(1);
}

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static int open_socket(int type)
{
	int fd = socket(AF_INET, type | SOCK_CLOEXEC, 0), one = 1;

	if (fd < 0)
		die("socket");
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (type == SOCK_STREAM) {
		setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, "cubic", strlen("cubic"));
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	}
	return fd;
}

static void close_all(const int *fds, int n)
{
	for (int i = 0; i < n; i++)
		close(fds[i]);
}

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

static uint64_t cpu_ns_of(pid_t pid)
{
	unsigned long long ns = 0;
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/schedstat", (int)pid);
	f = fopen(path, "re");
	if (!f)
		return 0;
	if (fscanf(f, "%llu", &ns) != 1)
		ns = 0;
	fclose(f);
	return ns;
}

/* The far half. Each returns when the near half has written a byte to @ctl. */

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

static void far_flood(int ctl, int fd, struct tally *t)
{
	uint64_t before = udp_arrived();

	ready(ctl);
	told(ctl, -1);
	/* The stack counts a datagram when it is read or refused; a few still wait. */
	while (recv(fd, buffer, SMALL, MSG_DONTWAIT) > 0)
		;
	t->got = udp_arrived() - before;
}

static void far_sink(int ctl, int fd, struct tally *t)
{
	static char room[BATCH][64];
	struct mmsghdr m[BATCH];
	struct iovec iov[BATCH];
	struct timespec wait = {.tv_nsec = 10000000};
	struct timeval tv = {.tv_usec = 10000};

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv));
	ready(ctl);
	for (;;) {
		memset(m, 0, sizeof(m));
		for (int i = 0; i < BATCH; i++) {
			iov[i] = (struct iovec){.iov_base = room[i], .iov_len = 64};
			m[i].msg_hdr.msg_iov = &iov[i];
			m[i].msg_hdr.msg_iovlen = 1;
		}
		int n = recvmmsg(fd, m, BATCH, MSG_WAITFORONE, &wait);
		if (n > 0)
			t->got += (uint64_t)n;
		else if (told(ctl, 0))
			return;
	}
}

static void far_echo(int ctl, int fd, struct tally *t)
{
	struct sockaddr_in from;
	socklen_t len = sizeof(from);
	struct timeval tv = {.tv_usec = 10000};

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv));
	ready(ctl);
	for (;;) {
		ssize_t n =
			recvfrom(fd, buffer, SMALL, 0, (struct sockaddr *)&from, &len);
		if (n > 0 && sendto(fd, buffer, (size_t)n, 0, (struct sockaddr *)&from,
				     len) > 0)
			t->got++;
		else if (told(ctl, 0))
			return;
	}
}

/* Streams: reads what comes, and answers each byte where @echo says so. */
static void far_streams(int ctl, int fd, struct tally *t, bool echo)
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

/* The near half: each runs until @end_ns and returns what it sent or measured. */

static uint64_t near_flood(int64_t end_ns)
{
	int fd = open_socket(SOCK_DGRAM);
	uint64_t sent = 0;

	if (connect(fd, (struct sockaddr *)&address, sizeof(address)) < 0)
		die("connect");
	while (now_ns() < end_ns)
		for (int i = 0; i < BATCH; i++)
			if (send(fd, buffer, SMALL, 0) == SMALL)
				sent++;
	close(fd);
	return sent;
}

static int by_size(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static uint64_t near_rtt(int64_t end_ns)
{
	static int64_t sample[RTT_SAMPLES_MAX];
	int fd = open_socket(SOCK_DGRAM), n = 0;
	struct timeval tv = {.tv_sec = 1};

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv));
	if (connect(fd, (struct sockaddr *)&address, sizeof(address)) < 0)
		die("connect");
	while (now_ns() < end_ns && n < RTT_SAMPLES_MAX) {
		int64_t start = now_ns();

		if (send(fd, buffer, SMALL, 0) == SMALL &&
			recv(fd, buffer, SMALL, 0) == SMALL)
			sample[n++] = now_ns() - start;
	}
	close(fd);
	qsort(sample, (size_t)n, sizeof(sample[0]), by_size);
	return n ? (uint64_t)sample[n / 2] : 0;
}

static void open_streams(int *fds, int n)
{
	for (int i = 0; i < n; i++) {
		fds[i] = open_socket(SOCK_STREAM);
		if (connect(fds[i], (struct sockaddr *)&address, sizeof(address)) < 0)
			die("connect");
	}
}

static uint64_t near_streams(int64_t end_ns, int n)
{
	struct pollfd p[MAX_STREAMS];
	int fds[MAX_STREAMS];
	uint64_t sent = 0;

	open_streams(fds, n);
	for (int i = 0; i < n; i++)
		p[i] = (struct pollfd){.fd = fds[i], .events = POLLOUT};
	while (now_ns() < end_ns && poll(p, (nfds_t)n, 100) >= 0)
		for (int i = 0; i < n; i++) {
			ssize_t put = send(fds[i], buffer, sizeof(buffer),
				MSG_DONTWAIT | MSG_NOSIGNAL);
			if (put > 0)
				sent += (uint64_t)put;
		}
	close_all(fds, n);
	return sent;
}

static uint64_t near_rr(int64_t end_ns, int n)
{
	struct epoll_event e = {.events = EPOLLIN}, ready_ev[BATCH];
	int fds[MAX_STREAMS], ep = epoll_create1(EPOLL_CLOEXEC);
	uint64_t answers = 0;

	open_streams(fds, n);
	for (int i = 0; i < n; i++) {
		e.data.fd = fds[i];
		epoll_ctl(ep, EPOLL_CTL_ADD, fds[i], &e);
		if (send(fds[i], buffer, 1, MSG_NOSIGNAL) != 1)
			die("send");
	}
	while (now_ns() < end_ns) {
		int got = epoll_wait(ep, ready_ev, BATCH, 100);

		for (int i = 0; i < got; i++) {
			int fd = ready_ev[i].data.fd;

			if (recv(fd, buffer, 1, 0) == 1 &&
				send(fd, buffer, 1, MSG_NOSIGNAL) == 1)
				answers++;
		}
	}
	close_all(fds, n);
	close(ep);
	return answers;
}

static const struct test {
	const char *name;
	int type;
	int streams;
} tests[] = {
	{"flood", SOCK_DGRAM, 0},
	{"sink", SOCK_DGRAM, 0},
	{"rtt", SOCK_DGRAM, 0},
	{"tcp1", SOCK_STREAM, 1},
	{"tcp4", SOCK_STREAM, 4},
	{"rr200", SOCK_STREAM, 200},
};

static void far_half(const struct test *t, int ctl, const char *netns)
{
	struct tally tally = {0};
	int fd, ns = netns ? open(netns, O_RDONLY | O_CLOEXEC) : -1;

	if (netns && (ns < 0 || setns(ns, CLONE_NEWNET) < 0))
		die(netns);
	fd = open_socket(t->type);
	if (bind(fd, (struct sockaddr *)&address, sizeof(address)) < 0)
		die("bind");
	if (t->type == SOCK_STREAM)
		far_streams(ctl, fd, &tally, t->streams == MAX_STREAMS);
	else if (!strcmp(t->name, "flood"))
		far_flood(ctl, fd, &tally);
	else if (!strcmp(t->name, "sink"))
		far_sink(ctl, fd, &tally);
	else
		far_echo(ctl, fd, &tally);
	if (write(ctl, &tally, sizeof(tally)) != sizeof(tally))
		die("the near half is gone");
}

static uint64_t near_half(const struct test *t, int64_t end_ns)
{
	if (!strcmp(t->name, "rtt"))
		return near_rtt(end_ns);
	if (t->streams == MAX_STREAMS)
		return near_rr(end_ns, t->streams);
	if (t->streams)
		return near_streams(end_ns, t->streams);
	return near_flood(end_ns);
}

/* CUBIC, or what this user gets instead. */
static void congestion_control(char *name, socklen_t room)
{
	int fd = open_socket(SOCK_STREAM);

	if (getsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, name, &room) < 0)
		name[0] = 0;
	close(fd);
}

static const struct test *find_test(const char *name)
{
	for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++)
		if (!strcmp(tests[i].name, name))
			return &tests[i];
	return NULL;
}

int main(int argc, char **argv)
{
	const struct test *t = argc >= 4 ? find_test(argv[1]) : NULL;
	double seconds = t ? strtod(argv[2], NULL) : 0;
	struct tally tally = {0};
	char cc[32] = "";
	int pair[2];

	address.sin_family = AF_INET;
	address.sin_port = htons(PORT);
	if (!t || seconds <= 0 || inet_pton(AF_INET, argv[3], &address.sin_addr) != 1) {
		fputs("load TEST SECONDS ADDRESS [NETNS]\n", stderr);
		return 1;
	}
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		die("socketpair");
	pid_t child = fork();
	if (child < 0)
		die("fork");
	close(pair[child ? 1 : 0]);
	if (!child) {
		far_half(t, pair[1], argc > 4 ? argv[4] : NULL);
		return 0;
	}
	if (read(pair[0], buffer, 1) != 1)
		return 1; /* the child has said why */
	uint64_t cpu_ns = cpu_ns_of(getppid());
	int64_t start_ns = now_ns();
	uint64_t near = near_half(t, start_ns + (int64_t)(seconds * 1e9));
	int64_t took_ns = now_ns() - start_ns;
	if (t->type == SOCK_DGRAM)
		nanosleep(&(struct timespec){.tv_nsec = SETTLE_NS}, NULL);
	if (write(pair[0], "e", 1) != 1 ||
		recv(pair[0], &tally, sizeof(tally), MSG_WAITALL) != sizeof(tally))
		die("the far half is gone");
	waitpid(child, NULL, 0);
	congestion_control(cc, sizeof(cc));
	printf("near=%llu got=%llu ns=%lld cpu_ns=%llu cc=%s\n",
		(unsigned long long)near, (unsigned long long)tally.got,
		(long long)took_ns, (unsigned long long)(cpu_ns_of(getppid()) - cpu_ns),
		cc);
	return 0;
}
