/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bench/bare.c - the floor: two TAPs and nothing between them but read() and write()
 *
 *   bare FAR-NAMESPACE READY     makes `near` here and `far` there, with all offloads
 *
 * Super-frames pass whole and unlooked at: no verdict, no clock, no queue. What it reaches is
 * what this machine lets any forwarder between two TAPs reach that makes a call a frame.
 * Writes a line to READY and runs until it is killed; with BARE=nice at the best nice
 * value, as the forwarder has on one CPU.
 */
#include "config.h"

#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <signal.h>

/* virtio header, Ethernet and a VLAN tag, the longest IP packet. */
#define READ_BYTES (10 + 14 + 4 + 65535)
#define READS_A_TURN 32

#ifndef TUN_F_USO4
#define TUN_F_USO4 0x20
#define TUN_F_USO6 0x40
#endif

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static int make_tap(const char *dev)
{
	unsigned long all = TUN_F_CSUM | TUN_F_TSO4 | TUN_F_TSO6 | TUN_F_TSO_ECN;
	struct ifreq r = {.ifr_flags = IFF_TAP | IFF_NO_PI | IFF_VNET_HDR};
	int fd = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0)
		die("/dev/net/tun");
	strncpy(r.ifr_name, dev, sizeof(r.ifr_name) - 1);
	if (ioctl(fd, TUNSETIFF, &r) < 0)
		die(dev);
	if (ioctl(fd, TUNSETOFFLOAD, all | TUN_F_USO4 | TUN_F_USO6) < 0 &&
		ioctl(fd, TUNSETOFFLOAD, all) < 0)
		die("offloads");
	return fd;
}

static int make_far(const char *path)
{
	int here = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	int there = open(path, O_RDONLY | O_CLOEXEC), fd;

	if (here < 0 || there < 0 || setns(there, CLONE_NEWNET) < 0)
		die(path);
	fd = make_tap("far");
	if (setns(here, CLONE_NEWNET) < 0)
		die("back");
	return fd;
}

static void carry(int from, int to)
{
	static uint8_t bytes[READ_BYTES];
	ssize_t n;

	for (unsigned i = 0; i < READS_A_TURN; i++) {
		n = read(from, bytes, sizeof(bytes));
		/* A refused frame is lost, as on any wire. */
		if (n <= 0 || write(to, bytes, (size_t)n) < 0)
			break;
	}
}

int main(int argc, char **argv)
{
	struct epoll_event ev;
	int fd[2], ready, e = epoll_create1(EPOLL_CLOEXEC), i, n;

	if (argc != 3) {
		fprintf(stderr, "usage: bare FAR-NAMESPACE READY\n");
		return 2;
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getenv("BARE"))
		setpriority(PRIO_PROCESS, 0, -20);
	fd[0] = make_tap("near");
	fd[1] = make_far(argv[1]);
	for (i = 0; i < 2; i++) {
		ev = (struct epoll_event){.events = EPOLLIN, .data.u32 = (uint32_t)i};
		if (epoll_ctl(e, EPOLL_CTL_ADD, fd[i], &ev) < 0)
			die("epoll");
	}
	ready = open(argv[2], O_WRONLY | O_CLOEXEC);
	if (ready < 0 || write(ready, "up\n", 3) != 3)
		die(argv[2]);
	for (;;) {
		n = epoll_wait(e, &ev, 1, -1);
		for (i = 0; i < n; i++)
			carry(fd[ev.data.u32], fd[1 - ev.data.u32]);
	}
}
