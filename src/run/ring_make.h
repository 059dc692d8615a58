/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run/ring_make.h - a ring of io_uring that can do next to nothing
 */
#ifndef FW_RUN_RING_MAKE_H
#define FW_RUN_RING_MAKE_H

struct io_uring;

/**
 * ring_make() - Make a ring, fence it in, start it, and try it on the files
 * @ring:      filled; io_uring_queue_exit() ends it
 * @n_entries: requests under way at most
 * @fd:        files it may use, for good; no other ones can be given to it later
 * @n_fds:     how many
 * @n_read:    so many of them, the first ones, must be fit for reads that do not wait
 *
 * It reads, writes and polls, on these files, by their numbers in @fd, and lets itself
 * be taken down. Return: 0 or -errno; -EINVAL from kernels that are too old (before 5.11).
 */
int ring_make(struct io_uring *ring, unsigned n_entries, const int *fd, unsigned n_fds,
	unsigned n_read);

#endif
