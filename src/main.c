/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * main.c - words in; a verb does what they say; its status out
 */
#include "config.h"

#include "base/log.h"
#include "conf/args.h"
#include "conf/help.h"
#include "conf/show.h"
#include "conf/warn.h"
#include "host/doctor.h"
#include "report/doctor.h"
#include "verb/verb.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static void say_warnings(const struct conf *c)
{
	char lines[WARN_LINES_MAX][WARN_LINE_BYTES];
	unsigned i, n;

	n = warn_spec(&c->spec[DIR_UP], lines);
	for (i = 0; i < n; i++)
		log_warn("%s", lines[i]);
	/* Where one SPEC stands for both directions it is warned of once. */
	if (!c->has_direction[DIR_DOWN])
		return;
	n = warn_spec(&c->spec[DIR_DOWN], lines);
	for (i = 0; i < n; i++)
		log_warn("down: %s", lines[i]);
}

/* Results that could not be written are no results. */
static int end_of_output(int rc)
{
	if (rc < 0 || fflush(stdout) == EOF || ferror(stdout)) {
		log_error("cannot write to stdout");
		return EXIT_SYSTEM;
	}
	return EXIT_SUCCESS;
}

static int end_of_output_after(int status)
{
	int rc = end_of_output(0);

	return status ? status : rc;
}

static int main_help(const struct conf *c)
{
	struct err e = {0};
	int rc = help_print(stdout, c->help_word, &e);

	if (rc == -EINVAL) {
		log_error("%s", e.text);
		return EXIT_WRONG_WORDS;
	}
	return end_of_output(rc);
}

static int main_doctor(const struct conf *c)
{
	struct doctor d;
	int rc;

	doctor_examine(&d);
	rc = c->json ? doctor_json(stdout, &d, c->pretty) : doctor_text(stdout, &d);
	rc = end_of_output(rc);
	return rc ? rc : d.can_run ? EXIT_SUCCESS : EXIT_WRONG_WORDS;
}

static int do_line(const struct conf *c, int argc, char **argv);

static int do_verb(const struct conf *c, int argc, char **argv)
{
	switch (c->verb) {
	case VERB_RUN:
		return verb_run(c);
	case VERB_ADD:
		return verb_add(c);
	case VERB_DEL:
		return verb_del(c);
	case VERB_CHANGE:
	case VERB_REPLACE:
	case VERB_SET:
		return verb_change(c, argc, argv);
	case VERB_SHOW:
		return end_of_output_after(verb_show(c));
	case VERB_MONITOR:
		return verb_monitor(c);
	case VERB_CHECK:
		return end_of_output(show_check(c, stdout));
	case VERB_DOCTOR:
		return main_doctor(c);
	case VERB_VERSION:
		return end_of_output(help_version(stdout));
	case VERB_BATCH:
		return verb_batch(c, do_line);
	case VERB_HELP:
		break;
	}
	return main_help(c);
}

/* A line of a batch is as good as a command line. */
static int do_line(const struct conf *c, int argc, char **argv)
{
	say_warnings(c);
	return do_verb(c, argc, argv);
}

int main(int argc, char **argv)
{
	struct conf c;
	struct err e = {0};
	int status;

	conf_init(&c);
	if (conf_read(&c, argc, argv, &e) < 0) {
		log_error("%s", e.text);
		return c.verb == VERB_RUN ? EXIT_OURS : EXIT_WRONG_WORDS;
	}
	log_quiet(c.quiet);
	status = do_line(&c, argc, argv);
	conf_fini(&c);
	return status;
}
