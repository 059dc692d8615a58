/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/nattable.c - the nft tables of `uplink nat`: one's own, and what others put down
 *
 * Theory of operation
 *   postrouting  what came from our device leaves with the host's address
 *   forward      the host is as closed as it was: on a device where forwarding was
 *                switched on for us, what others begin goes nowhere but to runs' devices
 *                (which let nothing in that was not asked for). Flows that are under way,
 *                and those that the host's own rules translate, pass: they are of
 *                someone who began to forward meanwhile.
 *   probe        counts and drops one datagram, see host/natprobe.c
 *   was          what forwarding was
 */
#include "config.h"

#include "host/nattable.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "host/natprobe.h"

#define LIST_TRIES 5
#define LIST_TRY_MS 20

/* Nothing that is known: its sender, or its receiver, began here. */
#define STRANGE "ct state { new, invalid, untracked }"
#define ELSEWHERE "oifname != \"" NATTABLE_DEV "*\" " STRANGE " ct status ! dnat drop"

#define COMMENT "comment \""

/*
 * A list that is read while others change their tables may fail, or come out short: it is
 * read again some times before it is believed.
 */
static const char *list_again(struct rules *r, const char *command,
	bool (*good)(const char *, const char *), const char *dev)
{
	const char *all = NULL;
	int i;

	for (i = 0; i < LIST_TRIES; i++) {
		if (i)
			poll(NULL, 0, LIST_TRY_MS);
		all = rules_list(r, command);
		if (all && good(all, dev))
			return all;
	}
	return all ? all : "";
}

static bool is_any(const char *all, const char *dev)
{
	(void)all;
	(void)dev;
	return true;
}

/* Every `was` has one at least. */
static bool has_comment(const char *all, const char *dev)
{
	(void)dev;
	return strstr(all, COMMENT) != NULL;
}

/*
 * The next name of a run's table, into @name. A user's own table may begin so, too: a
 * number follows, and nothing else.
 */
static const char *next_table(const char *at, char name[IFNAMSIZ])
{
	static const char before[] = "table inet " NATTABLE_DEV;
	size_t n;

	while ((at = strstr(at, before))) {
		at += sizeof(before) - 1;
		n = strspn(at, "0123456789");
		if (!n || n > IFNAMSIZ - sizeof(NATTABLE_DEV) ||
			(at[n] != '\n' && at[n] != ' ' && at[n] != '\0'))
			continue;
		snprintf(name, IFNAMSIZ, NATTABLE_DEV "%.*s", (int)n, at);
		return at;
	}
	return NULL;
}

static bool has_table(const char *all, const char *dev)
{
	char name[IFNAMSIZ];

	while ((all = next_table(all, name)))
		if (strcmp(name, dev) == 0)
			return true;
	return false;
}

bool nattable_is(struct rules *r, const char *dev)
{
	return has_table(list_again(r, "list tables inet", is_any, dev), dev);
}

static void read_one(struct rules *r, const char *name,
	void (*each)(const char *text, void *ctx), void *ctx)
{
	char command[64], text[FORWARD_TEXT_BYTES];
	const char *at;

	snprintf(command, sizeof(command), "list chain inet %s was", name);
	at = list_again(r, command, has_comment, name);
	while ((at = strstr(at, COMMENT))) {
		at += strlen(COMMENT);
		snprintf(text, sizeof(text), "%.*s", (int)strcspn(at, "\""), at);
		each(text, ctx);
	}
}

void nattable_others(struct rules *r, const char *dev, bool made,
	void (*each)(const char *text, void *ctx), void *ctx)
{
	const char *at;
	char name[IFNAMSIZ], *all;

	at = list_again(r, "list tables inet", made ? has_table : is_any, dev);
	all = strdup(at); /* the next list takes its place */
	at = all;
	while (at && (at = next_table(at, name)))
		if (strcmp(name, dev) != 0)
			read_one(r, name, each, ctx);
	free(all);
}

static void write_was(FILE *to, const struct forward *f)
{
	char text[FORWARD_TEXT_BYTES];
	unsigned i;

	fputs("chain was {\n", to);
	for (i = 0; forward_text(f, i, text); i++)
		fprintf(to, "continue comment \"%s\"\n", text);
	fputs("}\n", to);
}

static void write_forward(FILE *to, const char *dev, const struct forward *f)
{
	const struct forward_change *c;
	unsigned i;

	/* Before any other, which might accept; -10 is no one else's. */
	fputs("chain forward { type filter hook forward priority -10; policy accept;\n",
		to);
	fprintf(to, "oifname \"%s\" " STRANGE " drop\n", dev);
	for (i = 0; i < f->n; i++) {
		c = &f->change[i];
		fprintf(to, "meta nfproto %s ", c->family == AF_INET ? "ipv4" : "ipv6");
		if (strcmp(c->dev, "all") == 0)
			fputs("iifname != \"" NATTABLE_DEV "*\" ", to);
		else
			fprintf(to, "iifname \"%s\" ", c->dev);
		fputs(ELSEWHERE "\n", to);
	}
	fputs("}\n", to);
}

static void write_rest(FILE *to, const char *dev)
{
	fprintf(to,
		"chain postrouting { type nat hook postrouting priority 100; policy "
		"accept;\n"
		"iifname \"%1$s\" oifname != \"%1$s\" masquerade\n}\n"
		/* Last of all. */
		"chain probe { type filter hook postrouting priority 1000; policy "
		"accept;\n"
		"iifname \"%1$s\" ip daddr " NATPROBE_TO4 " counter drop\n"
		"iifname \"%1$s\" ip6 daddr " NATPROBE_TO6 " counter drop\n}\n",
		dev);
}

int nattable_make(
	struct rules *r, const char *dev, const struct forward *f, struct err *e)
{
	char *text = NULL;
	size_t n_bytes;
	FILE *to = open_memstream(&text, &n_bytes);
	int rc;

	if (!to)
		return err_sys(e, "nft");
	fprintf(to, "table inet %s {\nflags owner\n", dev);
	write_was(to, f);
	write_forward(to, dev, f);
	write_rest(to, dev);
	fputs("}\n", to);
	rc = fclose(to) == 0 ? rules_run(r, text, e) : err_sys(e, "nft");
	free(text);
	return rc;
}

bool nattable_probed(struct rules *r, const char *dev, int family)
{
	const char *at, *address = family == AF_INET
					   ? " " NATPROBE_TO4 " counter packets "
					   : " " NATPROBE_TO6 " counter packets ";
	char command[64];

	snprintf(command, sizeof(command), "list chain inet %s probe", dev);
	at = strstr(list_again(r, command, is_any, dev), address);
	return at && atoi(at + strlen(address)) > 0;
}

int nattable_unprobe(struct rules *r, const char *dev, struct err *e)
{
	char command[128];

	snprintf(command, sizeof(command),
		"flush chain inet %1$.32s probe\ndelete chain inet %1$.32s probe\n",
		dev);
	return rules_run(r, command, e);
}

/* A line of `list chains`, one of: table FAMILY NAME {, chain NAME {, type ... */
struct reading {
	char family[8], table[48], chain[48];
};

static bool read_chain(struct reading *c, const char *line, const char *at)
{
	char hook[16], policy[16];

	if (sscanf(line, "table %7s %47s", c->family, c->table) == 2 ||
		sscanf(line, " chain %47s", c->chain) == 1)
		return false;
	return sscanf(line, " type %*s hook %15s %*[^;]; policy %15[a-z]", hook,
		       policy) == 2 &&
	       strcmp(hook, at) == 0 && strcmp(policy, "drop") == 0;
}

void nattable_dropper(
	struct rules *r, const char *hook, int family, char *to, unsigned max_bytes)
{
	const char *line = list_again(r, "list chains", is_any, "");
	struct reading c = {"", "", ""};

	to[0] = '\0';
	for (; *line && !to[0]; line += strcspn(line, "\n"), line += *line == '\n')
		if (read_chain(&c, line, hook) &&
			(strcmp(c.family, "inet") == 0 ||
				strcmp(c.family, family == AF_INET ? "ip" : "ip6") ==
					0))
			snprintf(to, max_bytes, "chain '%s' of table '%s %s'", c.chain,
				c.family, c.table);
}
