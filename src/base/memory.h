/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * base/memory.h - how much memory this process may hope for
 */
#ifndef FW_BASE_MEMORY_H
#define FW_BASE_MEMORY_H

#include <stddef.h>

/**
 * memory_allowed_bytes() - The machine's memory, or less where a cgroup says so
 *
 * Return: bytes, never 0. Reads files when it is called first: for set-up only. A
 * child's answer is its parent's.
 */
size_t memory_allowed_bytes(void);

/**
 * memory_cgroup_path() - Where a line of /proc/self/cgroup has its memory limit
 * @line:      one line, with or without its newline
 * @path:      room for the file's path
 * @max_bytes: its size
 *
 * Return: 0, or -1 where the line is about no memory controller or the path is too
 * long.
 */
int memory_cgroup_path(const char *line, char *path, size_t max_bytes);

#endif
