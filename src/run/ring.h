/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run/ring.h - what a TAP's own ring dropped before farwire could read it
 */
#ifndef FW_RUN_RING_H
#define FW_RUN_RING_H

#include <stdint.h>

/**
 * ring_drops() - Read a device's count of dropped sends
 * @stats_fd: /proc/net/dev of the device's namespace, or its tx_dropped of /sys, opened
 *            at set-up; -1 gives 0
 * @dev:      name of the device
 *
 * Return: frames dropped since the device was made; 0 where the file does not say. Not
 * for the frame path: the kernel prints a table for it.
 */
uint64_t ring_drops(int stats_fd, const char *dev);

/**
 * ring_parse() - The same from the file's text
 * @text: terminated
 */
uint64_t ring_parse(const char *text, const char *dev);

#endif
