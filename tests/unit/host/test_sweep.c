/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests/unit/host/test_sweep.c - mirrors src/host/sweep.c
 *
 * A process makes a network namespace (with a user namespace where it must), starts
 * others in it and ends; the test, outside, looks for what is left. Where no namespace
 * can be had nothing is tried, and a line says so.
 */
#include "config.h"

#include "host/sweep.h"
#include "unit/unit.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define LIMIT_NS (10 * NSEC_PER_SEC)
#define RUNNER_NS (4 * NSEC_PER_SEC)

/* The namespace of a test, held open as the guard's TAP does. */
struct place {
	struct sweep_ns ns;
	int fd;
	int done; /* read end: end of file when nobody of the place is left */
};

/* Whoever stands in its place, under its name, writes one byte here. */
static int ready_fd;

static void stand(const char *name)
{
	alarm(60); /* not for ever, if nobody ends it */
	prctl(PR_SET_NAME, name);
	if (write(ready_fd, "x", 1) != 1)
		_exit(1);
}

static void become(const char *name)
{
	stand(name);
	for (;;)
		pause();
}

static void start_plain(void)
{
	if (fork() == 0)
		become("plain");
	if (fork() == 0)
		become("plain");
	if (fork() == 0)
		become("odd\033name");
}

static void start_stubborn(void)
{
	if (fork() == 0) {
		signal(SIGTERM, SIG_IGN);
		become("stubborn");
	}
}

static void start_stopped(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		stand("stopped");
		raise(SIGSTOP);
		_exit(0);
	}
	waitpid(pid, NULL, WUNTRACED);
}

/*
 * Lives on in the child of its child of its child, some thousand times a second, and no
 * longer than RUNNER_NS: whatever the test finds, it does not run away from it.
 */
static void start_runner(void)
{
	nsec_t until_ns = clock_now_ns() + RUNNER_NS;

	if (fork() > 0)
		return;
	stand("runner");
	while (clock_now_ns() < until_ns)
		if (fork() != 0)
			break;
	_exit(0);
}

static void *other_thread(void *arg)
{
	(void)arg;
	for (;;)
		pause();
	return NULL;
}

/* Its first thread ends, another one lives on: to /proc the process looks dead. */
static void start_headless(void)
{
	pthread_t t;

	if (fork() == 0) {
		if (pthread_create(&t, NULL, other_thread, NULL))
			_exit(1);
		stand("headless");
		pthread_exit(NULL);
	}
}

/* A place with the @n processes that @start starts in it; false where there can be none. */
static bool make_place(struct place *p, void (*start)(void), int n)
{
	char path[64];
	struct stat st;
	int done[2], ready[2], status;
	pid_t pid;
	char c;

	if (pipe(done) < 0 || pipe(ready) < 0)
		return false;
	pid = fork();
	if (pid == 0) {
		close(done[0]);
		close(ready[0]);
		if (unshare(CLONE_NEWNET) < 0 &&
			unshare(CLONE_NEWUSER | CLONE_NEWNET) < 0)
			_exit(1);
		ready_fd = ready[1];
		start();
		pause();
	}
	close(done[1]);
	close(ready[1]);
	while (n > 0 && read(ready[0], &c, 1) == 1)
		n--;
	if (n) {
		close(ready[0]);
		close(done[0]);
		waitpid(pid, &status, 0);
		print_message("# no network namespace can be made here\n");
		return false;
	}
	close(ready[0]);
	snprintf(path, sizeof(path), "/proc/%d/ns/net", pid);
	p->fd = open(path, O_RDONLY | O_CLOEXEC);
	p->ns.net = fstat(p->fd, &st) == 0 ? st.st_ino : 0;
	snprintf(path, sizeof(path), "/proc/%d/net/dev", pid);
	p->ns.net_dev = stat(path, &st) == 0 ? st.st_ino : 0;
	p->done = done[0];
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return true;
}

/* Nobody of the place holds the pipe any more. */
static void assert_empty(struct place *p)
{
	char c;

	alarm(5);
	assert_int_equal(read(p->done, &c, 1), 0);
	alarm(0);
	close(p->done);
	close(p->fd);
}

static void it_ends_and_names_them(void **state)
{
	struct place p;
	char names[128];

	(void)state;
	if (!make_place(&p, start_plain, 3))
		return;
	assert_int_equal(
		sweep_end(&p.ns, 2 * NSEC_PER_SEC, LIMIT_NS, names, sizeof(names)), 3);
	assert_string_equal(names, "plain (2), odd?name");
	assert_empty(&p);
}

static void a_second_look_finds_nobody(void **state)
{
	struct place p;
	char names[128] = "x";

	(void)state;
	if (!make_place(&p, start_plain, 3))
		return;
	assert_int_equal(sweep_end(&p.ns, 0, LIMIT_NS, names, sizeof(names)), 3);
	assert_int_equal(sweep_end(&p.ns, 0, LIMIT_NS, names, sizeof(names)), 0);
	assert_string_equal(names, "");
	assert_empty(&p);
}

static void who_ignores_term_is_killed_after_the_grace(void **state)
{
	nsec_t start_ns = clock_now_ns(), took_ns;
	struct place p;
	char names[128];

	(void)state;
	if (!make_place(&p, start_stubborn, 1))
		return;
	assert_int_equal(
		sweep_end(&p.ns, NSEC_PER_SEC / 5, LIMIT_NS, names, sizeof(names)), 1);
	took_ns = clock_now_ns() - start_ns;
	assert_string_equal(names, "stubborn");
	assert_true(took_ns >= NSEC_PER_SEC / 5);
	assert_empty(&p);
}

static void a_stopped_one_ends_by_term(void **state)
{
	nsec_t start_ns = clock_now_ns();
	struct place p;
	char names[128];

	(void)state;
	if (!make_place(&p, start_stopped, 1))
		return;
	assert_int_equal(
		sweep_end(&p.ns, 8 * NSEC_PER_SEC, LIMIT_NS, names, sizeof(names)), 1);
	assert_true(clock_now_ns() - start_ns < 8 * NSEC_PER_SEC);
	assert_empty(&p);
}

static void one_that_runs_away_is_caught(void **state)
{
	nsec_t start_ns = clock_now_ns();
	struct place p;
	char names[128];

	(void)state;
	if (!make_place(&p, start_runner, 1))
		return;
	assert_true(sweep_end(&p.ns, 0, LIMIT_NS, names, sizeof(names)) >= 1);
	assert_empty(&p);
	/* Caught, not out of breath. */
	assert_true(clock_now_ns() - start_ns < RUNNER_NS - NSEC_PER_SEC / 2);
}

static void one_whose_first_thread_has_ended_is_found(void **state)
{
	struct place p;
	char names[128];

	(void)state;
	if (!make_place(&p, start_headless, 1))
		return;
	usleep(50000); /* until it has ended; before that the test is easier, not wrong */
	assert_int_equal(sweep_end(&p.ns, 0, LIMIT_NS, names, sizeof(names)), 1);
	assert_string_equal(names, "headless");
	assert_empty(&p);
}

static void the_callers_own_namespace_is_left_alone(void **state)
{
	struct sweep_ns own = {0};
	char names[128];
	struct stat st;
	pid_t pid = fork();

	(void)state;
	if (pid == 0)
		for (;;)
			pause();
	assert_int_equal(stat("/proc/self/ns/net", &st), 0);
	own.net = st.st_ino;
	assert_int_equal(sweep_end(&own, 0, LIMIT_NS, names, sizeof(names)), 0);
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, NULL, WNOHANG | __WALL) >= 0, 1);
	waitpid(pid, NULL, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_ends_and_names_them),
		cmocka_unit_test(a_second_look_finds_nobody),
		cmocka_unit_test(who_ignores_term_is_killed_after_the_grace),
		cmocka_unit_test(a_stopped_one_ends_by_term),
		cmocka_unit_test(one_that_runs_away_is_caught),
		cmocka_unit_test(one_whose_first_thread_has_ended_is_found),
		cmocka_unit_test(the_callers_own_namespace_is_left_alone),
	};

	return cmocka_run_group_tests_name("host/sweep", tests, NULL, NULL);
}
