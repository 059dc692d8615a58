/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * base/memory.c - how much memory this process may hope for
 *
 * A container sees the whole machine in sysconf() and is killed at its cgroup's limit:
 * the smaller one counts. Version 2 has one line "0::PATH" and a file memory.max,
 * version 1 a line with "memory" among its controllers and memory.limit_in_bytes. Where
 * the path is seen from outside the container, the mounted root is tried too.
 */
#include "config.h"

#include "base/memory.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define LINE_BYTES 1024

int memory_cgroup_path(const char *line, char *path, size_t max_bytes)
{
	const char *controllers = strchr(line, ':'), *dir;
	bool v2;
	int n, len;

	if (!controllers)
		return -1;
	controllers++;
	dir = strchr(controllers, ':');
	if (!dir)
		return -1;
	v2 = dir == controllers;
	len = (int)(dir - controllers);
	dir++;
	if (!v2 && (len != 6 || strncmp(controllers, "memory", 6) != 0))
		return -1;
	n = snprintf(path, max_bytes, "/sys/fs/cgroup%s%.*s/%s", v2 ? "" : "/memory",
		(int)strcspn(dir, "\n"), dir,
		v2 ? "memory.max" : "memory.limit_in_bytes");
	return n < 0 || (size_t)n >= max_bytes ? -1 : 0;
}

/* The number in a file; SIZE_MAX where there is none ("max"). */
static size_t read_limit(const char *path)
{
	unsigned long long v;
	FILE *f = fopen(path, "re");
	int n;

	if (!f)
		return SIZE_MAX;
	n = fscanf(f, "%llu", &v);
	fclose(f);
	return n == 1 && v > 0 && v < SIZE_MAX ? (size_t)v : SIZE_MAX;
}

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

static size_t look(void)
{
	long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
	size_t allowed = (size_t)256 << 20; /* where sysconf knows nothing */
	char line[LINE_BYTES], path[LINE_BYTES + 64];
	struct rlimit as;
	FILE *f;

	if (pages > 0 && page > 0)
		allowed = (size_t)pages * (size_t)page;
	/* ulimit -v */
	if (getrlimit(RLIMIT_AS, &as) == 0 && as.rlim_cur != RLIM_INFINITY)
		allowed = smaller(allowed, (size_t)as.rlim_cur);
	allowed = smaller(allowed, read_limit("/sys/fs/cgroup/memory.max"));
	allowed = smaller(
		allowed, read_limit("/sys/fs/cgroup/memory/memory.limit_in_bytes"));
	f = fopen("/proc/self/cgroup", "re");
	if (!f)
		return allowed;
	while (fgets(line, sizeof(line), f))
		if (!memory_cgroup_path(line, path, sizeof(path)))
			allowed = smaller(allowed, read_limit(path));
	fclose(f);
	return allowed;
}

size_t memory_allowed_bytes(void)
{
	static size_t known;

	if (!known)
		known = look();
	return known;
}
