/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests/unit/host/test_ident.c - mirrors src/host/ident.c
 *
 * What needs root is tried by root, the refusals by everybody.
 */
#include "config.h"

#include "host/ident.h"
#include "host/privs.h"
#include "unit/unit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int clean(void **state)
{
	(void)state;
	unsetenv("SUDO_UID");
	unsetenv("SUDO_GID");
	unsetenv("SUDO_USER");
	return 0;
}

static bool is_root(void)
{
	return geteuid() == 0 && privs_can_setup() && privs_can_setuid();
}

static void without_sudo_and_user_nothing_changes(void **state)
{
	struct ident id;
	struct err e;

	(void)state;
	assert_int_equal(ident_read(&id, NULL, &e), 0);
	assert_false(id.change);
	assert_int_equal(ident_drop(&id, &e), 0);
	ident_fini(&id);
}

static void an_unknown_user_is_refused(void **state)
{
	struct ident id;
	struct err e;

	(void)state;
	assert_int_equal(ident_read(&id, "no-such-user", &e), -EINVAL);
	assert_string_equal(e.text, "--user 'no-such-user': no such user");
	assert_int_equal(ident_read(&id, "-1", &e), -EINVAL);
	assert_int_equal(ident_read(&id, "4294967295", &e), -EINVAL);
}

static void a_plain_user_cannot_become_root(void **state)
{
	struct ident id;
	struct err e;

	(void)state;
	if (is_root())
		return; /* the plain user's run of this program tells */
	assert_int_equal(ident_read(&id, "root", &e), -EPERM);
	assert_non_null(strstr(e.text, "CAP_SETUID"));
	assert_non_null(strstr(e.text, "run as root"));
}

static void sudos_variables_mean_nothing_to_a_plain_user(void **state)
{
	struct ident id;
	struct err e;

	(void)state;
	if (is_root())
		return;
	setenv("SUDO_UID", "12", 1);
	setenv("SUDO_GID", "12", 1);
	assert_int_equal(ident_read(&id, NULL, &e), 0);
	assert_false(id.change);
	ident_fini(&id);
}

static void under_sudo_it_is_the_caller(void **state)
{
	struct ident id;
	struct err e;

	(void)state;
	if (!is_root())
		return;
	setenv("SUDO_UID", "54321", 1);
	setenv("SUDO_GID", "54322", 1);
	setenv("SUDO_USER", "stranger", 1);
	assert_int_equal(ident_read(&id, NULL, &e), 0);
	assert_true(id.change);
	assert_int_equal(id.uid, 54321);
	assert_int_equal(id.gid, 54322);
	assert_int_equal(id.n_groups, 1);
	assert_int_equal(id.groups[0], 54322);
	assert_string_equal(id.name, "stranger");
	ident_fini(&id);

	assert_int_equal(ident_read(&id, "root", &e), 0);
	assert_false(id.change);
	ident_fini(&id);

	setenv("SUDO_UID", "0", 1);
	assert_int_equal(ident_read(&id, NULL, &e), 0);
	assert_false(id.change);
	ident_fini(&id);

	setenv("SUDO_UID", "12x", 1);
	assert_int_equal(ident_read(&id, NULL, &e), -EINVAL);
	assert_string_equal(e.text, "SUDO_UID '12x': not a user id");
	setenv("SUDO_UID", "54321", 1);
	unsetenv("SUDO_GID");
	assert_int_equal(ident_read(&id, NULL, &e), -EINVAL);
}

/* In a child: what has fallen does not come back. */
static int fall(const struct ident *id)
{
	gid_t groups[4];
	struct err e;

	if (ident_drop(id, &e) < 0)
		return 1;
	ident_env(id);
	if (getuid() != id->uid || getegid() != id->gid)
		return 2;
	if (getgroups(4, groups) != 1 || groups[0] != id->gid)
		return 3;
	if (setuid(0) == 0 || setgid(0) == 0)
		return 4;
	if (privs_can_setup() || privs_can_setuid())
		return 5;
	return strcmp(getenv("USER"), "stranger") || strcmp(getenv("HOME"), "/") ? 6
										 : 0;
}

static void the_change_is_whole_and_for_good(void **state)
{
	struct ident id;
	struct err e;
	int status;
	pid_t pid;

	(void)state;
	if (!is_root())
		return;
	setenv("SUDO_UID", "54321", 1);
	setenv("SUDO_GID", "54322", 1);
	setenv("SUDO_USER", "stranger", 1);
	assert_int_equal(ident_read(&id, NULL, &e), 0);
	pid = fork();
	if (pid == 0)
		_exit(fall(&id));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	ident_fini(&id);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(without_sudo_and_user_nothing_changes, clean),
		cmocka_unit_test_setup(an_unknown_user_is_refused, clean),
		cmocka_unit_test_setup(a_plain_user_cannot_become_root, clean),
		cmocka_unit_test_setup(
			sudos_variables_mean_nothing_to_a_plain_user, clean),
		cmocka_unit_test_setup(under_sudo_it_is_the_caller, clean),
		cmocka_unit_test_setup(the_change_is_whole_and_for_good, clean),
	};

	return cmocka_run_group_tests_name("host/ident", tests, NULL, NULL);
}
