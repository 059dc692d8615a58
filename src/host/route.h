/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/route.h - does the caller's network lead anywhere?
 */
#ifndef FW_HOST_ROUTE_H
#define FW_HOST_ROUTE_H

#include <stdbool.h>
#include <stdio.h>

/**
 * route_is_out() - Has the caller's network namespace a route to other machines?
 * @family: AF_INET or AF_INET6
 *
 * IPv4: any route but those over lo. IPv6: a default route; the kernel gives each device
 * routes of its own accord, which say nothing.
 */
bool route_is_out(int family);

/**
 * route_is_far() - Is there a route to those who are no neighbours?
 * @family: AF_INET or AF_INET6
 *
 * Asked is for two addresses that nobody has, of networks that are apart: a default route
 * counts, in whichever table, and two halves of one.
 */
bool route_is_far(int family);

/**
 * route_has_link_local() - Has a device of the caller's, but for lo, an IPv6 address of
 * link-local scope?
 */
bool route_has_link_local(void);

/** route_is_out4() / route_is_out6() - The same from the text of /proc/net/route and
 * /proc/net/ipv6_route */
bool route_is_out4(FILE *from);
bool route_is_out6(FILE *from);

#endif
