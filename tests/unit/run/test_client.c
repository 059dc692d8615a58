/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests/unit/run/test_client.c - mirrors src/run/client.c
 *
 * The link is a forked process: a real control socket, or a script of what to send.
 */
#include "config.h"

#include "run/client.h"

#include "base/fd.h"
#include "base/log.h"
#include "run/ctl.h"
#include "unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define PATIENCE_S 20
#define HELLO "farwire 9.9 wan\n"

static pid_t pid;

static int set_up(void **state)
{
	(void)state;
	alarm(PATIENCE_S);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	if (pid > 0) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	pid = 0;
	alarm(0);
	return 0;
}

/*
 * A link that says @greeting, then @answer to each line; NULL: it ends instead.
 * Return: our side of the connection.
 */
static int script(const char *greeting, const char *answer)
{
	char line[CTL_LINE_BYTES];
	int sv[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sv), 0);
	pid = fork();
	if (pid) {
		close(sv[1]);
		return sv[0];
	}
	close(sv[0]);
	if (!greeting)
		_exit(0);
	if (write(sv[1], greeting, strlen(greeting)) < 0)
		_exit(1);
	while (read(sv[1], line, sizeof(line)) > 0 && answer)
		if (write(sv[1], answer, strlen(answer)) < 0)
			_exit(1);
	_exit(0);
}

static struct client open_script(const char *answer)
{
	struct client c;
	struct err e;

	assert_int_equal(client_open(&c, script(HELLO, answer), "wan", &e), 0);
	return c;
}

static void look(void *ctx, struct report *r)
{
	(void)ctx;
	*r = (struct report){.carrier = "plain", .rank = "none"};
}

static void a_link_is_asked(void **state)
{
	const struct request_link wan = {.name = "wan", .look = look};
	const struct sockaddr unnamed = {.sa_family = AF_UNIX};
	static struct ctl ctl;
	struct json_object *answer = NULL;
	struct client c;
	struct err e;
	int sv[2], listening = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sv), 0);
	assert_int_equal(fcntl(sv[1], F_SETFL, O_NONBLOCK), 0);
	assert_int_equal(bind(listening, &unnamed, sizeof(sa_family_t)), 0);
	pid = fork();
	if (pid == 0) {
		struct pollfd p;

		close(sv[0]);
		if (listen(listening, 1) ||
			ctl_open(&ctl, listening, geteuid(), &wan, &e))
			_exit(1);
		ctl_adopt(&ctl, sv[1]);
		p = (struct pollfd){.fd = ctl.fd, .events = POLLIN};
		while (poll(&p, 1, -1) > 0)
			ctl_turn(&ctl);
		_exit(1);
	}
	close(sv[1]);
	close(listening);
	assert_int_equal(client_open(&c, sv[0], "wan", &e), 0);
	assert_string_equal(c.version, PACKAGE_VERSION);
	assert_string_equal(c.name, "wan");
	for (int i = 0; i < 3; i++) {
		assert_int_equal(
			client_ask(&c, "check netem delay 5", NULL, 0, &answer, &e),
			-EINVAL);
		assert_memory_equal(e.text, "wan: netem delay '5': a time needs", 34);
	}
	assert_null(answer);
	kill(pid, SIGKILL);
	assert_int_equal(client_ask(&c, "check netem", NULL, 0, &answer, &e), -EPIPE);
	assert_string_equal(e.text, "wan: the link has ended");
	client_close(&c);
}

static void the_greeting_is_checked(void **state)
{
	static const struct {
		const char *greeting;
		int rc;
		const char *text;
	} t[] = {
		{NULL, -EPIPE, "wan: the link has ended"},
		{"SSH-2.0-OpenSSH_9.2p1\n", -EPROTO,
			"wan: what answers there is no farwire"},
		{"farwire\n", -EPROTO, "wan: what answers there is no farwire"},
		{"farwire 1.0 wan and more\n", -EPROTO,
			"wan: what answers there is no farwire"},
		{"farwire 1.0 lan\n", -EPROTO, "wan: the link there says it is 'lan'"},
	};
	struct client c;
	struct err e;

	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		int fd = script(t[i].greeting, NULL);

		assert_int_equal(client_open(&c, fd, "wan", &e), t[i].rc);
		assert_string_equal(e.text, t[i].text);
		close(fd);
		tear_down(state);
		set_up(state);
	}
	assert_int_equal(client_open(&c, script(HELLO, NULL), NULL, &e), 0);
	assert_string_equal(c.name, "wan");
	assert_string_equal(c.version, "9.9");
	client_close(&c);
}

static void the_status_is_an_error(void **state)
{
	static const struct {
		const char *answer;
		int rc;
		const char *text;
	} t[] = {
		{"{\"status\":0}\n", 0, ""},
		{"{\"status\":1,\"error\":\"no\"}\n", -EINVAL, "wan: no"},
		{"{\"status\":2,\"error\":\"no memory\"}\n", -EIO, "wan: no memory"},
		{"{\"status\":7}\n", -EIO, "wan: refused"},
		{"{}\n", -EPROTO, "wan: an answer without a status"},
		{"[]\n", -EPROTO, "wan: an answer that is no object"},
		{"\n", -EPROTO, "wan: an answer that is no object"},
		{"{\"status\":0\n", -EPROTO, "wan: an answer that is no object"},
		{NULL, -EPIPE, "wan: the link has ended"},
	};

	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		struct client c = open_script(t[i].answer);
		struct json_object *answer = NULL;
		struct err e = {.text = ""};

		assert_int_equal(client_ask(&c, "x", NULL, 0, &answer, &e), t[i].rc);
		assert_string_equal(e.text, t[i].text);
		assert_int_equal(answer != NULL, t[i].rc == 0);
		json_object_put(answer);
		client_close(&c);
		tear_down(state);
		set_up(state);
	}
}

static void an_answer_is_bounded(void **state)
{
	static char text[3 << 20];
	struct json_object *answer;
	struct client c;
	struct err e;

	(void)state;
	memset(text, ' ', sizeof(text) - 1);
	c = open_script(text);
	assert_int_equal(client_ask(&c, "x", NULL, 0, &answer, &e), -EPROTO);
	assert_string_equal(e.text, "wan: the answer has no end");
	client_close(&c);
}

static void a_large_answer_comes_whole(void **state)
{
	static char text[300000];
	struct json_object *answer;
	struct client c;
	struct err e;

	(void)state;
	memset(text, ' ', sizeof(text) - 1);
	memcpy(text, "{\"status\":0,\"text\":\"end\"", 24);
	memcpy(text + sizeof(text) - 3, "}\n", 3);
	c = open_script(text);
	assert_int_equal(client_ask(&c, "x", NULL, 0, &answer, &e), 0);
	json_object_put(answer);
	client_close(&c);
}

static void a_link_that_does_not_answer_is_not_waited_for(void **state)
{
	struct json_object *answer;
	nsec_t start_ns;
	struct client c;
	struct err e;

	(void)state;
	c = open_script("{\"status\":0}");
	start_ns = clock_now_ns();
	assert_int_equal(client_ask(&c, "x", NULL, 0, &answer, &e), -ETIMEDOUT);
	assert_true(clock_now_ns() - start_ns >= CLIENT_WAIT_NS);
	assert_string_equal(e.text, "wan: no answer within 2 s; is it stopped?");
	client_close(&c);
}

static void warnings_are_said(void **state)
{
	struct client c =
		open_script("{\"status\":0,\"warnings\":[\"wan up: look\",\"out\"]}\n");
	int saved = dup(STDERR_FILENO);
	struct json_object *answer;
	char text[200];
	FILE *f = tmpfile();
	struct err e;
	size_t n;

	(void)state;
	dup2(fileno(f), STDERR_FILENO);
	n = (size_t)client_ask(&c, "x", NULL, 0, &answer, &e);
	dup2(saved, STDERR_FILENO);
	close(saved);
	assert_int_equal(n, 0);
	rewind(f);
	n = fread(text, 1, sizeof(text) - 1, f);
	text[n] = '\0';
	fclose(f);
	assert_string_equal(
		text, "farwire: warning: wan up: look\nfarwire: warning: out\n");
	json_object_put(answer);
	client_close(&c);
}

static void the_command_line_becomes_a_line(void **state)
{
	static const struct {
		const char *words[10], *line, *error;
	} t[] = {
		{{"farwire", "change", "wan", "netem", "delay", "5ms"},
			"change wan netem delay 5ms", NULL},
		{{"farwire", "-q", "set", "-q", "wan", "up", "netem"},
			"set wan up netem", NULL},
		{{"farwire", "change", "wan", "netem", "rate", "1mbit", "-14"},
			"change wan netem rate 1mbit -14", NULL},
		{{"farwire", "change", "wan", "distribution", "my table"}, NULL,
			"'my table': a word with a blank"},
		{{"farwire", "change", "wan", "a\nb"}, NULL, "'a\nb': a word with"},
		{{"farwire", "change", "wan", ""}, NULL, "'': a word with"},
		{{"farwire", "change", "0123456789012345678901234567890123456789"},
			NULL, "too many words"},
	};
	char line[40];
	struct err e;

	(void)state;
	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		char *argv[10];
		int argc = 0, rc;

		for (; t[i].words[argc]; argc++)
			argv[argc] = strdup(t[i].words[argc]);
		rc = client_words(argc, argv, line, sizeof(line), &e);
		assert_int_equal(rc, t[i].line ? 0 : -EINVAL);
		if (t[i].line)
			assert_string_equal(line, t[i].line);
		else
			assert_non_null(strstr(e.text, t[i].error));
		while (argc--)
			free(argv[argc]);
	}
}

static void show_says_what_is_wanted(void **state)
{
	struct conf c = {.verb = VERB_SHOW};
	char line[100];

	(void)state;
	client_show_words(&c, "wan", line, sizeof(line));
	assert_string_equal(line, "show wan");
	c.stats = 3;
	c.json = c.exact = true;
	client_show_words(&c, "wan", line, sizeof(line));
	assert_string_equal(line, "show -s -s -j -c wan");
}

/* The link gets the files with the line, whatever is in between. */
static void tables_go_with_the_line(void **state)
{
	int fds[2] = {memfd_create("a", MFD_CLOEXEC), memfd_create("b", MFD_CLOEXEC)};
	struct json_object *answer;
	struct client c;
	struct err e;
	int sv[2], got[4];
	char text[10];

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sv), 0);
	pid = fork();
	if (pid == 0) {
		int n;

		close(sv[0]);
		if (write(sv[1], HELLO, strlen(HELLO)) < 0)
			_exit(1);
		n = fd_recv(sv[1], text, sizeof(text), got, 4);
		if (n < 1 || got[1] < 0 || got[2] >= 0)
			_exit(1);
		while (n < 3 && read(sv[1], text + n, 1) == 1)
			n++;
		if (n != 3 || memcmp(text, "ab\n", 3) != 0 ||
			write(sv[1], "{\"status\":0}\n", 13) != 13)
			_exit(1);
		_exit(0);
	}
	close(sv[1]);
	assert_int_equal(client_open(&c, sv[0], "wan", &e), 0);
	assert_int_equal(client_ask(&c, "ab", fds, 2, &answer, &e), 0);
	json_object_put(answer);
	client_close(&c);
	close(fds[0]);
	close(fds[1]);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_link_is_asked),
		TEST(the_greeting_is_checked),
		TEST(the_status_is_an_error),
		TEST(an_answer_is_bounded),
		TEST(a_large_answer_comes_whole),
		TEST(a_link_that_does_not_answer_is_not_waited_for),
		TEST(warnings_are_said),
		TEST(the_command_line_becomes_a_line),
		TEST(show_says_what_is_wanted),
		TEST(tables_go_with_the_line),
	};

	return cmocka_run_group_tests_name("run/client", tests, NULL, NULL);
}
