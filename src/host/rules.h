/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/rules.h - nftables, in this process, by libnftables
 *
 * Of the network namespace in which it was opened.
 */
#ifndef FW_HOST_RULES_H
#define FW_HOST_RULES_H

#include "base/err.h"

struct rules;

/**
 * rules_open() - Begin to speak with nftables
 *
 * Return: NULL with @e where the kernel or this build has no nftables; -ENOENT where the
 * library cannot be loaded.
 */
struct rules *rules_open(struct err *e);

/** rules_close() - Close it and set it to NULL; NULL is allowed. */
void rules_close(struct rules **r);

/** rules_run() - Commands as nft takes them, all or none of them. 0 or -errno. */
int rules_run(struct rules *r, const char *text, struct err *e);

/**
 * rules_list() - What nft says to a command that lists
 *
 * As text: libnftables 1.0.6 uses memory that it has given back when it says as JSON that
 * a table has an owner. Return: NULL where it failed; good until the next call.
 */
const char *rules_list(struct rules *r, const char *command);

/**
 * rules_keep() - The socket that the kernel knows as the owner of the tables made here
 *
 * Return: a file of its own, close-on-exec: as long as it or a copy is open the tables
 * stand, rules_close() or not. -errno on failure.
 */
int rules_keep(const struct rules *r);

/**
 * rules_drop() - Delete a table of family inet by the socket that owns it
 * @fd:    of rules_keep()
 * @table: its name, shorter than IFNAMSIZ
 *
 * For a process that has the socket and not the library's context around it; no other
 * socket may. Return: 0 or -errno, -ENOENT where it is gone.
 */
int rules_drop(int fd, const char *table);

#endif
