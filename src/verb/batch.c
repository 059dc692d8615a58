/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * verb/batch.c - do what the lines of a file say, one after another
 */
#include "config.h"

#include "verb/verb.h"

#include "base/log.h"
#include "conf/args.h"
#include "conf/batch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* Return: the exit status of one line, -1 behind the last. */
static int do_line(struct batch *b, bool quiet,
	int (*do_verb)(const struct conf *c, int argc, char **argv))
{
	struct conf c;
	struct err e = {0};
	int rc, status;

	conf_init(&c);
	rc = batch_next(b, &c, &e);
	if (rc == 0)
		return -1;
	if (rc < 0) {
		log_error("%s", e.text);
		return verb_status(rc);
	}
	/* Nothing but the place: what is wrong is said behind it. */
	batch_wrong(b, &e);
	log_where(e.text);
	log_quiet(quiet || c.quiet);
	status = do_verb(&c, b->argc, b->argv);
	log_where(NULL);
	log_quiet(quiet);
	conf_fini(&c);
	return status;
}

int verb_batch(const struct conf *c,
	int (*do_verb)(const struct conf *c, int argc, char **argv))
{
	static struct batch b;
	int status, first = EXIT_SUCCESS;
	struct err e;

	if (batch_open(&b, c->batch_path, &e) < 0) {
		log_error("%s", e.text);
		return EXIT_SYSTEM;
	}
	while ((status = do_line(&b, c->quiet, do_verb)) >= 0) {
		if (status && !first)
			first = status;
		if (status && !c->force)
			break;
	}
	batch_close(&b);
	return first;
}
