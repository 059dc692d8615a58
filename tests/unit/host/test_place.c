/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests/unit/host/test_place.c - mirrors src/host/place.c
 *
 * All in a temporary directory; nothing listens where the machine's own links do.
 */
#include "config.h"

#include "base/fd.h"
#include "host/place.h"
#include "host/place_list.h"
#include "unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

struct room {
	char top[64];
	struct place place; /* top/0, top/1, top/2; none is there yet */
};

static struct room room;

static int enter(void **state)
{
	int i;

	(void)state;
	memset(&room, 0, sizeof(room));
	strcpy(room.top, "/tmp/farwire-test-XXXXXX");
	if (!mkdtemp(room.top))
		return -1;
	for (i = 0; i < PLACE_DIRS; i++)
		snprintf(room.place.dir[i], PLACE_PATH_BYTES, "%s/%d", room.top, i);
	return 0;
}

static int leave(void **state)
{
	char cmd[128];

	(void)state;
	snprintf(cmd, sizeof(cmd), "rm -rf %s", room.top);
	return system(cmd);
}

static struct place_socket listen_as(const char *name)
{
	struct place_socket s;
	struct err e = {0};

	if (place_listen(&room.place, name, &s, &e) < 0)
		fail_msg("%s", e.text);
	return s;
}

static mode_t mode_of(const char *path)
{
	struct stat st;

	assert_int_equal(lstat(path, &st), 0);
	return st.st_mode & 07777;
}

static bool is_there(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0;
}

static const char *file_of(int dir, const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/%d/%s.sock", room.top, dir, name);
	return path;
}

/* What a killed link leaves: a socket that is bound and nobody listens on. */
static void leave_dead(const char *name)
{
	struct place_socket s = listen_as(name);

	place_close(&s);
	assert_true(is_there(s.path));
}

static void it_listens_in_the_first_place(void **state)
{
	struct place_socket s = listen_as("wan");
	struct err e;
	int fd, peer;
	char c;

	(void)state;
	assert_string_equal(s.path, file_of(0, "wan"));
	assert_int_equal(mode_of(s.path), 0600);
	assert_int_equal(mode_of(room.place.dir[0]), 0711);
	assert_false(is_there(room.place.dir[1]));
	assert_true(fcntl(s.fd, F_GETFL) & O_NONBLOCK);
	assert_true(fcntl(s.fd, F_GETFD) & FD_CLOEXEC);
	fd = place_connect(&room.place, "wan", &e);
	assert_true(fd >= 0);
	peer = accept(s.fd, NULL, NULL);
	assert_true(peer >= 0);
	assert_int_equal(write(peer, "x", 1), 1);
	assert_int_equal(read(fd, &c, 1), 1);
	close(fd);
	close(peer);
	place_close(&s);
}

static void the_umask_changes_nothing(void **state)
{
	mode_t was = umask(0777);
	struct place_socket s = listen_as("wan");

	(void)state;
	assert_int_equal(umask(was), 0777);
	assert_int_equal(mode_of(s.path), 0600);
	assert_int_equal(mode_of(room.place.dir[0]), 0711);
	place_close(&s);
}

static void a_place_that_cannot_be_had_is_passed_by(void **state)
{
	struct place_socket s;

	(void)state;
	snprintf(room.place.dir[0], PLACE_PATH_BYTES, "%s/no/such", room.top);
	room.place.dir[1][0] = '\0';
	s = listen_as("wan");
	assert_string_equal(s.path, file_of(2, "wan"));
	assert_int_equal(mode_of(room.place.dir[2]), 0700);
	place_close(&s);
}

static void a_place_others_may_write_to_is_not_used(void **state)
{
	struct place_socket s;

	(void)state;
	assert_int_equal(mkdir(room.place.dir[0], 0700), 0);
	assert_int_equal(chmod(room.place.dir[0], 0770), 0);
	assert_int_equal(mkdir(room.place.dir[2], 0700), 0);
	assert_int_equal(symlink(room.place.dir[2], room.place.dir[1]), 0);
	s = listen_as("wan");
	assert_string_equal(s.path, file_of(2, "wan"));
	place_close(&s);
}

static void another_users_place_is_not_used(void **state)
{
	struct place_socket s;
	struct err e;
	int i;

	(void)state;
	if (geteuid() != 0)
		return; /* cannot be made */
	for (i = 0; i < PLACE_DIRS; i++) {
		assert_int_equal(mkdir(room.place.dir[i], 0700), 0);
		assert_int_equal(chown(room.place.dir[i], 12345, 12345), 0);
	}
	assert_int_equal(place_listen(&room.place, "wan", &s, &e), -EACCES);
	assert_non_null(strstr(e.text, room.place.dir[2]));
	assert_non_null(strstr(e.text, "another user's"));
}

static void a_living_link_keeps_its_name(void **state)
{
	struct place_socket s = listen_as("wan"), t = {.fd = 77};
	char who[64];
	struct err e;

	(void)state;
	assert_int_equal(place_listen(&room.place, "wan", &t, &e), -EADDRINUSE);
	assert_int_equal(t.fd, 77);
	snprintf(who, sizeof(who), "name 'wan': a running link has it (process %d); ",
		(int)getpid());
	assert_int_equal(strncmp(e.text, who, strlen(who)), 0);
	assert_true(is_there(s.path));
	place_close(&s);
}

static void a_name_counts_in_all_places(void **state)
{
	struct place only_last = room.place, both = room.place;
	struct place_socket s, t;
	struct err e;

	(void)state;
	only_last.dir[0][0] = only_last.dir[1][0] = '\0';
	assert_int_equal(place_listen(&only_last, "wan", &s, &e), 0);
	assert_int_equal(place_listen(&both, "wan", &t, &e), -EADDRINUSE);
	place_close(&s);
	/* Dead there it is no hindrance here. */
	assert_int_equal(place_listen(&both, "wan", &t, &e), 0);
	place_close(&t);
}

static void what_a_dead_one_left_is_taken_over(void **state)
{
	struct place_socket s;

	(void)state;
	leave_dead("wan");
	s = listen_as("wan");
	place_close(&s);
}

static void what_the_dead_left_is_cleared_and_the_living_stay(void **state)
{
	struct place_socket s = listen_as("here");
	char dead[128];

	(void)state;
	leave_dead("wan");
	snprintf(dead, sizeof(dead), "%s", file_of(0, "wan"));
	place_tidy(&room.place);
	assert_false(is_there(dead));
	assert_true(is_there(s.path));
	/* Somebody's file that is no socket. */
	snprintf(dead, sizeof(dead), "%s/0/x.txt", room.top);
	assert_true(close(open(dead, O_CREAT | O_WRONLY, 0600)) == 0);
	place_tidy(&room.place);
	assert_true(is_there(dead));
	place_close(&s);
}

static void only_good_names_are_taken(void **state)
{
	static const char *const bad[] = {"", "all", "-x", ".x", "_x", "a/b", "../a",
		"a b", "a\nb", "\xc3\xa4", "a123456789012345678901234567890123"};
	static const char *const good[] = {
		"a", "9", "Wan_1.b-c", "a1234567890123456789012345678901", "allx"};
	struct place_socket s;
	struct err e;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_false(place_name_ok(bad[i]));
		assert_int_equal(place_listen(&room.place, bad[i], &s, &e), -EINVAL);
		assert_int_equal(place_connect(&room.place, bad[i], &e), -ENOENT);
	}
	for (i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_true(place_name_ok(good[i]));
		s = listen_as(good[i]);
		place_close(&s);
	}
}

static void a_name_is_given_back_once(void **state)
{
	struct place_socket old = listen_as("wan"), young;

	(void)state;
	fd_close(&old.fd);
	young = listen_as("wan");
	/* The old one's guard comes late. */
	place_unlink(&old);
	assert_true(is_there(young.path));
	place_unlink(&young);
	assert_false(is_there(young.path));
	place_unlink(&young);
	place_close(&young);
	place_close(&old);
}

static void nobody_is_reached_where_nobody_is(void **state)
{
	struct err e;

	(void)state;
	assert_int_equal(place_connect(&room.place, "wan", &e), -ENOENT);
	assert_string_equal(e.text,
		"link 'wan': no such link; `farwire show` lists those that run");
	leave_dead("wan");
	assert_int_equal(place_connect(&room.place, "wan", &e), -ENOENT);
	assert_false(is_there(file_of(0, "wan")));
}

static void a_dead_one_does_not_hide_a_living_one(void **state)
{
	struct place only_last = room.place;
	struct place_socket s;
	struct err e;
	int fd;

	(void)state;
	leave_dead("wan");
	only_last.dir[0][0] = '\0';
	assert_int_equal(place_listen(&only_last, "wan", &s, &e), 0);
	assert_string_equal(s.path, file_of(1, "wan"));
	fd = place_connect(&room.place, "wan", &e);
	assert_true(fd >= 0);
	close(fd);
	place_close(&s);
}

/* A stopped process does not accept; nobody waits for it for ever. */
static void who_does_not_answer_is_given_up(void **state)
{
	struct place_socket s = listen_as("wan");
	int fd[64], n = 0;
	struct err e;

	(void)state;
	alarm(20);
	do
		fd[n] = place_connect(&room.place, "wan", &e);
	while (fd[n] >= 0 && ++n < 64);
	assert_int_equal(fd[n], -EAGAIN);
	assert_string_equal(e.text, "link 'wan': it does not answer");
	/* It lives, so its name is taken. */
	assert_int_equal(place_listen(&room.place, "wan", &s, &e), -EADDRINUSE);
	alarm(0);
	while (n > 0)
		close(fd[--n]);
	place_close(&s);
}

static void all_names_are_listed_once(void **state)
{
	struct place later = room.place;
	struct place_socket b, c, a;
	struct place_names n;
	char path[128];
	struct err e;

	(void)state;
	assert_int_equal(place_list(&room.place, &n, &e), 0);
	assert_int_equal(n.n, 0);
	leave_dead("b");
	later.dir[0][0] = '\0';
	b = listen_as("c");
	assert_int_equal(place_listen(&later, "b", &c, &e), 0);
	assert_int_equal(place_listen(&later, "a", &a, &e), 0);
	snprintf(path, sizeof(path), "%s/0/x.last", room.top);
	assert_true(close(open(path, O_CREAT | O_WRONLY, 0600)) == 0);
	snprintf(path, sizeof(path), "%s/0/.sock", room.top);
	assert_true(close(open(path, O_CREAT | O_WRONLY, 0600)) == 0);
	assert_int_equal(place_list(&room.place, &n, &e), 0);
	assert_int_equal(n.n, 3);
	assert_string_equal(n.name[0], "a");
	assert_string_equal(n.name[1], "b");
	assert_string_equal(n.name[2], "c");
	place_list_fini(&n);
	place_close(&a);
	place_close(&b);
	place_close(&c);
}

static void the_address_has_no_length(void **state)
{
	char deep[PLACE_PATH_BYTES];
	struct place_socket s;
	struct err e;
	int fd;

	(void)state;
	snprintf(deep, sizeof(deep), "%s/%0150d", room.top, 0);
	assert_int_equal(mkdir(deep, 0700), 0);
	snprintf(room.place.dir[0], PLACE_PATH_BYTES, "%s/%0150d/farwire", room.top, 0);
	s = listen_as("a1234567890123456789012345678901");
	assert_true(is_there(s.path));
	fd = place_connect(&room.place, "a1234567890123456789012345678901", &e);
	assert_true(fd >= 0);
	close(fd);
	place_close(&s);
}

/* Many at once want a name that a dead one left; one gets it, and keeps it. */
/* Fewer than a backlog holds: the winner takes no call. */
#define RACERS 6

static void race(int start, int stay)
{
	struct place_socket s;
	struct err e;
	char c;

	(void)!read(start, &c, 1);
	if (place_listen(&room.place, "wan", &s, &e) < 0)
		_exit(e.code == -EADDRINUSE ? 1 : 2);
	(void)!read(stay, &c, 1);
	_exit(0);
}

static void of_many_at_once_one_wins(void **state)
{
	int start[2], stay[2], i, status, fd;
	struct err e;

	(void)state;
	leave_dead("wan");
	assert_int_equal(pipe(start) | pipe(stay), 0);
	for (i = 0; i < RACERS; i++) {
		if (fork() > 0)
			continue;
		close(start[1]);
		close(stay[1]);
		race(start[0], stay[0]);
	}
	close(start[1]);
	alarm(20);
	/* The losers end by themselves. */
	for (i = 0; i < RACERS - 1; i++) {
		assert_true(waitpid(-1, &status, 0) > 0);
		assert_true(WIFEXITED(status));
		assert_int_equal(WEXITSTATUS(status), 1);
	}
	fd = place_connect(&room.place, "wan", &e);
	assert_true(fd >= 0);
	close(fd);
	/* The winner, when told. */
	close(stay[1]);
	assert_true(waitpid(-1, &status, 0) > 0);
	alarm(0);
	assert_int_equal(status, 0);
	close(start[0]);
	close(stay[0]);
}

/* Between the look and the bind nobody else may bind or unlink. */
static void it_waits_for_the_lock(void **state)
{
	struct place_socket s;
	int dir, status;
	struct err e;
	pid_t pid;

	(void)state;
	leave_dead("wan");
	dir = open(room.place.dir[0], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(dir >= 0);
	assert_int_equal(flock(dir, LOCK_EX | LOCK_NB), 0);
	pid = fork();
	if (pid == 0) {
		close(dir);
		_exit(place_listen(&room.place, "wan", &s, &e) < 0);
	}
	poll(NULL, 0, 200);
	assert_int_equal(waitpid(pid, &status, WNOHANG), 0);
	close(dir);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void the_usual_places(void **state)
{
	char long_dir[PLACE_PATH_BYTES + 2], tmp[64];
	struct place p;

	(void)state;
	snprintf(tmp, sizeof(tmp), "/tmp/farwire-%u", (unsigned)geteuid());
	setenv("XDG_RUNTIME_DIR", "/run/user/7", 1);
	place_usual(&p);
	assert_string_equal(p.dir[0], "/run/farwire");
	assert_string_equal(p.dir[1], "/run/user/7/farwire");
	assert_string_equal(p.dir[2], tmp);
	setenv("XDG_RUNTIME_DIR", "relative", 1);
	place_usual(&p);
	assert_string_equal(p.dir[1], "");
	memset(long_dir, '/', sizeof(long_dir) - 1);
	long_dir[sizeof(long_dir) - 1] = '\0';
	setenv("XDG_RUNTIME_DIR", long_dir, 1);
	place_usual(&p);
	assert_string_equal(p.dir[1], "");
	unsetenv("XDG_RUNTIME_DIR");
	place_usual(&p);
	assert_string_equal(p.dir[1], "");
}

int main(void)
{
#define IN_ROOM(f) cmocka_unit_test_setup_teardown(f, enter, leave)
	const struct CMUnitTest tests[] = {
		IN_ROOM(it_listens_in_the_first_place),
		IN_ROOM(the_umask_changes_nothing),
		IN_ROOM(a_place_that_cannot_be_had_is_passed_by),
		IN_ROOM(a_place_others_may_write_to_is_not_used),
		IN_ROOM(another_users_place_is_not_used),
		IN_ROOM(a_living_link_keeps_its_name),
		IN_ROOM(a_name_counts_in_all_places),
		IN_ROOM(what_a_dead_one_left_is_taken_over),
		IN_ROOM(what_the_dead_left_is_cleared_and_the_living_stay),
		IN_ROOM(only_good_names_are_taken),
		IN_ROOM(a_name_is_given_back_once),
		IN_ROOM(nobody_is_reached_where_nobody_is),
		IN_ROOM(a_dead_one_does_not_hide_a_living_one),
		IN_ROOM(who_does_not_answer_is_given_up),
		IN_ROOM(all_names_are_listed_once),
		IN_ROOM(the_address_has_no_length),
		IN_ROOM(of_many_at_once_one_wins),
		IN_ROOM(it_waits_for_the_lock),
		cmocka_unit_test(the_usual_places),
	};

	return cmocka_run_group_tests_name("host/place", tests, NULL, NULL);
}
