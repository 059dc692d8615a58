/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests/unit/host/test_last.c - mirrors src/host/last.c, with the socket of host/place.c
 */
#include "config.h"

#include "base/fd.h"
#include "host/last.h"
#include "host/place.h"
#include "unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char top[64];
static struct place place;

static int enter(void **state)
{
	(void)state;
	strcpy(top, "/tmp/farwire-test-XXXXXX");
	memset(&place, 0, sizeof(place));
	if (!mkdtemp(top))
		return -1;
	snprintf(place.dir[0], PLACE_PATH_BYTES, "%s/0", top);
	snprintf(place.dir[1], PLACE_PATH_BYTES, "%s/1", top);
	return 0;
}

static int leave(void **state)
{
	char cmd[128];

	(void)state;
	snprintf(cmd, sizeof(cmd), "rm -rf %s", top);
	return system(cmd);
}

static struct place_socket hold(const char *name)
{
	struct place_socket s;
	struct err e = {0};

	if (place_listen(&place, name, &s, &e) < 0 || last_hold(&s, &e) < 0)
		fail_msg("%s", e.text);
	return s;
}

/* Number of files in the place. */
static int files(void)
{
	char cmd[128];
	FILE *f;
	int n = -1;

	snprintf(cmd, sizeof(cmd), "ls %s/0 | wc -l", top);
	f = popen(cmd, "r");
	assert_non_null(f);
	assert_int_equal(fscanf(f, "%d", &n), 1);
	pclose(f);
	return n;
}

static void what_it_said_is_read(void **state)
{
	struct place_socket s = hold("wan");
	char path[160], text[LAST_TEXT_BYTES] = "";
	struct stat st;

	(void)state;
	assert_int_equal(last_read(&place, "wan", text), -ENOENT);
	last_write(&s, "a first reason that is the longer one");
	last_write(&s, "netns a is gone");
	place_unlink(&s);
	place_close(&s);
	assert_int_equal(last_read(&place, "wan", text), 0);
	assert_string_equal(text, "netns a is gone");
	snprintf(path, sizeof(path), "%s/0/wan.last", top);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(files(), 1);
	assert_int_equal(last_read(&place, "wa", text), -ENOENT);
	assert_int_equal(last_read(&place, "../0/wan", text), -ENOENT);
}

static void it_goes_when_the_name_is_used_again(void **state)
{
	struct place_socket s = hold("wan");
	char text[LAST_TEXT_BYTES];
	struct err e;

	(void)state;
	last_write(&s, "why");
	place_unlink(&s);
	place_close(&s);
	assert_int_equal(place_listen(&place, "wan", &s, &e), 0);
	assert_int_equal(last_read(&place, "wan", text), -ENOENT);
	assert_int_equal(files(), 1);
	place_unlink(&s);
	place_close(&s);
	assert_int_equal(files(), 0);
}

static void nothing_said_leaves_nothing(void **state)
{
	struct place_socket s = hold("wan");

	(void)state;
	assert_int_equal(files(), 2);
	place_unlink(&s);
	place_close(&s);
	assert_int_equal(files(), 0);
}

/* Killed: its files close, and nobody unlinks. */
static void the_dead_are_cleared_with_it(void **state)
{
	struct place_socket s = hold("wan");
	struct err e;

	(void)state;
	place_close(&s);
	assert_int_equal(files(), 2);
	assert_int_equal(place_connect(&place, "wan", &e), -ENOENT);
	assert_int_equal(files(), 0);
}

static void the_lock_is_free_after_unlink(void **state)
{
	struct place_socket s = hold("wan"), t;
	struct err e;

	(void)state;
	last_write(&s, "why");
	place_unlink(&s);
	/* Still open: as in a link that closes its devices. */
	assert_int_equal(place_listen(&place, "wan", &t, &e), 0);
	/* And the name is not its any more. */
	place_unlink(&s);
	assert_int_equal(files(), 1);
	place_close(&s);
	place_unlink(&t);
	place_close(&t);
}

static void a_link_in_its_place_is_not_followed(void **state)
{
	struct place_socket s;
	char path[160], to[160], text[LAST_TEXT_BYTES];
	struct err e;

	(void)state;
	assert_int_equal(place_listen(&place, "wan", &s, &e), 0);
	snprintf(path, sizeof(path), "%s/0/wan.last", top);
	snprintf(to, sizeof(to), "%s/other", top);
	assert_int_equal(symlink(to, path), 0);
	assert_int_equal(last_hold(&s, &e), -ELOOP);
	assert_int_equal(access(to, F_OK), -1);
	assert_int_equal(s.lock_fd, -1);
	assert_int_equal(last_read(&place, "wan", text), -ENOENT);
	place_close(&s);
}

/* Root sees into it; for all others nothing is there. */
static void a_place_that_is_closed_to_us_takes_no_name(void **state)
{
	struct place_socket s;

	(void)state;
	assert_int_equal(mkdir(place.dir[1], 0), 0);
	s = hold("wan");
	place_unlink(&s);
	place_close(&s);
	assert_int_equal(chmod(place.dir[1], 0700), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(what_it_said_is_read, enter, leave),
		cmocka_unit_test_setup_teardown(
			it_goes_when_the_name_is_used_again, enter, leave),
		cmocka_unit_test_setup_teardown(
			nothing_said_leaves_nothing, enter, leave),
		cmocka_unit_test_setup_teardown(
			the_dead_are_cleared_with_it, enter, leave),
		cmocka_unit_test_setup_teardown(
			the_lock_is_free_after_unlink, enter, leave),
		cmocka_unit_test_setup_teardown(
			a_link_in_its_place_is_not_followed, enter, leave),
		cmocka_unit_test_setup_teardown(
			a_place_that_is_closed_to_us_takes_no_name, enter, leave),
	};

	return cmocka_run_group_tests_name("host/last", tests, NULL, NULL);
}
