/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/sysfs.h - /sys of a fresh network namespace
 */
#ifndef FW_HOST_SYSFS_H
#define FW_HOST_SYSFS_H

/**
 * sysfs_renew() - Let /sys show the devices of the caller's network namespace
 *
 * What is mounted below /sys (cgroups, debugfs, ...) stays where it is. The caller has
 * a mount namespace of its own. Best effort: where the system refuses, /sys is
 * unchanged.
 */
void sysfs_renew(void);

#endif
