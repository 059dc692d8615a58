/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/spawn.h - the process of a relay
 */
#ifndef FW_HOST_SPAWN_H
#define FW_HOST_SPAWN_H

#include "base/err.h"
#include "host/ident.h"

#include <sys/types.h>

/**
 * spawn_relay() - Start one in the network namespace where the caller stands
 * @sock:   the relay's end of its socket; the caller keeps its own copy
 * @ident:  as whom it runs
 * @parent: with whom it dies. Another process than the caller must be the next
 *          subreaper above; then the relay becomes its child, not the caller's
 *
 * The relay has no capability, a session of its own, no file but @sock, a relay's system
 * calls. That it could not be so is heard by the end of the socket. Return: 0 or -errno.
 */
int spawn_relay(int sock, const struct ident *ident, pid_t parent, struct err *e);

#endif
