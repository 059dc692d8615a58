/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conf/impair_args.c - which direction has which SPEC
 */
#include "config.h"

#include "conf/line.h"

#include "conf/kinds.h"

#include <errno.h>

static bool at_direction(const struct cursor *c)
{
	return cursor_is(c, "up") || cursor_is(c, "down");
}

bool impair_args_at(const struct cursor *c)
{
	return kinds_at(c) || at_direction(c);
}

/* Behind a SPEC something stands that neither belongs to it nor ends it. */
static int second_spec(const struct line *l, const char *where, struct err *e)
{
	return line_wrong(l, where, e,
		"there is a SPEC without a direction already; write up netem ... down "
		"netem ...");
}

/* up SPEC or down SPEC, the cursor at the direction. */
static int read_direction(struct line *l, const char *where, struct err *e)
{
	enum direction dir = cursor_is(&l->at, "up") ? DIR_UP : DIR_DOWN;
	const char *name = dir == DIR_UP ? "up" : "down";
	int rc;

	if (l->conf.has_direction[dir])
		return line_wrong(l, where, e, "named twice");
	if (l->conf.near_lo && dir == DIR_DOWN)
		return line_wrong(l, where, e,
			"a loopback has one direction; write up, or netem alone");
	l->at.at++;
	if (!kinds_at(&l->at))
		return err_set(e, -EINVAL,
			"%s %s: no SPEC behind it; write %s netem ...", where, name,
			name);
	rc = kinds_read(&l->conf.spec[dir], &l->at, e);
	if (rc)
		return rc;
	l->conf.has_direction[dir] = true;
	return 0;
}

int impair_args_read(struct line *l, const char *where, struct err *e)
{
	struct conf *c = &l->conf;
	int rc;

	if (kinds_at(&l->at)) {
		rc = kinds_read(&c->spec[DIR_UP], &l->at, e);
		if (rc)
			return rc;
		if (!c->near_lo &&
			kinds_copy_for_down(&c->spec[DIR_DOWN], &c->spec[DIR_UP]))
			return err_set(e, -ENOMEM, "%s: no memory for a SPEC", where);
		return at_direction(&l->at) ? second_spec(l, where, e) : 0;
	}
	while (at_direction(&l->at)) {
		rc = read_direction(l, where, e);
		if (rc)
			return rc;
	}
	return 0;
}
