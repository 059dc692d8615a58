/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/stats.h - a device's count of what its own ring dropped
 */
#ifndef FW_HOST_STATS_H
#define FW_HOST_STATS_H

/**
 * stats_open() - Open the count of @dev in the caller's network namespace
 *
 * May leave the caller in a mount namespace of its own. The file does not keep the
 * network namespace from going away, and the number is read again from its begin.
 * Return: -1 where the system does not give it.
 */
int stats_open(const char *dev);

#endif
