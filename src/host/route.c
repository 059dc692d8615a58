/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/route.c - does the caller's network lead anywhere?
 */
#include "config.h"

#include "host/route.h"

#include <string.h>
#include <sys/socket.h>

/* Of linux/route.h and linux/ipv6_route.h. */
#define RTF_UP 0x1
#define RTF_REJECT 0x200

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
