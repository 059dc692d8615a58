/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests/unit/run/test_prefix.c - mirrors src/run/prefix.c
 */
#include "config.h"

#include "run/prefix.h"
#include "unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <termios.h>
#include <unistd.h>

#define PATIENCE_S 20

/* The command writes to .far, the user reads from .user. */
struct fixture {
	int far, out, user;
	struct prefix p;
};

static void open_on(struct fixture *f, int out, int user)
{
	int in[2];
	struct err e;

	alarm(PATIENCE_S);
	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(pipe(in), 0);
	f->far = in[1];
	f->out = out;
	f->user = user;
	assert_int_equal(prefix_open(&f->p, in[0], out, "far: ", &e), 0);
}

static void open_on_pipe(struct fixture *f)
{
	int out[2];

	assert_int_equal(pipe(out), 0);
	assert_int_equal(fcntl(out[0], F_SETFL, O_NONBLOCK), 0);
	open_on(f, out[1], out[0]);
}

static void close_all(struct fixture *f)
{
	close(f->far);
	prefix_close(&f->p);
	close(f->out);
	close(f->user);
	alarm(0);
}

static void say(struct fixture *f, const char *text)
{
	size_t n = strlen(text);

	assert_int_equal(write(f->far, text, n), n);
}

static bool is_readable(const struct prefix *p)
{
	struct pollfd one = {.fd = p->fd, .events = POLLIN};

	return poll(&one, 1, 0) == 1;
}

/* What has come out. */
static const char *heard(struct fixture *f)
{
	static char text[65536];
	ssize_t n = read(f->user, text, sizeof(text) - 1);

	text[n > 0 ? n : 0] = '\0';
	return text;
}

static void lines_are_whole_and_have_their_prefix(void **state)
{
	struct fixture f;

	(void)state;
	open_on_pipe(&f);
	assert_false(is_readable(&f.p));
	say(&f, "one\ntw");
	assert_true(is_readable(&f.p));
	assert_true(prefix_ready(&f.p));
	assert_string_equal(heard(&f), "far: one\n");
	assert_false(is_readable(&f.p));
	say(&f, "o\n\nthree");
	assert_true(prefix_ready(&f.p));
	assert_string_equal(heard(&f), "far: two\nfar: \n");
	close(f.far);
	assert_true(is_readable(&f.p));
	assert_false(prefix_ready(&f.p));
	assert_string_equal(heard(&f), "far: three\n");
	close_all(&f);
}

static void the_end_brings_out_what_is_left(void **state)
{
	struct fixture f;

	(void)state;
	open_on_pipe(&f);
	say(&f, "one\ntwo");
	/* A process that still holds the pipe is not waited for. */
	prefix_close(&f.p);
	assert_string_equal(heard(&f), "far: one\nfar: two\n");
	close(f.far);
	close(f.out);
	close(f.user);
	alarm(0);
}

static void a_line_without_end_goes_out_in_pieces(void **state)
{
	static char text[2 * PREFIX_LINE_BYTES + 11], want[3 * PREFIX_LINE_BYTES];
	struct fixture f;

	(void)state;
	open_on_pipe(&f);
	memset(text, 'x', sizeof(text) - 2);
	text[sizeof(text) - 2] = '\n';
	say(&f, text);
	assert_true(prefix_ready(&f.p));
	snprintf(want, sizeof(want), "far: %.*s\nfar: %.*s\nfar: xxxxxxxxx\n",
		PREFIX_LINE_BYTES, text, PREFIX_LINE_BYTES, text);
	assert_string_equal(heard(&f), want);
	close_all(&f);
}

static void a_turn_is_bounded(void **state)
{
	static char text[30000];
	struct fixture f;
	int left;

	(void)state;
	open_on_pipe(&f);
	memset(text, '\n', sizeof(text) - 1);
	say(&f, text);
	assert_true(prefix_ready(&f.p));
	assert_int_equal(ioctl(f.p.in_fd, FIONREAD, &left), 0);
	assert_int_equal(left, sizeof(text) - 1 - PREFIX_READ_BYTES);
	heard(&f);
	close_all(&f);
}

/* Says @n numbered lines as far as the pipe takes them. Return: how many. */
static unsigned say_lines(struct fixture *f, unsigned n)
{
	char line[32];
	unsigned i;

	assert_int_equal(fcntl(f->far, F_SETFL, O_NONBLOCK), 0);
	for (i = 0; i < n; i++) {
		int len = snprintf(line, sizeof(line), "line %u\n", i);

		if (write(f->far, line, (size_t)len) != len)
			break;
	}
	return i;
}

/*
 * An output that nobody reads for a while: no turn waits, nobody's flags are changed,
 * the command has to wait, and in the end nothing is missing.
 */
static void a_full_output_is_waited_for_elsewhere(struct fixture *f)
{
	unsigned said = 0, n_turns, n_heard = 0;
	char want[32], line[64];
	FILE *user;

	while (!f->p.stuck) {
		assert_int_equal(say_lines(f, 100), 100);
		said += 100;
		for (n_turns = 0; !f->p.stuck && is_readable(&f->p); n_turns++)
			assert_true(prefix_ready(&f->p));
		assert_true(n_turns < 100);
	}
	for (n_turns = 0; n_turns < 10; n_turns++, said += 100)
		assert_int_equal(say_lines(f, 100), 100);
	assert_false(is_readable(&f->p));
	assert_int_equal(fcntl(f->out, F_GETFL) & O_NONBLOCK, 0);
	/* Called all the same, it does nothing. */
	for (n_turns = 0; n_turns < 5; n_turns++)
		assert_true(prefix_ready(&f->p));
	close(f->far);
	assert_int_equal(fcntl(f->user, F_SETFL, 0), 0);
	user = fdopen(dup(f->user), "r");
	while (n_heard < said) {
		while (!f->p.stuck && f->p.in_fd >= 0)
			prefix_ready(&f->p);
		snprintf(want, sizeof(want), "far: line %u\n", n_heard % 100);
		assert_non_null(fgets(line, sizeof(line), user));
		assert_string_equal(line, want);
		n_heard++;
		if (is_readable(&f->p))
			prefix_ready(&f->p);
	}
	fclose(user);
	assert_false(prefix_ready(&f->p));
	close_all(f);
}

static void a_full_pipe_does_not_stop_the_loop(void **state)
{
	struct fixture f;

	(void)state;
	open_on_pipe(&f);
	assert_true(f.p.spare_fd >= 0);
	a_full_output_is_waited_for_elsewhere(&f);
}

static void a_full_socket_does_not_stop_the_loop(void **state)
{
	struct fixture f;
	int sv[2];

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, sv), 0);
	open_on(&f, sv[0], sv[1]);
	a_full_output_is_waited_for_elsewhere(&f);
}

static void a_stopped_terminal_does_not_stop_the_loop(void **state)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY), slave;
	struct termios raw;
	struct fixture f;

	(void)state;
	assert_true(master >= 0);
	assert_int_equal(grantpt(master), 0);
	assert_int_equal(unlockpt(master), 0);
	slave = open(ptsname(master), O_RDWR | O_NOCTTY);
	assert_true(slave >= 0);
	assert_int_equal(tcgetattr(slave, &raw), 0);
	cfmakeraw(&raw);
	assert_int_equal(tcsetattr(slave, TCSANOW, &raw), 0);
	open_on(&f, slave, master);
	a_full_output_is_waited_for_elsewhere(&f);
}

/* The way for an output that cannot be opened again. */
static void a_full_pipe_of_others_does_not_stop_the_loop(void **state)
{
	struct fixture f;

	(void)state;
	open_on_pipe(&f);
	f.p.out_fd = f.out;
	f.p.must_poll = true;
	a_full_output_is_waited_for_elsewhere(&f);
}

static void without_a_reader_the_command_goes_on(void **state)
{
	struct fixture f;

	(void)state;
	open_on_pipe(&f);
	close(f.user);
	f.user = -1;
	for (unsigned i = 0; i < 50; i++) {
		assert_int_equal(say_lines(&f, 100), 100);
		while (is_readable(&f.p))
			assert_true(prefix_ready(&f.p));
	}
	close_all(&f);
}

/* What the command itself writes to the same file stays. */
static void a_file_is_shared_with_the_command(void **state)
{
	char text[100], path[] = "/tmp/fw-prefix-XXXXXX";
	int fd = mkstemp(path);
	struct fixture f;
	ssize_t n;

	(void)state;
	assert_true(fd >= 0);
	unlink(path);
	open_on(&f, fd, -1);
	assert_int_equal(write(fd, "before\n", 7), 7);
	say(&f, "one\n");
	assert_true(prefix_ready(&f.p));
	assert_int_equal(write(fd, "after\n", 6), 6);
	n = pread(fd, text, sizeof(text) - 1, 0);
	assert_true(n > 0);
	text[n] = '\0';
	assert_string_equal(text, "before\nfar: one\nafter\n");
	close_all(&f);
}

static void bytes_are_passed_on_as_they_are(void **state)
{
	char text[16];
	struct fixture f;

	(void)state;
	open_on_pipe(&f);
	assert_int_equal(write(f.far, "a\0\x1b\xff\n", 5), 5);
	assert_true(prefix_ready(&f.p));
	assert_int_equal(read(f.user, text, sizeof(text)), 10);
	assert_memory_equal(text, "far: a\0\x1b\xff\n", 10);
	close_all(&f);
}

static void what_cannot_be_had_is_refused(void **state)
{
	struct prefix p;
	struct err e;

	(void)state;
	assert_int_equal(prefix_open(&p, -1, 2, "far: ", &e), -EBADF);
	assert_int_equal(
		prefix_open(&p, 0, 2, "far far far far far far: ", &e), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_are_whole_and_have_their_prefix),
		cmocka_unit_test(the_end_brings_out_what_is_left),
		cmocka_unit_test(a_line_without_end_goes_out_in_pieces),
		cmocka_unit_test(a_turn_is_bounded),
		cmocka_unit_test(a_full_pipe_does_not_stop_the_loop),
		cmocka_unit_test(a_full_socket_does_not_stop_the_loop),
		cmocka_unit_test(a_stopped_terminal_does_not_stop_the_loop),
		cmocka_unit_test(a_full_pipe_of_others_does_not_stop_the_loop),
		cmocka_unit_test(without_a_reader_the_command_goes_on),
		cmocka_unit_test(a_file_is_shared_with_the_command),
		cmocka_unit_test(bytes_are_passed_on_as_they_are),
		cmocka_unit_test(what_cannot_be_had_is_refused),
	};

	return cmocka_run_group_tests_name("run/prefix", tests, NULL, NULL);
}
