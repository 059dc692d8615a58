/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests/unit/host/test_knock.c - mirrors src/host/knock.c
 *
 * A forked process plays the helper. The sums of the solicitation were worked out apart
 * from the code: over its pseudo header and itself they must give 0xffff.
 */
#include "config.h"

#include "host/knock.h"
#include "unit/unit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum play {
	ANSWERS,
	ANSWERS_BEHIND_NOISE,
	ANSWERS_ARP_ALONE,
	ENDS,
	IS_MUTE,
	SAYS_NONSENSE
};

static const uint8_t helper_mac[6] = {0x52, 0x55, 1, 2, 3, 4};

static int sock_type;

static void say(int fd, const uint8_t *b, size_t n)
{
	uint8_t out[4 + 200] = {0, 0, 0, (uint8_t)n};
	size_t skip = sock_type == SOCK_STREAM ? 0 : 4;

	memcpy(out + 4, b, n);
	/* In two pieces where it is a stream. */
	if (skip == 0 && send(fd, out, 7, 0) == 7)
		skip = 7;
	if (send(fd, out + skip, n + 4 - skip, 0) < 0)
		_exit(3);
}

static size_t hear(int fd, uint8_t *b, size_t max)
{
	uint8_t head[4];
	ssize_t n;

	if (sock_type == SOCK_SEQPACKET) {
		n = recv(fd, b, max, 0);
		return n < 0 ? 0 : (size_t)n;
	}
	if (recv(fd, head, 4, MSG_WAITALL) != 4 || head[0] || head[1] || head[2])
		return 0;
	n = recv(fd, b, head[3], MSG_WAITALL);
	return n < 0 ? 0 : (size_t)n;
}

static unsigned sum(const uint8_t *b, size_t n)
{
	unsigned s = 0;

	while (n >= 2) {
		s += b[0] * 256u + b[1];
		b += 2;
		n -= 2;
	}
	return s;
}

/* Turns a question into its answer in place. Return: its length, 0: no good question. */
static size_t answer(uint8_t *b, size_t n)
{
	uint8_t whom[16];
	unsigned s;

	memcpy(b, b + 6, 6);
	if (n == 42 && b[12] == 8 && b[13] == 6 && b[21] == 1) {
		b[21] = 2;
		memcpy(whom, b + 38, 4);
		memcpy(b + 32, b + 22, 10);
		memcpy(b + 22, helper_mac, 6);
		memcpy(b + 28, whom, 4);
	} else if (n == 86 && b[12] == 0x86 && b[20] == 58 && b[54] == 135) {
		s = sum(b + 22, 32) + 58 + 32 + sum(b + 54, 32);
		while (s >> 16)
			s = (s & 0xffff) + (s >> 16);
		if (s != 0xffff || b[21] != 255)
			return 0;
		b[54] = 136;
	} else {
		return 0;
	}
	memcpy(b + 6, helper_mac, 6);
	return n;
}

static void __attribute__((noreturn)) play(int fd, enum play p)
{
	static const uint8_t noise[60] = {[12] = 8, [14] = 0x45};
	uint8_t b[200];
	size_t n;

	if (p == ENDS)
		_exit(0);
	if (p == SAYS_NONSENSE && send(fd, "HTTP/1.1 400", 12, 0) < 0)
		_exit(4);
	while ((n = hear(fd, b, sizeof(b)))) {
		if (p == IS_MUTE || p == SAYS_NONSENSE ||
			(p == ANSWERS_ARP_ALONE && n == 86))
			continue;
		if (p == ANSWERS_BEHIND_NOISE)
			say(fd, noise, sizeof(noise));
		n = answer(b, n);
		if (!n)
			_exit(2);
		say(fd, b, n);
	}
	_exit(0);
}

static int ask(int type, enum play p, bool ipv6, nsec_t limit_ns, struct plan *plan)
{
	const struct link_end none = {0};
	int sv[2], r, status;
	pid_t pid;

	sock_type = type;
	plan_make(plan, &none, ipv6);
	memset(plan->far.mac, 0, 6);
	assert_int_equal(socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, sv), 0);
	pid = fork();
	if (pid == 0) {
		close(sv[0]);
		play(sv[1], p);
	}
	close(sv[1]);
	r = knock(plan, type == SOCK_STREAM ? PORT_STREAM : PORT_PACKET, sv[0],
		clock_now_ns() + limit_ns);
	close(sv[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	return r;
}

static const int types[] = {SOCK_STREAM, SOCK_SEQPACKET};

static void who_answers_is_known_by_its_address(void **state)
{
	struct plan p;

	(void)state;
	for (int i = 0; i < 2; i++) {
		assert_int_equal(
			ask(types[i], ANSWERS, true, 10 * NSEC_PER_SEC, &p), 0);
		assert_memory_equal(p.far.mac, helper_mac, 6);
		assert_int_equal(
			ask(types[i], ANSWERS, false, 10 * NSEC_PER_SEC, &p), 0);
		assert_memory_equal(p.far.mac, helper_mac, 6);
	}
}

static void other_frames_are_no_answer(void **state)
{
	struct plan p;

	(void)state;
	for (int i = 0; i < 2; i++) {
		assert_int_equal(ask(types[i], ANSWERS_BEHIND_NOISE, true,
					 10 * NSEC_PER_SEC, &p),
			0);
		assert_memory_equal(p.far.mac, helper_mac, 6);
	}
}

static void both_families_must_answer(void **state)
{
	struct plan p;

	(void)state;
	for (int i = 0; i < 2; i++) {
		assert_int_equal(
			ask(types[i], ANSWERS_ARP_ALONE, true, 200 * NSEC_PER_MSEC, &p),
			-ETIMEDOUT);
		assert_int_equal(
			ask(types[i], ANSWERS_ARP_ALONE, false, 10 * NSEC_PER_SEC, &p),
			0);
	}
}

static void who_is_mute_has_a_time_limit(void **state)
{
	nsec_t from_ns;
	struct plan p;

	(void)state;
	for (int i = 0; i < 2; i++) {
		from_ns = clock_now_ns();
		assert_int_equal(ask(types[i], IS_MUTE, true, 200 * NSEC_PER_MSEC, &p),
			-ETIMEDOUT);
		assert_true(clock_now_ns() - from_ns >= 200 * NSEC_PER_MSEC);
	}
}

static void who_has_gone_is_noticed_at_once(void **state)
{
	struct plan p;

	(void)state;
	for (int i = 0; i < 2; i++)
		assert_int_equal(
			ask(types[i], ENDS, true, 60 * NSEC_PER_SEC, &p), -EPIPE);
}

static void nonsense_is_no_frame(void **state)
{
	struct plan p;

	(void)state;
	assert_int_equal(
		ask(SOCK_STREAM, SAYS_NONSENSE, true, 10 * NSEC_PER_SEC, &p), -EPROTO);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_answers_is_known_by_its_address),
		cmocka_unit_test(other_frames_are_no_answer),
		cmocka_unit_test(both_families_must_answer),
		cmocka_unit_test(who_is_mute_has_a_time_limit),
		cmocka_unit_test(who_has_gone_is_noticed_at_once),
		cmocka_unit_test(nonsense_is_no_frame),
	};

	return cmocka_run_group_tests_name("host/knock", tests, NULL, NULL);
}
