/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/tap.c - one TAP device: open, read its address
 */
#include "config.h"

#include "host/tap.h"

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>

#include <linux/if_tun.h>

#include "base/fd.h"

#define TUN_PATH "/dev/net/tun"

/* Since Linux 6.2; older headers lack them. */
#ifndef TUN_F_USO4
#define TUN_F_USO4 0x20
#define TUN_F_USO6 0x40
#endif

static int set_up(int fd, struct ifreq *ifr, const struct fail_ctx *ctx, struct err *e)
{
	int hdr_bytes = TAP_VNET_HDR_BYTES;
	char what[sizeof("device ''") + IFNAMSIZ];

	/* One that was made to last, by somebody else, is not ours to take. */
	ifr->ifr_flags = (short)(IFF_TAP | IFF_NO_PI | IFF_VNET_HDR | IFF_TUN_EXCL);
	snprintf(what, sizeof(what), "device '%.*s'", IFNAMSIZ, ifr->ifr_name);
	if (ioctl(fd, TUNSETIFF, ifr) < 0)
		return fail_say(e, FAIL_INSIDE, errno, ctx, what);
	if (ioctl(fd, TUNSETVNETHDRSZ, &hdr_bytes) < 0)
		return err_sys(e, TUN_PATH ": TUNSETVNETHDRSZ");
	if (ioctl(fd, TUNSETOFFLOAD, 0UL) < 0)
		return err_sys(e, TUN_PATH ": TUNSETOFFLOAD");
	if (ioctl(fd, SIOCGIFHWADDR, ifr) < 0)
		return err_sys(e, TUN_PATH ": SIOCGIFHWADDR");
	return 0;
}

int tap_open(const char *name, struct host_port *p, const struct fail_ctx *ctx,
	struct err *e)
{
	struct ifreq ifr = {0};
	int fd, r;

	if (strlen(name) >= IFNAMSIZ)
		return err_set(e, -EINVAL, "device '%s': longer than %d bytes", name,
			IFNAMSIZ - 1);
	/* To the kernel it is a pattern for a number. */
	if (strchr(name, '%'))
		return err_set(e, -EINVAL, "device '%s': %% is not for names", name);
	fd = open(TUN_PATH, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return fail_say(e, FAIL_TUN, errno, ctx, NULL);
	snprintf(ifr.ifr_name, sizeof(ifr.ifr_name), "%s", name);
	r = set_up(fd, &ifr, ctx, e);
	if (r < 0) {
		fd_close(&fd);
		return r;
	}
	snprintf(p->dev, sizeof(p->dev), "%s", name);
	memcpy(p->mac, ifr.ifr_hwaddr.sa_data, sizeof(p->mac));
	p->fd = fd;
	return 0;
}

void tap_offload(int fd, enum gso_wish wish)
{
	/* The more the better; what a kernel does not know it refuses as a whole. */
	static const unsigned long offers[] = {
		TUN_F_CSUM | TUN_F_TSO4 | TUN_F_TSO6 | TUN_F_TSO_ECN | TUN_F_USO4 |
			TUN_F_USO6,
		TUN_F_CSUM | TUN_F_TSO4 | TUN_F_TSO6 | TUN_F_TSO_ECN,
		TUN_F_CSUM | TUN_F_TSO4 | TUN_F_TSO6,
		TUN_F_CSUM,
	};
	unsigned i;

	if (wish == GSO_OFF)
		return;
	for (i = 0; i < sizeof(offers) / sizeof(offers[0]); i++)
		if (ioctl(fd, TUNSETOFFLOAD, offers[i]) == 0)
			return;
}

void tap_offloads(int fd, bool *tcp, bool *udp)
{
	unsigned long base = TUN_F_CSUM | TUN_F_TSO4 | TUN_F_TSO6;

	*tcp = ioctl(fd, TUNSETOFFLOAD, base) == 0;
	*udp = ioctl(fd, TUNSETOFFLOAD, base | TUN_F_USO4 | TUN_F_USO6) == 0;
	ioctl(fd, TUNSETOFFLOAD, 0UL);
}
