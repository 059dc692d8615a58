/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conf/line.h - a command line while it is read; the readers of its parts share it
 *
 * Each reader takes the words that are its own at the cursor and moves past them. They
 * return 0 or a negative errno with the error filled.
 */
#ifndef FW_CONF_LINE_H
#define FW_CONF_LINE_H

#include "base/err.h"
#include "conf/conf.h"
#include "conf/cursor.h"
#include "conf/words.h"

#include <stdbool.h>

/* What was found so far. */
struct line {
	struct conf conf;
	struct cursor at;
	unsigned options; /* a bit 1 << OPTION_... of each that was given */
	bool has_verb;
	bool wants_help;
	bool wants_version;
};

/** line_wrong() - "WHERE: 'WORD': WHY" of the next word. Return: -EINVAL. */
int line_wrong(const struct line *l, const char *where, struct err *e, const char *why);

/** option_args_read() - Options, each with its value, up to the first other word */
int option_args_read(struct line *l, struct err *e);

/** option_args_at() - Does the next word begin as an option does? */
bool option_args_at(const struct cursor *c);

/** option_args_fit() - Has @verb a use for each option that was given? */
int option_args_fit(const struct line *l, const struct word *verb, struct err *e);

/** link_args_name() - NAME of a link */
int link_args_name(struct line *l, const char *where, const char **name, struct err *e);

/** link_args_check_name() - May @name be that of a link? @where is for the message */
int link_args_check_name(const char *name, const char *where, struct err *e);

/**
 * link_args_run() - [dev DEV] [addr CIDR]... [mac LLADDR] [mtu N] [uplink WAY]
 *
 * Options may stand between them: `uplink none --far COMMAND` says one thing.
 */
int link_args_run(struct line *l, struct err *e);

/**
 * link_args_add() - [NEAR] {peer [netns NS] [dev DEV] [addr CIDR]... [mac M] | bridge BR}
 *
 * NEAR is [netns NS] [dev DEV] [addr CIDR]... [mac M] [mtu N]. Options as above.
 */
int link_args_add(struct line *l, struct err *e);

/** link_args_at() - Is @c at one of the words of a link's end, or at a far end? */
bool link_args_at(const struct cursor *c);

/* The value of one word of an end, @text not empty; errors without word and value. */
int end_args_netns(struct link_end *end, const char *text, struct err *e);
int end_args_dev(const char **dev, const char *text, struct err *e);
int end_args_addr(struct link_end *end, const char *text, struct err *e);
int end_args_mac(struct link_end *end, const char *text, struct err *e);
int end_args_mtu(struct link_end *end, const char *text, struct err *e);

/** end_args_check() - Do the addresses of an end fit its MTU (0: the usual)? */
int end_args_check(const struct link_end *end, unsigned mtu_bytes, const char *where,
	struct err *e);

/** impair_args_read() - [SPEC | up SPEC [down SPEC] | down SPEC [up SPEC]] */
int impair_args_read(struct line *l, const char *where, struct err *e);

/** impair_args_at() - Does a SPEC or a direction begin at @c? */
bool impair_args_at(const struct cursor *c);

#endif
