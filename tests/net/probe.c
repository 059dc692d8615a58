/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests/net/probe.c - what went over a link, judged by the two ends of a socket
 *
 *   probe stamps  ADDRESS COUNT GAP_US LENGTH   numbered datagrams, sent GAP_US apart
 *   probe rtt     ADDRESS COUNT                 one datagram there and back at a time
 *   probe echo    ADDRESS COUNT LENGTH          datagrams come back byte for byte
 *   probe stream  ADDRESS BYTES                 a stream comes back byte for byte
 *   probe refused ADDRESS                       a connect that nobody accepts
 *
 * One line of NAME=VALUE pairs comes out; stamps also writes a second one, with a letter
 * a datagram: `.` arrived, `x` did not.
 *
 * Theory of operation
 *   Both ends are in one process and share a clock. A datagram carries its number and the
 *   time just before it was sent; the kernel stamps its arrival (SO_TIMESTAMPNS), so that
 *   neither the sender's preemption nor the reader's late wake-up can make a delay look
 *   shorter than it was: min_ns is a true bound from above on how early a frame was.
 *   stamps reads between two sends, and after the last until nothing came for a second.
 *
 * Source   delays: CLOCK_REALTIME, which is slewed as CLOCK_MONOTONIC is
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define COUNT_MAX 1000000
#define LENGTH_MAX 65527
#define QUIET_MS 1000
/*
 * Unless it floods, stamps has no more frames on the way than this: less than the ring of a
 * TAP and the buffer of a plain user's socket hold, so a busy machine slows the test but
 * loses nothing in it.
 */
#define WINDOW_FRAMES 400
#define RCVBUF_BYTES (32 << 20)

union address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

struct head {
	int64_t sent_ns;
	uint32_t number;
};

struct seen {
	unsigned got, twice, overtaken;
	uint32_t newest;
	int64_t min_ns, max_ns, sum_ns;
	uint8_t arrived[COUNT_MAX];
};

static char out[LENGTH_MAX], in[LENGTH_MAX];

static void die(const char *what)
{
	fprintf(stderr, "probe: %s: %s\n", what, strerror(errno));
	exit(1);
}

static int64_t ns_of(const struct timespec *t)
{
	return t->tv_sec * 1000000000LL + t->tv_nsec;
}

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return ns_of(&t);
}

static socklen_t size_of(const union address *a)
{
	return a->any.sa_family == AF_INET ? sizeof(a->v4) : sizeof(a->v6);
}

static int open_socket(const union address *a, int type)
{
	int fd = socket(a->any.sa_family, type | SOCK_CLOEXEC, 0);
	int room = RCVBUF_BYTES, on = 1;
	struct timeval patience = {.tv_sec = 10 * QUIET_MS / 1000};

	if (fd < 0)
		die("socket");
	/* As root past rmem_max, else up to it. */
	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof(room)) < 0)
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &room, sizeof(room));
	setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof(on));
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	return fd;
}

/* Bound to a free port, which is noted in @a. */
static int open_bound(union address *a, int type)
{
	socklen_t len = size_of(a);
	int fd = open_socket(a, type);

	if (bind(fd, &a->any, len) < 0 || getsockname(fd, &a->any, &len) < 0)
		die("bind");
	return fd;
}

static int open_connected(const union address *a, int type)
{
	int fd = open_socket(a, type);

	if (connect(fd, &a->any, size_of(a)) < 0)
		die("connect");
	return fd;
}

/* The next datagram and the kernel's stamp of it; false when none came in @timeout_ms. */
static bool take(int fd, int timeout_ms, struct head *h, int64_t *came_ns)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	char control[CMSG_SPACE(sizeof(struct timespec))];
	struct iovec iov = {.iov_base = in, .iov_len = sizeof(in)};
	struct msghdr m = {.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = sizeof(control)};
	struct timespec t;

	if (poll(&p, 1, timeout_ms) <= 0)
		return false;
	if (recvmsg(fd, &m, 0) < (ssize_t)sizeof(*h))
		die("recvmsg");
	memcpy(h, in, sizeof(*h));
	for (struct cmsghdr *c = CMSG_FIRSTHDR(&m); c; c = CMSG_NXTHDR(&m, c))
		if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SO_TIMESTAMPNS) {
			memcpy(&t, CMSG_DATA(c), sizeof(t));
			*came_ns = ns_of(&t);
			return true;
		}
	errno = ENOMSG;
	die("no stamp");
	return false;
}

static void note(struct seen *s, const struct head *h, int64_t came_ns)
{
	int64_t took_ns = came_ns - h->sent_ns;

	if (h->number >= COUNT_MAX)
		return;
	if (s->arrived[h->number])
		s->twice++;
	s->arrived[h->number] = 1;
	if (s->got && h->number < s->newest)
		s->overtaken++;
	else
		s->newest = h->number;
	if (!s->got || took_ns < s->min_ns)
		s->min_ns = took_ns;
	if (took_ns > s->max_ns)
		s->max_ns = took_ns;
	s->sum_ns += took_ns;
	s->got++;
}

/* Datagrams that this namespace's sockets had no room for: lost here, not on the link. */
static unsigned long long overflowed(void)
{
	unsigned long long n = 0;
	FILE *f = fopen("/proc/self/net/snmp", "re");
	char line[1024];

	if (!f)
		die("/proc/self/net/snmp");
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "Udp: %*u %*u %*u %*u %llu", &n) == 1)
			break;
	fclose(f);
	return n;
}

/* Waits until frame @i may be sent; false when the far end has gone silent meanwhile. */
static bool await_turn(struct seen *s, int rx, uint32_t i, int64_t at_ns, bool windowed)
{
	int64_t came_ns = 0;
	struct head h;

	while (now_ns() < at_ns)
		if (take(rx, 0, &h, &came_ns))
			note(s, &h, came_ns);
	while (windowed && i >= s->newest + WINDOW_FRAMES) {
		if (!take(rx, 2 * QUIET_MS, &h, &came_ns))
			return false;
		note(s, &h, came_ns);
	}
	return true;
}

static void stamps(union address *a, unsigned count, int64_t gap_ns, size_t length)
{
	static struct seen s;
	int rx = open_bound(a, SOCK_DGRAM), tx = open_connected(a, SOCK_DGRAM);
	int64_t next_ns = now_ns(), came_ns = 0;
	bool windowed = gap_ns > 0;
	unsigned failed = 0;
	struct head h;

	for (uint32_t i = 0; i < count; i++) {
		windowed = await_turn(&s, rx, i, next_ns, windowed) && windowed;
		/* A flood is read too, so that the socket's own room does not decide. */
		if (!gap_ns)
			while (take(rx, 0, &h, &came_ns))
				note(&s, &h, came_ns);
		next_ns += gap_ns;
		h = (struct head){.number = i, .sent_ns = now_ns()};
		memcpy(out, &h, sizeof(h));
		if (send(tx, out, length, 0) != (ssize_t)length)
			failed++;
	}
	while (take(rx, QUIET_MS, &h, &came_ns))
		note(&s, &h, came_ns);
	printf("sent=%u got=%u twice=%u overtaken=%u failed=%u overflow=%llu ", count,
		s.got, s.twice, s.overtaken, failed, overflowed());
	printf("min_ns=%lld mean_ns=%lld max_ns=%lld\n", (long long)s.min_ns,
		(long long)(s.got ? s.sum_ns / s.got : 0), (long long)s.max_ns);
	for (uint32_t i = 0; i < count; i++)
		putchar(s.arrived[i] ? '.' : 'x');
	putchar('\n');
}

static void rtt(union address *a, unsigned count)
{
	int far = open_bound(a, SOCK_DGRAM), near = open_connected(a, SOCK_DGRAM);
	int64_t min_ns = INT64_MAX, max_ns = 0, came_ns;
	unsigned got = 0;
	union address from;
	struct head h;

	for (uint32_t i = 0; i < count; i++) {
		int64_t start_ns = now_ns(), took_ns;
		socklen_t len = sizeof(from);
		ssize_t n;

		h = (struct head){.number = i, .sent_ns = start_ns};
		send(near, &h, sizeof(h), 0);
		n = recvfrom(far, in, sizeof(in), 0, &from.any, &len);
		if (n < 0 || sendto(far, in, (size_t)n, 0, &from.any, len) != n)
			die("answer");
		if (!take(near, 10 * QUIET_MS, &h, &came_ns) || h.number != i)
			die("no answer");
		took_ns = came_ns - start_ns;
		min_ns = took_ns < min_ns ? took_ns : min_ns;
		max_ns = took_ns > max_ns ? took_ns : max_ns;
		got++;
	}
	printf("got=%u min_ns=%lld max_ns=%lld\n", got, (long long)min_ns,
		(long long)max_ns);
}

static void fill(char *bytes, size_t length, uint32_t seed)
{
	for (size_t i = 0; i < length; i++) {
		seed = seed * 1664525 + 1013904223; /* Numerical Recipes' generator */
		bytes[i] = (char)(seed >> 24);
	}
}

static void echo(union address *a, unsigned count, size_t length)
{
	int far = open_bound(a, SOCK_DGRAM), near = open_connected(a, SOCK_DGRAM);
	unsigned equal = 0;
	union address from;

	for (uint32_t i = 0; i < count; i++) {
		struct pollfd p = {.fd = far, .events = POLLIN};
		socklen_t len = sizeof(from);
		ssize_t n;

		fill(out, length, i + 1);
		if (send(near, out, length, 0) != (ssize_t)length)
			die("send");
		if (poll(&p, 1, QUIET_MS) <= 0)
			continue;
		n = recvfrom(far, in, sizeof(in), 0, &from.any, &len);
		if (n != (ssize_t)length || memcmp(in, out, length))
			continue;
		if (sendto(far, in, length, 0, &from.any, len) != n)
			die("answer");
		p.fd = near;
		memset(in, 0, sizeof(in));
		if (poll(&p, 1, QUIET_MS) > 0 && recv(near, in, sizeof(in), 0) == n &&
			!memcmp(in, out, length))
			equal++;
	}
	printf("sent=%u equal=%u\n", count, equal);
}

/* The far end of stream: everything goes back until the near end has said its last. */
static void give_back(int listener)
{
	int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	ssize_t n;

	while ((n = recv(fd, in, sizeof(in), 0)) > 0)
		for (ssize_t done = 0, put; done < n; done += put) {
			put = send(fd, in + done, (size_t)(n - done), MSG_NOSIGNAL);
			if (put < 0)
				die("give back");
		}
	close(fd);
}

static void stream(union address *a, size_t total)
{
	int listener = open_bound(a, SOCK_STREAM), near;
	size_t sent = 0, back = 0;
	char *sample = malloc(total);
	bool equal = true;

	if (!sample || listen(listener, 1) < 0)
		die("listen");
	pid_t child = fork();
	if (child == 0) {
		give_back(listener);
		exit(0);
	}
	fill(sample, total, 42);
	near = open_connected(a, SOCK_STREAM);
	while (back < total) {
		struct pollfd p = {
			.fd = near, .events = sent < total ? POLLIN | POLLOUT : POLLIN};

		if (poll(&p, 1, 10 * QUIET_MS) <= 0)
			break;
		if (sent < total && p.revents & POLLOUT) {
			ssize_t n =
				send(near, sample + sent, total - sent, MSG_DONTWAIT);
			sent += n > 0 ? (size_t)n : 0;
			if (sent == total)
				shutdown(near, SHUT_WR);
		}
		if (p.revents & POLLIN) {
			ssize_t n = recv(near, in, sizeof(in), MSG_DONTWAIT);
			if (n == 0)
				break;
			if (n > 0 && (back + (size_t)n > total ||
					     memcmp(in, sample + back, (size_t)n)))
				equal = false;
			back += n > 0 ? (size_t)n : 0;
		}
	}
	close(near);
	waitpid(child, NULL, 0);
	free(sample);
	printf("sent=%zu back=%zu equal=%d\n", sent, back, equal);
}

/* The port was free a moment ago, and the namespace is the test's own. */
static void refused(union address *a)
{
	close(open_bound(a, SOCK_STREAM));
	int fd = open_socket(a, SOCK_STREAM), why = 0;
	int64_t start_ns = now_ns();

	if (connect(fd, &a->any, size_of(a)) < 0)
		why = errno;
	printf("errno=%s took_ns=%lld\n",
		why == ECONNREFUSED ? "ECONNREFUSED" : strerror(why),
		(long long)(now_ns() - start_ns));
}

int main(int argc, char **argv)
{
	union address a = {.any.sa_family = AF_INET};
	long n[3] = {0};
	const char *what = argc > 1 ? argv[1] : "";

	if (argc < 3)
		goto usage;
	if (inet_pton(AF_INET, argv[2], &a.v4.sin_addr) != 1) {
		memset(&a, 0, sizeof(a));
		a.any.sa_family = AF_INET6;
		if (inet_pton(AF_INET6, argv[2], &a.v6.sin6_addr) != 1)
			goto usage;
	}
	for (int i = 3; i < argc && i < 6; i++)
		n[i - 3] = strtol(argv[i], NULL, 10);
	if (!strcmp(what, "stamps") && n[0] > 0 && n[0] <= COUNT_MAX &&
		n[2] <= LENGTH_MAX && n[2] >= (long)sizeof(struct head))
		stamps(&a, (unsigned)n[0], n[1] * 1000, (size_t)n[2]);
	else if (!strcmp(what, "rtt") && n[0] > 0)
		rtt(&a, (unsigned)n[0]);
	else if (!strcmp(what, "echo") && n[0] > 0 && n[1] > 0 && n[1] <= LENGTH_MAX)
		echo(&a, (unsigned)n[0], (size_t)n[1]);
	else if (!strcmp(what, "stream") && n[0] > 0)
		stream(&a, (size_t)n[0]);
	else if (!strcmp(what, "refused"))
		refused(&a);
	else
		goto usage;
	return 0;
usage:
	fputs("probe stamps|rtt|echo|stream|refused ADDRESS [NUMBER...]\n", stderr);
	return 1;
}
