/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/filter.h - the system calls of a running forwarder
 */
#ifndef FW_HOST_FILTER_H
#define FW_HOST_FILTER_H

#include "base/err.h"

#include <sys/types.h>

/* What filter_load() is to allow beyond the usual, where the caller has it. */
/* The use of a ring. Requests in it pass by the filter: it must have its own
 * restrictions. No ring can be made, and nothing be registered with one; it can be given
 * up. */
#define FILTER_RING 1U
/* To change one's own rank. */
#define FILTER_RANK 2U

/** filter_allow() - Let filter_load() allow @use, too: FILTER_RING, FILTER_RANK */
void filter_allow(unsigned use);

/**
 * filter_prepare() - Make what filter_load() will load, for processes to be forked
 * @use: what they will probably have allowed by then
 *
 * For one without a child and with a directory. Any other kind is made when it is loaded,
 * at the cost of 0.6 ms; so is one of which the making failed here.
 */
void filter_prepare(unsigned use);

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
