/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/host.h - what main.c asks of the privileged room
 *
 * Theory of operation, in the order of calls for `run`:
 *
 *   host_run_start()  the far side of a way out is made (host/wayout.h); a child is
 *                     forked; it makes its namespaces, the TAPs and
 *                     the redirects in there, hands the TAPs over and waits. Then two guards
 *                     are forked: small processes that keep the privileges, hold the
 *                     TAP open and wait on a socket. When the caller is gone, however
 *                     it went, they end every process left in the command's network
 *                     namespace and close the TAP. There are two because one of them
 *                     may be the process that somebody kills.
 *   host_rank()       the forwarder outranks the senders
 *   host_drop()       the caller's privileges fall for good: capabilities,
 *                     no_new_privs, seccomp. Nothing privileged can be called after it.
 *   host_run_go()     the child becomes the command
 *
 * Whatever fails before host_run_go() is undone by host_run_abort(), and by the end of
 * the caller alone.
 */
#ifndef FW_HOST_HOST_H
#define FW_HOST_HOST_H

#include "base/err.h"
#include "conf/conf.h"
#include "host/place.h"

#include <net/if.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define HOST_PORTS_MAX 3
#define N_GUARDS 2

enum port_role {
	PORT_LO,   /* the command's loopback: what is read here is written here */
	PORT_NEAR, /* the command's device; up leaves here */
	PORT_FAR,  /* the far end's; down leaves here */
};

/* What a port's file is, and so how frames go over it. */
enum port_kind {
	PORT_TAP,    /* a frame a read, behind a virtio header */
	PORT_STREAM, /* a UNIX stream: 4 bytes of length, most significant first, frame */
	PORT_PACKET, /* a UNIX SOCK_SEQPACKET: a frame a message */
};

/* One end of a link, open. Owned by whoever holds the struct. */
struct host_port {
	enum port_role role;
	enum port_kind kind;
	int fd;             /* non-blocking; TAP: IFF_VNET_HDR, offloads by --gso */
	char dev[IFNAMSIZ]; /* in the namespace it serves */
	uint8_t mac[6];
	bool set_dst_mac; /* frames read here get .mac as destination (see
			     host/loopback.c) */
	int stats_fd;     /* /proc/net/dev of its namespace, for drop_ring; -1: none */
};

struct host_run {
	pid_t child_pid; /* waits for host_run_go(), then is the command */
	int child_sock;
	int guard_sock[N_GUARDS]; /* SOCK_SEQPACKET; see conf/guard_msg.h */
	pid_t guard_pid[N_GUARDS];
	unsigned n_ports; /* in the order of their roles: lo, then near and far */
	struct host_port port[HOST_PORTS_MAX];
	char name[PLACE_NAME_BYTES]; /* of the run */
	struct place_socket place;   /* listens under it; .fd is -1 where no directory
					for it could be had and no --name was given */
	char far_path[64];           /* the far network namespace, "" without one */
	int far_out_fd;  /* what the far command says, non-blocking; -1: none */
	pid_t far_pid;   /* after host_run_go(), 0: none; reaped as what is left is */
	bool rootless;   /* in a user namespace of its own */
	uid_t owner_uid; /* whose run it is: the command's user */
	char run_as[64]; /* user the command runs as, "" where nothing changes */
	const char *redirect; /* "tc" or "nft" */
	enum far uplink;      /* the way out in use; FAR_ABSENT: none */
	unsigned n_relays;
	int relay_sock[3];  /* each ends when its relay does; see host/relays.h */
	int helper_says_fd; /* what its helper program says, non-blocking; -1: none */
};

/**
 * host_run_start() - Make the command's namespace and its link, and the guards
 * @c:  what was asked for; c->command is what the child will become
 * @h:  filled on success
 * @e:  on failure the one line with the fix (table in the manual, "Failures")
 *
 * Blocks for some 10 ms. Return: 0 or -errno; on failure nothing is left.
 */
int host_run_start(const struct conf *c, struct host_run *h, struct err *e);

/**
 * host_run_go() - The far command starts, then the child becomes the command
 *
 * Blocks until the far command runs; the command follows when that one has opened a
 * socket, at the latest after three seconds. Return: 0 or -errno.
 */
int host_run_go(struct host_run *h, struct err *e);

/** host_run_abort() - End the waiting child and the guards, close all. */
void host_run_abort(struct host_run *h);

/** host_check_files() - May we open as many files as set-up needs? 0 or -EMFILE */
int host_check_files(struct err *e);

/* What rank the forwarder got, for -s. */
struct host_rank {
	bool fifo;
	bool may_step;  /* down from it, where somebody gives it back */
	bool may_climb; /* it can take it back itself */
	int nice;
	bool locked;
};

/**
 * host_rank() - Take SCHED_FIFO, else the best nice value; timer slack 1 ns; lock
 * memory
 * @wish: RANK_AUTO never fails, what is not permitted is not done; another one is met or
 *        refused
 *
 * Children do not inherit the rank. Return: 0 or -errno.
 */
int host_rank(enum rank_wish wish, struct host_rank *r, struct err *e);

/**
 * host_drop() - Let all privileges fall and allow only the loop's system calls
 *
 * Held after it: the open files. Return: 0 or -errno (then the caller must end).
 */
int host_drop(struct err *e);

#endif
