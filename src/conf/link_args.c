/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conf/link_args.c - the ends of a link: device, addresses, what is at the far end
 */
#include "config.h"

#include "conf/line.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define LINK_NAME_MAX 32 /* what a control socket's path has room for */

static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
static const char digits[] = "0123456789";

int link_args_check_name(const char *name, const char *where, struct err *e)
{
	char room[WORDS_QUOTE_BYTES], good[80];
	char *word = (char *)(uintptr_t)name; /* read only */
	const char *why = NULL;

	snprintf(good, sizeof(good), "%s%s_.-", letters, digits);
	if (strcmp(name, "all") == 0)
		why = "means every link; give this one another name";
	else if (impair_args_at(&(struct cursor){.words = &word, .end = 1}))
		why = "a word of the SPEC; give this link another name";
	else if (!*name || !strchr(good, *name) || strchr("_.-", *name))
		why = "a name begins with a letter or a digit";
	else if (name[strspn(name, good)])
		why = "a name has letters, digits, _ . - and nothing else";
	else if (strlen(name) > LINK_NAME_MAX)
		why = "a name has at most 32 characters";
	if (!why)
		return 0;
	return err_set(e, -EINVAL, "%s '%s': %s", where, words_quote(name, room), why);
}

/* How a verb is written that has no link yet. */
static int no_name(const struct line *l, const char *where, struct err *e)
{
	if (l->conf.verb == VERB_ADD)
		return err_set(e, -EINVAL,
			"%s: no link named; write %s NAME netns NS peer netns NS ...",
			where, where);
	if (l->conf.verb == VERB_DEL)
		return err_set(e, -EINVAL,
			"%s: no link named; write %s NAME, or %s all (show lists the "
			"names)",
			where, where, where);
	return err_set(e, -EINVAL,
		"%s: no link named; write %s NAME netem ... (show lists the names)",
		where, where);
}

int link_args_name(struct line *l, const char *where, const char **name, struct err *e)
{
	enum verb verb = l->conf.verb;
	bool alone = verb == VERB_SHOW || verb == VERB_MONITOR || verb == VERB_DEL;
	const char *text = cursor_peek(&l->at);
	int rc;

	if (!text || cursor_is(&l->at, "--"))
		return no_name(l, where, e);
	if (strcmp(text, "all") == 0 && verb != VERB_ADD)
		return line_wrong(l, where, e,
			alone ? "is no name; write nothing for all links"
			      : "one link at a time; write its name");
	if (impair_args_at(&l->at) || (verb == VERB_ADD && link_args_at(&l->at)))
		return line_wrong(l, where, e,
			alone ? "is no name; write the name of a link alone"
			      : "no link named before it; write NAME before it");
	rc = link_args_check_name(text, where, e);
	if (rc)
		return rc;
	*name = text;
	l->at.at++;
	return 0;
}

static int read_uplink(struct line *l, const char *text, struct err *e)
{
	static const struct {
		const char *name;
		enum far far;
	} ways[] = {{"auto", FAR_UPLINK_AUTO}, {"none", FAR_UPLINK_NONE},
		{"nat", FAR_UPLINK_NAT}, {"passt", FAR_UPLINK_PASST},
		{"slirp", FAR_UPLINK_SLIRP}};

	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
		if (strcmp(text, ways[i].name) == 0) {
			l->conf.far = ways[i].far;
			return 0;
		}
	return err_set(e, -EINVAL,
		"no such way out; write auto, nat, passt or slirp, or none for a "
		"private far end");
}

enum link_word {
	LINK_NETNS,
	LINK_DEV,
	LINK_ADDR,
	LINK_MAC,
	LINK_MTU,
	LINK_UPLINK,
	LINK_PEER,
	LINK_BRIDGE,
	N_LINK_WORDS,
};

static const char *const names[N_LINK_WORDS] = {
	[LINK_NETNS] = "netns",
	[LINK_DEV] = "dev",
	[LINK_ADDR] = "addr",
	[LINK_MAC] = "mac",
	[LINK_MTU] = "mtu",
	[LINK_UPLINK] = "uplink",
	[LINK_PEER] = "peer",
	[LINK_BRIDGE] = "bridge",
};

#define BIT(w) (1u << (w))

/* While the words of one link are read. */
struct link_reading {
	const char *where;    /* for messages: the verb, and peer */
	struct link_end *end; /* which end they are of */
	unsigned seen;        /* a BIT of each word of this end */
};

static enum link_word find(const struct cursor *c)
{
	int i = 0;

	while (i < N_LINK_WORDS && !cursor_is(c, names[i]))
		i++;
	return (enum link_word)i;
}

bool link_args_at(const struct cursor *c)
{
	return find(c) < N_LINK_WORDS;
}

static int read_dev(
	struct line *l, struct link_end *end, const char *text, struct err *e)
{
	if (strcmp(text, "lo") != 0)
		return end_args_dev(&end->dev, text, e);
	if (l->conf.verb != VERB_RUN)
		return err_set(e, -EINVAL,
			"a loopback has no other end; write run dev lo to impair one, "
			"or another name");
	l->conf.near_lo = true;
	return 0;
}

static int read_value(struct line *l, const struct link_reading *r, enum link_word w,
	const char *text, struct err *e)
{
	switch (w) {
	case LINK_NETNS:
		return end_args_netns(r->end, text, e);
	case LINK_DEV:
		return read_dev(l, r->end, text, e);
	case LINK_ADDR:
		return end_args_addr(r->end, text, e);
	case LINK_MAC:
		return end_args_mac(r->end, text, e);
	case LINK_MTU:
		return end_args_mtu(r->end, text, e);
	case LINK_UPLINK:
		return read_uplink(l, text, e);
	case LINK_BRIDGE:
		return end_args_dev(&l->conf.bridge, text, e);
	case LINK_PEER:
	case N_LINK_WORDS:
		break;
	}
	return 0;
}

/* For the message that a value is missing. */
static const char *example(const struct line *l, enum link_word w)
{
	static const char *const texts[N_LINK_WORDS] = {
		[LINK_NETNS] = "netns NS",
		[LINK_DEV] = "dev eth0",
		[LINK_ADDR] = "addr 10.71.0.2/24",
		[LINK_MAC] = "mac 02:00:00:00:00:01",
		[LINK_MTU] = "mtu 1500",
		[LINK_UPLINK] = "uplink auto",
		[LINK_PEER] = "peer",
		[LINK_BRIDGE] = "bridge br0",
	};

	return w == LINK_DEV && l->conf.verb == VERB_RUN ? "dev lo" : texts[w];
}

/* One word and its value, the cursor at the word. */
static int read_pair(
	struct line *l, struct link_reading *r, enum link_word w, struct err *e)
{
	char room[WORDS_QUOTE_BYTES];
	const char *text;
	int rc;

	if (w != LINK_ADDR && (r->seen & BIT(w)))
		return line_wrong(l, r->where, e, "named twice");
	r->seen |= BIT(w);
	l->at.at++;
	text = cursor_peek(&l->at);
	if (!text || !*text || cursor_is(&l->at, "--"))
		return err_set(e, -EINVAL, "%s %s: a value is missing; write %s",
			r->where, names[w], example(l, w));
	rc = read_value(l, r, w, text, e);
	if (rc)
		return err_wrap(
			e, "%s %s '%s'", r->where, names[w], words_quote(text, room));
	l->at.at++;
	return 0;
}

/* Return: the first one, 0: none. */
static unsigned port_in_both(const struct port_list *a, const struct port_list *b)
{
	for (unsigned i = 0; i < a->n; i++)
		for (unsigned k = 0; k < b->n; k++)
			if (a->port[i] == b->port[k])
				return a->port[i];
	return 0;
}

/* Words that each are right and do not go together. */
static int check_run(const struct line *l, unsigned seen, struct err *e)
{
	const struct conf *c = &l->conf;
	const char *ports = c->reach.n ? "--reach" : "--listen";
	unsigned port;

	if (c->near_lo && (seen & (BIT(LINK_ADDR) | BIT(LINK_MAC))))
		return err_set(e, -EINVAL,
			"run %s: dev lo has addresses of its own, 127.0.0.1 and ::1; "
			"leave out %s, or dev lo",
			seen & BIT(LINK_ADDR) ? "addr" : "mac",
			seen & BIT(LINK_ADDR) ? "addr" : "mac");
	if (c->far_command && c->far != FAR_UPLINK_NONE)
		return err_set(e, -EINVAL,
			"--far: %s has no far end to run it at; write uplink none",
			c->far == FAR_ABSENT ? "dev lo alone" : "a way out");
	if ((c->reach.n || c->listen.n) && c->far == FAR_ABSENT)
		return err_set(e, -EINVAL,
			"%s: dev lo alone has no way out; leave out dev lo, or write "
			"uplink auto beside it",
			ports);
	port = port_in_both(&c->reach, &c->listen);
	if (port)
		return err_set(e, -EINVAL,
			"--listen '%u': --reach takes that port inside; name it once",
			port);
	return end_args_check(&c->near, c->near.mtu_bytes, "run", e);
}

/* A word of add in a run. */
static int not_in_run(const struct line *l, enum link_word w, struct err *e)
{
	if (w == LINK_NETNS)
		return line_wrong(l, "run", e,
			"run makes its own; a link into one that is there is "
			"farwire add NAME netns NS ...");
	return line_wrong(l, "run", e,
		"the far end of add; write uplink auto or none, or farwire add NAME "
		"...");
}

int link_args_run(struct line *l, struct err *e)
{
	struct link_reading r = {.where = "run", .end = &l->conf.near};
	int rc;

	while (link_args_at(&l->at) || option_args_at(&l->at)) {
		enum link_word w = find(&l->at);

		if (w == N_LINK_WORDS) {
			rc = option_args_read(l, e);
			if (rc || l->wants_help || l->wants_version)
				return rc;
			continue;
		}
		if (w == LINK_NETNS || w == LINK_PEER || w == LINK_BRIDGE)
			return not_in_run(l, w, e);
		if (w != LINK_UPLINK && (r.seen & BIT(LINK_UPLINK)))
			return line_wrong(l, "run", e,
				"is the near end's; write it before uplink");
		rc = read_pair(l, &r, w, e);
		if (rc)
			return rc;
	}
	rc = option_args_fit(l, words_find(&words_verbs, "run"), e);
	if (l->conf.far == FAR_ABSENT && !l->conf.near_lo)
		l->conf.far = FAR_UPLINK_AUTO;
	return rc ? rc : check_run(l, r.seen, e);
}

static int no_far_end(const struct line *l, struct err *e)
{
	return err_set(e, -EINVAL,
		"add %s: no far end; write peer netns NS ..., or bridge BR",
		l->conf.link_name);
}

/* One word of an added link, none of the options. */
static int add_word(
	struct line *l, struct link_reading *r, enum link_word w, struct err *e)
{
	struct conf *c = &l->conf;

	if (w == LINK_UPLINK)
		return line_wrong(l, r->where, e,
			"the far end of run; write peer netns NS ..., or bridge BR");
	if ((w == LINK_PEER || w == LINK_BRIDGE) && c->far != FAR_ABSENT)
		return line_wrong(l, "add", e, "there is a far end already");
	if (c->far == FAR_BRIDGE)
		return line_wrong(
			l, "add", e, "is the near end's; write it before bridge");
	if (w == LINK_MTU && c->far == FAR_PEER)
		return line_wrong(
			l, "add", e, "is for both ends; write it before peer");
	if (w == LINK_BRIDGE)
		c->far = FAR_BRIDGE;
	if (w != LINK_PEER)
		return read_pair(l, r, w, e);
	c->far = FAR_PEER;
	*r = (struct link_reading){.where = "add peer", .end = &c->peer};
	l->at.at++;
	return 0;
}

int link_args_add(struct line *l, struct err *e)
{
	struct link_reading r = {.where = "add", .end = &l->conf.near};
	const struct conf *c = &l->conf;
	int rc;

	while (link_args_at(&l->at) || option_args_at(&l->at)) {
		enum link_word w = find(&l->at);

		rc = w == N_LINK_WORDS ? option_args_read(l, e) : add_word(l, &r, w, e);
		if (rc || l->wants_help || l->wants_version)
			return rc;
	}
	rc = option_args_fit(l, words_find(&words_verbs, "add"), e);
	if (rc)
		return rc;
	/* Any other word is told by whoever reads on. */
	if (c->far == FAR_ABSENT && (!cursor_peek(&l->at) || impair_args_at(&l->at) ||
					    cursor_is(&l->at, "--")))
		return no_far_end(l, e);
	rc = end_args_check(&c->near, c->near.mtu_bytes, "add", e);
	return rc ? rc : end_args_check(&c->peer, c->near.mtu_bytes, "add", e);
}
