/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/privs.h - which capabilities the caller has; "root" means these, never uid 0
 */
#ifndef FW_HOST_PRIVS_H
#define FW_HOST_PRIVS_H

#include <stdbool.h>

/** privs_can_setup() - CAP_NET_ADMIN and CAP_SYS_ADMIN: no user namespace is needed. */
bool privs_can_setup(void);

/** privs_can_setuid() - CAP_SETUID and CAP_SETGID. */
bool privs_can_setuid(void);

/** privs_can_lock() - CAP_IPC_LOCK. */
bool privs_can_lock(void);

/** privs_can_raise() - CAP_SYS_RESOURCE: may raise its own limits. */
bool privs_can_raise(void);

/** privs_fall() - Clear all capability sets for good, set no_new_privs. 0 or -errno. */
int privs_fall(void);

#endif
