/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/probe.h - trials for the doctor, each in a process that is thrown away
 */
#ifndef FW_HOST_PROBE_H
#define FW_HOST_PROBE_H

#include "base/err.h"
#include "host/loopback.h"

#include <stdbool.h>

struct probe {
	struct err err; /* code is 0 when it worked */
	bool tso, uso;  /* super-frames that the TAP takes */
};

/** probe_userns() - User, network and mount namespaces as a plain user makes them. */
void probe_userns(struct probe *p);

/**
 * probe_loopback() - One datagram over the loopback of a fresh namespace and a TAP
 * @rootless: in a user namespace of its own
 * @want:     REDIRECT_TC or REDIRECT_NFT
 */
void probe_loopback(struct probe *p, bool rootless, enum redirect want);

/** probe_fifo() - SCHED_FIFO. Return: 0 or -errno. */
int probe_fifo(void);

/** probe_filter() - The filter of a running link can be loaded. 0 or -errno. */
int probe_filter(struct err *e);

/** probe_uring() - io_uring. Return: 0 or -errno. */
int probe_uring(void);

#endif
