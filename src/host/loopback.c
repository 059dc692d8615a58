/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/loopback.c - the loopback of a private network namespace, by way of a TAP
 *
 * Theory of operation
 *   lo egress -> redirect -> TAP -> farwire reads, holds, writes -> TAP -> redirect ->
 *   lo ingress. The packets come in by lo without the route they left with, so lo must
 *   accept its own addresses from outside (route_localnet, accept_local). lo's MTU is
 *   that of a wire: with its own 65536 each packet would be as long as 44 of them. The
 *   TAP has no address and generates none: an idle link carries no frame.
 */
#include "config.h"

#include "host/loopback.h"

#include <errno.h>
#include <string.h>

#include "base/fd.h"
#include "host/link.h"
#include "host/redirect.h"
#include "host/tap.h"

/* A full ring drops before the engine sees the frame; the default 1000 is soon full. */
#define TXQLEN_FRAMES 10000
#define LO_MTU_BYTES 1500

static int redirect_any(
	struct nl_sock *sk, enum redirect want, const char **redirect, struct err *e)
{
	struct err tc = {0}, nft = {0};

	if (want != REDIRECT_NFT) {
		if (redirect_tc(sk, LOOPBACK_DEV, &tc) == 0) {
			*redirect = "tc";
			return 0;
		}
	}
	if (want != REDIRECT_TC) {
		if (redirect_nft(LOOPBACK_DEV, &nft) == 0) {
			*redirect = "nft";
			return 0;
		}
	}
	return err_set(e, tc.code ? tc.code : nft.code,
		"loopback: no redirect: %.150s%s%.150s; needs sch_ingress, cls_u32 and "
		"act_mirred, or nf_tables with the egress hook (Linux 5.16)",
		tc.text, *tc.text && *nft.text ? "; " : "", nft.text);
}

int loopback_make(enum redirect want, unsigned mtu_bytes, struct host_port *p,
	const char **redirect, const struct fail_ctx *ctx, struct err *e)
{
	static const struct link_want tap_want = {
		.up = true, .txqlen_frames = TXQLEN_FRAMES, .no_addr_gen = true};
	const struct link_want lo_want = {.up = true,
		.mtu_bytes = mtu_bytes ? mtu_bytes : LO_MTU_BYTES,
		.local_ok = true};
	struct host_port tap = {.role = PORT_LO, .fd = -1, .stats_fd = -1};
	struct nl_sock *sk;
	int r;

	r = tap_open(LOOPBACK_DEV, &tap, ctx, e);
	if (r < 0)
		return r;
	sk = link_open(e);
	r = sk ? 0 : e->code;
	if (!r)
		r = link_set(sk, LOOPBACK_DEV, &tap_want, e);
	if (!r)
		r = link_set(sk, "lo", &lo_want, e);
	/* Netlink refused in our own namespace has a cause of its own. */
	if (r == -EPERM || r == -EACCES)
		fail_say(e, FAIL_INSIDE, -r, ctx, "netlink");
	if (!r)
		r = redirect_any(sk, want, redirect, e);
	link_close(&sk);
	if (r < 0) {
		fd_close(&tap.fd);
		return r;
	}
	tap.set_dst_mac = strcmp(*redirect, "tc") == 0;
	*p = tap;
	return 0;
}
