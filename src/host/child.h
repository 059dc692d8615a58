/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/child.h - the process that makes the namespaces and then becomes the command
 *
 * Over its socket it sends one struct child_ready, with the files of each port (TAP,
 * statistics) when code is 0, then waits for one byte, at which it becomes the command.
 * End of file instead of the byte ends it.
 */
#ifndef FW_HOST_CHILD_H
#define FW_HOST_CHILD_H

#include "base/err.h"
#include "conf/conf.h"
#include "host/host.h"
#include "host/ident.h"
#include "host/loopback.h"
#include "host/sweep.h"

#include <signal.h>

#define CHILD_GO 'g'
#define CHILD_FDS 2 /* of a port */

struct child_ready {
	struct err err; /* code is 0 when all stands */
	struct sweep_ns ns;
	struct host_port port; /* its files travel beside it */
	char redirect[8];
};

struct child_start {
	const struct conf *conf;
	const struct ident *ident;
	sigset_t mask; /* of the command */
	pid_t parent;
	int sock;
	bool rootless;
	enum redirect redirect;
};

/** child_main() - The whole life of the forked child up to the command. */
void child_main(const struct child_start *s) __attribute__((noreturn));

#endif
