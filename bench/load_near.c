/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bench/load_near.c - the sending half of a load
 *
 * Theory of operation
 *   Datagrams come from senders of their own processes, which count in shared memory;
 *   the half itself sleeps, and reads the counts and its parent's CPU time when the
 *   measured time begins and ends. Streams and round trips it drives itself.
 */
#define _GNU_SOURCE
#include "load.h"

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define RTT_SAMPLES_MAX (1 << 20)
/* After the last datagram was sent, until the slowest path has surely delivered it. */
#define SETTLE_NS 200000000
/* A paced sender catches up this often, a burst lasts and pauses so long. */
#define TICK_NS 1000000
#define BURST_NS 20000000
#define BURST_PAUSE_NS 80000000

static char buffer[STREAM_CHUNK];

struct shared {
	atomic_bool end;
	struct {
		/* A cache line each. */
		_Alignas(64) atomic_ulong sent;
	} sender[MAX_SENDERS];
};

static void sleep_until(int64_t ns)
{
	struct timespec t = {
		.tv_sec = ns / 1000000000, .tv_nsec = (long)(ns % 1000000000)};

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR)
		;
}

/* Of all threads; those of io_uring are threads of their process. */
static uint64_t cpu_ns_of(pid_t pid)
{
	char path[300];
	uint64_t sum = 0;
	struct dirent *e;
	DIR *d;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	d = opendir(path);
	while (d && (e = readdir(d))) {
		unsigned long long ns = 0;
		FILE *f;

		snprintf(path, sizeof(path), "/proc/%d/task/%s/schedstat", (int)pid,
			e->d_name);
		f = e->d_name[0] == '.' ? NULL : fopen(path, "re");
		if (f && fscanf(f, "%llu", &ns) == 1)
			sum += ns;
		if (f)
			fclose(f);
	}
	if (d)
		closedir(d);
	return sum;
}

/* Number @k of them, until @s says that it is enough. */
static void sender(const struct load *l, struct shared *s, int k)
{
	bool burst = !strcmp(l->test->name, "burst");
	int fd = open_socket(l, SOCK_DGRAM);
	int64_t start_ns, pause_ns;
	uint64_t sent = 0;

	if (connect(fd, (const struct sockaddr *)&l->to, sizeof(l->to)) < 0)
		die("connect");
	start_ns = now_ns();
	pause_ns = start_ns + BURST_NS;
	while (!atomic_load_explicit(&s->end, memory_order_relaxed)) {
		uint64_t n = BATCH;

		if (l->pps > 0) {
			double due = l->pps * (double)(now_ns() - start_ns) / 1e9;

			n = due > (double)sent ? (uint64_t)due - sent : 0;
			if (!n)
				sleep_until(now_ns() + TICK_NS);
			if (n > BATCH)
				n = BATCH;
		}
		for (uint64_t i = 0; i < n; i++)
			if (send(fd, buffer, l->payload, 0) == (ssize_t)l->payload)
				sent++;
		atomic_store_explicit(&s->sender[k].sent, sent, memory_order_relaxed);
		if (burst && now_ns() > pause_ns) {
			sleep_until(pause_ns + BURST_PAUSE_NS);
			pause_ns = now_ns() + BURST_NS;
		}
	}
	exit(0);
}

static uint64_t all_sent(const struct load *l, struct shared *s)
{
	uint64_t sum = 0;

	for (int k = 0; k < l->senders; k++)
		sum += atomic_load(&s->sender[k].sent);
	return sum;
}

static struct load_near near_datagrams(const struct load *l)
{
	struct shared *s = mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t pid[MAX_SENDERS];
	struct load_near r;
	int64_t start_ns;

	if (s == MAP_FAILED)
		die("mmap");
	for (int k = 0; k < l->senders; k++) {
		pid[k] = fork();
		if (pid[k] < 0)
			die("fork");
		if (!pid[k]) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			sender(l, s, k);
		}
	}
	sleep_until(now_ns() + (int64_t)(l->warm_s * 1e9));
	r.count = all_sent(l, s);
	r.cpu_ns = cpu_ns_of(l->parent);
	start_ns = now_ns();
	sleep_until(start_ns + (int64_t)(l->seconds * 1e9));
	r.count = all_sent(l, s) - r.count;
	r.ns = (uint64_t)(now_ns() - start_ns);
	r.cpu_ns = cpu_ns_of(l->parent) - r.cpu_ns;
	atomic_store(&s->end, true);
	for (int k = 0; k < l->senders; k++)
		waitpid(pid[k], NULL, 0);
	r.total = all_sent(l, s);
	sleep_until(now_ns() + SETTLE_NS);
	return r;
}

static int by_size(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static uint64_t near_rtt(const struct load *l, int64_t end_ns)
{
	static int64_t sample[RTT_SAMPLES_MAX];
	int fd = open_socket(l, SOCK_DGRAM), n = 0;
	struct timeval tv = {.tv_sec = 1};
	ssize_t size = (ssize_t)l->payload;

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv));
	if (connect(fd, (const struct sockaddr *)&l->to, sizeof(l->to)) < 0)
		die("connect");
	while (now_ns() < end_ns && n < RTT_SAMPLES_MAX) {
		int64_t start = now_ns();

		if (send(fd, buffer, l->payload, 0) == size &&
			recv(fd, buffer, l->payload, 0) == size)
			sample[n++] = now_ns() - start;
	}
	close(fd);
	qsort(sample, (size_t)n, sizeof(sample[0]), by_size);
	return n ? (uint64_t)sample[n / 2] : 0;
}

static void open_streams(const struct load *l, int *fds)
{
	for (int i = 0; i < l->test->streams; i++) {
		fds[i] = open_socket(l, SOCK_STREAM);
		if (connect(fds[i], (const struct sockaddr *)&l->to, sizeof(l->to)) < 0)
			die("connect");
	}
}

static uint64_t near_streams(const struct load *l, const int *fds, int64_t end_ns)
{
	struct pollfd p[MAX_STREAMS];
	int n = l->test->streams;
	uint64_t sent = 0;

	for (int i = 0; i < n; i++)
		p[i] = (struct pollfd){.fd = fds[i], .events = POLLOUT};
	while (now_ns() < end_ns && poll(p, (nfds_t)n, 100) >= 0)
		for (int i = 0; i < n; i++) {
			ssize_t put = send(fds[i], buffer, sizeof(buffer),
				MSG_DONTWAIT | MSG_NOSIGNAL);
			if (put > 0)
				sent += (uint64_t)put;
		}
	return sent;
}

static uint64_t near_rr(const struct load *l, const int *fds, int64_t end_ns)
{
	struct epoll_event e = {.events = EPOLLIN}, ready_ev[BATCH];
	int ep = epoll_create1(EPOLL_CLOEXEC);
	uint64_t answers = 0;

	for (int i = 0; i < l->test->streams; i++) {
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
	close(ep);
	return answers;
}

struct load_near near_half(const struct load *l)
{
	struct load_near r = {0};
	int fds[MAX_STREAMS];
	int64_t start_ns, end_ns;

	if (l->test->type == SOCK_DGRAM && strcmp(l->test->name, "rtt") != 0)
		return near_datagrams(l);
	open_streams(l, fds);
	r.cpu_ns = cpu_ns_of(l->parent);
	start_ns = now_ns();
	end_ns = start_ns + (int64_t)(l->seconds * 1e9);
	if (!l->test->streams)
		r.count = near_rtt(l, end_ns);
	else if (l->test->streams == MAX_STREAMS)
		r.count = near_rr(l, fds, end_ns);
	else
		r.count = near_streams(l, fds, end_ns);
	r.ns = (uint64_t)(now_ns() - start_ns);
	r.cpu_ns = cpu_ns_of(l->parent) - r.cpu_ns;
	r.total = r.count;
	for (int i = 0; i < l->test->streams; i++)
		close(fds[i]);
	return r;
}
