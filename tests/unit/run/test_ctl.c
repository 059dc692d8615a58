/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests/unit/run/test_ctl.c - mirrors src/run/ctl.c
 *
 * Clients here do not behave. The server is run by hand, turn by turn, so that nothing
 * depends on time but what is about time.
 */
#include "config.h"

#include "run/ctl.h"

#include "base/clock.h"
#include "base/fd.h"
#include "unit/unit.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define PATIENCE_S 20
#define GREETING "farwire " PACKAGE_VERSION " wan\n"
/* A line that is always refused, for the tests that need no more than an answer. */
#define LINE "check netem\n"
#define ANSWER "{\"status\":1,\"error\":\"no verb for a running link\"}\n"

static struct ctl ctl;
static struct sockaddr_un address;
static socklen_t address_bytes;
static const struct request_link wan = {.name = "wan"};

static int set_up(void **state)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct err e;

	(void)state;
	alarm(PATIENCE_S);
	/* An abstract name of the kernel's choice. */
	address = (struct sockaddr_un){.sun_family = AF_UNIX};
	assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(sa_family_t)), 0);
	address_bytes = sizeof(address);
	assert_int_equal(
		getsockname(fd, (struct sockaddr *)&address, &address_bytes), 0);
	assert_int_equal(listen(fd, 64), 0);
	assert_int_equal(ctl_open(&ctl, fd, geteuid(), &wan, &e), 0);
	return 0;
}

static unsigned n_open_files(void)
{
	DIR *dir = opendir("/proc/self/fd");
	unsigned n = 0;

	assert_non_null(dir);
	while (readdir(dir))
		n++;
	closedir(dir);
	return n;
}

static int tear_down(void **state)
{
	(void)state;
	ctl_close(&ctl);
	alarm(0);
	return 0;
}

static bool is_ready(void)
{
	struct pollfd p = {.fd = ctl.fd, .events = POLLIN};

	return poll(&p, 1, 0) == 1;
}

/* Turns until nothing is to be done; rests, where the machine is slow, included. */
static void turn(void)
{
	struct pollfd p = {.fd = ctl.fd, .events = POLLIN};

	while (poll(&p, 1, ctl.resting ? PATIENCE_S * 1000 : 0) == 1) {
		ctl.credit_ns = NSEC_PER_SEC;
		assert_true(ctl_turn(&ctl));
	}
}

static int call(void)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_int_equal(connect(fd, (struct sockaddr *)&address, address_bytes), 0);
	return fd;
}

static void say(int fd, const char *text)
{
	assert_int_equal(send(fd, text, strlen(text), MSG_NOSIGNAL), strlen(text));
}

/* What has come, "" for nothing, "(end)" for the end. */
static const char *heard(int fd)
{
	static char text[65536];
	ssize_t n = recv(fd, text, sizeof(text) - 1, MSG_DONTWAIT);

	if (n == 0 || (n < 0 && errno == ECONNRESET))
		return "(end)";
	text[n > 0 ? n : 0] = '\0';
	return text;
}

static int greeted(void)
{
	int fd = call();

	turn();
	assert_string_equal(heard(fd), GREETING);
	return fd;
}

static void assert_served(int fd)
{
	say(fd, LINE);
	turn();
	assert_string_equal(heard(fd), ANSWER);
}

static void assert_cut_off(int fd, const char *why)
{
	const char *text = heard(fd);

	if (!strstr(text, why))
		fail_msg("%s: %s", why, text);
	assert_memory_equal(text, "{\"status\":1,\"error\":\"", 21);
	assert_int_equal(text[strlen(text) - 1], '\n');
	assert_string_equal(heard(fd), "(end)");
	close(fd);
}

static void each_line_has_an_answer(void **state)
{
	int fd = greeted();

	(void)state;
	for (int i = 0; i < 3; i++)
		assert_served(fd);
	close(fd);
	turn();
	assert_int_equal(ctl.client[0].fd, -1);
}

static void a_turn_serves_one_event(void **state)
{
	int fd[3], n = 0;

	(void)state;
	for (int i = 0; i < 3; i++)
		fd[i] = greeted();
	for (int i = 0; i < 3; i++)
		say(fd[i], LINE);
	ctl_turn(&ctl);
	for (int i = 0; i < 3; i++)
		n += *heard(fd[i]) != '\0';
	assert_int_equal(n, 1);
	turn();
	for (int i = 0; i < 3; i++)
		n += *heard(fd[i]) != '\0';
	assert_int_equal(n, 3);
	for (int i = 0; i < 3; i++)
		close(fd[i]);
}

static void a_line_may_come_in_pieces(void **state)
{
	int fd = greeted(), other = greeted();

	(void)state;
	for (const char *p = LINE; *p; p++) {
		char piece[2] = {*p, '\0'};

		assert_string_equal(heard(fd), "");
		say(fd, piece);
		turn();
		assert_served(other);
	}
	assert_string_equal(heard(fd), ANSWER);
	/* A line that never comes to its end is nobody's trouble. */
	say(fd, "check net");
	turn();
	assert_false(is_ready());
	assert_served(other);
	close(fd);
	turn();
	assert_served(other);
	close(other);
}

static void too_much_is_cut_off(void **state)
{
	char text[CTL_LINE_BYTES + 1];
	int fd = greeted();

	(void)state;
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	say(fd, text);
	turn();
	assert_cut_off(fd, "the line is too long");
	/* The longest that is not. */
	fd = greeted();
	text[CTL_LINE_BYTES - 1] = '\n';
	say(fd, text);
	turn();
	assert_memory_equal(heard(fd), "{\"status\":1,", 12);
	assert_served(fd);
	close(fd);
}

static void the_next_line_waits_for_the_answer(void **state)
{
	int fd = greeted();

	(void)state;
	say(fd, LINE LINE);
	turn();
	assert_cut_off(fd, "one line at a time");
}

static void nonsense_is_cut_off(void **state)
{
	static const char *const lines[] = {
		"\x01\n", "GET / HTTP/1.1\r\n", "\x7f\n", "check\tnetem\n"};
	int fd;

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		fd = greeted();
		say(fd, lines[i]);
		turn();
		assert_cut_off(fd, "a byte that no word has");
	}
	fd = greeted();
	assert_int_equal(send(fd, "check\0netem\n", 12, 0), 12);
	turn();
	assert_cut_off(fd, "a byte that no word has");
	/* Printable nonsense is a request like any other. */
	fd = greeted();
	say(fd, "\xc3\xa4 {\"x\":[ ; DROP TABLE -- %n%s\n");
	turn();
	assert_memory_equal(heard(fd), "{\"status\":1,", 12);
	say(fd, "\n");
	turn();
	assert_memory_equal(heard(fd), "{\"status\":1,", 12);
	assert_served(fd);
	close(fd);
}

static void random_bytes_harm_nothing(void **state)
{
	uint32_t x = 1;
	char text[700];

	(void)state;
	for (int i = 0; i < 300; i++) {
		int fd = call();
		size_t n;

		for (n = 0; n < sizeof(text); n++) {
			x = x * 1664525 + 1013904223;
			text[n] = (char)(i % 2 ? x >> 24 : ' ' + (x >> 24) % 95);
			if ((x >> 8) % 200 == 0)
				text[n] = '\n';
		}
		turn();
		(void)!send(fd, text, n, MSG_NOSIGNAL);
		turn();
		close(fd);
	}
	turn();
	assert_served(greeted());
}

static void one_too_many_takes_the_place_of_the_most_silent(void **state)
{
	int fd[CTL_CLIENTS_MAX + 1];

	(void)state;
	for (int i = 0; i < CTL_CLIENTS_MAX; i++)
		fd[i] = greeted();
	assert_served(fd[0]);
	assert_served(fd[2]);
	fd[CTL_CLIENTS_MAX] = greeted();
	assert_string_equal(
		heard(fd[1]), "{\"status\":2,\"error\":\"too many ask at once\"}\n");
	assert_string_equal(heard(fd[1]), "(end)");
	for (int i = 0; i <= CTL_CLIENTS_MAX; i++) {
		if (i != 1)
			assert_served(fd[i]);
		close(fd[i]);
	}
}

static void many_connections_do_not_lock_anybody_out(void **state)
{
	int fd[60];

	(void)state;
	for (int i = 0; i < 60; i++)
		fd[i] = call();
	turn();
	assert_served(greeted());
	for (int i = 0; i < 60; i++)
		close(fd[i]);
	turn();
	assert_served(greeted());
}

static void strangers_are_not_heard(void **state)
{
	pid_t pid;
	int fd;

	(void)state;
	ctl.owner = geteuid() + 1;
	fd = call();
	turn();
	if (geteuid() != 0) {
		assert_string_equal(heard(fd), "(end)");
		close(fd);
		return;
	}
	/* root is always heard; a process is somebody else. */
	assert_string_equal(heard(fd), GREETING);
	close(fd);
	pid = fork();
	if (pid == 0) {
		char byte;

		if (setgid(12345) || setuid(12345))
			_exit(2);
		/* The socket is abstract: no permissions of a file help. */
		_exit(recv(call(), &byte, 1, 0) != 0);
	}
	while (!is_ready())
		continue;
	turn();
	assert_int_equal(waitpid(pid, &fd, 0), pid);
	assert_int_equal(fd, 0);
}

static void an_answer_waits_for_who_is_slow(void **state)
{
	int fd = greeted(), other = greeted();
	unsigned n = 0;
	size_t n_bytes = 0, len;

	(void)state;
	/* Answers that nobody reads, until the socket takes no more. */
	while (!ctl.client[0].answer) {
		say(fd, LINE);
		turn();
		n++;
	}
	say(fd, LINE);
	turn();
	assert_false(is_ready());
	assert_served(other);
	for (n++; n_bytes < n * strlen(ANSWER); n_bytes += len) {
		len = strlen(heard(fd));
		turn();
	}
	assert_int_equal(n_bytes, n * strlen(ANSWER));
	assert_served(fd);
	close(fd);
	close(other);
}

static void who_leaves_before_the_answer_is_forgotten(void **state)
{
	int fd = greeted();

	(void)state;
	say(fd, LINE);
	close(fd);
	turn();
	assert_int_equal(ctl.client[0].fd, -1);
	fd = greeted();
	while (!ctl.client[0].answer) {
		say(fd, LINE);
		turn();
	}
	close(fd);
	turn();
	assert_int_equal(ctl.client[0].fd, -1);
	assert_null(ctl.client[0].answer);
	assert_served(greeted());
}

/* Nothing more is said, but the answer is waited for. */
static void half_a_connection_is_answered(void **state)
{
	int fd = greeted();

	(void)state;
	say(fd, LINE);
	shutdown(fd, SHUT_WR);
	turn();
	assert_string_equal(heard(fd), ANSWER);
	assert_string_equal(heard(fd), "(end)");
	close(fd);
}

static int sealed(void)
{
	int fd = memfd_create("table", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	assert_true(fd >= 0);
	return fd;
}

static void files_come_with_their_line(void **state)
{
	int fd = greeted(), table[REQUEST_FILES_MAX];
	unsigned n_files;

	(void)state;
	for (int i = 0; i < REQUEST_FILES_MAX; i++)
		table[i] = sealed();
	n_files = n_open_files();
	assert_int_equal(fd_send(fd, "c", 1, table, 2), 0);
	turn();
	assert_int_equal(ctl.client[0].n_files, 2);
	assert_int_equal(n_open_files(), n_files + 2);
	assert_int_equal(fd_send(fd, "h", 1, table + 2, 2), 0);
	turn();
	assert_int_equal(ctl.client[0].n_files, 4);
	say(fd, "eck netem\n");
	turn();
	assert_non_null(strstr(heard(fd), "name 0 tables that are files, 4 came"));
	assert_int_equal(ctl.client[0].n_files, 0);
	assert_int_equal(n_open_files(), n_files);
	close(fd);
	turn();
	/* Without a line they are closed too. */
	fd = greeted();
	assert_int_equal(fd_send(fd, "c", 1, table, 4), 0);
	turn();
	close(fd);
	turn();
	assert_int_equal(n_open_files(), n_files - 2);
	for (int i = 0; i < REQUEST_FILES_MAX; i++)
		close(table[i]);
}

static void files_that_could_make_us_wait_are_refused(void **state)
{
	int pipes[2], fd, many[FD_SEND_MAX];
	unsigned n_files;

	(void)state;
	assert_int_equal(pipe(pipes), 0);
	n_files = n_open_files();
	fd = greeted();
	assert_int_equal(fd_send(fd, LINE, strlen(LINE), pipes, 1), 0);
	turn();
	assert_cut_off(fd, "files that cannot be tables");
	fd = greeted();
	many[0] = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	assert_int_equal(fd_send(fd, LINE, strlen(LINE), many, 1), 0);
	close(many[0]);
	turn();
	assert_cut_off(fd, "files that cannot be tables");
	fd = greeted();
	for (int i = 0; i < FD_SEND_MAX; i++)
		many[i] = sealed();
	assert_int_equal(fd_send(fd, LINE, strlen(LINE), many, FD_SEND_MAX), 0);
	turn();
	assert_cut_off(fd, "or too many");
	for (int i = 0; i < 2; i++) {
		fd = i ? fd : greeted();
		assert_int_equal(fd_send(fd, "c", 1, many, 3), 0);
		turn();
	}
	assert_cut_off(fd, "or too many");
	for (int i = 0; i < FD_SEND_MAX; i++)
		close(many[i]);
	assert_int_equal(n_open_files(), n_files);
	close(pipes[0]);
	close(pipes[1]);
}

/* More than a tenth of the time was taken: nothing is heard for a while. */
static void requests_have_a_share_of_the_time(void **state)
{
	struct pollfd p = {.fd = ctl.fd, .events = POLLIN};
	nsec_t start_ns;
	int fd = greeted();

	(void)state;
	say(fd, LINE);
	ctl.credit_ns = -NSEC_PER_MSEC;
	ctl.credit_at_ns = start_ns = clock_now_ns();
	ctl_turn(&ctl);
	assert_string_equal(heard(fd), ANSWER);
	assert_true(ctl.resting);
	say(fd, LINE);
	/* 1 ms too much and 1 ms of new credit are 20 ms. */
	assert_false(is_ready());
	while (ctl.resting) {
		assert_int_equal(poll(&p, 1, PATIENCE_S * 1000), 1);
		ctl_turn(&ctl);
	}
	assert_true(clock_now_ns() - start_ns >= 19 * NSEC_PER_MSEC);
	turn();
	assert_string_equal(heard(fd), ANSWER);
	close(fd);
}

/* Called during a rest, for whatever reason, it does nothing. */
static void a_rest_is_a_rest(void **state)
{
	int fd = greeted();

	(void)state;
	say(fd, LINE);
	/* 5 s without a request are worth half a second of them. */
	ctl.credit_ns = -NSEC_PER_SEC;
	ctl.credit_at_ns = clock_now_ns() - 5 * NSEC_PER_SEC;
	ctl_turn(&ctl);
	assert_string_equal(heard(fd), ANSWER);
	say(fd, LINE);
	for (int i = 0; i < 100; i++)
		assert_true(ctl_turn(&ctl));
	assert_string_equal(heard(fd), "");
	close(fd);
}

static void a_flood_takes_a_small_part_of_the_time(void **state)
{
	nsec_t start_ns = clock_now_ns(), end_ns = start_ns + NSEC_PER_SEC / 2;
	struct pollfd p = {.fd = ctl.fd, .events = POLLIN};
	nsec_t taken_ns = 0, now_ns;
	pid_t pid = fork();
	char text[4096];
	int fd;

	(void)state;
	while (pid == 0) {
		fd = call();
		for (int i = 0; i < 20; i++) {
			(void)!send(fd, LINE, strlen(LINE), MSG_NOSIGNAL);
			(void)!recv(fd, text, sizeof(text), 0);
		}
		close(fd);
	}
	while ((now_ns = clock_now_ns()) < end_ns) {
		poll(&p, 1, 10);
		taken_ns -= clock_now_ns();
		ctl_turn(&ctl);
		taken_ns += clock_now_ns();
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	assert_true(ctl.turns > 10);
	/* A tenth and the burst; twice that where others have the processor. */
	assert_true(taken_ns < (now_ns - start_ns) / 4);
}

/* Where no file can be had, asking again and again is no use. */
static void without_files_it_rests(void **state)
{
	struct rlimit was, none = {0};
	int fd;

	(void)state;
	fd = call();
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &was), 0);
	none.rlim_max = was.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	ctl_turn(&ctl);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &was), 0);
	assert_true(ctl.resting);
	while (!is_ready())
		continue;
	turn();
	assert_string_equal(heard(fd), GREETING);
	close(fd);
}

static void what_is_no_socket_is_refused(void **state)
{
	unsigned n_files = n_open_files();
	struct ctl c;
	struct err e;

	(void)state;
	assert_true(ctl_open(&c, -1, 0, &wan, &e) < 0);
	assert_non_null(strstr(e.text, "control socket: "));
	assert_int_equal(n_open_files(), n_files);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(each_line_has_an_answer),
		TEST(a_turn_serves_one_event),
		TEST(a_line_may_come_in_pieces),
		TEST(too_much_is_cut_off),
		TEST(the_next_line_waits_for_the_answer),
		TEST(nonsense_is_cut_off),
		TEST(random_bytes_harm_nothing),
		TEST(one_too_many_takes_the_place_of_the_most_silent),
		TEST(many_connections_do_not_lock_anybody_out),
		TEST(strangers_are_not_heard),
		TEST(an_answer_waits_for_who_is_slow),
		TEST(who_leaves_before_the_answer_is_forgotten),
		TEST(half_a_connection_is_answered),
		TEST(files_come_with_their_line),
		TEST(files_that_could_make_us_wait_are_refused),
		TEST(requests_have_a_share_of_the_time),
		TEST(a_rest_is_a_rest),
		TEST(a_flood_takes_a_small_part_of_the_time),
		TEST(without_files_it_rests),
		TEST(what_is_no_socket_is_refused),
	};

	return cmocka_run_group_tests_name("run/ctl", tests, NULL, NULL);
}
