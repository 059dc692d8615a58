/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/child.h - the process that makes the namespaces and then becomes the command
 *
 * Over its socket it sends one struct child_ready, with the files of each port (TAP,
 * statistics) and the far network namespace when code is 0, then waits for one struct
 * child_go, at which it becomes the command. Where there is a far command that is
 * started before, and one struct child_far tells of it. End of file instead of the word
 * ends it.
 */
#ifndef FW_HOST_CHILD_H
#define FW_HOST_CHILD_H

#include "base/err.h"
#include "conf/conf.h"
#include "host/host.h"
#include "host/ident.h"
#include "host/loopback.h"
#include "host/relays.h"
#include "host/sweep.h"
#include "host/wayout.h"

#include <signal.h>

#define CHILD_FDS (2 * HOST_PORTS_MAX + 1)

struct child_ready {
	struct err err; /* code is 0 when all stands */
	struct sweep_ns near, far;
	unsigned n_ports;
	struct host_port port[HOST_PORTS_MAX]; /* their files travel beside it */
	bool has_far;
	char redirect[8];
};

struct child_go {
	char far_path[sizeof(((struct host_run *)0)->far_path)];
};

struct child_far {
	struct err err; /* code is 0 when it runs */
	pid_t pid;
};

struct child_start {
	const struct conf *conf;
	const struct ident *ident;
	sigset_t mask; /* of the command */
	pid_t parent;
	int sock;
	int far_out_fd; /* write end, or -1 */
	bool rootless;
	enum redirect redirect;
	struct wayout *wayout; /* .way is FAR_ABSENT: none */
	struct relays *relays;
};

/** child_main() - The whole life of the forked child up to the command. */
void child_main(const struct child_start *s) __attribute__((noreturn));

#endif
