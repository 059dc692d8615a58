/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/tap.c - one TAP device: open, read its address
 */
#include "config.h"

#include "host/tap.h"

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
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

int tap_open(const char *name, struct host_port *p, const struct fail_ctx *ctx,
	struct err *e)
{
	int fd FD_AUTO = open(TUN_PATH, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	int hdr_bytes = TAP_VNET_HDR_BYTES;
	struct ifreq ifr = {.ifr_flags = IFF_TAP | IFF_NO_PI | IFF_VNET_HDR};

	if (fd < 0)
		return fail_say(e, FAIL_TUN, errno, ctx, NULL);
	if (strlen(name) >= IFNAMSIZ)
		return err_set(e, -EINVAL, "device '%s': longer than %d bytes", name,
			IFNAMSIZ - 1);
	strcpy(ifr.ifr_name, name);
	if (ioctl(fd, TUNSETIFF, &ifr) < 0)
		return fail_say(e, FAIL_INSIDE, errno, ctx, TUN_PATH ": TUNSETIFF");
	if (ioctl(fd, TUNSETVNETHDRSZ, &hdr_bytes) < 0)
		return err_sys(e, TUN_PATH ": TUNSETVNETHDRSZ");
	if (ioctl(fd, TUNSETOFFLOAD, 0UL) < 0)
		return err_sys(e, TUN_PATH ": TUNSETOFFLOAD");
	if (ioctl(fd, SIOCGIFHWADDR, &ifr) < 0)
		return err_sys(e, TUN_PATH ": SIOCGIFHWADDR");
	strcpy(p->dev, name);
	memcpy(p->mac, ifr.ifr_hwaddr.sa_data, sizeof(p->mac));
	p->fd = fd;
	fd = -1;
	return 0;
}

void tap_offloads(int fd, bool *tcp, bool *udp)
{
	unsigned long base = TUN_F_CSUM | TUN_F_TSO4 | TUN_F_TSO6;

	*tcp = ioctl(fd, TUNSETOFFLOAD, base) == 0;
	*udp = ioctl(fd, TUNSETOFFLOAD, base | TUN_F_USO4 | TUN_F_USO6) == 0;
	ioctl(fd, TUNSETOFFLOAD, 0UL);
}
