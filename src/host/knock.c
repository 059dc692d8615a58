/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/knock.c - does a helper answer at its socket, and with which hardware address?
 *
 * Frames: RFC 826 (ARP), RFC 4861 (neighbour discovery).
 */
#include "config.h"

#include "host/knock.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define ETH_BYTES 14
#define IPV6_BYTES 40
#define ARP_BYTES 28
#define SOLICIT_BYTES 32 /* with the option that tells our hardware address */
#define FRAME_MAX_BYTES 65664

static void put_eth(
	uint8_t *b, const uint8_t to[6], const uint8_t from[6], unsigned type)
{
	memcpy(b, to, 6);
	memcpy(b + 6, from, 6);
	b[12] = (uint8_t)(type >> 8);
	b[13] = (uint8_t)type;
}

static size_t arp_request(
	uint8_t *b, const uint8_t mac[6], const uint8_t *from, const uint8_t *whom)
{
	static const uint8_t all[6] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
	static const uint8_t head[8] = {0, 1, 8, 0, 6, 4, 0, 1};

	put_eth(b, all, mac, 0x0806);
	b += ETH_BYTES;
	memset(b, 0, ARP_BYTES);
	memcpy(b, head, sizeof(head));
	memcpy(b + 8, mac, 6);
	memcpy(b + 14, from, 4);
	memcpy(b + 24, whom, 4);
	return ETH_BYTES + ARP_BYTES;
}

/* RFC 1071, over whole 16-bit words. */
static unsigned sum(unsigned s, const uint8_t *b, size_t n)
{
	for (size_t i = 0; i < n; i += 2)
		s += (unsigned)b[i] << 8 | b[i + 1];
	return (s & 0xffff) + (s >> 16);
}

static size_t solicitation(
	uint8_t *b, const uint8_t mac[6], const uint8_t *from, const uint8_t *whom)
{
	static const uint8_t group[13] = {0xff, 2, [11] = 1, 0xff};
	uint8_t *ip = b + ETH_BYTES, *icmp = ip + IPV6_BYTES,
		to[6] = {0x33, 0x33, 0xff};
	unsigned s;

	memcpy(to + 3, whom + 13, 3);
	put_eth(b, to, mac, 0x86dd);
	memset(ip, 0, IPV6_BYTES + SOLICIT_BYTES);
	ip[0] = 0x60;
	ip[5] = SOLICIT_BYTES;
	ip[6] = 58;
	ip[7] = 255;
	memcpy(ip + 8, from, 16);
	memcpy(ip + 24, group, 13);
	memcpy(ip + 37, whom + 13, 3);
	icmp[0] = 135;
	memcpy(icmp + 8, whom, 16);
	icmp[24] = 1;
	icmp[25] = 1;
	memcpy(icmp + 26, mac, 6);
	s = sum(58 + SOLICIT_BYTES, ip + 8, 32);
	s = ~sum(sum(s, icmp, SOLICIT_BYTES), icmp, 0) & 0xffff;
	icmp[2] = (uint8_t)(s >> 8);
	icmp[3] = (uint8_t)s;
	return ETH_BYTES + IPV6_BYTES + SOLICIT_BYTES;
}

static bool is_answer(const uint8_t *b, size_t n, const struct cidr *whom)
{
	if (whom->family == AF_INET)
		return n >= ETH_BYTES + ARP_BYTES && b[12] == 8 && b[13] == 6 &&
		       b[21] == 2 && memcmp(b + 28, whom->bytes, 4) == 0;
	return n >= ETH_BYTES + IPV6_BYTES + 24 && b[12] == 0x86 && b[13] == 0xdd &&
	       b[20] == 58 && b[54] == 136 && memcmp(b + 62, whom->bytes, 16) == 0;
}

static int wait_for(int fd, short events, nsec_t until_ns)
{
	struct pollfd p = {.fd = fd, .events = events};
	nsec_t left_ns;
	int n;

	do {
		left_ns = until_ns - clock_now_ns();
		if (left_ns <= 0)
			return -ETIMEDOUT;
		n = poll(&p, 1, (int)(left_ns / NSEC_PER_MSEC) + 1);
	} while (n == 0 || (n < 0 && errno == EINTR));
	return n < 0 ? -errno : 0;
}

/* A socket whose other end is closed with something unread says so. */
static int gone(int error)
{
	return error == ECONNRESET ? -EPIPE : -error;
}

/* Exactly @n bytes of a stream. */
static int read_all(int fd, uint8_t *b, size_t n, nsec_t until_ns)
{
	ssize_t got;
	int r;

	while (n) {
		r = wait_for(fd, POLLIN, until_ns);
		if (r < 0)
			return r;
		got = recv(fd, b, n, MSG_DONTWAIT);
		if (got == 0)
			return -EPIPE;
		if (got < 0 && errno != EAGAIN && errno != EINTR)
			return gone(errno);
		if (got > 0) {
			b += got;
			n -= (size_t)got;
		}
	}
	return 0;
}

/* One frame, never a byte of the next. Return: its length or -errno. */
static int read_frame(enum port_kind kind, int fd, uint8_t *b, nsec_t until_ns)
{
	uint8_t head[4];
	uint32_t n_bytes;
	ssize_t got;
	int r;

	if (kind == PORT_PACKET) {
		r = wait_for(fd, POLLIN, until_ns);
		if (r < 0)
			return r;
		got = recv(fd, b, FRAME_MAX_BYTES, MSG_DONTWAIT);
		if (got < 0 && (errno == EAGAIN || errno == EINTR))
			return 1; /* no frame, and no answer to anything */
		return got > 0 ? (int)got : got == 0 ? -EPIPE : gone(errno);
	}
	r = read_all(fd, head, sizeof(head), until_ns);
	if (r < 0)
		return r;
	n_bytes = (uint32_t)head[0] << 24 | (uint32_t)head[1] << 16 |
		  (uint32_t)head[2] << 8 | head[3];
	if (n_bytes == 0 || n_bytes > FRAME_MAX_BYTES)
		return -EPROTO;
	r = read_all(fd, b, n_bytes, until_ns);
	return r < 0 ? r : (int)n_bytes;
}

static int send_frame(enum port_kind kind, int fd, const uint8_t *frame, size_t n)
{
	uint8_t out[4 + ETH_BYTES + IPV6_BYTES + SOLICIT_BYTES] = {0, 0, 0, (uint8_t)n};
	size_t skip = kind == PORT_STREAM ? 0 : 4;

	/* The first bytes on this socket: there is room. */
	memcpy(out + 4, frame, n);
	if (send(fd, out + skip, n + 4 - skip, MSG_NOSIGNAL) == (ssize_t)(n + 4 - skip))
		return 0;
	return gone(errno);
}

static int ask(struct plan *p, unsigned i, enum port_kind kind, int fd, nsec_t until_ns)
{
	const struct cidr *from = &p->near.addr[i], *whom = &p->far.addr[p->across[i]];
	uint8_t frame[ETH_BYTES + IPV6_BYTES + SOLICIT_BYTES];
	static uint8_t got[FRAME_MAX_BYTES];
	size_t n = from->family == AF_INET
			   ? arp_request(frame, p->near.mac, from->bytes, whom->bytes)
			   : solicitation(frame, p->near.mac, from->bytes, whom->bytes);
	int r = send_frame(kind, fd, frame, n);

	while (r >= 0) {
		r = read_frame(kind, fd, got, until_ns);
		if (r > 0 && is_answer(got, (size_t)r, whom)) {
			memcpy(p->far.mac, got + 6, 6);
			return 0;
		}
	}
	return r;
}

int knock(struct plan *p, enum port_kind kind, int fd, nsec_t until_ns)
{
	bool done4 = false, done6 = false, *done;
	int r = 0;

	for (unsigned i = 0; i < p->near.n_addrs && !r; i++) {
		done = p->near.addr[i].family == AF_INET ? &done4 : &done6;
		if (!*done)
			r = ask(p, i, kind, fd, until_ns);
		*done = true;
	}
	return r;
}
