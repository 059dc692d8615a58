/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/nattable.h - the nft tables of `uplink nat`: one's own, and what others put down
 *
 * Each run has a table with the name of its device, NATTABLE_DEV and a number. In a chain
 * that nothing jumps to, `was`, it says in comments what was switched on and what it was
 * before.
 */
#ifndef FW_HOST_NATTABLE_H
#define FW_HOST_NATTABLE_H

#include "base/err.h"
#include "host/forward.h"
#include "host/rules.h"

#include <stdbool.h>

#define NATTABLE_DEV "farwire"

/** nattable_is() - Is there one for @dev already? */
bool nattable_is(struct rules *r, const char *dev);

/**
 * nattable_others() - Hear what other runs have put down
 * @dev:  one's own
 * @made: whether that one stands
 * @each: called with each line, as forward_text() gave it
 */
void nattable_others(struct rules *r, const char *dev, bool made,
	void (*each)(const char *text, void *ctx), void *ctx);

/** nattable_make() - Make one's own. It goes with the last copy of rules_keep(). */
int nattable_make(
	struct rules *r, const char *dev, const struct forward *f, struct err *e);

/**
 * nattable_probed() - Has the table seen natprobe_frame() leave?
 * @family: AF_INET or AF_INET6
 */
bool nattable_probed(struct rules *r, const char *dev, int family);

/** nattable_unprobe() - The rules for that go. */
int nattable_unprobe(struct rules *r, const char *dev, struct err *e);

/**
 * nattable_dropper() - Which chain of a hook drops what it does not know?
 * @hook: "forward", "input" or "output"
 * @to: "chain 'FORWARD' of table 'ip filter'", or ""
 */
void nattable_dropper(
	struct rules *r, const char *hook, int family, char *to, unsigned max_bytes);

#endif
