/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run/signals.h - signals and the command as events
 *
 * Theory of operation
 *   All signals are blocked and read from a signalfd, so that none interrupts the loop.
 *   farwire and its command share the terminal and the process group. What the terminal
 *   sends (si_code SI_KERNEL) has reached the command already; what somebody sends to
 *   farwire alone is passed on. When the command is stopped from the terminal, farwire
 *   stops too, so that the shell gets its prompt back, and on being continued continues
 *   the command. farwire is the reaper of what the command leaves behind.
 */
#ifndef FW_RUN_SIGNALS_H
#define FW_RUN_SIGNALS_H

#include "base/err.h"

#include <stdbool.h>
#include <sys/types.h>

struct signals {
	int fd;
	pid_t child;
	bool has_tty; /* a shell with job control may be there to continue us */
	bool child_ended;
	int child_status;  /* as wait(2) gives it, once child_ended */
	bool resumed_late; /* we were stopped; due times have passed meanwhile */
};

/**
 * signals_open() - Block all signals and make the signalfd
 * @s:     filled on success
 * @child: process id of the command
 *
 * Return: 0 or -errno.
 */
int signals_open(struct signals *s, pid_t child, struct err *e);

void signals_close(struct signals *s);

/**
 * signals_read() - Take one batch of signals and of news about children
 * @s:       state, child_ended and child_status are set when the command has ended
 * @forward: room for @max signal numbers that are to be passed on to the command
 *
 * Stops the caller when the command has been stopped. Return: numbers in @forward.
 */
unsigned signals_read(struct signals *s, int *forward, unsigned max);

/**
 * signals_die_like() - End this process as the command ended
 * @wait_status: as wait(2) gives it
 *
 * Exits with its status, or raises the signal that killed it. Does not return.
 */
void signals_die_like(int wait_status) __attribute__((noreturn));

#endif
