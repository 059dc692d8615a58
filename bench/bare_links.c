/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bench/bare_links.c - the floor of many links: what each must have, by bare system calls
 *
 *   bare_links N FAR-NAMESPACE DIR PAGES   prints up=SECONDS down=SECONDS
 *
 * A link is a process of its own with a TAP here and one there, both up, a listening socket
 * in DIR, an io_uring, locked memory, no capability and a filter of its system calls. Nothing
 * is read or written, asked of netlink, or checked. PAGES is how many pages of the parent's
 * the process writes to: its stack, its heap and the data of its libraries, of which even a
 * small program with some libraries has a hundred. As many are made at once as farwire does.
 */
#include "config.h"

#include "bare.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/if_tun.h>
#include <linux/seccomp.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define AT_ONCE 4
#define PAGE_BYTES 4096
/* About as long as the forwarder's. */
#define FILTER_STEPS 160

static int near_ns, far_ns;
static volatile char *page;
static unsigned n_pages;
static int ready_fd = -1; /* of a link's process */

static void die(const char *what)
{
	perror(what);
	if (ready_fd >= 0)
		(void)!write(ready_fd, "x", 1);
	exit(1);
}

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* In the namespace the caller is in. */
static int make_tap(char kind, unsigned i)
{
	struct ifreq r = {
		.ifr_flags = IFF_TAP | IFF_NO_PI | IFF_VNET_HDR | IFF_TUN_EXCL};
	int fd = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
	int ctl = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	/* Those of an earlier call may not be gone: a ring lets go of its files late. */
	snprintf(r.ifr_name, sizeof(r.ifr_name), "%c%u.%u", kind, i, n_pages);
	if (fd < 0 || ctl < 0 || ioctl(fd, TUNSETIFF, &r) < 0 ||
		ioctl(fd, TUNSETOFFLOAD, TUN_F_CSUM | TUN_F_TSO4 | TUN_F_TSO6) < 0 ||
		ioctl(ctl, SIOCGIFFLAGS, &r) < 0)
		die(r.ifr_name);
	r.ifr_flags |= IFF_UP;
	if (ioctl(ctl, SIOCSIFFLAGS, &r) < 0)
		die(r.ifr_name);
	close(ctl);
	return fd;
}

static void serve(const char *dir, unsigned i)
{
	struct sockaddr_un a = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(a.sun_path, sizeof(a.sun_path), "%.60s/%u.bare", dir, i);
	unlink(a.sun_path);
	if (fd < 0 || bind(fd, (struct sockaddr *)&a, sizeof(a)) < 0 ||
		listen(fd, 8) < 0)
		die(a.sun_path);
}

static void close_in(void)
{
	static struct sock_filter step[FILTER_STEPS + 2];
	struct sock_fprog prog = {.len = FILTER_STEPS + 2, .filter = step};
	struct __user_cap_header_struct h = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {0};

	step[0] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0);
	/* None of these is a call's number. */
	for (unsigned i = 1; i <= FILTER_STEPS; i++)
		step[i] = (struct sock_filter)BPF_JUMP(
			BPF_JMP | BPF_JEQ | BPF_K, 100000 + i, 0, 0);
	step[FILTER_STEPS + 1] =
		(struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	(void)mlockall(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT);
	if (syscall(SYS_capset, &h, none) < 0 ||
		prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
		prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog) < 0)
		die("filter");
}

/* @end: says nothing, and has its end of file when the link is to end */
static _Noreturn void be_link(const char *dir, unsigned i, int ready, int end)
{
	bool has_ring;
	int fd[2];
	char byte;

	ready_fd = ready;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setsid();
	for (unsigned p = 0; p < n_pages; p++)
		page[p * PAGE_BYTES] = 1;
	serve(dir, i);
	fd[0] = make_tap('n', i);
	if (setns(far_ns, CLONE_NEWNET) < 0)
		die("far");
	fd[1] = make_tap('f', i);
	if (setns(near_ns, CLONE_NEWNET) < 0)
		die("near");
	/* Without a ring it is as good as a link by calls. */
	has_ring = bare_make_ring(fd);
	close_in();
	if (write(ready, "r", 1) != 1)
		_exit(1);
	(void)!read(end, &byte, 1);
	/* Else the devices go one by one, 20 ms each, on one thread of the kernel's. */
	if (has_ring)
		bare_end_ring();
	close(fd[0]);
	close(fd[1]);
	_exit(0);
}

static unsigned read_ready(int fd)
{
	char bytes[AT_ONCE];
	ssize_t n = read(fd, bytes, sizeof(bytes));

	if (n <= 0 || memchr(bytes, 'x', (size_t)n))
		die("a link");
	return (unsigned)n;
}

int main(int argc, char **argv)
{
	unsigned n = argc == 5 ? (unsigned)atoi(argv[1]) : 0, i, n_ready = 0;
	double start_s, up_s;
	pid_t pid;
	int pair[2], end[2];

	if (!n) {
		fprintf(stderr, "usage: bare_links N FAR-NAMESPACE DIR PAGES\n");
		return 2;
	}
	n_pages = (unsigned)atoi(argv[4]);
	page = mmap(NULL, (n_pages + 1) * PAGE_BYTES, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	near_ns = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	far_ns = open(argv[2], O_RDONLY | O_CLOEXEC);
	if (page == MAP_FAILED || near_ns < 0 || far_ns < 0 || pipe(pair) < 0 ||
		pipe(end) < 0)
		die(argv[2]);
	for (i = 0; i < n_pages; i++)
		page[i * PAGE_BYTES] = 2;
	start_s = now_s();
	for (i = 0; i < n; i++) {
		while (i - n_ready >= AT_ONCE)
			n_ready += read_ready(pair[0]);
		pid = fork();
		if (pid < 0)
			die("fork");
		if (pid == 0) {
			close(pair[0]);
			close(end[1]);
			be_link(argv[3], i, pair[1], end[0]);
		}
	}
	while (n_ready < n)
		n_ready += read_ready(pair[0]);
	up_s = now_s();
	close(end[1]);
	while (wait(NULL) > 0)
		;
	printf("up=%.3f down=%.3f n=%u\n", up_s - start_s, now_s() - up_s, n);
	return 0;
}
