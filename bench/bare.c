/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bench/bare.c - the floor: two TAPs and nothing between them but the carrying
 *
 *   bare WAY FAR-NAMESPACE READY   makes `near` here and `far` there, with all offloads
 *
 * Super-frames pass whole and unlooked at: no verdict, no clock, no queue. What it reaches is
 * what this machine lets any forwarder between two TAPs reach. The ways:
 *
 *   call    read() and write(), a call each a frame
 *   ring    io_uring, many frames a call           (bench/bare_ring.c)
 *   chain   io_uring, a call a frame, sleep included
 *   drop    what is sent into `near` is read and dropped, never asleep: what a sender
 *           reaches that nobody holds up, and no wake-up costs
 *
 * Writes a line to READY and runs until it is killed; with BARE=nice at the best nice
 * value, as the forwarder has on one CPU.
 */
#include "config.h"

#include "bare.h"

#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* A reader that looked at an empty ring all the time would slow who fills it. */
#define LOOK_EVERY_NS 20000

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
	static uint8_t bytes[BARE_READ_BYTES];
	ssize_t n;

	for (unsigned i = 0; i < BARE_READS_A_TURN; i++) {
		n = read(from, bytes, sizeof(bytes));
		/* A refused frame is lost, as on any wire. */
		if (n <= 0 || write(to, bytes, (size_t)n) < 0)
			break;
	}
}

static _Noreturn void carry_by_calls(const int fd[2])
{
	int e = epoll_create1(EPOLL_CLOEXEC), n;
	struct epoll_event ev;

	for (int i = 0; i < 2; i++) {
		ev = (struct epoll_event){.events = EPOLLIN, .data.u32 = (uint32_t)i};
		if (epoll_ctl(e, EPOLL_CTL_ADD, fd[i], &ev) < 0)
			die("epoll");
	}
	for (;;) {
		n = epoll_wait(e, &ev, 1, -1);
		for (int i = 0; i < n; i++)
			carry(fd[ev.data.u32], fd[1 - ev.data.u32]);
	}
}

static _Noreturn void drop_all(int fd)
{
	static uint8_t bytes[BARE_READ_BYTES];
	struct timespec now;
	int64_t ns, looked_ns = 0;

	for (;;) {
		clock_gettime(CLOCK_MONOTONIC, &now);
		ns = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
		if (ns - looked_ns < LOOK_EVERY_NS)
			continue;
		looked_ns = ns;
		while (read(fd, bytes, sizeof(bytes)) > 0)
			;
	}
}

int main(int argc, char **argv)
{
	int fd[2], ready;
	bool by_ring;

	if (argc != 4) {
		fprintf(stderr,
			"usage: bare call|ring|chain|drop FAR-NAMESPACE READY\n");
		return 2;
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getenv("BARE"))
		setpriority(PRIO_PROCESS, 0, -20);
	/* Who reads it learns of an end before the line, too. */
	ready = open(argv[3], O_WRONLY | O_CLOEXEC);
	if (ready < 0)
		die(argv[3]);
	fd[0] = make_tap("near");
	fd[1] = make_far(argv[2]);
	by_ring = strcmp(argv[1], "ring") == 0 || strcmp(argv[1], "chain") == 0;
	if (by_ring && !bare_make_ring(fd))
		return 77;
	if (write(ready, "up\n", 3) != 3)
		die(argv[3]);
	if (by_ring)
		argv[1][0] == 'r' ? bare_ring() : bare_chain();
	if (strcmp(argv[1], "drop") == 0)
		drop_all(fd[0]);
	carry_by_calls(fd);
}
