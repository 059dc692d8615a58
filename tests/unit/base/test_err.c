/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests/unit/base/test_err.c - mirrors src/base/err.c
 */
#include "config.h"

#include "base/err.h"
#include "unit/unit.h"

#include <errno.h>
#include <string.h>

static void set_fills_code_and_text_and_keeps_errno(void **state)
{
	struct err e;

	(void)state;
	errno = ENOENT;
	assert_int_equal(err_set(&e, -EINVAL, "delay '%s': no unit", "5"), -EINVAL);
	assert_int_equal(e.code, -EINVAL);
	assert_string_equal(e.text, "delay '5': no unit");
	assert_int_equal(errno, ENOENT);
}

static void sys_adds_the_reason(void **state)
{
	struct err e;

	(void)state;
	errno = EACCES;
	assert_int_equal(err_sys(&e, "%s", "/dev/net/tun"), -EACCES);
	assert_string_equal(e.text, "/dev/net/tun: Permission denied");
}

static void wrap_puts_where_in_front(void **state)
{
	struct err e;

	(void)state;
	err_set(&e, -EPERM, "unshare: no");
	assert_int_equal(err_wrap(&e, "run"), -EPERM);
	assert_string_equal(e.text, "run: unshare: no");
}

static void a_long_text_is_cut_not_overrun(void **state)
{
	char big[2 * ERR_TEXT_BYTES];
	struct err e;

	(void)state;
	memset(big, 'x', sizeof(big) - 1);
	big[sizeof(big) - 1] = '\0';
	err_set(&e, -EINVAL, "%s", big);
	assert_int_equal(strlen(e.text), ERR_TEXT_BYTES - 1);
	err_wrap(&e, "%s", big);
	assert_true(strlen(e.text) < ERR_TEXT_BYTES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(set_fills_code_and_text_and_keeps_errno),
		cmocka_unit_test(sys_adds_the_reason),
		cmocka_unit_test(wrap_puts_where_in_front),
		cmocka_unit_test(a_long_text_is_cut_not_overrun),
	};

	return cmocka_run_group_tests_name("base/err", tests, NULL, NULL);
}
