/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests/oracle/pairwire.c - engine and loop between two namespaces, for comparisons
 *
 *   pairwire [-j FILE] NS_A DEV_A NS_B DEV_B netem WORDS... -- COMMAND [ARG...]
 *
 * Makes TAP DEV_A in the named namespace NS_A and DEV_B in NS_B, sets both up, judges
 * what goes from A to B by the words and nothing the other way, runs the command,
 * prints the counters (text on stderr, or JSON into FILE) and exits with the command's
 * status. It has no redirects, no guards and no sandbox: it is there to put the
 * kernel's netem and ours on the same path. IPv6 is off on both devices, or the kernel's
 * own neighbour discovery would be judged too and take numbers from a seeded stream.
 */
#include "config.h"

#include "base/clock.h"
#include "conf/args.h"
#include "engine/path.h"
#include "report/report.h"
#include "run/loop.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define RING_FRAMES 10000

static void die(const char *what)
{
	perror(what);
	exit(2);
}

/* For the namespace we are in. Without the file there is no IPv6 to turn off. */
static void turn_ipv6_off(const char *dev)
{
	char path[PATH_MAX];
	int fd;

	snprintf(path, sizeof(path), "/proc/sys/net/ipv6/conf/%s/disable_ipv6", dev);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	if (write(fd, "1", 1) != 1)
		die(path);
	close(fd);
}

static int open_tap(const char *ns, const char *dev)
{
	struct ifreq ifr = {0};
	char path[PATH_MAX];
	int back = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC), fd, in, sock;
	int vnet_bytes = BUF_VNET_BYTES;

	snprintf(path, sizeof(path), "/run/netns/%s", ns);
	in = open(path, O_RDONLY | O_CLOEXEC);
	if (in < 0 || setns(in, CLONE_NEWNET) < 0)
		die(path);
	fd = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
	snprintf(ifr.ifr_name, IFNAMSIZ, "%s", dev);
	ifr.ifr_flags = IFF_TAP | IFF_NO_PI | IFF_VNET_HDR;
	if (fd < 0 || ioctl(fd, TUNSETIFF, &ifr) < 0 ||
		ioctl(fd, TUNSETVNETHDRSZ, &vnet_bytes) < 0)
		die(dev);
	turn_ipv6_off(dev);
	sock = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	ifr.ifr_qlen = RING_FRAMES;
	ioctl(sock, SIOCSIFTXQLEN, &ifr);
	if (ioctl(sock, SIOCGIFFLAGS, &ifr) < 0)
		die(dev);
	ifr.ifr_flags |= IFF_UP;
	if (ioctl(sock, SIOCSIFFLAGS, &ifr) < 0)
		die(dev);
	if (setns(back, CLONE_NEWNET) < 0)
		die("setns");
	close(sock);
	close(in);
	close(back);
	return fd;
}

static struct path *make_path(const struct spec *s, struct buf_pool *pool)
{
	struct spec copy = *s;
	struct path *p;
	struct err e;
	FILE *f;

	if (!copy.netem.has_seed) {
		f = fopen("/dev/urandom", "r");
		if (!f || fread(&copy.netem.seed, sizeof(copy.netem.seed), 1, f) != 1)
			die("/dev/urandom");
		fclose(f);
		copy.netem.has_seed = true;
	}
	p = path_new(&copy, pool, clock_now_ns(), &e);
	if (!p) {
		fprintf(stderr, "pairwire: %s\n", e.text);
		exit(2);
	}
	return p;
}

/* The words are read as those of `check`, up to the "--" before the command. */
static char **read_words(struct conf *c, char **argv)
{
	static char *words[256] = {"farwire", "check"};
	int n = 2;
	struct err e;

	while (*argv && strcmp(*argv, "--") && n < 255)
		words[n++] = *argv++;
	conf_init(c);
	if (!*argv || !argv[1] || conf_read(c, n, words, &e) < 0) {
		fprintf(stderr, "pairwire: %s\n", *argv ? e.text : "-- is missing");
		exit(2);
	}
	return argv + 1;
}

/* Counters of the way from A to B. */
static void print_report(
	const struct loop *l, const struct spec *s, int status, const char *json_file)
{
	struct report rep = {.n_paths = 1,
		.carrier = "plain",
		.rank = "none",
		.exit_status = status,
		.wakeups = l->wakeups,
		.idle_wakeups = l->idle_wakeups,
		.arms = l->watchdog.arms};
	struct err e;
	int fd;

	rep.path[0] = (struct report_path){.link = "pair",
		.direction = "up",
		.spec = s,
		.count = path_count(l->path[0].path),
		.reads = l->port[0].reads,
		.frames_read = l->port[0].frames_read,
		.writes = l->port[1].writes,
		.frames_written = l->port[1].frames_written};
	if (!json_file) {
		report_text(stderr, &rep, 2);
		return;
	}
	fd = open(json_file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (fd < 0 || report_json(fd, &rep, &e) < 0)
		die(json_file);
	close(fd);
}

int main(int argc, char **argv)
{
	static struct loop loop;
	struct signals signals;
	struct spec plain = {.kind = IMPAIR_NETEM};
	const char *json_file = NULL;
	struct conf conf;
	char **command;
	struct err e;
	int status;
	pid_t pid;

	if (argc > 2 && !strcmp(argv[1], "-j")) {
		json_file = argv[2];
		argv += 2;
		argc -= 2;
	}
	if (argc < 7) {
		fprintf(stderr, "usage: pairwire [-j FILE] NS DEV NS DEV netem ... -- "
				"COMMAND\n");
		return 2;
	}
	command = read_words(&conf, argv + 5);
	plain.netem.limit_frames = UINT32_MAX;
	plain.netem.has_seed = true;
	loop.pool = buf_pool_new((size_t)1 << 30, 8u << 20, &e);
	loop.n_ports = loop.n_paths = 2;
	loop.port[0].fd = open_tap(argv[1], argv[2]);
	loop.port[1].fd = open_tap(argv[3], argv[4]);
	loop.path[0].path = make_path(&conf.spec[DIR_UP], loop.pool);
	loop.path[0].out_port = 1;
	loop.path[1].path = make_path(&plain, loop.pool);
	loop.path[1].in_port = 1;
	pid = fork();
	if (pid == 0) {
		execvp(command[0], command);
		die(command[0]);
	}
	loop.signals = &signals;
	if (signals_open(&signals, pid, &e) < 0 || loop_init(&loop, &e) < 0) {
		fprintf(stderr, "pairwire: %s\n", e.text);
		return 2;
	}
	loop_run(&loop);
	status =
		WIFEXITED(signals.child_status) ? WEXITSTATUS(signals.child_status) : 2;
	print_report(&loop, &conf.spec[DIR_UP], status, json_file);
	return status;
}
