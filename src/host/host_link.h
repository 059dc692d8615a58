/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/host_link.h - what main.c asks of the privileged room for a link that stays
 *
 * Theory of operation, in the order of calls for `add`:
 *
 *   host_link_prepare()
 *   daemon_fork()       host/daemon.h; not with -f
 *   host_link_start()   takes the name and makes both ends
 *   host_rank()         host/host.h
 *   last_hold()         host/last.h; NAME.last is made, to be filled at the end
 *   log_to_syslog()     base/log.h; notify_open() with -f
 *   daemon_detach()
 *   host_link_drop()    no capability, no_new_privs, the loop's system calls alone
 *   daemon_ready()      or notify_send(fd, NOTIFY_READY)
 *   ...
 *   last_write()        why it ends
 *   host_link_abort()   the devices go, then the name is free; both are allowed to a
 *                       process that has dropped
 *
 * There is no guard: nothing on the machine is changed that the end of this process does
 * not undo. A process that is killed leaves its socket, cleared by the next command that
 * meets it.
 *
 * When the namespace of an end is deleted, or its device, poll() on that port's file
 * gives POLLERR and read() EBADFD: the link is to end. A device that is set down gives
 * neither; write() to it fails with EIO.
 *
 * A namespace that was given by a name (of `ip netns`, or a path that is a mount) is
 * held by the link until it loses that name, which ends the link: to make a device
 * within takes a millisecond, to move one into it 20. One that was given by a process
 * is not held: it ends the link when nobody is in it any more.
 */
#ifndef FW_HOST_HOST_LINK_H
#define FW_HOST_HOST_LINK_H

#include "base/err.h"
#include "conf/conf.h"
#include "host/host.h"
#include "host/member.h"
#include "host/nsname.h"
#include "host/nsref.h"
#include "host/place.h"

#include <stddef.h>

#define LINK_NEAR 0
#define LINK_FAR 1
#define N_LINK_ENDS 2
#define LINK_END_TEXT_BYTES (NSREF_TEXT_BYTES + IFNAMSIZ)
/* Both ends with all their addresses. */
#define LINK_WORDS_BYTES 2560

struct host_link {
	char name[PLACE_NAME_BYTES];
	/* By LINK_NEAR and LINK_FAR; roles PORT_NEAR and PORT_FAR. stats_fd is a
	 * tx_dropped of /sys (see run/ring.h), or -1. */
	struct host_port port[N_LINK_ENDS];
	/* For people: "NS/DEV", "./DEV" in the caller's own namespace. */
	char end[N_LINK_ENDS][LINK_END_TEXT_BYTES];
	/* The words of NEAR and FAR that make the same ends again: devices as they came
	 * to be called, MACs only where they were given. */
	char words[LINK_WORDS_BYTES];
	struct place_socket place; /* listens under the name */
	/* What else ends it, for host_link_stands(). */
	struct nsname ns_name[N_LINK_ENDS];
	struct member member;
	/* For host_link_lost(): a namespace that is not held goes with its processes. */
	bool stays[N_LINK_ENDS];
	pid_t pid[N_LINK_ENDS];
	int pid_fd[N_LINK_ENDS]; /* of the process it was given by; -1: none */
};

/**
 * host_link_prepare() - What is the same for all links of a batch
 *
 * Clears what the killed left, and does before the fork what each child would else do
 * for itself. Optional but for the clearing; says nothing, and what fails here fails
 * again, with its text, where it is needed.
 */
void host_link_prepare(const struct conf *c);

/**
 * host_link_start() - Take the name, make both ends
 * @c:  link_name, near, far, peer or bridge, and gso
 * @turn: called with @ctx when it is about to take names, and may wait; below 0: it is
 *      not to be. NULL: without
 * @h:  filled on success
 * @e:  filled on failure: one line
 *
 * All or nothing: on failure everything made so far is undone before it returns. Both
 * devices are up when it returns. Blocks for some 10 ms to 50 ms; signals are blocked
 * meanwhile. Where the caller may, it leaves its network namespace for a new one, if that
 * is not process 1's: a link must not keep the one it was started in from going away.
 *
 * A device name that was not given is the first free ethN; for the port of a bridge
 * it is the link's name, cut to what a device may have. An MTU that was not given is the
 * other end's, or the bridge's. Neighbours are permanent where both ends' addresses are
 * given and in one network; see host/quiet.h for what an idle link sends then: nothing.
 *
 * Return: 0; -EINVAL when the words are wrong, which nothing was made for (status 1);
 * another -errno when the system refused (status 2): -EADDRINUSE for a name or an
 * address that is taken, -EEXIST for a device name, -ENOENT for a namespace, -ENODEV and
 * -ENOTSUP for a bridge, -EPERM for a right.
 */
int host_link_start(const struct conf *c, int (*turn)(void *ctx), void *ctx,
	struct host_link *h, struct err *e);

/**
 * host_link_stands() - Whether both ends are what they were, as far as no TAP tells
 * @why: filled with what is amiss when not
 *
 * To be asked when @h->member.fd is readable, and upon SIGIO, which host_link_start()
 * leaves blocked. A namespace may have lost the name by which it was given, and a
 * port its bridge. Needs no privilege; allowed after host_link_drop().
 */
bool host_link_stands(const struct host_link *h, char why[ERR_TEXT_BYTES]);

/**
 * host_link_lost() - Why the device of end @i is gone, if more is known than that
 * @i:   LINK_NEAR or LINK_FAR
 * @why: filled, when true is returned
 *
 * Allowed after host_link_drop().
 */
bool host_link_lost(const struct host_link *h, int i, char why[ERR_TEXT_BYTES]);

/**
 * host_link_abort() - Undo host_link_start(): devices, name and files are gone
 *
 * In this order. Allowed after host_link_drop(), and then the way to end a link.
 */
void host_link_abort(struct host_link *h);

/**
 * host_link_drop() - Let all privileges fall, as host_drop() does for a run
 *
 * Held after it: the open files; place_unlink() still works. Return: 0 or -errno (then
 * the caller must end).
 */
int host_link_drop(const struct host_link *h, struct err *e);

/**
 * host_link_check() - What host_link_start() looks at first: the words alone
 *
 * Names of devices, addresses given twice. Return: 0 or -EINVAL.
 */
int host_link_check(const struct conf *c, struct err *e);

#endif
