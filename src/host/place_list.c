/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/place_list.c - the names that have a control socket
 */
#include "config.h"

#include "host/place_list.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/fd.h"
#include "host/dir.h"

static bool has_name(const struct place_names *n, const char *name)
{
	unsigned i;

	for (i = 0; i < n->n; i++)
		if (strcmp(n->name[i], name) == 0)
			return true;
	return false;
}

static int add_name(struct place_names *n, const char *file)
{
	size_t len = strlen(file), end = strlen(PLACE_SUFFIX);
	char name[PLACE_NAME_BYTES] = "";
	void *more;

	if (len <= end || len - end >= sizeof(name) ||
		strcmp(file + len - end, PLACE_SUFFIX) != 0)
		return 0;
	memcpy(name, file, len - end);
	name[len - end] = '\0';
	if (!place_name_ok(name) || has_name(n, name))
		return 0;
	more = realloc(n->name, (n->n + 1) * sizeof(*n->name));
	if (!more)
		return -ENOMEM;
	n->name = more;
	memcpy(n->name[n->n++], name, sizeof(name));
	return 0;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(a, b);
}

static DIR *open_list(const struct place *p, int i)
{
	struct err none = {0};
	int dir_fd FD_AUTO =
		p->dir[i][0] ? dir_open(p->dir[i], DIR_LOOK, i == 0, &none) : -1;
	DIR *dir;
	int fd;

	if (dir_fd < 0)
		return NULL;
	fd = openat(dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	dir = fd < 0 ? NULL : fdopendir(fd);
	if (!dir)
		fd_close(&fd);
	return dir;
}

int place_list(const struct place *p, struct place_names *n, struct err *e)
{
	struct dirent *d;
	int i, r = 0;
	DIR *dir;

	*n = (struct place_names){0};
	for (i = 0; i < PLACE_DIRS && !r; i++) {
		dir = open_list(p, i);
		if (!dir)
			continue;
		while (!r && (d = readdir(dir)))
			r = add_name(n, d->d_name);
		closedir(dir);
	}
	if (r < 0) {
		place_list_fini(n);
		return err_set(e, r, "links: out of memory");
	}
	if (n->n)
		qsort(n->name, n->n, sizeof(*n->name), by_name);
	return 0;
}

void place_list_fini(struct place_names *n)
{
	free(n->name);
	*n = (struct place_names){0};
}
