/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests/net/frames.c - frames of every kind over a wire, compared byte for byte
 *
 *   frames send DEV MTU FILE     once FILE exists, send the list through DEV
 *   frames recv DEV MTU FILE     make FILE when ready, take what comes until the last of
 *                                the list or 20 s have passed; then "sent N missing M
 *                                strange S" into FILE
 *
 * Both sides make the same list. Frames go to a station that does not exist, so that no
 * host answers; each carries its number at its end. The receiver undoes what the kernel
 * does on reception: it takes the outer VLAN tag out of the frame.
 */
#include "config.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define MAX_BYTES 65600
#define N_FRAMES_MAX 2000
#define WAIT_SECONDS 20

struct item {
	uint8_t *bytes;
	size_t n;
	bool seen;
};

static struct item list[N_FRAMES_MAX];
static unsigned n_list;
static uint64_t state = 88172645463325252u;

static uint32_t draw(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)(state >> 16);
}

/* Stations: nobody's, and a group that nobody joined. */
static const uint8_t nobody[6] = {0x02, 0xaa, 0, 0, 0, 1};
static const uint8_t group[6] = {0x01, 0x00, 0x5e, 0x7f, 0x11, 0x22};
static const uint8_t source[6] = {0x02, 0xbb, 0, 0, 0, 2};

/*
 * A frame: stations, @n_head bytes from the type on, the rest drawn, a number at the
 * end where there is room.
 */
static void add(const uint8_t *to, const uint8_t *head, size_t n_head, size_t n_bytes)
{
	struct item *it = &list[n_list];
	uint32_t number = htonl(n_list);
	size_t i;

	if (n_list == N_FRAMES_MAX)
		exit(3);
	it->n = n_bytes;
	it->bytes = malloc(n_bytes);
	if (!it->bytes)
		exit(3);
	for (i = 0; i < n_bytes; i++)
		it->bytes[i] = (uint8_t)draw();
	memcpy(it->bytes, to, 6);
	memcpy(it->bytes + 6, source, 6);
	memcpy(it->bytes + 12, head, n_head < n_bytes - 12 ? n_head : n_bytes - 12);
	if (n_bytes >= 12 + n_head + 4)
		memcpy(it->bytes + n_bytes - 4, &number, 4);
	n_list++;
}

static void add_type(uint16_t type, size_t n_bytes)
{
	uint8_t head[2] = {(uint8_t)(type >> 8), (uint8_t)type};

	add(nobody, head, 2, n_bytes);
}

/* Headers from the type on; what follows is drawn. */
static const struct {
	const char *bytes;
	size_t n;
} heads[] = {
#define HEAD(text)                                                                     \
	{                                                                              \
		text, sizeof(text) - 1                                                 \
	}
	HEAD("\x08\x06\0\1\x08\0\6\4\0\1"),                     /* ARP */
	HEAD("\x88\xcc\2\7\4"),                                 /* LLDP */
	HEAD("\0\x26\x42\x42\3\0\0\0\0"),                       /* STP in LLC */
	HEAD("\x88\x63\x11\x09\0\0\0\4"),                       /* PPPoE discovery */
	HEAD("\x88\x64\x11\0\0\1\0\x20\0\x21"),                 /* PPPoE session */
	HEAD("\x88\x47\0\1\x01\x40"),                           /* MPLS */
	HEAD("\x88\x48\0\1\x01\x40"),                           /* MPLS multicast */
	HEAD("\x81\0\x20\x07\x08\0\x45\0\0\x64"),               /* VLAN, IPv4 */
	HEAD("\x81\0\xef\xff\x86\xdd\x60\0\0\0"),               /* VLAN 4095, IPv6 */
	HEAD("\x88\xa8\0\x0a\x81\0\0\x14\x08\0\x45"),           /* QinQ */
	HEAD("\x81\0\0\x0a\x81\0\0\x14\x81\0\0\x1e\x08\0\x45"), /* three tags */
	HEAD("\x81\0"),                                         /* a tag cut off */
	HEAD("\x86\xdd\x60\0\0\0\0\x40\0\x40"),                 /* IPv6 hop by hop */
	HEAD("\x86\xdd\x60\0\0\0\0\x40\x2b\x40"),               /* IPv6 routing */
	HEAD("\x86\xdd\x60\0\0\0\0\x40\x2c\x40"),               /* IPv6 fragment */
	HEAD("\x86\xdd\x60\0\0\0\0\x40\x3c\x40"),               /* IPv6 options */
	HEAD("\x86\xdd\x60\0\0\0\xff\xff\6\x40"),               /* IPv6, length wrong */
	HEAD("\x08\0\x45\0\0\x54\x12\x34\x20\0\x40\x11"),       /* first fragment */
	HEAD("\x08\0\x45\0\0\x54\x12\x34\x20\x10\x40\x11"),     /* one inside */
	HEAD("\x08\0\x45\0\0\x54\x12\x34\0\x20\x40\x06"),       /* the last */
	HEAD("\x08\0\x4f\0\0\x54\0\0\x40\0\x40\x06"),           /* options to the end */
	HEAD("\x08\0\x41\0\0\x54\0\0\x40\0\x40\x06"),           /* a header too short */
	HEAD("\x08\0\x45\0\xff\xff\0\0\x40\0\x40\x06"),         /* length wrong */
	HEAD("\x08\0\x45\0\0\0\0\0\x40\0\x40\x11"),             /* length 0 */
	HEAD("\x08\0\x65\0\0\x54"),                   /* a version that is none */
	HEAD("\x08\0\x45\0\0\x54\0\0\x40\0\x40\x32"), /* ESP */
	HEAD("\x08\0\x45\0\0\x54\0\0\x40\0\x40\x2f"), /* GRE */
	HEAD("\xff\xff\0"),
	HEAD("\0\0"),
};

static void make_list(size_t mtu)
{
	static const size_t sizes[] = {14, 15, 17, 18, 20, 33, 34, 41, 42, 53, 54, 59,
		60, 61, 64, 74, 128, 576, 1000, 1499, 1500, 1514, 1518, 4096, 9000,
		9014, 16384, 32768, 65000, 65535, 65535 + 14};
	size_t i, k, n;

	for (i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
		if (sizes[i] <= mtu + 14)
			add_type(0x88b5, sizes[i]);
	add_type(0x88b5, mtu + 14);
	for (k = 0; k < sizeof(heads) / sizeof(*heads); k++)
		for (i = 0; i < 6; i++) {
			n = i < 3 ? 12 + heads[k].n + i * 7 : 60 + draw() % (mtu - 46);
			/* A receiving kernel drops a tag that is cut off. */
			if (n < 20)
				n = 20;
			add(i & 1 ? group : nobody, (const uint8_t *)heads[k].bytes,
				heads[k].n, n);
		}
	/* Garbage from the type on. */
	for (i = 0; i < 300; i++)
		add_type((uint16_t)draw(),
			14 + draw() % (i < 200 && mtu > 200 ? 200 : mtu));
	add_type(0x88b6, 60); /* the last */
}

static int open_dev(const char *dev)
{
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, htons(ETH_P_ALL)), on = 1;
	struct sockaddr_ll a = {.sll_family = AF_PACKET,
		.sll_protocol = htons(ETH_P_ALL),
		.sll_ifindex = (int)if_nametoindex(dev)};
	struct packet_mreq all = {
		.mr_ifindex = a.sll_ifindex, .mr_type = PACKET_MR_PROMISC};

	if (fd < 0 || bind(fd, (struct sockaddr *)&a, sizeof(a)) < 0 ||
		setsockopt(fd, SOL_PACKET, PACKET_ADD_MEMBERSHIP, &all, sizeof(all)) <
			0 ||
		setsockopt(fd, SOL_PACKET, PACKET_AUXDATA, &on, sizeof(on)) < 0) {
		perror(dev);
		exit(2);
	}
	setsockopt(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &on, sizeof(on));
	return fd;
}

static int do_send(const char *dev, const char *file)
{
	int fd = open_dev(dev);
	struct timespec pause = {.tv_nsec = 200000};
	time_t end = time(NULL) + WAIT_SECONDS;

	/* That the receiver has a socket does not say that it has its ring. */
	while (access(file, F_OK) < 0 && time(NULL) < end)
		nanosleep(&pause, NULL);
	for (unsigned i = 0; i < n_list; i++) {
		if (send(fd, list[i].bytes, list[i].n, 0) != (ssize_t)list[i].n) {
			fprintf(stderr, "frame %u of %zu bytes: %s\n", i, list[i].n,
				strerror(errno));
			return 1;
		}
		nanosleep(&pause, NULL);
	}
	return 0;
}

/* Room for the whole list, so that a receiver that sleeps misses nothing. */
#define SLOT_BYTES (1u << 17)
#define N_SLOTS 640u

static uint8_t *map_ring(int fd)
{
	int version = TPACKET_V2;
	struct tpacket_req r = {.tp_block_size = SLOT_BYTES,
		.tp_block_nr = N_SLOTS,
		.tp_frame_size = SLOT_BYTES,
		.tp_frame_nr = N_SLOTS};
	void *ring;

	if (setsockopt(fd, SOL_PACKET, PACKET_VERSION, &version, sizeof(version)) < 0 ||
		setsockopt(fd, SOL_PACKET, PACKET_RX_RING, &r, sizeof(r)) < 0)
		return NULL;
	ring = mmap(NULL, (size_t)SLOT_BYTES * N_SLOTS, PROT_READ | PROT_WRITE,
		MAP_SHARED, fd, 0);
	return ring == MAP_FAILED ? NULL : ring;
}

/* One frame as it was on the wire. Return: bytes, 0 for one of other people. */
static size_t take(const struct tpacket2_hdr *h, uint8_t *bytes)
{
	const uint8_t *raw = (const uint8_t *)h + h->tp_mac;
	size_t n = h->tp_snaplen;

	if (n < 14 || memcmp(raw + 6, source, 6) != 0)
		return 0;
	if (!(h->tp_status & TP_STATUS_VLAN_VALID)) {
		memcpy(bytes, raw, n);
		return n;
	}
	memcpy(bytes, raw, 12);
	bytes[12] = (uint8_t)(h->tp_vlan_tpid >> 8);
	bytes[13] = (uint8_t)h->tp_vlan_tpid;
	bytes[14] = (uint8_t)(h->tp_vlan_tci >> 8);
	bytes[15] = (uint8_t)h->tp_vlan_tci;
	memcpy(bytes + 16, raw + 12, n - 12);
	return n + 4;
}

/* Short frames have no number and may be equal: the first that is not seen yet. */
static struct item *find(const uint8_t *bytes, size_t n)
{
	for (unsigned i = 0; i < n_list; i++)
		if (!list[i].seen && list[i].n == n &&
			memcmp(list[i].bytes, bytes, n) == 0)
			return &list[i];
	return NULL;
}

static int do_recv(const char *dev, const char *file)
{
	static uint8_t bytes[MAX_BYTES];
	unsigned missing = 0, strange = 0;
	struct item *it, *last = &list[n_list - 1];
	time_t end = time(NULL) + WAIT_SECONDS;
	int fd = open_dev(dev);
	uint8_t *ring = map_ring(fd);
	unsigned slot = 0;
	size_t n;
	FILE *out;

	if (!ring) {
		perror("ring");
		return 2;
	}
	out = fopen(file, "w");
	if (!out || fclose(out) != 0)
		return 2;
	while (!last->seen && time(NULL) < end) {
		struct pollfd p = {.fd = fd, .events = POLLIN};
		struct tpacket2_hdr *h = (void *)(ring + (size_t)slot * SLOT_BYTES);

		if (!(__atomic_load_n(&h->tp_status, __ATOMIC_ACQUIRE) &
			    TP_STATUS_USER)) {
			poll(&p, 1, 200);
			continue;
		}
		n = take(h, bytes);
		__atomic_store_n(&h->tp_status, TP_STATUS_KERNEL, __ATOMIC_RELEASE);
		slot = (slot + 1) % N_SLOTS;
		it = n ? find(bytes, n) : NULL;
		if (it)
			it->seen = true;
		else
			strange += n > 0;
	}
	for (unsigned i = 0; i < n_list; i++) {
		if (list[i].seen)
			continue;
		missing++;
		fprintf(stderr, "missing: %u, %zu bytes, type %02x%02x\n", i, list[i].n,
			list[i].bytes[12], list[i].bytes[13]);
	}
	out = fopen(file, "w");
	if (!out)
		return 2;
	fprintf(out, "sent %u missing %u strange %u\n", n_list, missing, strange);
	return fclose(out) != 0;
}

int main(int argc, char **argv)
{
	if (argc < 5)
		return 2;
	make_list((size_t)atoi(argv[3]));
	return strcmp(argv[1], "send") == 0 ? do_send(argv[2], argv[4])
					    : do_recv(argv[2], argv[4]);
}
