/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests/unit/host/test_notify.c - mirrors src/host/notify.c
 */
#include "config.h"

#include "host/notify.h"
#include "unit/unit.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* A service manager's socket. @name: as in $NOTIFY_SOCKET. */
static int manager(const char *name)
{
	struct sockaddr_un a = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	strcpy(a.sun_path, name);
	if (*name == '@')
		a.sun_path[0] = '\0';
	assert_int_equal(bind(fd, (struct sockaddr *)&a,
				 (socklen_t)(offsetof(struct sockaddr_un, sun_path) +
					     strlen(name))),
		0);
	assert_int_equal(setenv("NOTIFY_SOCKET", name, 1), 0);
	return fd;
}

static void assert_is_told(const char *name)
{
	int at = manager(name), fd = notify_open();
	char text[64] = "";

	assert_true(fd >= 0);
	assert_int_equal(recv(at, text, sizeof(text), 0), -1);
	notify_send(fd, NOTIFY_READY);
	notify_send(fd, NOTIFY_STOPPING);
	assert_int_equal(recv(at, text, sizeof(text), 0), 8);
	assert_memory_equal(text, "READY=1\n", 8);
	assert_int_equal(recv(at, text, sizeof(text), 0), 11);
	assert_memory_equal(text, "STOPPING=1\n", 11);
	close(at);
	/* The manager is gone: no signal, no error. */
	notify_send(fd, NOTIFY_READY);
	close(fd);
}

static void by_path(void **state)
{
	char top[] = "/tmp/farwire-test-XXXXXX", name[64];

	(void)state;
	assert_non_null(mkdtemp(top));
	snprintf(name, sizeof(name), "%s/notify", top);
	assert_is_told(name);
	unlink(name);
	rmdir(top);
}

static void by_abstract_name(void **state)
{
	char name[64];

	(void)state;
	snprintf(name, sizeof(name), "@farwire-test-%d", (int)getpid());
	assert_is_told(name);
}

static void nobody_wants_to_know(void **state)
{
	static const char *const wrong[] = {
		"", "@", "/", "relative", "/no/such/socket", "@farwire-no-such"};
	char longer[200];
	size_t i;

	(void)state;
	unsetenv("NOTIFY_SOCKET");
	assert_int_equal(notify_open(), -1);
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		setenv("NOTIFY_SOCKET", wrong[i], 1);
		assert_int_equal(notify_open(), -1);
	}
	memset(longer, '/', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	setenv("NOTIFY_SOCKET", longer, 1);
	assert_int_equal(notify_open(), -1);
	notify_send(-1, NOTIFY_READY);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_path),
		cmocka_unit_test(by_abstract_name),
		cmocka_unit_test(nobody_wants_to_know),
	};

	return cmocka_run_group_tests_name("host/notify", tests, NULL, NULL);
}
