/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/link.c - network devices over rtnetlink
 */
#include "config.h"

#include "host/link.h"

#include <errno.h>
#include <linux/if_link.h>
#include <linux/ip.h>
#include <net/if.h>

#include <netlink/route/link.h>
#include <netlink/route/link/inet.h>
#include <netlink/route/link/inet6.h>

int link_code(int nle, struct err *e, const char *what, const char *dev)
{
	static const struct {
		int nle, code;
	} table[] = {
		{NLE_PERM, EPERM},
		{NLE_NOACCESS, EACCES},
		{NLE_OPNOTSUPP, EOPNOTSUPP},
		{NLE_AF_NOSUPPORT, EAFNOSUPPORT},
		{NLE_OBJ_NOTFOUND, ENOENT},
		{NLE_NODEV, ENODEV},
		{NLE_EXIST, EEXIST},
		{NLE_BUSY, EBUSY},
		{NLE_NOMEM, ENOMEM},
		{NLE_INVAL, EINVAL},
	};
	int code = EIO;
	size_t i;

	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (table[i].nle == -nle)
			code = table[i].code;
	return err_set(e, -code, "%s '%s': %s", what, dev, nl_geterror(nle));
}

struct nl_sock *link_open(struct err *e)
{
	struct nl_sock *sk = nl_socket_alloc();
	int r;

	if (!sk) {
		err_set(e, -ENOMEM, "netlink socket: out of memory");
		return NULL;
	}
	r = nl_connect(sk, NETLINK_ROUTE);
	if (r < 0) {
		link_code(r, e, "netlink", "route");
		nl_socket_free(sk);
		return NULL;
	}
	return sk;
}

void link_close(struct nl_sock **sk)
{
	if (*sk)
		nl_socket_free(*sk);
	*sk = NULL;
}

/* One request that changes @dev as @fill says. */
static int change(struct nl_sock *sk, struct rtnl_link *old, const struct link_want *w,
	int (*fill)(struct rtnl_link *, const struct link_want *))
{
	struct rtnl_link *chg = rtnl_link_alloc();
	int r;

	if (!chg)
		return -NLE_NOMEM;
	r = fill(chg, w);
	if (r >= 0)
		r = rtnl_link_change(sk, old, chg, 0);
	rtnl_link_put(chg);
	return r;
}

static int fill_addr_gen(struct rtnl_link *l, const struct link_want *w)
{
	(void)w;
	return rtnl_link_inet6_set_addr_gen_mode(l, IN6_ADDR_GEN_MODE_NONE);
}

static int fill_local(struct rtnl_link *l, const struct link_want *w)
{
	int r;

	(void)w;
	r = rtnl_link_inet_set_conf(l, IPV4_DEVCONF_ROUTE_LOCALNET, 1);
	if (r >= 0)
		r = rtnl_link_inet_set_conf(l, IPV4_DEVCONF_ACCEPT_LOCAL, 1);
	return r;
}

static int fill_forward(struct rtnl_link *l, const struct link_want *w)
{
	return rtnl_link_inet_set_conf(l, IPV4_DEVCONF_FORWARDING, w->forward);
}

static int fill_mac(struct rtnl_link *l, const uint8_t *mac)
{
	struct nl_addr *a = nl_addr_build(AF_LLC, mac, 6);

	if (!a)
		return -NLE_NOMEM;
	rtnl_link_set_addr(l, a);
	nl_addr_put(a);
	return 0;
}

static int fill_device(struct rtnl_link *l, const struct link_want *w)
{
	int r = w->mac ? fill_mac(l, w->mac) : 0;

	if (w->mtu_bytes)
		rtnl_link_set_mtu(l, w->mtu_bytes);
	if (w->txqlen_frames)
		rtnl_link_set_txqlen(l, w->txqlen_frames);
	if (w->up)
		rtnl_link_set_flags(l, IFF_UP);
	if (w->no_arp)
		rtnl_link_set_flags(l, IFF_NOARP);
	if (w->operstate)
		rtnl_link_set_operstate(l, w->operstate);
	if (w->arp)
		rtnl_link_unset_flags(l, IFF_NOARP);
	return r;
}

int link_set(
	struct nl_sock *sk, const char *dev, const struct link_want *w, struct err *e)
{
	struct rtnl_link *old = NULL;
	int r = rtnl_link_get_kernel(sk, 0, dev, &old);

	if (r < 0)
		return link_code(r, e, "device", dev);
	if (w->no_addr_gen) {
		r = change(sk, old, w, fill_addr_gen);
		/* A kernel without IPv6 sends nothing by it either. */
		if (r == -NLE_AF_NOSUPPORT || r == -NLE_OPNOTSUPP)
			r = 0;
	}
	if (r >= 0)
		r = change(sk, old, w, fill_device);
	if (r >= 0 && w->local_ok)
		r = change(sk, old, w, fill_local);
	if (r >= 0 && (w->forward || w->no_forward))
		r = change(sk, old, w, fill_forward);
	rtnl_link_put(old);
	return r < 0 ? link_code(r, e, "device", dev) : 0;
}

int link_index(const char *dev, struct err *e)
{
	unsigned i = if_nametoindex(dev);

	if (!i)
		return err_sys(e, "device '%s'", dev);
	return (int)i;
}
