/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests/unit/base/test_memory.c - mirrors src/base/memory.c
 */
#include "config.h"

#include "base/memory.h"
#include "unit/unit.h"

#include <unistd.h>

static void version_2_names_memory_max(void **state)
{
	char path[128];

	(void)state;
	assert_int_equal(
		memory_cgroup_path("0::/user.slice/run\n", path, sizeof(path)), 0);
	assert_string_equal(path, "/sys/fs/cgroup/user.slice/run/memory.max");
}

static void version_1_names_the_memory_controller_only(void **state)
{
	char path[128];

	(void)state;
	assert_int_equal(
		memory_cgroup_path("9:memory:/docker/ab\n", path, sizeof(path)), 0);
	assert_string_equal(
		path, "/sys/fs/cgroup/memory/docker/ab/memory.limit_in_bytes");
	assert_int_equal(
		memory_cgroup_path("3:cpu,cpuacct:/x\n", path, sizeof(path)), -1);
	assert_int_equal(memory_cgroup_path("1:name=systemd:/x\n", path, 128), -1);
}

static void nonsense_and_long_paths_are_refused(void **state)
{
	char path[24];

	(void)state;
	assert_int_equal(memory_cgroup_path("", path, sizeof(path)), -1);
	assert_int_equal(memory_cgroup_path("0:", path, sizeof(path)), -1);
	assert_int_equal(
		memory_cgroup_path("0::/a/much/longer/path\n", path, sizeof(path)), -1);
}

static void never_more_than_the_machine_has(void **state)
{
	size_t all = (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE);

	(void)state;
	assert_true(memory_allowed_bytes() > 0);
	assert_true(memory_allowed_bytes() <= all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(version_2_names_memory_max),
		cmocka_unit_test(version_1_names_the_memory_controller_only),
		cmocka_unit_test(nonsense_and_long_paths_are_refused),
		cmocka_unit_test(never_more_than_the_machine_has),
	};

	return cmocka_run_group_tests_name("base/memory", tests, NULL, NULL);
}
