/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conf/reader.h - values behind a keyword
 *
 * Each function takes the next word, which must be there and right, and moves past it.
 * They return 0 or -EINVAL with the error filled: kind, keyword, word, reason.
 */
#ifndef FW_CONF_READER_H
#define FW_CONF_READER_H

#include "base/clock.h"
#include "base/err.h"
#include "conf/cursor.h"
#include "conf/words.h"

#include <stdint.h>

struct reader {
	const char *kind;        /* for messages: the kind of impairment */
	const struct word *word; /* the keyword whose values are read */
	struct cursor *c;
	struct err *e;
};

/** reader_wrong() - Put kind, keyword and @text before the reason in r->e. Its code. */
int reader_wrong(struct reader *r, const char *text);

/** reader_word() - The next word as it is, or NULL with the error filled */
const char *reader_word(struct reader *r);

/** reader_more() - Does the next word begin as a number does? */
bool reader_more(const struct reader *r);

/** reader_more_signed() - The same where a number may be negative */
bool reader_more_signed(const struct reader *r);

int reader_time(struct reader *r, nsec_t *ns);
int reader_share(struct reader *r, double *share);
int reader_p32(struct reader *r, uint32_t *p32);
int reader_size(struct reader *r, uint32_t *bytes);
int reader_u32(struct reader *r, uint32_t *n);
int reader_s32(struct reader *r, int32_t *n);

#endif
