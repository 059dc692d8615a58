/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conf/reader.c - values behind a keyword
 */
#include "config.h"

#include "conf/reader.h"

#include "base/units.h"

#include <errno.h>

/* Put the keyword and the word that was wrong in front of the reason. */
int reader_wrong(struct reader *r, const char *text)
{
	char room[WORDS_QUOTE_BYTES];

	return err_wrap(
		r->e, "%s %s '%s'", r->kind, r->word->name, words_quote(text, room));
}

/* The next word as a value that must be there, or NULL with the error filled. */
const char *reader_word(struct reader *r)
{
	const char *text = cursor_peek(r->c);

	if (!text || cursor_is(r->c, "--")) {
		err_set(r->e, -EINVAL, "%s %s: a value is missing%s; write %s %s",
			r->kind, r->word->name, text ? " before --" : "", r->word->name,
			r->word->values);
		return NULL;
	}
	r->c->at++;
	return text;
}

bool reader_more(const struct reader *r)
{
	return units_is_number(cursor_peek(r->c), false);
}

bool reader_more_signed(const struct reader *r)
{
	return units_is_number(cursor_peek(r->c), true);
}

int reader_time(struct reader *r, nsec_t *ns)
{
	const char *text = reader_word(r);

	if (!text)
		return -EINVAL;
	return units_time(text, ns, r->e) ? reader_wrong(r, text) : 0;
}

int reader_share(struct reader *r, double *share)
{
	const char *text = reader_word(r);

	if (!text)
		return -EINVAL;
	return units_percent(text, share, r->e) ? reader_wrong(r, text) : 0;
}

int reader_p32(struct reader *r, uint32_t *p32)
{
	double share;
	int rc = reader_share(r, &share);

	if (rc == 0)
		*p32 = units_p32(share);
	return rc;
}

int reader_size(struct reader *r, uint32_t *bytes)
{
	const char *text = reader_word(r);

	if (!text)
		return -EINVAL;
	return units_size(text, bytes, r->e) ? reader_wrong(r, text) : 0;
}

int reader_u32(struct reader *r, uint32_t *n)
{
	const char *text = reader_word(r);

	if (!text)
		return -EINVAL;
	return units_u32(text, n, r->e) ? reader_wrong(r, text) : 0;
}

int reader_s32(struct reader *r, int32_t *n)
{
	const char *text = reader_word(r);

	if (!text)
		return -EINVAL;
	return units_s32(text, n, r->e) ? reader_wrong(r, text) : 0;
}
