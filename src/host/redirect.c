/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/redirect.c - what leaves lo goes to the TAP, what enters the TAP goes to lo
 *
 * Theory of operation
 *   tc: the TAP's ingress is redirected to lo's *ingress* as if it had just arrived
 *   there, and lo's egress to the TAP's egress, where a reader takes it. A frame from
 *   lo has no addresses, and one that is not addressed to the TAP would count as
 *   another host's: whoever writes to the TAP gives it the TAP's address first.
 *
 *   nft: there is no ingress redirect; frames go out by lo again, marked, and the mark
 *   lets them pass the rule that would send them round once more. No addresses needed:
 *   the packet type is set by the rule.
 *
 *   Order: lo's egress last, so that nothing is caught before there is a way back.
 */
#include "config.h"

#include "host/redirect.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/if_ether.h>
#include <linux/pkt_cls.h>
#include <linux/pkt_sched.h>
#include <linux/tc_act/tc_mirred.h>
#include <netinet/in.h>
#include <netlink/msg.h>
#include <netlink/route/qdisc.h>
#include <netlink/route/tc.h>

#include "host/link.h"
#include "host/nftlib.h"

static int clsact_add(struct nl_sock *sk, int index, const char *dev, struct err *e)
{
	struct rtnl_qdisc *q = rtnl_qdisc_alloc();
	int r;

	if (!q)
		return err_set(e, -ENOMEM, "clsact: out of memory");
	rtnl_tc_set_ifindex(TC_CAST(q), index);
	rtnl_tc_set_parent(TC_CAST(q), TC_H_CLSACT);
	rtnl_tc_set_handle(TC_CAST(q), TC_H_MAKE(TC_H_CLSACT, 0));
	rtnl_tc_set_kind(TC_CAST(q), "clsact");
	r = rtnl_qdisc_add(sk, q, NLM_F_CREATE | NLM_F_EXCL);
	rtnl_qdisc_put(q);
	return r < 0 ? link_code(r, e, "tc: clsact on", dev) : 0;
}

/* mirred as the action of a filter. libnl's setter refuses redirects to ingress. */
static int put_mirred(struct nl_msg *m, int to_index, int direction)
{
	struct tc_mirred p = {
		.action = TC_ACT_STOLEN,
		.eaction = direction,
		.ifindex = (uint32_t)to_index,
	};
	struct nlattr *acts, *act, *opts;

	acts = nla_nest_start(m, TCA_U32_ACT);
	act = acts ? nla_nest_start(m, 1) : NULL;
	if (!act || nla_put_string(m, TCA_ACT_KIND, "mirred") < 0)
		return -NLE_NOMEM;
	opts = nla_nest_start(m, TCA_ACT_OPTIONS);
	if (!opts || nla_put(m, TCA_MIRRED_PARMS, sizeof(p), &p) < 0)
		return -NLE_NOMEM;
	nla_nest_end(m, opts);
	nla_nest_end(m, act);
	nla_nest_end(m, acts);
	return 0;
}

/* One u32 filter that matches every frame: a key whose mask is 0. */
static int put_filter(
	struct nl_msg *m, int index, uint32_t parent, int to_index, int direction)
{
	struct tcmsg t = {
		.tcm_family = AF_UNSPEC,
		.tcm_ifindex = index,
		.tcm_parent = parent,
		.tcm_info = TC_H_MAKE(1U << 16, htons(ETH_P_ALL)),
	};
	/* A selector ends in its keys, here one. */
	union {
		struct tc_u32_sel sel;
		char bytes[sizeof(struct tc_u32_sel) + sizeof(struct tc_u32_key)];
	} all;
	struct nlattr *opts;

	memset(&all, 0, sizeof(all));
	all.sel.flags = TC_U32_TERMINAL;
	all.sel.nkeys = 1;
	if (nlmsg_append(m, &t, sizeof(t), NLMSG_ALIGNTO) < 0 ||
		nla_put_string(m, TCA_KIND, "u32") < 0)
		return -NLE_NOMEM;
	opts = nla_nest_start(m, TCA_OPTIONS);
	if (!opts || nla_put(m, TCA_U32_SEL, sizeof(all), &all) < 0 ||
		put_mirred(m, to_index, direction) < 0)
		return -NLE_NOMEM;
	nla_nest_end(m, opts);
	return 0;
}

static int filter_add(struct nl_sock *sk, int index, const char *dev, uint32_t hook,
	int to_index, int direction, struct err *e)
{
	struct nl_msg *m = nlmsg_alloc_simple(
		RTM_NEWTFILTER, NLM_F_REQUEST | NLM_F_CREATE | NLM_F_EXCL);
	int r;

	if (!m)
		return err_set(e, -ENOMEM, "tc filter: out of memory");
	r = put_filter(m, index, TC_H_MAKE(TC_H_CLSACT, hook), to_index, direction);
	if (r < 0)
		nlmsg_free(m);
	else
		r = nl_send_sync(sk, m); /* frees it */
	return r < 0 ? link_code(r, e, "tc: redirect on", dev) : 0;
}

int redirect_tc(struct nl_sock *sk, const char *tap, struct err *e)
{
	int i_tap = link_index(tap, e), i_lo, r;

	if (i_tap < 0)
		return i_tap;
	i_lo = link_index("lo", e);
	if (i_lo < 0)
		return i_lo;
	r = clsact_add(sk, i_tap, tap, e);
	if (!r)
		r = clsact_add(sk, i_lo, "lo", e);
	if (!r)
		r = filter_add(
			sk, i_tap, tap, TC_H_MIN_INGRESS, i_lo, TCA_INGRESS_REDIR, e);
	if (!r)
		r = filter_add(
			sk, i_lo, "lo", TC_H_MIN_EGRESS, i_tap, TCA_EGRESS_REDIR, e);
	return r;
}

#ifdef HAVE_NFTABLES

/* "farw": any mark would do that nobody sets by accident. */
#define PASS_MARK 0x66617277U

static const char rules[] =
	"add table netdev farwire\n"
	"add chain netdev farwire lo_out"
	" { type filter hook egress device \"lo\" priority 0; }\n"
	"add chain netdev farwire tap_in"
	" { type filter hook ingress device \"%1$s\" priority 0; }\n"
	"add rule netdev farwire tap_in"
	" meta pkttype set host meta mark set %2$u fwd to \"lo\"\n"
	"add rule netdev farwire lo_out meta mark %2$u accept\n"
	"add rule netdev farwire lo_out fwd to \"%1$s\"\n";

/* The first line of what libnftables complains of. */
static void first_line(char *to, size_t size, const char *from)
{
	snprintf(to, size, "%.*s", (int)strcspn(from, "\n"), from);
}

/*
 * No owner flag: the namespace is the command's own, the rules go with it, and nobody
 * need keep a netlink socket open for them.
 */
int redirect_nft(const char *tap, struct err *e)
{
	const struct nftlib *lib = nftlib_get(e);
	struct nft_ctx *ctx = lib ? lib->ctx_new(NFT_CTX_DEFAULT) : NULL;
	char text[1024], why[200];
	const char *said;
	int r = 0;

	if (!lib)
		return e->code;
	if (!ctx)
		return err_set(e, -ENOMEM, "nft: out of memory");
	lib->buffer_error(ctx);
	lib->buffer_output(ctx);
	snprintf(text, sizeof(text), rules, tap, PASS_MARK);
	if (lib->run(ctx, text)) {
		said = lib->get_error(ctx);
		first_line(why, sizeof(why), said && *said ? said : "refused");
		r = err_set(e, -EOPNOTSUPP, "nft: %s", why);
	}
	lib->ctx_free(ctx);
	return r;
}

#else

int redirect_nft(const char *tap, struct err *e)
{
	(void)tap;
	return err_set(e, -EOPNOTSUPP, "nft: not built in");
}

#endif
