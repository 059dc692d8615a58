/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests/net/bytewire.c - is what arrives byte for byte what a wire would have carried?
 *
 *   bytewire MILLISECONDS GEN_SEED segment|whole[+uring] netem WORDS...
 *
 * Four TAPs are there and up: in and a on one bridge, b and out on another. Random
 * super-frames are written to `in`; the kernel hands them to `a`, which the loop reads;
 * it judges them by the words and writes to `b`; from there the kernel brings them to
 * `out`, which has no offloads, so that it must cut super-frames and finish sums. A
 * successful write is not a delivered frame, hence this far end.
 *
 * Every frame at `out` must be byte for byte one that a plain segmentation gives (a TCP
 * sum of 0 may be ffff), none more often than the counters say. One line of NAME=VALUE
 * pairs; the status is 0 when all is well.
 */
#include "config.h"

#include "base/clock.h"
#include "conf/args.h"
#include "engine/path.h"
#include "lib/plain.h"
#include "lib/supers.h"
#include "run/loop.h"
#include "run/uring.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

/* A run ends when so much was sent, too. */
#define FRAMES_MAX 500000
#define BYTES_MAX (256u << 20)
#define SLOTS (1u << 20)
/* In flight at most so many, or a ring on the way might overflow. */
#define WINDOW_FRAMES 8000
#define QUIET_MS 500
#define N_SHOWN 5

static const uint8_t src_mac[6] = {2, 0, 0, 0, 0, 1}, dst_mac[6] = {2, 0, 0, 0, 0, 2};

/* What the sender and receiver, a process of its own, found. */
struct found {
	unsigned reads, sent, arrived, foreign, twice;
};

static void die(const char *what)
{
	perror(what);
	exit(2);
}

static int open_tap(const char *dev, int flags, unsigned long offloads)
{
	struct ifreq ifr = {.ifr_flags = (short)(IFF_TAP | IFF_NO_PI | flags)};
	int fd = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);

	snprintf(ifr.ifr_name, IFNAMSIZ, "%s", dev);
	if (fd < 0 || ioctl(fd, TUNSETIFF, &ifr) < 0 ||
		ioctl(fd, TUNSETOFFLOAD, offloads) < 0)
		die(dev);
	return fd;
}

static uint64_t hash(const uint8_t *p, uint32_t n)
{
	uint64_t h = 0xcbf29ce484222325ull; /* FNV-1a */

	for (uint32_t i = 0; i < n; i++)
		h = (h ^ p[i]) * 0x100000001b3ull;
	return h ^ h >> 29;
}

/* Frames sent, found by their bytes; equal ones are one entry that may come as often. */
struct set {
	struct plain_list *sent;
	unsigned slot[SLOTS]; /* index of a frame, plus 1 */
	unsigned times[FRAMES_MAX], came[FRAMES_MAX];
};

static unsigned *find(struct set *s, const uint8_t *frame, uint32_t n_bytes)
{
	unsigned at = (unsigned)(hash(frame, n_bytes) % SLOTS), i;

	while ((i = s->slot[at]) != 0) {
		if (s->sent->frame[i - 1].n_bytes == n_bytes &&
			!memcmp(plain_frame(s->sent, i - 1), frame, n_bytes))
			break;
		at = (at + 1) % SLOTS;
	}
	return &s->slot[at];
}

static void note_sent(struct set *s, unsigned from)
{
	for (unsigned i = from; i < s->sent->n_frames; i++) {
		unsigned *at =
			find(s, plain_frame(s->sent, i), s->sent->frame[i].n_bytes);

		if (!*at)
			*at = i + 1;
		s->times[*at - 1]++;
	}
}

static void show(const uint8_t *frame, uint32_t n_bytes)
{
	fprintf(stderr, "foreign frame of %u bytes:", n_bytes);
	for (uint32_t i = 0; i < n_bytes && i < 120; i++)
		fprintf(stderr, " %02x", frame[i]);
	fputc('\n', stderr);
}

/* Takes all that has come. */
static void receive(struct set *s, int out_fd, struct found *f)
{
	uint8_t frame[10000];
	unsigned *at;
	ssize_t n;

	while ((n = read(out_fd, frame, sizeof(frame))) > 0) {
		/* The bridge's own. */
		if (n < 14 || memcmp(frame + 6, src_mac, 6) != 0)
			continue;
		f->arrived++;
		plain_same_zero(frame, (uint32_t)n);
		at = find(s, frame, (uint32_t)n);
		if (!*at) {
			if (f->foreign++ < N_SHOWN)
				show(frame, (uint32_t)n);
		} else if (++s->came[*at - 1] > s->times[*at - 1]) {
			f->twice++;
		}
	}
}

static void wait_for_more(int out_fd, int ms)
{
	struct pollfd p = {.fd = out_fd, .events = POLLIN};

	poll(&p, 1, ms);
}

static int send_and_receive(
	int in_fd, int out_fd, unsigned seed, nsec_t for_ns, struct found *f)
{
	static uint8_t read_as[SUPERS_BYTES_MAX];
	nsec_t end_ns, quiet_ns;
	struct set *s = calloc(1, sizeof(*s));
	struct supers rng;

	if (!s)
		die("memory");
	s->sent = plain_list_new(FRAMES_MAX, BYTES_MAX);
	supers_init(&rng, seed, src_mac, dst_mac);
	end_ns = clock_now_ns() + for_ns;
	while (clock_now_ns() < end_ns && f->sent < FRAMES_MAX - 10000 &&
		s->sent->n_bytes < BYTES_MAX - 2000000) {
		for (unsigned i = 0; i < 16; i++) {
			uint32_t n = supers_next(&rng, read_as);
			unsigned from = s->sent->n_frames;
			const char *wrong = plain_add(s->sent, read_as, n);

			if (wrong || write(in_fd, read_as, n) != (ssize_t)n) {
				fprintf(stderr, "in: %s\n",
					wrong ? wrong : strerror(errno));
				return 1;
			}
			note_sent(s, from);
			f->reads++;
		}
		f->sent = s->sent->n_frames;
		receive(s, out_fd, f);
		/* What is lost on purpose is made up for by the pause. */
		if (f->sent % WINDOW_FRAMES < 500)
			wait_for_more(out_fd, 5);
	}
	for (quiet_ns = clock_now_ns();
		clock_now_ns() - quiet_ns < QUIET_MS * NSEC_PER_MSEC;) {
		unsigned before = f->arrived;

		wait_for_more(out_fd, 50);
		receive(s, out_fd, f);
		if (f->arrived != before)
			quiet_ns = clock_now_ns();
	}
	return 0;
}

/*
 * A TAP that is attached gets its carrier, and its bridge learns of it some time later;
 * until then it drops what comes. So something is sent until it arrives.
 */
static void open_way(int from_fd, int to_fd, const char *what)
{
	uint8_t probe[PLAIN_VNET_BYTES + 60] = {0}, got[200];
	struct pollfd p = {.fd = to_fd, .events = POLLIN};
	unsigned i;

	memcpy(probe + PLAIN_VNET_BYTES, dst_mac, 6);
	probe[PLAIN_VNET_BYTES + 6] = 2; /* not src_mac */
	probe[PLAIN_VNET_BYTES + 12] = 0x88;
	probe[PLAIN_VNET_BYTES + 13] = 0xb5; /* for local experiments */
	for (i = 0; i < 500; i++) {
		if (write(from_fd, probe, sizeof(probe)) < 0)
			die(what);
		if (poll(&p, 1, 10) > 0)
			break;
	}
	if (i == 500)
		die(what);
	while (read(to_fd, got, sizeof(got)) > 0)
		;
}

static void carry(struct loop *l, const struct netem_conf *n, bool by_ring)
{
	struct spec spec = {.kind = IMPAIR_NETEM, .netem = *n};
	struct err e;

	l->n_ports = 2;
	l->n_paths = 1;
	l->path[0].out_port = 1;
	l->pool = buf_pool_new((size_t)256 << 20, 0, &e);
	l->path[0].path = l->pool ? path_new(&spec, l->pool, clock_now_ns(), &e) : NULL;
	if (!l->path[0].path || signals_open(l->signals, l->signals->child, &e) < 0 ||
		loop_epoll(l, &e) < 0)
		die(e.text);
	if (by_ring) {
		l->uring = uring_open(l->port, l->n_ports, l->epoll_fd, &e);
		if (!l->uring)
			die(e.text);
	}
	if (loop_init(l, &e) < 0)
		die(e.text);
	loop_run(l);
	uring_close(l->uring, l->pool);
}

int main(int argc, char **argv)
{
	const unsigned long all = TUN_F_CSUM | TUN_F_TSO4 | TUN_F_TSO6 | TUN_F_TSO_ECN;
	static struct loop l;
	static struct signals signals;
	struct found *f = mmap(NULL, sizeof(*f), PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	char *words[64] = {"farwire", "check"};
	struct conf conf;
	const struct count *c;
	int in_fd, out_fd, i;
	struct err e;

	if (argc < 5 || argc > 60 || f == MAP_FAILED)
		return 2;
	for (i = 4; i < argc; i++)
		words[i - 2] = argv[i];
	conf_init(&conf);
	if (conf_read(&conf, argc - 2, words, &e) < 0) {
		fprintf(stderr, "%s\n", e.text);
		return 2;
	}
	in_fd = open_tap("in", IFF_VNET_HDR, 0);
	out_fd = open_tap("out", 0, 0);
	/* USO where there is any; the number is since Linux 6.2. */
	l.port[0].fd = open_tap("a", IFF_VNET_HDR, all);
	ioctl(l.port[0].fd, TUNSETOFFLOAD, all | 0x20 | 0x40);
	l.port[0].whole = !strncmp(argv[3], "whole", 5);
	l.port[1].fd = open_tap("b", IFF_VNET_HDR, 0);
	open_way(in_fd, l.port[0].fd, "from in to a");
	open_way(l.port[1].fd, out_fd, "from b to out");
	l.signals = &signals;
	signals.child = fork();
	if (signals.child == 0)
		_exit(send_and_receive(in_fd, out_fd, (unsigned)atoi(argv[2]),
			atoi(argv[1]) * NSEC_PER_MSEC, f));
	carry(&l, &conf.spec[DIR_UP].netem, strstr(argv[3], "+uring") != NULL);
	c = path_count(l.path[0].path);
	printf("sent=%u in=%lu out=%lu arrived=%u foreign=%u twice=%u lost=%lu "
	       "duplicated=%lu injected=%u reads=%lu writes=%lu failed=%lu live=%lu\n",
		f->sent, c->in, c->out, f->arrived, f->foreign, f->twice, c->lost,
		c->duplicated, f->reads, l.port[0].frames_read, l.port[1].writes,
		c->drop_io, buf_pool_live_bufs(l.pool));
	return signals.child_status || !f->sent || f->foreign ||
	       f->arrived != l.port[1].frames_written ||
	       f->sent != l.port[0].frames_read || c->drop_io ||
	       (!c->duplicated && f->twice) || buf_pool_live_bufs(l.pool);
}
