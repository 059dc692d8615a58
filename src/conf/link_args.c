/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conf/link_args.c - the ends of a link: device, addresses, what is at the far end
 */
#include "config.h"

#include "conf/line.h"

#include "base/units.h"

#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINK_NAME_MAX 32 /* what a control socket's path has room for */

/* Least of RFC 791; most that a TAP takes, its frames being at most 64 KiB - 1. */
#define MTU_MIN_BYTES 68
#define MTU_MAX_BYTES 65521
#define MTU_IPV6_BYTES 1280 /* RFC 8200: below it there is no IPv6 on a device */

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

int link_args_name(struct line *l, const char *where, const char **name, struct err *e)
{
	bool changes = l->conf.verb != VERB_SHOW && l->conf.verb != VERB_MONITOR;
	const char *text = cursor_peek(&l->at);
	int rc;

	if (!text)
		return err_set(e, -EINVAL,
			"%s: no link named; write %s NAME netem ... (show lists the "
			"names)",
			where, where);
	if (strcmp(text, "all") == 0)
		return line_wrong(l, where, e,
			changes ? "one link at a time; write its name"
				: "is no name; write nothing for all links");
	if (impair_args_at(&l->at))
		return line_wrong(l, where, e,
			changes ? "no link named before it; write NAME before it"
				: "is no name; write the name of a link alone");
	rc = link_args_check_name(text, where, e);
	if (rc)
		return rc;
	*name = text;
	l->at.at++;
	return 0;
}

/* Why @text is no name of a device; NULL where it is one. As the kernel has it. */
static const char *wrong_dev(const char *text)
{
	if (strlen(text) >= IFNAMSIZ)
		return "a device's name has at most 15 bytes";
	if (strcmp(text, ".") == 0 || strcmp(text, "..") == 0 ||
		strcmp(text, "all") == 0 || strcmp(text, "default") == 0)
		return "a name with another meaning; write eth0, say";
	for (; *text; text++)
		if ((unsigned char)*text <= ' ' || *text == 0x7f ||
			strchr("/:%", *text))
			return "a device's name has no blank, no / : or %; write eth0, "
			       "say";
	return NULL;
}

static int read_dev(struct line *l, const char *text, struct err *e)
{
	const char *why;

	if (strcmp(text, "lo") == 0) {
		l->conf.near_lo = true;
		return 0;
	}
	why = wrong_dev(text);
	l->conf.near.dev = text;
	return why ? err_set(e, -EINVAL, "%s", why) : 0;
}

/* Why no device can have this address for its own. */
static const char *wrong_address(const struct cidr *c)
{
	const uint8_t *b = c->bytes;
	struct in6_addr a6;

	if (c->family == AF_INET) {
		if (b[0] == 127)
			return "a loopback's address";
		if (b[0] == 0)
			return "not an address of a device";
		if (b[0] >= 224)
			return b[0] < 240 ? "a group's address" : "a reserved address";
		return NULL;
	}
	memcpy(&a6, b, sizeof(a6));
	if (IN6_IS_ADDR_UNSPECIFIED(&a6))
		return "not an address of a device";
	if (IN6_IS_ADDR_LOOPBACK(&a6))
		return "a loopback's address";
	if (IN6_IS_ADDR_MULTICAST(&a6))
		return "a group's address";
	if (IN6_IS_ADDR_V4MAPPED(&a6))
		return "an IPv4 address in IPv6's clothes, never on a wire";
	return NULL;
}

static int wrong_cidr(struct err *e, const char *why)
{
	return err_set(e, -EINVAL, "%s; write 10.71.0.2/24 or fd71::2/64, say", why);
}

static int read_cidr(struct cidr *to, const char *text, struct err *e)
{
	const char *slash = strchr(text, '/');
	size_t len = slash ? (size_t)(slash - text) : strlen(text);
	char address[INET6_ADDRSTRLEN];
	struct cidr c = {.family = strchr(text, ':') ? AF_INET6 : AF_INET};
	unsigned max = c.family == AF_INET ? 32 : 128;
	const char *why;

	if (len >= sizeof(address))
		return wrong_cidr(e, "not an address");
	memcpy(address, text, len);
	address[len] = '\0';
	if (inet_pton(c.family, address, c.bytes) != 1)
		return wrong_cidr(e, "not an address");
	if (!slash)
		return err_set(e, -EINVAL,
			"the length of the network is missing; write %s/%u", address,
			c.family == AF_INET ? 24 : 64);
	slash++;
	if (!*slash || strspn(slash, digits) != strlen(slash) || strlen(slash) > 3 ||
		(*slash == '0' && slash[1]))
		return wrong_cidr(e, "the length of the network is no number");
	c.prefix = (unsigned)strtoul(slash, NULL, 10);
	if (c.prefix < 1 || c.prefix > max)
		return err_set(e, -EINVAL,
			"a network's length is 1 to %u here; write %s/%u", max, address,
			c.family == AF_INET ? 24 : 64);
	why = wrong_address(&c);
	if (why)
		return wrong_cidr(e, why);
	*to = c;
	return 0;
}

static int read_addr(struct line *l, const char *text, struct err *e)
{
	struct link_end *near = &l->conf.near;
	struct cidr c = {0};
	int rc = read_cidr(&c, text, e);

	if (rc)
		return rc;
	for (unsigned i = 0; i < near->n_addrs; i++)
		if (near->addr[i].family == c.family &&
			memcmp(near->addr[i].bytes, c.bytes, sizeof(c.bytes)) == 0)
			return err_set(e, -EINVAL, "named twice");
	if (near->n_addrs == END_ADDRS_MAX)
		return err_set(e, -EINVAL, "one too many; an end has at most %d",
			END_ADDRS_MAX);
	near->addr[near->n_addrs++] = c;
	return 0;
}

static int read_mac(struct line *l, const char *text, struct err *e)
{
	struct link_end *near = &l->conf.near;
	static const char hex[] = "0123456789abcdefABCDEF";
	uint8_t mac[6], any = 0;

	for (int i = 0; i < 6; i++, text += 3) {
		if (strspn(text, hex) < 2 || text[2] != (i < 5 ? ':' : '\0'))
			return err_set(e, -EINVAL,
				"not a hardware address; write 02:00:00:00:00:01, say");
		mac[i] = (uint8_t)strtoul((char[]){text[0], text[1], '\0'}, NULL, 16);
		any |= mac[i];
	}
	if (mac[0] & 1)
		return err_set(e, -EINVAL,
			"a group's address, no device's; make the first pair even, as "
			"in "
			"02:00:00:00:00:01");
	if (!any)
		return err_set(e, -EINVAL,
			"all zero is no device's; write 02:00:00:00:00:01, say");
	memcpy(near->mac, mac, sizeof(mac));
	near->has_mac = true;
	return 0;
}

static int read_mtu(struct line *l, const char *text, struct err *e)
{
	uint32_t mtu;

	if (units_u32(text, &mtu, NULL))
		return err_set(e, -EINVAL, "not a number of bytes; write 1500, say");
	if (mtu < MTU_MIN_BYTES || mtu > MTU_MAX_BYTES)
		return err_set(e, -EINVAL, "out of range; write %d to %d bytes",
			MTU_MIN_BYTES, MTU_MAX_BYTES);
	l->conf.near.mtu_bytes = mtu;
	return 0;
}

static int read_uplink(struct line *l, const char *text, struct err *e)
{
	static const char *const later[] = {"auto", "nat", "passt", "slirp"};

	if (strcmp(text, "none") == 0) {
		l->conf.far = FAR_UPLINK_NONE;
		return 0;
	}
	for (size_t i = 0; i < sizeof(later) / sizeof(later[0]); i++)
		if (strcmp(text, later[i]) == 0)
			return err_set(e, -EINVAL,
				"this farwire has no way out to the host's network "
				"yet; write uplink none for a private far end");
	return err_set(e, -EINVAL,
		"no such far end; write uplink none, and --far COMMAND for what runs "
		"there");
}

enum link_word {
	LINK_DEV,
	LINK_ADDR,
	LINK_MAC,
	LINK_MTU,
	LINK_UPLINK,
	N_LINK_WORDS,
};

static const struct {
	const char *name;
	const char *example;
	int (*read)(struct line *l, const char *text, struct err *e);
} readers[N_LINK_WORDS] = {
	[LINK_DEV] = {"dev", "dev lo", read_dev},
	[LINK_ADDR] = {"addr", "addr 10.71.0.2/24", read_addr},
	[LINK_MAC] = {"mac", "mac 02:00:00:00:00:01", read_mac},
	[LINK_MTU] = {"mtu", "mtu 1500", read_mtu},
	[LINK_UPLINK] = {"uplink", "uplink none", read_uplink},
};

static int find(const struct cursor *c)
{
	int i = 0;

	while (i < N_LINK_WORDS && !cursor_is(c, readers[i].name))
		i++;
	return i;
}

bool link_args_at(const struct cursor *c)
{
	return find(c) < N_LINK_WORDS;
}

/* One word and its value, the cursor at the word. */
static int read_pair(struct line *l, enum link_word w, struct err *e)
{
	char room[WORDS_QUOTE_BYTES];
	const char *text;
	int rc;

	l->at.at++;
	text = cursor_peek(&l->at);
	if (!text || !*text || cursor_is(&l->at, "--"))
		return err_set(e, -EINVAL, "run %s: a value is missing; write %s",
			readers[w].name, readers[w].example);
	rc = readers[w].read(l, text, e);
	if (rc)
		return err_wrap(
			e, "run %s '%s'", readers[w].name, words_quote(text, room));
	l->at.at++;
	return 0;
}

/* Words that each are right and do not go together. */
static int check_ends(const struct line *l, unsigned seen, struct err *e)
{
	const struct conf *c = &l->conf;

	if (c->near_lo && (seen & (1u << LINK_ADDR | 1u << LINK_MAC)))
		return err_set(e, -EINVAL,
			"run %s: dev lo has addresses of its own, 127.0.0.1 and ::1; "
			"leave out %s, or write uplink none without dev lo",
			seen & 1u << LINK_ADDR ? "addr" : "mac",
			seen & 1u << LINK_ADDR ? "addr" : "mac");
	if (!c->near_lo && c->far == FAR_ABSENT)
		return err_set(e, -EINVAL,
			"run%s%s%s: no link without a far end; write dev lo, or uplink "
			"none",
			c->near.dev ? " dev '" : "", c->near.dev ? c->near.dev : "",
			c->near.dev ? "'" : "");
	if (c->far_command && c->far == FAR_ABSENT)
		return err_set(e, -EINVAL,
			"--far: dev lo alone has no far end; write uplink none");
	for (unsigned i = 0; i < c->near.n_addrs; i++)
		if (c->near.addr[i].family == AF_INET6 && c->near.mtu_bytes &&
			c->near.mtu_bytes < MTU_IPV6_BYTES)
			return err_set(e, -EINVAL,
				"run mtu '%u': IPv6 needs 1280; write mtu 1280 or "
				"more, or leave out the IPv6 address",
				c->near.mtu_bytes);
	return 0;
}

/* The next word is none of a link, and there is no link yet. */
static int no_link(const struct line *l, struct err *e)
{
	const char *text = cursor_peek(&l->at);
	const struct word *near = text ? words_nearest(&words_link, text) : NULL;
	char why[64];

	if (!text || cursor_is(&l->at, "--"))
		return err_set(e, -EINVAL,
			"run: no link named; write dev lo, or uplink none, before --");
	if (impair_args_at(&l->at))
		return line_wrong(l, "run", e,
			"no link named before it; write dev lo, or uplink none");
	if (near && strcmp(text, near->name) != 0) {
		snprintf(why, sizeof(why), "no such word here; did you mean %s?",
			near->name);
		return line_wrong(l, "run", e, why);
	}
	return line_wrong(
		l, "run", e, "no such word here; write dev lo, or uplink none");
}

int link_args_run(struct line *l, struct err *e)
{
	unsigned seen = 0;
	int rc;

	while (link_args_at(&l->at) || option_args_at(&l->at)) {
		enum link_word w = (enum link_word)find(&l->at);

		if (w == N_LINK_WORDS) {
			rc = option_args_read(l, e);
			if (rc || l->wants_help || l->wants_version)
				return rc;
			continue;
		}
		if (w != LINK_ADDR && (seen & 1u << w))
			return line_wrong(l, "run", e, "named twice");
		if (w != LINK_UPLINK && (seen & 1u << LINK_UPLINK))
			return line_wrong(l, "run", e,
				"is the near end's; write it before uplink");
		seen |= 1u << w;
		rc = read_pair(l, w, e);
		if (rc)
			return rc;
	}
	if (!seen)
		return no_link(l, e);
	rc = option_args_fit(l, words_find(&words_verbs, "run"), e);
	return rc ? rc : check_ends(l, seen, e);
}
