/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests/unit/run/test_loop.c - mirrors src/run/loop.c, signals.c and port.c
 *
 * A socket pair stands for the TAP, a forked process is the command and the world
 * behind the TAP at once: its exit status is the verdict on what it saw. Other forked
 * processes play the guards.
 */
#include "config.h"

#include "base/clock.h"
#include "run/loop.h"
#include "unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define FRAME_BYTES 100
#define PATIENCE_MS 20000

struct stamped {
	uint8_t vnet[BUF_VNET_BYTES];
	uint8_t dst[6], src[6], type[2];
	uint8_t fill[2];
	nsec_t sent_ns;
	uint32_t number;
	uint8_t rest[FRAME_BYTES - 30];
};

struct fixture {
	struct loop loop;
	struct signals signals;
	struct spec spec;
	struct path *path;
	struct buf_pool *pool;
	sigset_t mask;
	int world;  /* the command's side of the TAP */
	bool early; /* let the command end before signals are listened to */
	pid_t guard[LOOP_GUARDS_MAX];
};

static void set_up(struct fixture *f, nsec_t delay_ns)
{
	sigset_t usr1;
	int sv[2];

	*f = (struct fixture){.world = -1};
	f->spec.kind = IMPAIR_NETEM;
	f->spec.netem.limit_frames = 1000;
	f->spec.netem.latency_ns = delay_ns;
	f->spec.netem.has_seed = true;
	/* The command may signal us before signals_open(). */
	sigemptyset(&usr1);
	sigaddset(&usr1, SIGUSR1);
	sigprocmask(SIG_BLOCK, &usr1, &f->mask);
	assert_int_equal(socketpair(AF_UNIX,
				 SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, sv),
		0);
	f->loop.n_ports = f->loop.n_paths = 1;
	f->loop.port[0].fd = sv[0];
	f->world = sv[1];
}

/* Forks a guard that serves as the real one does; @leftovers: its answer, NULL: none;
 * @mute: dies at once. */
static void add_guard(struct fixture *f, const char *leftovers, bool mute)
{
	unsigned n = f->loop.n_guards++;
	pid_t command = f->signals.child;
	struct guard_msg m;
	int sv[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sv), 0);
	f->guard[n] = fork();
	if (f->guard[n] == 0) {
		close(sv[0]);
		/* Else the guard before would never see the end of its socket. */
		while (n-- > 0)
			close(f->loop.guard_sock[n]);
		while (!mute && recv(sv[1], &m, sizeof(m), 0) == (ssize_t)sizeof(m)) {
			if (m.op == GUARD_SIGNAL)
				kill(command, m.arg);
			if (m.op == GUARD_END && leftovers &&
				send(sv[1], leftovers, strlen(leftovers) + 1, 0) < 0)
				_exit(1);
		}
		_exit(0);
	}
	close(sv[1]);
	f->loop.guard_sock[n] = sv[0];
	/* What is sent to a guard that is about to die would be lost with it. */
	if (mute)
		waitid(P_PID, (id_t)f->guard[n], NULL, WEXITED | WNOWAIT);
}

static void run(struct fixture *f)
{
	struct err e;

	f->pool = buf_pool_new(64u << 20, 0, &e);
	assert_non_null(f->pool);
	f->path = path_new(&f->spec, f->pool, clock_now_ns(), &e);
	assert_non_null(f->path);
	f->loop.path[0].path = f->path;
	f->loop.pool = f->pool;
	f->loop.signals = &f->signals;
	assert_int_equal(loop_init(&f->loop, &e), 0);
	alarm(PATIENCE_MS / 1000);
	loop_run(&f->loop);
	alarm(0);
}

static void tear_down(struct fixture *f)
{
	unsigned i;

	loop_fini(&f->loop);
	path_free(f->path);
	buf_pool_free(f->pool);
	signals_close(&f->signals);
	close(f->loop.port[0].fd);
	close(f->world);
	for (i = 0; i < f->loop.n_guards; i++) {
		close(f->loop.guard_sock[i]);
		waitpid(f->guard[i], NULL, 0);
	}
	sigprocmask(SIG_SETMASK, &f->mask, NULL);
}

/* Starts the command; @body's return is its exit status. */
static void start(struct fixture *f, int (*body)(struct fixture *))
{
	sigset_t alarm_only;
	struct err e;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		alarm(PATIENCE_MS / 1000);
		_exit(body(f));
	}
	/* The worst case: the command has ended before anybody listens. */
	if (f->early)
		waitid(P_PID, (id_t)pid, NULL, WEXITED | WNOWAIT);
	assert_int_equal(signals_open(&f->signals, pid, &e), 0);
	/* The alarm of run() is for this process, not for the loop. */
	sigemptyset(&alarm_only);
	sigaddset(&alarm_only, SIGALRM);
	sigprocmask(SIG_UNBLOCK, &alarm_only, NULL);
}

static int send_frame(int fd, uint32_t number)
{
	struct stamped s = {.type = {0x88, 0xb5}, .number = number};

	s.sent_ns = clock_now_ns();
	return send(fd, &s, sizeof(s), 0) == (ssize_t)sizeof(s) ? 0 : -1;
}

static int take_frame(int fd, struct stamped *s)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};

	if (poll(&p, 1, PATIENCE_MS) != 1)
		return -1;
	return recv(fd, s, sizeof(*s), 0) == (ssize_t)sizeof(*s) ? 0 : -1;
}

#define N_FRAMES 200
#define DELAY_NS (5 * NSEC_PER_MSEC)

static int all_come_back_late_enough(struct fixture *f)
{
	struct stamped s;
	uint32_t i;

	for (i = 0; i < N_FRAMES; i++)
		while (send_frame(f->world, i) < 0)
			if (errno != EAGAIN)
				return 2;
	for (i = 0; i < N_FRAMES; i++) {
		if (take_frame(f->world, &s) < 0)
			return 3;
		if (clock_now_ns() - s.sent_ns < DELAY_NS)
			return 4;
		if (s.number != i)
			return 5;
	}
	return 0;
}

static void frames_come_back_in_order_and_never_early(void **state)
{
	struct fixture f;

	(void)state;
	set_up(&f, DELAY_NS);
	f.loop.port[0].set_dst_mac = true;
	start(&f, all_come_back_late_enough);
	add_guard(&f, "", false);
	run(&f);
	assert_true(WIFEXITED(f.signals.child_status));
	assert_int_equal(WEXITSTATUS(f.signals.child_status), 0);
	assert_int_equal(path_count(f.path)->out, N_FRAMES);
	assert_int_equal(path_count(f.path)->in, N_FRAMES);
	assert_int_equal(f.loop.port[0].frames_written, N_FRAMES);
	/* One arm a head at the most, and none for heads that were due already. */
	assert_true(f.loop.watchdog.arms <= N_FRAMES);
	assert_string_equal(f.loop.leftovers, "");
	tear_down(&f);
}

static int send_one_and_look(struct fixture *f)
{
	static const uint8_t mac[6] = {2, 0, 0, 0, 0, 9};
	struct stamped s;

	if (send_frame(f->world, 7) < 0 || take_frame(f->world, &s) < 0)
		return 1;
	return memcmp(s.dst, mac, sizeof(mac)) ? 2 : s.number != 7;
}

static void a_port_may_set_the_destination(void **state)
{
	static const uint8_t mac[6] = {2, 0, 0, 0, 0, 9};
	struct fixture f;

	(void)state;
	set_up(&f, 0);
	f.loop.port[0].set_dst_mac = true;
	memcpy(f.loop.port[0].mac, mac, sizeof(mac));
	start(&f, send_one_and_look);
	add_guard(&f, "", false);
	run(&f);
	assert_int_equal(f.signals.child_status, 0);
	tear_down(&f);
}

static int exit_37(struct fixture *f)
{
	(void)f;
	return 37;
}

static void the_guard_is_asked_and_its_word_kept(void **state)
{
	struct fixture f;

	(void)state;
	set_up(&f, 0);
	start(&f, exit_37);
	add_guard(&f, "1 process left by the command was ended: sleep", false);
	run(&f);
	assert_int_equal(WEXITSTATUS(f.signals.child_status), 37);
	assert_string_equal(
		f.loop.leftovers, "1 process left by the command was ended: sleep");
	assert_false(f.loop.broke);
	tear_down(&f);
}

static void a_command_that_has_ended_already_is_seen(void **state)
{
	struct fixture f;

	(void)state;
	set_up(&f, 0);
	f.early = true;
	start(&f, exit_37);
	add_guard(&f, "", false);
	run(&f);
	assert_int_equal(WEXITSTATUS(f.signals.child_status), 37);
	tear_down(&f);
}

static void a_second_guard_serves_when_the_first_is_dead(void **state)
{
	struct fixture f;

	(void)state;
	set_up(&f, 0);
	start(&f, exit_37);
	add_guard(&f, "never said", true);
	add_guard(&f, "second", false);
	run(&f);
	assert_string_equal(f.loop.leftovers, "second");
	tear_down(&f);
}

/* As one that is stopped: takes everything, answers nothing. */
static void a_guard_that_does_not_answer_is_passed_over(void **state)
{
	struct fixture f;

	(void)state;
	set_up(&f, 0);
	start(&f, exit_37);
	add_guard(&f, NULL, false);
	add_guard(&f, "second", false);
	f.loop.guard_patience_ns = 50 * NSEC_PER_MSEC;
	run(&f);
	assert_string_equal(f.loop.leftovers, "second");
	assert_false(f.loop.unguarded);
	tear_down(&f);
}

static void when_no_guard_answers_it_is_said(void **state)
{
	struct fixture f;

	(void)state;
	set_up(&f, 0);
	start(&f, exit_37);
	add_guard(&f, NULL, false);
	add_guard(&f, NULL, false);
	f.loop.guard_patience_ns = 50 * NSEC_PER_MSEC;
	run(&f);
	assert_int_equal(WEXITSTATUS(f.signals.child_status), 37);
	assert_true(f.loop.unguarded);
	tear_down(&f);
}

static void without_any_guard_the_run_ends_with_the_command(void **state)
{
	struct fixture f;

	(void)state;
	set_up(&f, 0);
	start(&f, exit_37);
	add_guard(&f, "", true);
	add_guard(&f, "", true);
	run(&f);
	assert_int_equal(WEXITSTATUS(f.signals.child_status), 37);
	tear_down(&f);
}

static volatile sig_atomic_t n_got;

static void got(int sig)
{
	(void)sig;
	n_got++;
}

/* Sends the loop a signal and waits for it to come back, once. */
static int signal_the_parent(struct fixture *f)
{
	struct sigaction sa = {.sa_handler = got};
	sigset_t none;
	int i;

	(void)f;
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	sigaction(SIGUSR1, &sa, NULL);
	kill(getppid(), SIGUSR1);
	for (i = 0; i < PATIENCE_MS / 10 && !n_got; i++)
		usleep(10000);
	usleep(50000);
	return n_got == 1 ? 0 : 1;
}

static void a_signal_sent_to_us_reaches_the_command_once(void **state)
{
	struct fixture f;

	(void)state;
	set_up(&f, 0);
	start(&f, signal_the_parent);
	add_guard(&f, "", false);
	run(&f);
	assert_int_equal(f.signals.child_status, 0);
	tear_down(&f);
}

static void with_the_guards_dead_signals_still_pass(void **state)
{
	struct fixture f;

	(void)state;
	set_up(&f, 0);
	start(&f, signal_the_parent);
	add_guard(&f, "", true);
	run(&f);
	assert_int_equal(f.signals.child_status, 0);
	tear_down(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_come_back_in_order_and_never_early),
		cmocka_unit_test(a_port_may_set_the_destination),
		cmocka_unit_test(the_guard_is_asked_and_its_word_kept),
		cmocka_unit_test(a_command_that_has_ended_already_is_seen),
		cmocka_unit_test(a_second_guard_serves_when_the_first_is_dead),
		cmocka_unit_test(a_guard_that_does_not_answer_is_passed_over),
		cmocka_unit_test(when_no_guard_answers_it_is_said),
		cmocka_unit_test(without_any_guard_the_run_ends_with_the_command),
		cmocka_unit_test(a_signal_sent_to_us_reaches_the_command_once),
		cmocka_unit_test(with_the_guards_dead_signals_still_pass),
	};

	return cmocka_run_group_tests_name("run/loop", tests, NULL, NULL);
}
