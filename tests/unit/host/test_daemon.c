/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests/unit/host/test_daemon.c - mirrors src/host/daemon.c
 */
#include "config.h"

#include "base/fd.h"
#include "host/daemon.h"
#include "unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static bool is_null(int fd)
{
	char path[32], to[32] = "";

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return readlink(path, to, sizeof(to) - 1) > 0 && strcmp(to, "/dev/null") == 0;
}

/* What the daemon says of itself: a letter for each thing that is as it should be. */
static void say_state(int *fd, int other, pid_t parent)
{
	struct err e = {0};
	char note[16] = "";
	int last;

	strcat(note, is_null(0) && is_null(1) ? "n" : "-");
	strcat(note, fcntl(other, F_GETFD) < 0 ? "c" : "-");
	strcat(note, getsid(0) == getpid() && getpid() != parent ? "s" : "-");
	last = is_null(2);
	strcat(note, daemon_detach(&e) == 0 && !last && is_null(2) ? "d" : "-");
	(void)daemon_ready(fd, note);
	_exit(*fd == -1 ? 0 : 1);
}

/* Of the child made last. */
static pid_t child;

static int wait_end(int *fd, struct err *e)
{
	int r;

	daemon_go(*fd);
	do
		r = daemon_hear(fd, e);
	while (r == DAEMON_MADE);
	return r;
}

static void it_is_detached_and_says_when(void **state)
{
	int fd, other = open("/dev/zero", O_RDONLY), r;
	pid_t parent = getpid();
	struct err e = {0};

	(void)state;
	/* Above and below the number that the word's way gets. */
	assert_int_equal(dup2(other, 100), 100);
	r = daemon_fork(&fd, &child, &e);
	if (r == DAEMON_CHILD)
		say_state(&fd, fcntl(100, F_GETFD) < 0 ? other : 100, parent);
	assert_int_equal(r, DAEMON_PARENT);
	assert_int_equal(wait_end(&fd, &e), 0);
	assert_string_equal(e.text, "ncsd");
	assert_int_equal(fd, -1);
	close(100);
	close(other);
}

static void what_went_wrong_is_the_parents_error(void **state)
{
	struct err e = {0};
	int fd, r = daemon_fork(&fd, &child, &e);

	(void)state;
	if (r == DAEMON_CHILD) {
		err_set(&e, -EEXIST, "dev 'eth0': there is one");
		daemon_fail(&fd, &e);
		_exit(0);
	}
	assert_int_equal(r, DAEMON_PARENT);
	assert_int_equal(wait_end(&fd, &e), -EEXIST);
	assert_string_equal(e.text, "dev 'eth0': there is one");
}

static void one_that_dies_is_no_success(void **state)
{
	struct err e = {0};
	int fd, r = daemon_fork(&fd, &child, &e);

	(void)state;
	if (r == DAEMON_CHILD)
		_exit(0);
	assert_int_equal(r, DAEMON_PARENT);
	assert_int_equal(wait_end(&fd, &e), -ECHILD);
	assert_string_equal(e.text, "background: the process ended without a word");
}

static bool is_dead(pid_t pid)
{
	siginfo_t info = {0};

	return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT) == 0;
}

/* A caller that makes many must not gather their remains. */
static void the_next_one_reaps_those_that_ended(void **state)
{
	struct err e = {0};
	pid_t pid = fork();
	int fd, r;

	(void)state;
	if (pid == 0)
		_exit(0);
	assert_true(is_dead(pid));
	r = daemon_fork(&fd, &child, &e);
	if (r == DAEMON_CHILD)
		_exit(0);
	assert_int_equal(waitpid(pid, NULL, WNOHANG), -1);
	assert_int_equal(wait_end(&fd, &e), -ECHILD);
}

static void nobody_waits_any_more(void **state)
{
	struct err e = {0};
	int fd, r, pair[2];
	char c = 0;

	(void)state;
	assert_int_equal(pipe(pair), 0);
	/* stderr is the one file that the daemon keeps: it answers there. */
	fflush(NULL);
	r = dup(STDERR_FILENO);
	dup2(pair[1], STDERR_FILENO);
	switch (daemon_fork(&fd, &child, &e)) {
	case DAEMON_CHILD:
		poll(NULL, 0, 200);
		c = daemon_ready(&fd, "") == -EPIPE ? 'y' : 'n';
		_exit(write(STDERR_FILENO, &c, 1) == 1 ? 0 : 1);
	default:
		dup2(r, STDERR_FILENO);
		close(r);
		close(pair[1]);
		close(fd);
	}
	assert_int_equal(read(pair[0], &c, 1), 1);
	assert_int_equal(c, 'y');
	close(pair[0]);
}

/* Its turn came, and it ended without having looked. */
static void a_word_before_its_turn_is_heard(void **state)
{
	struct err e = {0};
	int fd, r = daemon_fork(&fd, &child, &e);

	(void)state;
	if (r == DAEMON_CHILD) {
		poll(NULL, 0, 200);
		err_set(&e, -ENOENT, "no such netns");
		daemon_fail(&fd, &e);
		_exit(0);
	}
	daemon_go(fd);
	assert_true(is_dead(child));
	assert_int_equal(daemon_hear(&fd, &e), -ENOENT);
	assert_string_equal(e.text, "no such netns");
}

static bool can_read(int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};

	return poll(&p, 1, 200) > 0;
}

static void it_waits_for_its_turn_and_passes_it_on(void **state)
{
	struct err e = {0};
	int fd, r = daemon_fork(&fd, &child, &e);

	(void)state;
	if (r == DAEMON_CHILD) {
		if (daemon_turn(fd) < 0)
			_exit(1);
		daemon_made(fd);
		_exit(daemon_ready(&fd, "all of it") == 0 ? 0 : 1);
	}
	assert_int_equal(r, DAEMON_PARENT);
	assert_false(can_read(fd));
	daemon_go(fd);
	assert_int_equal(daemon_hear(&fd, &e), DAEMON_MADE);
	assert_true(fd >= 0);
	assert_int_equal(daemon_hear(&fd, &e), 0);
	assert_string_equal(e.text, "all of it");
	assert_int_equal(fd, -1);
}

/* Before its turn and behind it. */
static void one_that_is_forgotten_has_ended(void **state)
{
	struct err e = {0};
	int fd, r, pair[2];
	char c;

	(void)state;
	for (int has_turn = 0; has_turn < 2; has_turn++) {
		assert_int_equal(pipe(pair), 0);
		fflush(NULL);
		r = dup(STDERR_FILENO);
		dup2(pair[1], STDERR_FILENO);
		if (daemon_fork(&fd, &child, &e) == DAEMON_CHILD) {
			c = daemon_turn(fd) == 0 ? 't' : '-';
			if (has_turn)
				c = daemon_turn(fd) == -EPIPE ? 'e' : c;
			_exit(write(STDERR_FILENO, &c, 1) == 1 ? 0 : 1);
		}
		dup2(r, STDERR_FILENO);
		close(r);
		close(pair[1]);
		if (has_turn)
			daemon_go(fd);
		daemon_forget(&fd, child);
		assert_int_equal(fd, -1);
		assert_int_equal(waitpid(child, NULL, WNOHANG), -1);
		assert_int_equal(read(pair[0], &c, 1), 1);
		assert_int_equal(c, has_turn ? 'e' : '-');
		close(pair[0]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_is_detached_and_says_when),
		cmocka_unit_test(what_went_wrong_is_the_parents_error),
		cmocka_unit_test(one_that_dies_is_no_success),
		cmocka_unit_test(the_next_one_reaps_those_that_ended),
		cmocka_unit_test(nobody_waits_any_more),
		cmocka_unit_test(a_word_before_its_turn_is_heard),
		cmocka_unit_test(it_waits_for_its_turn_and_passes_it_on),
		cmocka_unit_test(one_that_is_forgotten_has_ended),
	};

	return cmocka_run_group_tests_name("host/daemon", tests, NULL, NULL);
}
