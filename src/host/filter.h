/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/filter.h - the system calls of a running forwarder
 */
#ifndef FW_HOST_FILTER_H
#define FW_HOST_FILTER_H

#include "base/err.h"

#include <sys/types.h>

/**
 * filter_allow_ring() - Let filter_load() allow the use of a ring that exists
 *
 * Requests in a ring pass by the filter: it must have its own restrictions. No ring can
 * be made, and nothing be registered with one; it can be given up.
 */
void filter_allow_ring(void);

/** filter_allow_rank() - Let filter_load() allow the caller to change its own rank */
void filter_allow_rank(void);

/**
 * filter_load() - From now on allow the loop's system calls only
 * @child:  the one process, besides the caller, that may be signalled; 0: none
 * @dir_fd: the one directory from which files may be removed; -1: none
 *
 * What is not allowed fails with EPERM. Needs no_new_privs. In a sanitized build it
 * does nothing. Return: 0 or -errno.
 */
int filter_load(pid_t child, int dir_fd, struct err *e);

/** filter_relay() - The same for a relay (relay/relay.h). Needs no_new_privs. */
int filter_relay(struct err *e);

#endif
