/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conf/dist_file.c - the table behind a jitter: built in, or read from a file
 *
 * Theory of operation
 *   A file is text: whole numbers apart by white space, lines that begin with # are
 *   comments. It is read byte by byte into one token of bounded length, so neither a
 *   device nor a file without line ends can make it grow. The first thing that is wrong
 *   ends it, with its line. tc would skip the rest of such a line and cut large values
 *   to 16 bits, which gives a distribution nobody asked for.
 */
#include "config.h"

#include "conf/dist_file.h"

#include "base/units.h"
#include "conf/words.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Longest number: more digits than this are out of range in any notation. */
#define TOKEN_BYTES 32

void dist_free(struct dist_conf *d)
{
	free(d->name);
	free(d->values);
	*d = (struct dist_conf){.kind = DIST_UNIFORM};
}

int dist_copy(struct dist_conf *to, const struct dist_conf *from)
{
	struct dist_conf d = *from;

	d.name = from->name ? strdup(from->name) : NULL;
	d.values = NULL;
	if (from->values) {
		size_t n_bytes = from->n_values * sizeof(*d.values);

		d.values = malloc(n_bytes);
		if (d.values)
			memcpy(d.values, from->values, n_bytes);
	}
	if ((from->name && !d.name) || (from->values && !d.values)) {
		dist_free(&d);
		*to = d;
		return -ENOMEM;
	}
	*to = d;
	return 0;
}

static int add_value(
	struct dist_conf *d, const char *token, unsigned line, struct err *e)
{
	char room[WORDS_QUOTE_BYTES];
	int32_t value;

	if (units_s32(token, &value, NULL) || value < INT16_MIN || value > INT16_MAX)
		return err_set(e, -EINVAL,
			"line %u: '%s': not a whole number from -32768 to 32767", line,
			words_quote(token, room));
	if (d->n_values == DIST_VALUES_MAX)
		return err_set(e, -EINVAL, "line %u: more than %d numbers", line,
			DIST_VALUES_MAX);
	d->values[d->n_values++] = (int16_t)value;
	return 0;
}

/* Skip to the end of a comment. Return: what getc gave last, '\n' or EOF. */
static int skip_line(FILE *file)
{
	int ch;

	do {
		ch = getc(file);
	} while (ch != '\n' && ch != EOF);
	return ch;
}

static int read_values(struct dist_conf *d, FILE *file, struct err *e)
{
	char token[TOKEN_BYTES];
	size_t len = 0;
	unsigned line = 1;
	bool at_start = true;
	int ch, rc;

	do {
		ch = getc(file);
		if (at_start && ch == '#')
			ch = skip_line(file);
		at_start = ch == '\n';
		if (ch == EOF || isspace(ch)) {
			token[len] = '\0';
			rc = len ? add_value(d, token, line, e) : 0;
			if (rc)
				return rc;
			len = 0;
			line += at_start;
			continue;
		}
		/* A byte that no number has ends the token's chance to be one. */
		token[len++] = ch ? (char)ch : '?';
		if (len == sizeof(token) - 1) {
			token[len] = '\0';
			return add_value(d, token, line, e);
		}
	} while (ch != EOF);
	if (ferror(file))
		return err_sys(e, "cannot be read");
	if (d->n_values == 0)
		return err_set(e, -EINVAL, "no number in this file");
	return 0;
}

static int read_file(struct dist_conf *d, const char *name, FILE *file, struct err *e)
{
	struct dist_conf new = {.kind = DIST_FILE};
	int rc;

	new.name = strdup(name);
	new.values = malloc(DIST_VALUES_MAX * sizeof(*new.values));
	if (!new.name || !new.values)
		rc = err_set(e, -ENOMEM, "no memory for a table");
	else
		rc = read_values(&new, file, e);
	if (rc) {
		dist_free(&new);
		return rc;
	}
	dist_free(d);
	*d = new;
	return 0;
}

/* Not to wait for the writer of a FIFO: it is read as empty, and refused as that. */
static FILE *open_now(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "r");

	if (fd >= 0 && !file)
		close(fd);
	return file;
}

static FILE *open_in(const char *dir, const char *name)
{
	FILE *file = NULL;
	char *path;

	if (asprintf(&path, "%s/%s.dist", dir, name) < 0)
		return NULL;
	file = open_now(path);
	free(path);
	return file;
}

/* The first NAME.dist on the way that tc's tables may have, or NULL. */
static FILE *search(const char *name)
{
	static const char *const dirs[] = {
		LIBDIR "/tc", "/usr/lib/*/tc", "/usr/lib/tc", "/usr/share/tc"};
	const char *own = getenv("TC_LIB_DIR");
	FILE *file = own ? open_in(own, name) : NULL;

	for (size_t i = 0; !file && i < sizeof(dirs) / sizeof(dirs[0]); i++) {
		glob_t found;

		if (glob(dirs[i], 0, NULL, &found))
			continue;
		for (size_t j = 0; !file && j < found.gl_pathc; j++)
			file = open_in(found.gl_pathv[j], name);
		globfree(&found);
	}
	return file;
}

int dist_read(struct dist_conf *d, const char *name, struct err *e)
{
	const struct word *built_in = words_find(&words_dist, name);
	FILE *file;
	int rc;

	if (built_in) {
		char *copy = strdup(name);

		if (!copy)
			return err_set(e, -ENOMEM, "no memory for a name");
		dist_free(d);
		d->kind = (enum dist_kind)built_in->id;
		d->name = copy;
		return 0;
	}
	errno = 0;
	file = strchr(name, '/') ? open_now(name) : search(name);
	if (!file && strchr(name, '/'))
		return err_sys(e, "cannot be opened");
	if (!file)
		return err_set(e, -ENOENT,
			"no such table; write normal, pareto, paretonormal, uniform, "
			"./FILE "
			"for a file, or set TC_LIB_DIR to where the .dist file is");
	rc = read_file(d, name, file, e);
	fclose(file);
	return rc;
}
