/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/link.c - network devices over rtnetlink
 */
#include "config.h"

#include "host/link.h"

#include <errno.h>
#include <linux/if_link.h>
#include <linux/ip.h>
#include <linux/rtnetlink.h>
#include <net/if.h>

#include <netlink/attr.h>
#include <netlink/msg.h>

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
	/* A look at the length first would be one more call for each answer. */
	nl_socket_disable_msg_peek(sk);
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

/*
 * One request that changes @dev as @fill says. It is laid by hand: rtnl_link_change()
 * must be given the device as it is, and to ask for that costs more than all the changes
 * of a link together. Return: 0 or libnl's code.
 */
static int change(struct nl_sock *sk, const char *dev, const struct ifinfomsg *flags,
	const struct link_want *w,
	int (*fill)(struct nl_msg *, const struct link_want *))
{
	struct nl_msg *m = nlmsg_alloc_simple(RTM_SETLINK, 0);

	if (!m)
		return -NLE_NOMEM;
	if (nlmsg_append(m, (void *)flags, sizeof(*flags), NLMSG_ALIGNTO) < 0 ||
		nla_put_string(m, IFLA_IFNAME, dev) < 0 || fill(m, w) < 0) {
		nlmsg_free(m);
		return -NLE_NOMEM;
	}
	return nl_send_sync(sk, m);
}

static int fill_addr_gen(struct nl_msg *m, const struct link_want *w)
{
	struct nlattr *spec = nla_nest_start(m, IFLA_AF_SPEC);
	struct nlattr *inet6 = spec ? nla_nest_start(m, AF_INET6) : NULL;

	(void)w;
	if (!inet6 ||
		nla_put_u8(m, IFLA_INET6_ADDR_GEN_MODE, IN6_ADDR_GEN_MODE_NONE) < 0)
		return -NLE_NOMEM;
	nla_nest_end(m, inet6);
	return nla_nest_end(m, spec);
}

static int fill_inet(struct nl_msg *m, const struct link_want *w)
{
	struct nlattr *spec = nla_nest_start(m, IFLA_AF_SPEC);
	struct nlattr *inet = spec ? nla_nest_start(m, AF_INET) : NULL;
	struct nlattr *conf = inet ? nla_nest_start(m, IFLA_INET_CONF) : NULL;
	int r = conf ? 0 : -NLE_NOMEM;

	if (!r && w->local_ok)
		r = nla_put_u32(m, IPV4_DEVCONF_ROUTE_LOCALNET, 1);
	if (!r && w->local_ok)
		r = nla_put_u32(m, IPV4_DEVCONF_ACCEPT_LOCAL, 1);
	if (!r && (w->forward || w->no_forward))
		r = nla_put_u32(m, IPV4_DEVCONF_FORWARDING, w->forward);
	if (r < 0)
		return r;
	nla_nest_end(m, conf);
	nla_nest_end(m, inet);
	return nla_nest_end(m, spec);
}

static int fill_device(struct nl_msg *m, const struct link_want *w)
{
	int r = w->mac ? nla_put(m, IFLA_ADDRESS, 6, w->mac) : 0;

	if (!r && w->mtu_bytes)
		r = nla_put_u32(m, IFLA_MTU, w->mtu_bytes);
	if (!r && w->txqlen_frames)
		r = nla_put_u32(m, IFLA_TXQLEN, w->txqlen_frames);
	if (!r && w->operstate)
		r = nla_put_u8(m, IFLA_OPERSTATE, w->operstate);
	return r;
}

/* Return: whether anything but what has requests of its own is to change. */
static bool wants_device(const struct link_want *w, struct ifinfomsg *flags)
{
	if (w->up)
		flags->ifi_flags |= IFF_UP;
	if (w->no_arp)
		flags->ifi_flags |= IFF_NOARP;
	flags->ifi_change = flags->ifi_flags;
	if (w->arp)
		flags->ifi_change |= IFF_NOARP;
	return flags->ifi_change || w->mac || w->mtu_bytes || w->txqlen_frames ||
	       w->operstate;
}

int link_set(
	struct nl_sock *sk, const char *dev, const struct link_want *w, struct err *e)
{
	static const struct ifinfomsg as_is = {0};
	struct ifinfomsg flags = {0};
	int r = 0;

	if (w->no_addr_gen) {
		r = change(sk, dev, &as_is, w, fill_addr_gen);
		/* A kernel without IPv6 sends nothing by it either. */
		if (r == -NLE_AF_NOSUPPORT || r == -NLE_OPNOTSUPP)
			r = 0;
	}
	if (r >= 0 && wants_device(w, &flags))
		r = change(sk, dev, &flags, w, fill_device);
	if (r >= 0 && (w->local_ok || w->forward || w->no_forward))
		r = change(sk, dev, &as_is, w, fill_inet);
	return r < 0 ? link_code(r, e, "device", dev) : 0;
}

static int fill_nothing(struct nl_msg *m, const struct link_want *w)
{
	(void)m;
	(void)w;
	return 0;
}

void link_warm(void)
{
	static const struct ifinfomsg as_is = {0};
	static const struct link_want nothing = {0};
	struct err none;
	struct nl_sock *sk = link_open(&none);

	if (sk)
		(void)change(sk, "lo", &as_is, &nothing, fill_nothing);
	link_close(&sk);
}

int link_index(const char *dev, struct err *e)
{
	unsigned i = if_nametoindex(dev);

	if (!i)
		return err_sys(e, "device '%s'", dev);
	return (int)i;
}
