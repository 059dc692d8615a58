/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests/unit/relay/test_relay.c - mirrors src/relay/
 *
 * A relay in a process of its own, in a network namespace of the test's with nothing but
 * a loopback. Where no namespace can be had nothing is tried, and a line says so.
 */
#include "config.h"

#include "base/fd.h"
#include "relay/relay.h"
#include "unit/unit.h"

#include <dirent.h>
#include <errno.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define WAIT_MS 10000
#define MANY_BYTES 3000000

static bool has_ns;

/* A relay, and its rules' end. */
struct place {
	pid_t pid;
	int sock;
	rlim_t files;     /* 0: as the test has */
	bool ends_softly; /* what give() asks for */
};

static void start(struct place *p)
{
	int pair[2];

	assert_int_equal(
		socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
	p->pid = fork();
	assert_true(p->pid >= 0);
	if (p->pid == 0) {
		struct rlimit lim = {p->files, p->files};

		alarm(60);
		close(pair[0]);
		if (p->files)
			setrlimit(RLIMIT_NOFILE, &lim);
		relay_serve(pair[1]);
		_exit(0);
	}
	close(pair[1]);
	p->sock = pair[0];
}

/* It ends by the end of its socket alone. */
static void stop(struct place *p)
{
	int status;

	close(p->sock);
	assert_int_equal(waitpid(p->pid, &status, 0), p->pid);
	assert_true(WIFEXITED(status));
}

static struct relay_addr lo(int family, unsigned port)
{
	struct relay_addr a = {.family = family, .port = (uint16_t)port};

	if (family == AF_INET)
		memcpy(a.bytes, (const uint8_t[]){127, 0, 0, 1}, 4);
	else
		a.bytes[15] = 1;
	return a;
}

static unsigned port_of(int fd)
{
	struct sockaddr_in6 a;
	socklen_t len = sizeof(a);

	assert_int_equal(getsockname(fd, (struct sockaddr *)&a, &len), 0);
	return ntohs(a.sin6_port); /* in the same place for both families */
}

static int listen_at(int family, int type, unsigned *port)
{
	struct relay_addr at = lo(family, *port);
	int fd = relay_listen(type, &at, NULL);

	assert_true(fd >= 0);
	*port = port_of(fd);
	return fd;
}

static void give(struct place *p, int type, int family, unsigned *in, unsigned out1,
	unsigned out2)
{
	struct relay_rule rule = {
		.type = type, .n_to = out2 ? 2 : 1, .ends_softly = p->ends_softly};
	struct err e;
	int fd;

	*in = 0;
	fd = listen_at(family, type, in);
	rule.to[0] = lo(family, out1);
	rule.to[1] = lo(family, out2);
	assert_int_equal(relay_give(p->sock, &rule, fd, &e), 0);
	close(fd);
}

static int dial(int type, int family, unsigned port)
{
	struct sockaddr_in v4 = {.sin_family = AF_INET,
		.sin_port = htons(port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	struct sockaddr_in6 v6 = {.sin6_family = AF_INET6,
		.sin6_port = htons(port),
		.sin6_addr = IN6ADDR_LOOPBACK_INIT};
	struct timeval t = {.tv_sec = WAIT_MS / 1000};
	int fd = socket(family, type | SOCK_CLOEXEC, 0), r;

	assert_true(fd >= 0);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &t, sizeof(t));
	r = family == AF_INET ? connect(fd, (struct sockaddr *)&v4, sizeof(v4))
			      : connect(fd, (struct sockaddr *)&v6, sizeof(v6));
	assert_int_equal(r, 0);
	return fd;
}

/* In time, or the test has failed. Blocking, but with an end to that. */
static int answer(int listener)
{
	struct pollfd p = {.fd = listener, .events = POLLIN};
	struct timeval t = {.tv_sec = WAIT_MS / 1000};
	int fd;

	assert_int_equal(poll(&p, 1, WAIT_MS), 1);
	fd = accept(listener, NULL, NULL);
	assert_true(fd >= 0);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &t, sizeof(t));
	return fd;
}

static void says(int fd, const char *text)
{
	assert_int_equal(send(fd, text, strlen(text), MSG_NOSIGNAL), strlen(text));
}

static void hears(int fd, const char *text)
{
	char buf[64] = "";

	assert_int_equal(recv(fd, buf, strlen(text), MSG_WAITALL), strlen(text));
	assert_string_equal(buf, text);
}

static void hears_end(int fd)
{
	char c;

	assert_int_equal(recv(fd, &c, 1, 0), 0);
}

static void hears_reset(int fd)
{
	char c;

	assert_int_equal(recv(fd, &c, 1, 0), -1);
	assert_int_equal(errno, ECONNRESET);
}

static bool hears_nothing(int fd, int ms)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};

	return poll(&p, 1, ms) == 0;
}

static void with_reset(int fd)
{
	struct linger now = {.l_onoff = 1};

	setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
	close(fd);
}

/* A relay, a server behind it, a connection from client to server. */
struct line {
	struct place p;
	int listener, client, server;
};

static void open_line(struct line *l, int family)
{
	unsigned in, out = 0;

	memset(&l->p, 0, sizeof(l->p));
	start(&l->p);
	l->listener = listen_at(family, SOCK_STREAM, &out);
	give(&l->p, SOCK_STREAM, family, &in, out, 0);
	l->client = dial(SOCK_STREAM, family, in);
	l->server = answer(l->listener);
}

static void close_line(struct line *l)
{
	fd_close(&l->client);
	fd_close(&l->server);
	close(l->listener);
	stop(&l->p);
}

static void both_directions(void **state)
{
	static const int families[] = {AF_INET, AF_INET6};
	struct line l;

	(void)state;
	for (int i = 0; has_ns && i < 2; i++) {
		open_line(&l, families[i]);
		says(l.client, "up");
		hears(l.server, "up");
		says(l.server, "down");
		hears(l.client, "down");
		close_line(&l);
	}
}

static void an_end_of_file_passes_alone(void **state)
{
	struct line l;

	(void)state;
	if (!has_ns)
		return;
	open_line(&l, AF_INET);
	says(l.client, "question");
	shutdown(l.client, SHUT_WR);
	hears(l.server, "question");
	hears_end(l.server);
	says(l.server, "the answer behind it");
	hears(l.client, "the answer behind it");
	assert_true(hears_nothing(l.client, 50));
	says(l.server, "more");
	hears(l.client, "more");
	fd_close(&l.server);
	hears_end(l.client);
	close_line(&l);
}

static void refuse(bool softly, void (*hears_it)(int fd))
{
	struct place p = {.ends_softly = softly};
	unsigned in, gone = 0;
	int client;

	if (!has_ns)
		return;
	start(&p);
	close(listen_at(AF_INET, SOCK_STREAM, &gone));
	give(&p, SOCK_STREAM, AF_INET, &in, gone, 0);
	client = dial(SOCK_STREAM, AF_INET, in);
	hears_it(client);
	close(client);
	stop(&p);
}

static void a_refusal_is_a_reset(void **state)
{
	(void)state;
	refuse(false, hears_reset);
}

static void or_an_end_where_that_is_wanted(void **state)
{
	(void)state;
	refuse(true, hears_end);
}

static void the_next_address_is_tried(void **state)
{
	struct place p = {0};
	unsigned in, gone = 0, out = 0;
	int client, server, listener;

	(void)state;
	if (!has_ns)
		return;
	start(&p);
	close(listen_at(AF_INET, SOCK_STREAM, &gone));
	listener = listen_at(AF_INET, SOCK_STREAM, &out);
	give(&p, SOCK_STREAM, AF_INET, &in, gone, out);
	client = dial(SOCK_STREAM, AF_INET, in);
	server = answer(listener);
	says(client, "hello");
	hears(server, "hello");
	close(client);
	close(server);
	close(listener);
	stop(&p);
}

static void a_reset_comes_behind_the_data(void **state)
{
	static char data[100000], got[sizeof(data)];
	static const int small = 8192;
	struct line l;
	int unsent = 1;

	(void)state;
	if (!has_ns)
		return;
	open_line(&l, AF_INET);
	/* Most of it is still in the relay's own socket. */
	setsockopt(l.client, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small));
	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = (char)(i * 7 + i / 255);
	assert_int_equal(send(l.server, data, sizeof(data), 0), sizeof(data));
	while (ioctl(l.server, TIOCOUTQ, &unsent) == 0 && unsent > 0)
		usleep(1000);
	with_reset(l.server);
	l.server = -1;
	assert_int_equal(recv(l.client, got, sizeof(got), MSG_WAITALL), sizeof(got));
	assert_memory_equal(got, data, sizeof(data));
	hears_reset(l.client);
	close_line(&l);
	/* And the other way. */
	open_line(&l, AF_INET);
	with_reset(l.client);
	l.client = -1;
	hears_reset(l.server);
	close_line(&l);
}

/* Half-closed by who then goes for good: the other one is told, before it writes. */
static void a_reset_behind_an_end_of_file(void **state)
{
	struct pollfd p = {0};
	struct line l;

	(void)state;
	if (!has_ns)
		return;
	open_line(&l, AF_INET);
	shutdown(l.client, SHUT_WR);
	hears_end(l.server);
	with_reset(l.client);
	l.client = -1;
	p.fd = l.server;
	assert_int_equal(poll(&p, 1, WAIT_MS), 1);
	assert_true(p.revents & POLLERR);
	close_line(&l);
}

/* Fill the way until nothing is taken any more. Return: bytes. */
static size_t fill(int fd)
{
	char chunk[4096];
	struct pollfd p = {.fd = fd, .events = POLLOUT};
	size_t sum = 0;
	ssize_t n;

	memset(chunk, 'x', sizeof(chunk));
	/* 300 ms of silence: it is full, the relay has had its turns. */
	while (poll(&p, 1, 300) == 1) {
		n = send(fd, chunk, sizeof(chunk), MSG_NOSIGNAL | MSG_DONTWAIT);
		assert_true(n > 0);
		sum += (size_t)n;
		assert_true(sum < (size_t)100 << 20);
	}
	return sum;
}

static void a_slow_reader_stops_the_writer(void **state)
{
	static const int small = 65536;
	char buf[65536];
	struct line l;
	size_t want, got = 0;
	ssize_t n;

	(void)state;
	if (!has_ns)
		return;
	open_line(&l, AF_INET);
	setsockopt(l.server, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small));
	want = fill(l.client);
	/* The other direction is not held up. */
	says(l.server, "still here");
	hears(l.client, "still here");
	shutdown(l.client, SHUT_WR);
	while ((n = recv(l.server, buf, sizeof(buf), 0)) > 0)
		got += (size_t)n;
	assert_int_equal(n, 0);
	assert_int_equal(got, want);
	close_line(&l);
}

static uint32_t lcg(uint32_t *s)
{
	return *s = *s * 1664525 + 1013904223;
}

/* Sends what a seed makes and ends; in a process of its own. */
static void send_all(int fd, uint32_t seed)
{
	uint8_t chunk[5000];
	size_t at = 0, n;

	while (at < MANY_BYTES) {
		n = sizeof(chunk);
		if (n > MANY_BYTES - at)
			n = MANY_BYTES - at;
		for (size_t i = 0; i < n; i++)
			chunk[i] = (uint8_t)(lcg(&seed) >> 24);
		for (size_t i = 0; i < n;) {
			ssize_t w = send(fd, chunk + i, n - i, MSG_NOSIGNAL);

			if (w <= 0)
				_exit(1);
			i += (size_t)w;
		}
		at += n;
	}
	shutdown(fd, SHUT_WR);
	_exit(0);
}

static void expect_all(int fd, uint32_t seed)
{
	uint8_t chunk[5000];
	size_t at = 0;
	ssize_t n;

	while ((n = recv(fd, chunk, sizeof(chunk), 0)) > 0) {
		for (ssize_t i = 0; i < n; i++)
			if (chunk[i] != (uint8_t)(lcg(&seed) >> 24))
				fail_msg("byte %zu differs", at + (size_t)i);
		at += (size_t)n;
	}
	assert_int_equal(n, 0);
	assert_int_equal(at, MANY_BYTES);
}

static void much_in_both_directions_at_once(void **state)
{
	struct line l;
	pid_t pid;

	(void)state;
	if (!has_ns)
		return;
	open_line(&l, AF_INET);
	for (int i = 0; i < 2; i++) {
		pid = fork();
		if (pid == 0)
			send_all(i ? l.client : l.server, 17 + (uint32_t)i);
	}
	pid = fork();
	if (pid == 0) {
		expect_all(l.client, 17);
		_exit(0);
	}
	expect_all(l.server, 18);
	for (int i = 0, status; i < 3; i++) {
		assert_true(wait(&status) > 0);
		assert_int_equal(status, 0);
	}
	close_line(&l);
}

/* Files for three connections: the others wait, nobody is refused. */
static void more_connections_than_sessions(void **state)
{
	struct place p = {.files = RELAY_RULES_MAX + RELAY_UDP_MAX + 16 + 6};
	int listener, client[8], server[8], i;
	unsigned in, out = 0;

	(void)state;
	if (!has_ns)
		return;
	start(&p);
	listener = listen_at(AF_INET, SOCK_STREAM, &out);
	give(&p, SOCK_STREAM, AF_INET, &in, out, 0);
	for (i = 0; i < 8; i++)
		client[i] = dial(SOCK_STREAM, AF_INET, in);
	for (i = 0; i < 3; i++)
		server[i] = answer(listener);
	assert_true(hears_nothing(listener, 200));
	for (i = 0; i < 8; i++) {
		close(client[i]);
		hears_end(server[i]);
		close(server[i]);
		if (i + 3 < 8)
			server[i + 3] = answer(listener);
	}
	close(listener);
	stop(&p);
}

static void echo_once(int fd)
{
	struct sockaddr_storage peer;
	socklen_t len = sizeof(peer);
	struct pollfd p = {.fd = fd, .events = POLLIN};
	static char buf[65536];
	ssize_t n;

	assert_int_equal(poll(&p, 1, WAIT_MS), 1);
	n = recvfrom(fd, buf, sizeof(buf), 0, (struct sockaddr *)&peer, &len);
	assert_true(n >= 0);
	assert_int_equal(
		sendto(fd, buf, (size_t)n, 0, (struct sockaddr *)&peer, len), n);
}

static void datagrams(void **state)
{
	static const int families[] = {AF_INET, AF_INET6};
	static char big[65000], got[65000];
	struct place p;
	unsigned in, out;
	int server, a, b;

	(void)state;
	for (int i = 0; has_ns && i < 2; i++) {
		p = (struct place){0};
		start(&p);
		out = 0;
		server = listen_at(families[i], SOCK_DGRAM, &out);
		give(&p, SOCK_DGRAM, families[i], &in, out, 0);
		a = dial(SOCK_DGRAM, families[i], in);
		b = dial(SOCK_DGRAM, families[i], in);
		says(a, "from a");
		says(b, "from b");
		echo_once(server);
		echo_once(server);
		hears(a, "from a");
		hears(b, "from b");
		memset(big, 'b', sizeof(big));
		assert_int_equal(send(a, big, sizeof(big), 0), sizeof(big));
		assert_int_equal(send(a, big, 0, 0), 0);
		echo_once(server);
		echo_once(server);
		assert_int_equal(recv(a, got, sizeof(got), 0), sizeof(big));
		assert_memory_equal(got, big, sizeof(big));
		assert_int_equal(recv(a, got, sizeof(got), 0), 0);
		close(a);
		close(b);
		close(server);
		stop(&p);
	}
}

static void a_refused_datagram_goes_to_the_next(void **state)
{
	struct place p = {0};
	unsigned in, gone = 0, out = 0;
	int server, a;

	(void)state;
	if (!has_ns)
		return;
	start(&p);
	close(listen_at(AF_INET, SOCK_DGRAM, &gone));
	server = listen_at(AF_INET, SOCK_DGRAM, &out);
	give(&p, SOCK_DGRAM, AF_INET, &in, gone, out);
	a = dial(SOCK_DGRAM, AF_INET, in);
	says(a, "one");
	echo_once(server);
	hears(a, "one");
	says(a, "two");
	echo_once(server);
	hears(a, "two");
	close(a);
	close(server);
	stop(&p);
}

/* Nobody there, then somebody: nothing remembers the refusals. */
static void a_server_that_comes_later(void **state)
{
	struct place p = {0};
	unsigned in, gone = 0, out = 0;
	int server, a;

	(void)state;
	if (!has_ns)
		return;
	start(&p);
	close(listen_at(AF_INET, SOCK_DGRAM, &gone));
	server = listen_at(AF_INET, SOCK_DGRAM, &out);
	close(server);
	give(&p, SOCK_DGRAM, AF_INET, &in, out, gone);
	a = dial(SOCK_DGRAM, AF_INET, in);
	for (int i = 0; i < 4; i++) {
		says(a, "anybody");
		assert_true(hears_nothing(a, 30));
	}
	server = listen_at(AF_INET, SOCK_DGRAM, &out);
	says(a, "now");
	echo_once(server);
	hears(a, "now");
	close(a);
	close(server);
	stop(&p);
}

static int files_of(pid_t pid)
{
	char path[32];
	int n = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	dir = opendir(path);
	assert_non_null(dir);
	while (readdir(dir))
		n++;
	closedir(dir);
	return n - 2;
}

/* The oldest goes; the newest has its answer, and so has the oldest when it comes back. */
static void more_senders_than_sessions(void **state)
{
	static int fd[RELAY_UDP_MAX + 8];
	struct place p = {0};
	unsigned in, out = 0;
	int server, n_first, n = RELAY_UDP_MAX + 8;

	(void)state;
	if (!has_ns)
		return;
	start(&p);
	server = listen_at(AF_INET, SOCK_DGRAM, &out);
	give(&p, SOCK_DGRAM, AF_INET, &in, out, 0);
	n_first = files_of(p.pid);
	for (int i = 0; i < n; i++) {
		fd[i] = dial(SOCK_DGRAM, AF_INET, in);
		says(fd[i], "hello");
		echo_once(server);
		hears(fd[i], "hello");
	}
	says(fd[0], "again");
	echo_once(server);
	hears(fd[0], "again");
	assert_int_equal(files_of(p.pid), n_first + RELAY_UDP_MAX);
	for (int i = 0; i < n; i++)
		close(fd[i]);
	close(server);
	stop(&p);
}

static void what_is_taken_is_told(void **state)
{
	struct relay_addr at = lo(AF_INET, 0);
	int fd;

	(void)state;
	if (!has_ns)
		return;
	fd = relay_listen(SOCK_STREAM, &at, NULL);
	assert_true(fd >= 0);
	at.port = (uint16_t)port_of(fd);
	assert_int_equal(relay_listen(SOCK_STREAM, &at, NULL), -EADDRINUSE);
	close(fd);
	at.port = 0;
	fd = relay_listen(SOCK_DGRAM, &at, NULL);
	at.port = (uint16_t)port_of(fd);
	assert_int_equal(relay_listen(SOCK_DGRAM, &at, NULL), -EADDRINUSE);
	close(fd);
	at = lo(AF_INET6, 80);
	assert_string_equal(relay_text(&at), "[::1]:80");
	at = lo(AF_INET, 80);
	assert_string_equal(relay_text(&at), "127.0.0.1:80");
}

static void wrong_orders_are_refused(void **state)
{
	struct relay_rule rule = {.type = SOCK_STREAM};
	struct place p = {0};
	struct err e;
	unsigned port = 0;
	int fd;

	(void)state;
	if (!has_ns)
		return;
	start(&p);
	fd = listen_at(AF_INET, SOCK_STREAM, &port);
	assert_int_equal(relay_give(p.sock, &rule, fd, &e), -EINVAL);
	rule.n_to = RELAY_TO_MAX + 1;
	assert_int_equal(relay_give(p.sock, &rule, fd, &e), -EINVAL);
	rule.n_to = 1;
	rule.to[0] = lo(AF_INET, 1);
	assert_int_equal(relay_give(p.sock, &rule, fd, &e), 0);
	kill(p.pid, SIGKILL);
	waitpid(p.pid, NULL, 0);
	assert_int_not_equal(relay_give(p.sock, &rule, fd, &e), 0);
	assert_string_equal(e.text, "relay: its process is gone");
	close(p.sock);
	close(fd);
}

static bool make_ns(void)
{
	struct ifreq ifr = {.ifr_name = "lo"};
	int fd FD_AUTO = -1;

	if (unshare(geteuid() ? CLONE_NEWUSER | CLONE_NEWNET : CLONE_NEWNET) < 0)
		return false;
	fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0 || ioctl(fd, SIOCGIFFLAGS, &ifr) < 0)
		return false;
	ifr.ifr_flags |= IFF_UP;
	return ioctl(fd, SIOCSIFFLAGS, &ifr) == 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_directions),
		cmocka_unit_test(an_end_of_file_passes_alone),
		cmocka_unit_test(a_refusal_is_a_reset),
		cmocka_unit_test(or_an_end_where_that_is_wanted),
		cmocka_unit_test(the_next_address_is_tried),
		cmocka_unit_test(a_reset_comes_behind_the_data),
		cmocka_unit_test(a_reset_behind_an_end_of_file),
		cmocka_unit_test(a_slow_reader_stops_the_writer),
		cmocka_unit_test(much_in_both_directions_at_once),
		cmocka_unit_test(more_connections_than_sessions),
		cmocka_unit_test(datagrams),
		cmocka_unit_test(a_refused_datagram_goes_to_the_next),
		cmocka_unit_test(a_server_that_comes_later),
		cmocka_unit_test(more_senders_than_sessions),
		cmocka_unit_test(what_is_taken_is_told),
		cmocka_unit_test(wrong_orders_are_refused),
	};

	alarm(60);
	has_ns = make_ns();
	if (!has_ns)
		print_message("# no network namespace can be made here\n");
	return cmocka_run_group_tests_name("relay", tests, NULL, NULL);
}
