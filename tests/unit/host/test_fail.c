/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests/unit/host/test_fail.c - mirrors src/host/fail.c
 */
#include "config.h"

#include "host/fail.h"
#include "unit/unit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const struct fail_ctx plain = {.rootless = true};
static const struct fail_ctx apparmor = {.rootless = true, .apparmor = true};
static const struct fail_ctx clone_off = {.rootless = true, .userns_clone = true};
static const struct fail_ctx root = {.root = true};
static const struct fail_ctx root_apparmor = {.root = true, .apparmor = true};

static const struct {
	enum fail_at at;
	int code;
	const struct fail_ctx *ctx;
	const char *begins; /* what the line begins with */
	const char *names;  /* cause and fix: all that stand here, apart by | */
} rows[] = {
	{FAIL_TUN, ENOENT, &plain,
		"/dev/net/tun: No such file or directory: no TUN device here; ",
		"modprobe tun|--device /dev/net/tun"},
	{FAIL_TUN, ENODEV, &root, "/dev/net/tun: No such device: ", "modprobe tun"},
	{FAIL_TUN, EACCES, &plain, "/dev/net/tun: Permission denied; ",
		"chmod 0666 /dev/net/tun|udev|run as root"},
	{FAIL_TUN, EACCES, &root, "/dev/net/tun: Permission denied: ", "chmod 0666"},
	{FAIL_TUN, EPERM, &root, "/dev/net/tun: Operation not permitted: ", "--device"},
	{FAIL_USERNS, ENOSPC, &plain, "user namespace: No space left on device: ",
		"user.max_user_namespaces is 0 or used up; sysctl"},
	{FAIL_USERNS, EPERM, &plain, "user namespace: Operation not permitted: ",
		"seccomp|--cap-add NET_ADMIN --cap-add SYS_ADMIN"},
	{FAIL_USERNS, EPERM, &clone_off, "user namespace: Operation not permitted: ",
		"kernel.unprivileged_userns_clone is 0"},
	{FAIL_USERNS, EPERM, &apparmor, "user namespace: Operation not permitted: ",
		"seccomp|AppArmor restricts|profile"},
	{FAIL_USERNS, EINVAL, &plain,
		"user namespace: Invalid argument: ", "CONFIG_USER_NS|run as root"},
	{FAIL_NETNS, ENOSPC, &root, "network namespace: No space left on device: ",
		"user.max_net_namespaces"},
	{FAIL_NETNS, EPERM, &apparmor, "network namespace: Operation not permitted: ",
		"apparmor_restrict_unprivileged_userns=1|profile|sudo"},
	{FAIL_NETNS, EPERM, &root_apparmor, "network namespace: ", "seccomp"},
	{FAIL_INSIDE, EPERM, &apparmor, "step: Operation not permitted: ",
		"AppArmor restricts user namespaces|profile|sudo"},
	{FAIL_INSIDE, EACCES, &apparmor, "step: Permission denied: ",
		"AppArmor restricts user namespaces|profile|sudo"},
	{FAIL_INSIDE, EPERM, &plain,
		"step: Operation not permitted: ", "security module"},
};

static void assert_names(const char *text, const char *names)
{
	char all[200], *one;

	snprintf(all, sizeof(all), "%s", names);
	for (one = strtok(all, "|"); one; one = strtok(NULL, "|"))
		if (!strstr(text, one))
			fail_msg("'%s' does not name '%s'", text, one);
}

static void each_refusal_has_its_cause_and_fix(void **state)
{
	struct err e;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(fail_say(&e, rows[i].at, rows[i].code, rows[i].ctx,
					 rows[i].at == FAIL_INSIDE ? "step" : NULL),
			-rows[i].code);
		assert_int_equal(e.code, -rows[i].code);
		if (strncmp(e.text, rows[i].begins, strlen(rows[i].begins)))
			fail_msg("'%s' does not begin with '%s'", e.text,
				rows[i].begins);
		assert_names(e.text, rows[i].names);
		assert_null(strchr(e.text, '\n'));
		assert_true(strlen(e.text) < ERR_TEXT_BYTES - 1);
	}
}

static void apparmor_is_not_blamed_where_it_does_not_matter(void **state)
{
	struct err e;

	(void)state;
	fail_say(&e, FAIL_TUN, EACCES, &apparmor, NULL);
	assert_null(strstr(e.text, "AppArmor"));
	fail_say(&e, FAIL_USERNS, ENOSPC, &apparmor, NULL);
	assert_null(strstr(e.text, "AppArmor"));
	fail_say(&e, FAIL_INSIDE, EPERM, &root_apparmor, "step");
	assert_null(strstr(e.text, "AppArmor"));
}

static void an_unknown_reason_is_said_as_it_is(void **state)
{
	struct err e;

	(void)state;
	assert_int_equal(fail_say(&e, FAIL_TUN, EIO, &plain, NULL), -EIO);
	assert_string_equal(e.text, "/dev/net/tun: Input/output error");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_refusal_has_its_cause_and_fix),
		cmocka_unit_test(apparmor_is_not_blamed_where_it_does_not_matter),
		cmocka_unit_test(an_unknown_reason_is_said_as_it_is),
	};

	return cmocka_run_group_tests_name("host/fail", tests, NULL, NULL);
}
