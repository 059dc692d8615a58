/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests/unit/run/test_follow.c - mirrors src/run/follow.c
 *
 * A link is a forked process that answers a number of times, each time with a second and
 * 100 frames more, and then ends, or sends the one who asks a signal.
 */
#include "config.h"

#include "run/follow.h"

#include "unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#define PATIENCE_S 20
#define EVERY_NS (5 * NSEC_PER_MSEC)

static pid_t pids[4];
static unsigned n_pids;

static void serve(int fd, const char *name, unsigned n_answers, int sig)
{
	char line[200];

	dprintf(fd, "farwire 1 %s\n", name);
	for (unsigned i = 1; i <= n_answers; i++) {
		if (read(fd, line, sizeof(line)) <= 0)
			_exit(1);
		/* Blocked there, it is seen behind this answer. */
		if (sig && i == n_answers)
			kill(getppid(), sig);
		dprintf(fd,
			"{\"status\":0,\"links\":[{\"link\":\"%s\",\"dev\":\"eth0\","
			"\"direction\":\"up\",\"ext\":{\"up_ns\":%u000000000,\"in\":%u}"
			"}]}\n",
			name, i, i * 100);
	}
	/* Then it is silent until it is asked once more. */
	_exit(read(fd, line, sizeof(line)) <= 0);
}

static struct client link_named(const char *name, unsigned n_answers, int sig)
{
	struct client c;
	struct err e;
	pid_t pid;
	int sv[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sv), 0);
	pid = fork();
	if (pid == 0) {
		close(sv[0]);
		serve(sv[1], name, n_answers, sig);
	}
	pids[n_pids++] = pid;
	close(sv[1]);
	assert_int_equal(client_open(&c, sv[0], name, &e), 0);
	return c;
}

static int set_up(void **state)
{
	(void)state;
	alarm(PATIENCE_S);
	return 0;
}

static int tear_down(void **state)
{
	sigset_t ends;

	(void)state;
	while (n_pids > 0) {
		kill(pids[--n_pids], SIGKILL);
		waitpid(pids[n_pids], NULL, 0);
	}
	sigemptyset(&ends);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGTERM);
	sigprocmask(SIG_UNBLOCK, &ends, NULL);
	alarm(0);
	return 0;
}

/* What follow_links() prints, and to stderr behind it. */
static const char *followed(struct client *links, unsigned n, bool json)
{
	static char text[8192];
	FILE *out = tmpfile(), *errors = tmpfile();
	int saved = dup(STDERR_FILENO);
	size_t len;
	struct err e;

	dup2(fileno(errors), STDERR_FILENO);
	assert_int_equal(follow_links(links, n, json, EVERY_NS, out, &e), 0);
	dup2(saved, STDERR_FILENO);
	close(saved);
	rewind(out);
	rewind(errors);
	len = fread(text, 1, sizeof(text) / 2, out);
	len += fread(text + len, 1, sizeof(text) / 2 - 1, errors);
	text[len] = '\0';
	fclose(out);
	fclose(errors);
	return text;
}

#define ROW(name)                                                                      \
	name " eth0 up in/s 100 out/s 0 Mbit/s 0.0 lost% 0.0 drop/s 0 queue 0 wait - " \
	     "late_p99 -\n"

static void a_line_a_look_until_the_link_ends(void **state)
{
	struct client c = link_named("wan", 4, 0);

	(void)state;
	assert_string_equal(followed(&c, 1, false),
		ROW("wan") ROW("wan") ROW("wan") "farwire: wan: the link has ended\n");
}

static void one_link_ends_and_the_others_go_on(void **state)
{
	struct client c[3] = {
		link_named("a", 2, 0), link_named("b", 3, 0), link_named("c", 2, 0)};

	(void)state;
	assert_string_equal(followed(c, 3, false),
		ROW("a") ROW("b") ROW("c") ROW("b") "farwire: a: the link has ended\n"
						    "farwire: c: the link has ended\n"
						    "farwire: b: the link has ended\n");
}

static void objects_on_wish(void **state)
{
	struct client c = link_named("wan", 2, 0);

	(void)state;
	assert_memory_equal(followed(&c, 1, true),
		"{\"link\":\"wan\",\"dev\":\"eth0\",\"direction\":\"up\",", 44);
}

static void a_signal_ends_it_well(void **state)
{
	static const int signals[] = {SIGINT, SIGTERM};

	for (int i = 0; i < 2; i++) {
		struct client c = link_named("wan", 3, signals[i]);
		sigset_t ends;

		/* It may come before anybody waits for it. */
		sigemptyset(&ends);
		sigaddset(&ends, signals[i]);
		sigprocmask(SIG_BLOCK, &ends, NULL);
		assert_string_equal(followed(&c, 1, false), ROW("wan") ROW("wan"));
		tear_down(state);
		set_up(state);
	}
}

static void looks_keep_their_distance(void **state)
{
	struct client c = link_named("wan", 5, 0);
	nsec_t start_ns = clock_now_ns();

	(void)state;
	followed(&c, 1, false);
	assert_true(clock_now_ns() - start_ns >= 5 * EVERY_NS);
}

static void what_cannot_be_written_ends_it(void **state)
{
	struct client c = link_named("wan", 100, 0);
	FILE *full = fopen("/dev/full", "w");
	struct err e;

	(void)state;
	assert_non_null(full);
	assert_int_equal(follow_links(&c, 1, false, EVERY_NS, full, &e), -ENOSPC);
	assert_string_equal(e.text, "monitor: cannot write: No space left on device");
	fclose(full);
}

/* On a terminal of 20 columns: drawn in place, lines cut, the last one wiped. */
static void a_terminal_gets_a_table_that_stays(void **state)
{
	static const char want[] = "link         dev   \033[K\n"
				   "wan          eth0  \033[K\n\033[J"
				   "\r\033[2A"
				   "link         dev   \033[K\n"
				   "wan          eth0  \033[K\n\033[J"
				   "\r\033[K";
	struct client c = link_named("wan", 3, SIGINT);
	struct winsize w = {.ws_col = 20, .ws_row = 24};
	int master = posix_openpt(O_RDWR | O_NOCTTY), slave;
	struct termios raw;
	char text[2000];
	sigset_t ends;
	struct err e;
	size_t n = 0;
	FILE *out;

	(void)state;
	sigemptyset(&ends);
	sigaddset(&ends, SIGINT);
	sigprocmask(SIG_BLOCK, &ends, NULL);
	assert_int_equal(grantpt(master) | unlockpt(master), 0);
	slave = open(ptsname(master), O_RDWR | O_NOCTTY);
	assert_int_equal(tcgetattr(slave, &raw), 0);
	cfmakeraw(&raw);
	assert_int_equal(tcsetattr(slave, TCSANOW, &raw), 0);
	assert_int_equal(ioctl(slave, TIOCSWINSZ, &w), 0);
	out = fdopen(slave, "w");
	setenv("TERM", "xterm", 1);
	assert_int_equal(follow_links(&c, 1, false, EVERY_NS, out, &e), 0);
	/* A terminal brings what was written in its own time and pieces. */
	while (n < strlen(want))
		n += (size_t)read(master, text + n, sizeof(text) - 1 - n);
	text[n] = '\0';
	assert_string_equal(text, want);
	fclose(out);
	close(master);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_line_a_look_until_the_link_ends),
		TEST(one_link_ends_and_the_others_go_on),
		TEST(objects_on_wish),
		TEST(a_signal_ends_it_well),
		TEST(looks_keep_their_distance),
		TEST(what_cannot_be_written_ends_it),
		TEST(a_terminal_gets_a_table_that_stays),
	};

	return cmocka_run_group_tests_name("run/follow", tests, NULL, NULL);
}
