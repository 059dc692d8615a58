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
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Longest number: more digits than this are out of range in any notation. */
#define TOKEN_BYTES 32
/* Two of them and all other options of a SPEC fit into SHOW_BYTES, and the tables of
 * two directions into a line of the control socket. */
#define NAME_MAX_BYTES 512
/* The largest table, 16384 numbers, with room for comments. */
#define FILE_MAX_BYTES (1u << 20)

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

/* A DIST_FILE of that name, or one of the built-in tables. */
static int name_table(
	struct dist_conf *d, enum dist_kind kind, const char *name, struct err *e)
{
	char *copy = strdup(name);

	if (!copy)
		return err_set(e, -ENOMEM, "no memory for a name");
	dist_free(d);
	d->kind = kind;
	d->name = copy;
	return 0;
}

/* How long the writer of a pipe has for its first byte: <(a program). */
#define PIPE_WAIT_MS 5000

/* A FIFO without a writer is read as empty in the end, and refused as that. */
static FILE *open_now(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "r");
	struct pollfd p = {.fd = fd, .events = POLLIN};

	if (file && poll(&p, 1, PIPE_WAIT_MS) > 0)
		(void)fcntl(fd, F_SETFL, 0);
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

/* What show -c prints has to be words again, each one whole and apart by a blank. */
static int check_name(const char *name, struct err *e)
{
	for (const char *p = name; *p; p++)
		if ((unsigned char)*p <= ' ' || *p == 0x7f)
			return err_set(e, -EINVAL,
				"a blank in the name of a table, which show could not "
				"give back as one word; give the file another name");
	if (strlen(name) > NAME_MAX_BYTES)
		return err_set(e, -EINVAL,
			"a name of more than %d bytes; give the file a shorter one",
			NAME_MAX_BYTES);
	return 0;
}

int dist_read(struct dist_conf *d, const char *name, struct err *e)
{
	const struct word *built_in = words_find(&words_dist, name);
	FILE *file;
	int rc;

	if (built_in)
		return name_table(d, (enum dist_kind)built_in->id, name, e);
	rc = check_name(name, e);
	if (rc)
		return rc;
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

int dist_name_file(struct dist_conf *d, const char *name, struct err *e)
{
	const struct word *built_in = words_find(&words_dist, name);
	int rc = built_in ? 0 : check_name(name, e);

	if (rc)
		return rc;
	return name_table(
		d, built_in ? (enum dist_kind)built_in->id : DIST_FILE, name, e);
}

/* All of @fd into @text. Return: its length, or -errno. */
static ssize_t read_all(int fd, char *text, struct err *e)
{
	size_t n = 0;
	ssize_t got;

	do {
		got = pread(fd, text + n, FILE_MAX_BYTES - n, (off_t)n);
		if (got > 0)
			n += (size_t)got;
	} while (n < FILE_MAX_BYTES && (got > 0 || (got < 0 && errno == EINTR)));
	if (got < 0)
		return err_sys(e, "cannot be read");
	if (n == FILE_MAX_BYTES)
		return err_set(e, -EFBIG, "more than 1 MiB");
	return (ssize_t)n;
}

int dist_file_from_fd(struct dist_conf *d, int fd, struct err *e)
{
	char *text = malloc(FILE_MAX_BYTES);
	ssize_t n = text ? read_all(fd, text, e)
			 : err_set(e, -ENOMEM, "no memory for a table");
	FILE *file = NULL;
	char *name = NULL;
	int rc = n < 0 ? (int)n : 0;

	if (n == 0)
		rc = err_set(e, -EINVAL, "no number in this file");
	if (n > 0) {
		file = fmemopen(text, (size_t)n, "r");
		name = strdup(d->name);
		rc = file && name ? read_file(d, name, file, e)
				  : err_set(e, -ENOMEM, "no memory for a table");
	}
	if (file)
		fclose(file);
	free(name);
	free(text);
	return rc;
}

int dist_file_to_fd(const struct dist_conf *d, struct err *e)
{
	int fd = memfd_create("farwire-table", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	int rc = 0;

	if (fd < 0)
		return err_sys(e, "memory of a table");
	for (uint32_t i = 0; i < d->n_values && !rc; i++)
		rc = dprintf(fd, "%d\n", d->values[i]) < 0;
	if (rc ||
		fcntl(fd, F_ADD_SEALS,
			F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE) < 0) {
		rc = err_sys(e, "memory of a table");
		close(fd);
		return rc;
	}
	return fd;
}
