/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conf/end_args.c - one end of a link: the values behind its words
 */
#include "config.h"

#include "conf/line.h"

#include "base/units.h"

#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>

/* Least of RFC 791; most that a TAP takes, its frames being at most 64 KiB - 1. */
#define MTU_MIN_BYTES 68
#define MTU_MAX_BYTES 65521
#define MTU_IPV6_BYTES 1280 /* RFC 8200: below it there is no IPv6 on a device */

/* The largest networks there are: 10.0.0.0/8 and fc00::/7. */
#define IPV4_PREFIX_MIN 8
#define IPV6_PREFIX_MIN 7

static const char digits[] = "0123456789";

/* Why @text is no name of a device; NULL where it is one. As the
 * kernel has it, less what no JSON could hold and no batch gives back. */
static const char *wrong_dev(const char *text)
{
	if (strlen(text) >= IFNAMSIZ)
		return "a device's name has at most 15 bytes";
	if (strcmp(text, ".") == 0 || strcmp(text, "..") == 0 ||
		strcmp(text, "all") == 0 || strcmp(text, "default") == 0)
		return "a name with another meaning; write eth0, say";
	for (; *text; text++)
		if (*text <= ' ' || *text > '~' || strchr("/:%#'\"\\", *text))
			return "a device's name has no blank, no / : or %; write eth0, "
			       "say";
	return NULL;
}

int end_args_dev(const char **dev, const char *text, struct err *e)
{
	const char *why = wrong_dev(text);

	if (why)
		return err_set(e, -EINVAL, "%s", why);
	*dev = text;
	return 0;
}

int end_args_netns(struct link_end *end, const char *text, struct err *e)
{
	if (strcmp(text, "..") == 0)
		return err_set(e, -EINVAL,
			"no namespace's name; write a name, a path with a /, a process "
			"id, or . for the caller's own");
	if (*text == '#')
		return err_set(e, -EINVAL,
			"begins a comment in a batch; write another "
			"path to it, say /proc/PID/ns/net");
	/* Such would not come back from show -c, nor in one line of an error. */
	for (const char *s = text; *s; s++)
		if ((unsigned char)*s <= ' ' || *s == 0x7f || strchr("'\"\\", *s))
			return err_set(e, -EINVAL,
				"no blank, quote or backslash may be in the name of a "
				"namespace; write another path to it, say "
				"/proc/PID/ns/net");
	end->netns = text;
	return 0;
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
	unsigned min = c.family == AF_INET ? IPV4_PREFIX_MIN : IPV6_PREFIX_MIN;
	const char *why;

	if (len >= sizeof(address))
		return wrong_cidr(e, "not an address");
	memcpy(address, text, len);
	address[len] = '\0';
	if (inet_pton(c.family, address, c.bytes) != 1)
		return wrong_cidr(e, "not an address");
	why = wrong_address(&c);
	if (why)
		return wrong_cidr(e, why);
	if (!slash)
		return err_set(e, -EINVAL,
			"the length of the network is missing; write %s/%u", address,
			c.family == AF_INET ? 24 : 64);
	slash++;
	if (!*slash || strspn(slash, digits) != strlen(slash) || strlen(slash) > 3 ||
		(*slash == '0' && slash[1]))
		return wrong_cidr(e, "the length of the network is no number");
	c.prefix = (unsigned)strtoul(slash, NULL, 10);
	if (c.prefix < min || c.prefix > max)
		return err_set(e, -EINVAL,
			"a network's length is %u to %u here; write %s/%u", min, max,
			address, c.family == AF_INET ? 24 : 64);
	*to = c;
	return 0;
}

int end_args_addr(struct link_end *end, const char *text, struct err *e)
{
	struct cidr c = {0};
	int rc = read_cidr(&c, text, e);

	if (rc)
		return rc;
	for (unsigned i = 0; i < end->n_addrs; i++)
		if (end->addr[i].family == c.family &&
			memcmp(end->addr[i].bytes, c.bytes, sizeof(c.bytes)) == 0)
			return err_set(e, -EINVAL, "named twice");
	if (end->n_addrs == END_ADDRS_MAX)
		return err_set(e, -EINVAL, "one too many; an end has at most %d",
			END_ADDRS_MAX);
	end->addr[end->n_addrs++] = c;
	return 0;
}

int end_args_mac(struct link_end *end, const char *text, struct err *e)
{
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
	memcpy(end->mac, mac, sizeof(mac));
	end->has_mac = true;
	return 0;
}

int end_args_mtu(struct link_end *end, const char *text, struct err *e)
{
	uint32_t mtu;

	if (units_u32(text, &mtu, NULL))
		return err_set(e, -EINVAL, "not a number of bytes; write 1500, say");
	if (mtu < MTU_MIN_BYTES || mtu > MTU_MAX_BYTES)
		return err_set(e, -EINVAL, "out of range; write %d to %d bytes",
			MTU_MIN_BYTES, MTU_MAX_BYTES);
	end->mtu_bytes = mtu;
	return 0;
}

int end_args_check(const struct link_end *end, unsigned mtu_bytes, const char *where,
	struct err *e)
{
	for (unsigned i = 0; i < end->n_addrs; i++)
		if (end->addr[i].family == AF_INET6 && mtu_bytes &&
			mtu_bytes < MTU_IPV6_BYTES)
			return err_set(e, -EINVAL,
				"%s mtu '%u': IPv6 needs 1280; write mtu 1280 or "
				"more, or leave out the IPv6 address",
				where, mtu_bytes);
	return 0;
}
