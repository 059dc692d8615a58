/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/route.c - does the caller's network lead anywhere?
 */
#include "config.h"

#include "host/route.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

#include "base/fd.h"
#include "host/natprobe.h"

/* Of linux/route.h and linux/ipv6_route.h. */
#define RTF_UP 0x1
#define RTF_REJECT 0x200

/* As /proc/net/if_inet6 has it: IPV6_ADDR_LINKLOCAL of the kernel's net/ipv6.h. */
#define SCOPE_LINK 0x20

/* Addresses for documentation (RFC 5737, RFC 9637), apart from those of NATPROBE_TO: a
 * laboratory may have one such network, and it is no way to everywhere. */
#define OTHER4 "203.0.113.1"
#define OTHER6 "3fff::1"

bool route_is_out4(FILE *from)
{
	char line[256], dev[64];
	unsigned flags;

	while (fgets(line, sizeof(line), from))
		if (sscanf(line, "%63s %*x %*x %x", dev, &flags) == 2 &&
			strcmp(dev, "lo") != 0 && strcmp(dev, "*") != 0 &&
			(flags & (RTF_UP | RTF_REJECT)) == RTF_UP)
			return true;
	return false;
}

bool route_is_out6(FILE *from)
{
	char line[256], to[33], dev[64];
	unsigned bits, flags;

	while (fgets(line, sizeof(line), from))
		if (sscanf(line, "%32s %x %*s %*s %*s %*s %*s %*s %x %63s", to, &bits,
			    &flags, dev) == 4 &&
			bits == 0 && strspn(to, "0") == 32 && strcmp(dev, "lo") != 0 &&
			(flags & (RTF_UP | RTF_REJECT)) == RTF_UP)
			return true;
	return false;
}

bool route_is_out(int family)
{
	/* Of the caller itself, not of the first process of its thread group's. */
	FILE *f = fopen(family == AF_INET ? "/proc/self/net/route"
					  : "/proc/self/net/ipv6_route",
		"re");
	bool yes = f && (family == AF_INET ? route_is_out4(f) : route_is_out6(f));

	if (f)
		fclose(f);
	return yes;
}

/* Of a datagram socket this sends nothing: a route is looked up. */
static bool leads_to(int family, const char *text)
{
	struct sockaddr_in to4 = {.sin_family = AF_INET, .sin_port = htons(443)};
	struct sockaddr_in6 to6 = {.sin6_family = AF_INET6, .sin6_port = htons(443)};
	int fd FD_AUTO = socket(family, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return false;
	if (family == AF_INET) {
		inet_pton(AF_INET, text, &to4.sin_addr);
		return connect(fd, (struct sockaddr *)&to4, sizeof(to4)) == 0;
	}
	inet_pton(AF_INET6, text, &to6.sin6_addr);
	return connect(fd, (struct sockaddr *)&to6, sizeof(to6)) == 0;
}

bool route_is_far(int family)
{
	return family == AF_INET
		       ? leads_to(AF_INET, NATPROBE_TO4) && leads_to(AF_INET, OTHER4)
		       : leads_to(AF_INET6, NATPROBE_TO6) && leads_to(AF_INET6, OTHER6);
}

bool route_has_link_local(void)
{
	FILE *f = fopen("/proc/self/net/if_inet6", "re");
	char line[128];
	unsigned scope;
	bool yes = false;

	while (f && !yes && fgets(line, sizeof(line), f))
		yes = sscanf(line, "%*s %*x %*x %x", &scope) == 1 &&
		      scope == SCOPE_LINK;
	if (f)
		fclose(f);
	return yes;
}
