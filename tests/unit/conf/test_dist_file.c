/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests/unit/conf/test_dist_file.c - mirrors src/conf/dist_file.c: tables as open files
 */
#include "config.h"

#include "conf/args.h"
#include "conf/dist_file.h"
#include "unit/conf/command.h"
#include "unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int memory(const char *text)
{
	int fd = memfd_create("table", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	return fd;
}

static void name_file(struct dist_conf *d, const char *name)
{
	struct err e;

	*d = (struct dist_conf){.kind = DIST_UNIFORM};
	assert_int_equal(dist_name_file(d, name, &e), 0);
}

static void a_table_goes_out_and_comes_back(void **state)
{
	struct dist_conf d, back;
	struct err e;
	int fd;

	(void)state;
	name_file(&d, "./t");
	d.values = malloc(DIST_VALUES_MAX * sizeof(*d.values));
	d.n_values = DIST_VALUES_MAX;
	for (int i = 0; i < DIST_VALUES_MAX; i++)
		d.values[i] = (int16_t)(i * 4 - 32768);
	d.values[1] = INT16_MAX;
	fd = dist_file_to_fd(&d, &e);
	assert_true(fd >= 0);
	/* Nobody can change it any more. */
	assert_true(fcntl(fd, F_GET_SEALS) & F_SEAL_WRITE);
	assert_int_equal(pwrite(fd, "1", 1, 0), -1);
	name_file(&back, "./t");
	for (int i = 0; i < 2; i++) {
		/* Whatever the offset is. */
		assert_int_equal(dist_file_from_fd(&back, fd, &e), 0);
		assert_int_equal(back.kind, DIST_FILE);
		assert_string_equal(back.name, "./t");
		assert_int_equal(back.n_values, d.n_values);
		assert_memory_equal(
			back.values, d.values, d.n_values * sizeof(*d.values));
		lseek(fd, 0, SEEK_END);
	}
	close(fd);
	dist_free(&d);
	dist_free(&back);
}

static void what_is_no_table_changes_nothing(void **state)
{
	static const struct {
		const char *text, *why;
	} wrong[] = {
		{"", "no number in this file"},
		{"# comment\n", "no number in this file"},
		{"1 2\n3 x\n", "line 2: 'x': not a whole number from -32768 to 32767"},
		{"40000", "line 1: '40000': not a whole number from -32768 to 32767"},
	};
	struct dist_conf d;
	struct err e;
	int pipes[2], fd;

	(void)state;
	name_file(&d, "keep");
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		fd = memory(wrong[i].text);
		assert_int_equal(dist_file_from_fd(&d, fd, &e), -EINVAL);
		assert_string_equal(e.text, wrong[i].why);
		close(fd);
	}
	fd = memory("1 ");
	assert_int_equal(ftruncate(fd, 1 << 20), 0);
	assert_int_equal(dist_file_from_fd(&d, fd, &e), -EFBIG);
	close(fd);
	/* What could make one wait cannot be read at an offset. */
	assert_int_equal(pipe(pipes), 0);
	assert_int_equal(dist_file_from_fd(&d, pipes[0], &e), -ESPIPE);
	close(pipes[0]);
	close(pipes[1]);
	assert_int_equal(d.kind, DIST_FILE);
	assert_string_equal(d.name, "keep");
	assert_null(d.values);
	dist_free(&d);
}

/* @n tables for @line, the ith with the one number i + 1. */
static int read_files(
	struct conf *c, struct command *s, const char *line, int n, struct err *e)
{
	static const char *const texts[] = {"1", "2", "3", "4", "5"};
	int files[5], rc;

	for (int i = 0; i < n; i++)
		files[i] = memory(texts[i]);
	conf_init(c);
	command_split(s, line);
	rc = conf_read_files(c, s->argc, s->argv, files, n, e);
	for (int i = 0; i < n; i++)
		close(files[i]);
	return rc;
}

#define BOTH "distribution ./a delay 5ms 1ms slot distribution ./b 5ms 1ms"

static void files_go_to_the_tables_in_order(void **state)
{
	const struct dist_conf *t[CONF_TABLES_MAX];
	struct command s;
	struct conf c;
	struct err e;

	(void)state;
	assert_int_equal(
		read_files(&c, &s,
			"farwire change w down netem " BOTH " up netem " BOTH, 4, &e),
		0);
	assert_int_equal(conf_tables(&c, t), 4);
	assert_ptr_equal(t[0], &c.spec[DIR_UP].netem.dist);
	assert_ptr_equal(t[1], &c.spec[DIR_UP].netem.slot.dist);
	assert_ptr_equal(t[2], &c.spec[DIR_DOWN].netem.dist);
	assert_ptr_equal(t[3], &c.spec[DIR_DOWN].netem.slot.dist);
	for (int i = 0; i < 4; i++) {
		assert_int_equal(t[i]->n_values, 1);
		assert_int_equal(t[i]->values[0], i + 1);
		assert_string_equal(t[i]->name, i % 2 ? "./b" : "./a");
	}
	conf_fini(&c);
	/* One SPEC for both has its tables in both; what is said again counts once;
	 * what is built in is no file. */
	assert_int_equal(read_files(&c, &s,
				 "farwire set w netem delay 5ms 1ms distribution ./a "
				 "distribution "
				 "./c slot distribution normal 5ms 1ms",
				 2, &e),
		0);
	assert_int_equal(conf_tables(&c, t), 2);
	assert_ptr_equal(t[1], &c.spec[DIR_DOWN].netem.dist);
	assert_string_equal(t[0]->name, "./c");
	assert_int_equal(t[1]->values[0], 2);
	assert_int_equal(c.spec[DIR_UP].netem.slot.dist.kind, DIST_NORMAL);
	conf_fini(&c);
}

static void files_and_names_must_agree(void **state)
{
	static const char line[] = "farwire change w up netem " BOTH;
	struct command s;
	struct conf c;
	struct err e;

	(void)state;
	for (int n = 0; n < 5; n++) {
		if (n == 2)
			continue;
		assert_int_equal(read_files(&c, &s, line, n, &e), -EINVAL);
		assert_memory_equal(e.text, "the words name 2 tables", 23);
		assert_int_equal(c.spec[DIR_UP].kind, IMPAIR_NONE);
	}
	assert_int_equal(
		read_files(&c, &s,
			"farwire change w netem delay 5ms 1ms distribution /dev/zero",
			0, &e),
		-EINVAL);
}

static void a_name_with_a_blank_is_refused(void **state)
{
	struct dist_conf d = {.kind = DIST_UNIFORM};
	char name[600] = "./";
	struct err e;

	(void)state;
	assert_int_equal(dist_read(&d, "./a b", &e), -EINVAL);
	assert_string_equal(e.text,
		"a blank in the name of a table, which show could not give back as one "
		"word; give the file another name");
	assert_int_equal(dist_name_file(&d, "./a\tb", &e), -EINVAL);
	memset(name + 2, 'x', 511);
	assert_int_equal(dist_read(&d, name, &e), -EINVAL);
	assert_string_equal(
		e.text, "a name of more than 512 bytes; give the file a shorter one");
	name[512] = '\0';
	assert_int_equal(dist_name_file(&d, name, &e), 0);
	dist_free(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_table_goes_out_and_comes_back),
		cmocka_unit_test(what_is_no_table_changes_nothing),
		cmocka_unit_test(files_go_to_the_tables_in_order),
		cmocka_unit_test(files_and_names_must_agree),
		cmocka_unit_test(a_name_with_a_blank_is_refused),
	};

	return cmocka_run_group_tests_name("conf/dist_file", tests, NULL, NULL);
}
