/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bench/load.h - what the two halves of a load have in common
 */
#ifndef FW_BENCH_LOAD_H
#define FW_BENCH_LOAD_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define BATCH 32
#define STREAM_CHUNK (128 * 1024)
#define MAX_STREAMS 200
#define MAX_SENDERS 64
#define MAX_PAYLOAD 1472 /* of a datagram in a frame of 1514 bytes */

struct load_test {
	const char *name;
	int type;    /* SOCK_DGRAM, SOCK_STREAM */
	int streams; /* of them */
};

struct load {
	const struct load_test *test;
	struct sockaddr_in to;
	const char *cc;   /* congestion control of the streams */
	int buffer_bytes; /* of the sockets, 0: the kernel's choice */
	int senders;      /* of datagrams */
	double pps;       /* datagrams a second of each sender, 0: as fast as it can */
	size_t payload;   /* bytes of a datagram */
	double warm_s;    /* load that is not measured, before */
	double seconds;   /* load that is */
	pid_t parent;     /* whose CPU time is asked for */
};

/* What the far half has to say. */
struct load_far {
	uint64_t got;     /* frames, datagrams, bytes or answers, as the test has it */
	uint64_t bytes;   /* of the datagrams that were read, but the first */
	uint64_t span_ns; /* from the first of them to the last */
	uint64_t device;  /* packets that the far devices received */
};

/* And the near one. */
struct load_near {
	uint64_t count;  /* sent or answered in the time that is measured; rtt: ns */
	uint64_t total;  /* with what was sent before and after */
	uint64_t ns;     /* how long that time was */
	uint64_t cpu_ns; /* CPU time of the parent in it */
};

/** die() - Say that @what failed, and why; end. */
void die(const char *what) __attribute__((noreturn));
int64_t now_ns(void);
/** open_socket() - Of @type, with the buffers and congestion control of @l. */
int open_socket(const struct load *l, int type);

/** far_half() - Receive until the near half writes a byte to @ctl, then answer. */
void far_half(const struct load *l, int ctl, const char *netns);
/** near_half() - Load, and measure. */
struct load_near near_half(const struct load *l);

#endif
