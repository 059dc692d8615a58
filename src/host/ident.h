/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/ident.h - as whom the command runs
 */
#ifndef FW_HOST_IDENT_H
#define FW_HOST_IDENT_H

#include "base/err.h"

#include <stdbool.h>
#include <sys/types.h>

struct ident {
	bool change; /* else the command runs as the caller is */
	uid_t uid;
	gid_t gid;
	gid_t *groups; /* owned */
	int n_groups;
	char name[64];
	char home[512];
};

/**
 * ident_read() - Decide as whom the command runs
 * @id:   filled; ident_fini() frees it
 * @user: --user, or NULL: the caller of sudo when there is one, else nobody new
 * @e:    filled on failure
 *
 * Return: 0 or -errno: an unknown user, or the capabilities for a change are missing.
 */
int ident_read(struct ident *id, const char *user, struct err *e);

/** ident_fini() - Free what ident_read() allocated. */
void ident_fini(struct ident *id);

/**
 * ident_drop() - Take the ids of @id for good; nothing when it changes nothing
 *
 * Capabilities fall with uid 0. Return: 0 or -errno.
 */
int ident_drop(const struct ident *id, struct err *e);

/**
 * ident_become() - All of it before an exec: ids, environment, no way back
 * @rootless: in a user namespace of our own, where uid 0 would get all its
 *            capabilities from exec
 *
 * Return: 0 or -errno.
 */
int ident_become(const struct ident *id, bool rootless, struct err *e);

/** ident_env() - Set HOME, USER and LOGNAME as @id has them. */
void ident_env(const struct ident *id);

#endif
