/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * verb/batch.c - do what the lines of a file say, one after another
 *
 * Links are made side by side, as far as that cannot be told from one after another: see
 * verb/adds.c.
 */
#include "config.h"

#include "verb/verb.h"

#include "base/log.h"
#include "conf/args.h"
#include "conf/batch.h"
#include "verb/adds.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

struct doing {
	struct batch batch;
	bool force, quiet;
	int (*do_verb)(const struct conf *c, int argc, char **argv);
};

static int do_verb(struct doing *d, struct conf *c)
{
	struct batch *b = &d->batch;
	struct err e = {0};
	int status, before;

	/* Nothing but the place: what is wrong is said behind it. */
	batch_wrong(b, &e);
	log_where(e.text);
	log_quiet(d->quiet || c->quiet);
	c->force = d->force;
	status = d->do_verb(c, b->argc, b->argv);
	/* Who writes the next line may wait for this one. */
	if ((!status || d->force) && c->deferred && !batch_at_hand(b)) {
		before = adds_end(d->force);
		status = status ? status : before;
	}
	log_where(NULL);
	log_quiet(d->quiet);
	return status;
}

/* Return: the exit status of one line, or of one before it; -1 behind the last. */
static int do_line(struct doing *d)
{
	struct batch *b = &d->batch;
	struct conf c;
	struct err e = {0};
	int rc, status = 0;

	conf_init(&c);
	rc = batch_next(b, &c, &e);
	c.deferred = rc > 0 && c.verb == VERB_ADD;
	if (!c.deferred)
		status = adds_end(d->force);
	if (rc < 0 && (!status || d->force)) {
		log_error("%s", e.text);
		status = status ? status : verb_status(rc);
	} else if (rc == 0 && !status) {
		status = -1;
	}
	if (rc <= 0)
		return status;
	if (!status || d->force) {
		rc = do_verb(d, &c);
		status = status ? status : rc;
	}
	conf_fini(&c);
	return status;
}

int verb_batch(const struct conf *c,
	int (*do_one)(const struct conf *c, int argc, char **argv))
{
	static struct doing d;
	int status, first = EXIT_SUCCESS;
	struct err e;

	d.force = c->force;
	d.quiet = c->quiet;
	d.do_verb = do_one;
	if (batch_open(&d.batch, c->batch_path, &e) < 0) {
		log_error("%s", e.text);
		return EXIT_SYSTEM;
	}
	while ((status = do_line(&d)) >= 0) {
		if (status && !first)
			first = status;
		if (status && !c->force)
			break;
	}
	batch_close(&d.batch);
	return first;
}
