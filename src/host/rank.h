/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/rank.h - the forwarder outranks the senders; see also host_rank()
 */
#ifndef FW_HOST_RANK_H
#define FW_HOST_RANK_H

#include <stdbool.h>

/**
 * rank_fifo() - Take SCHED_FIFO
 *
 * Return: 0, -EPERM where it is not permitted, -EAGAIN with one CPU only: there a
 * forwarder that outranks all would starve those it serves.
 */
int rank_fifo(void);

/** rank_may_climb() - Whether one who stepped down could probably take the rank again */
bool rank_may_climb(void);

#endif
