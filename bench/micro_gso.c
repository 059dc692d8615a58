/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bench/micro_gso.c - super-frames taken apart and put together, ns per frame
 *
 *   gso_parse      a read of 45 TCP segments, understood; per segment
 *   gso_head       headers of one segment that leaves alone
 *   join_whole     the segments of such a read leave again as they came
 *   join_holes     the same, every eighth is lost
 *   join_across    datagrams of a read each, put together to super-frames
 *   join_lone      datagrams that nothing can be joined with
 *
 * The payload is neither read nor copied by any of them.
 */
#include "config.h"

#include "micro.h"

#include "wire/be.h"
#include "wire/csum.h"
#include "wire/gso.h"
#include "wire/join.h"

#include <linux/virtio_net.h>
#include <string.h>

#define N_ROUNDS 9
#define N_REPEATS 20000u
#define N_SEGS 45u
#define SEG_BYTES 1448u
/* Datagrams that are added before they are written, what one turn reads. */
#define N_READS 32u
#define SMALL_BYTES 18u
#define ETH_BYTES 14u
#define IPV4_BYTES 20u
#define L4_AT (ETH_BYTES + IPV4_BYTES)

static struct buf_pool *pool;
static struct join join;

static void must(bool ok)
{
	if (!ok) {
		fputs("micro_gso: no memory, or not what it should be\n", stderr);
		exit(1);
	}
}

/* Ethernet and IPv4 of 10.0.0.1 to 10.0.0.2 */
static void put_ipv4(uint8_t *p, uint8_t protocol, unsigned id, unsigned l4_bytes)
{
	memset(p, 0, L4_AT);
	be_put16(p + 12, 0x0800);
	p += ETH_BYTES;
	p[0] = 0x45;
	be_put16(p + 2, IPV4_BYTES + l4_bytes);
	be_put16(p + 4, id);
	p[6] = 0x40;
	p[8] = 64;
	p[9] = protocol;
	p[12] = p[16] = 10;
	p[15] = 1;
	p[19] = 2;
	be_put16(p + 10, (uint16_t)~csum_add(0, p, IPV4_BYTES));
}

/*
 * The pseudo header's sum, as a sender leaves it: addresses 0a00 0001 0a00 0002, the
 * protocol, the length.
 */
static void put_partial(uint8_t *sum, unsigned protocol, unsigned l4_bytes)
{
	uint32_t s = 0x0a00 + 0x0001 + 0x0a00 + 0x0002 + protocol + l4_bytes;

	be_put16(sum, (s & 0xffff) + (s >> 16));
}

static struct buf *read_of(
	struct virtio_net_hdr v, const uint8_t *head, size_t n_head, size_t n_payload)
{
	uint8_t *room = buf_room(pool, BUF_READ_BYTES);
	struct buf *b;

	must(room);
	memcpy(room, &v, BUF_VNET_BYTES);
	memcpy(room + BUF_VNET_BYTES, head, n_head);
	b = buf_commit(pool, BUF_VNET_BYTES + n_head + n_payload);
	gso_parse(b);
	return b;
}

static struct buf *tcp_read(void)
{
	const struct virtio_net_hdr v = {.flags = VIRTIO_NET_HDR_F_NEEDS_CSUM,
		.gso_type = VIRTIO_NET_HDR_GSO_TCPV4,
		.hdr_len = L4_AT + 20,
		.gso_size = SEG_BYTES,
		.csum_start = L4_AT,
		.csum_offset = 16};
	const unsigned l4_bytes = 20 + N_SEGS * SEG_BYTES;
	uint8_t h[L4_AT + 20] = {0};

	put_ipv4(h, 6, 1, l4_bytes);
	h[L4_AT + 12] = 0x50; /* no options */
	h[L4_AT + 13] = 0x10; /* ACK */
	put_partial(h + L4_AT + 16, 6, l4_bytes);
	return read_of(v, h, sizeof(h), N_SEGS * (size_t)SEG_BYTES);
}

static struct buf *udp_read(unsigned id)
{
	const struct virtio_net_hdr v = {.flags = VIRTIO_NET_HDR_F_NEEDS_CSUM,
		.hdr_len = L4_AT + 8,
		.csum_start = L4_AT,
		.csum_offset = 6};
	uint8_t h[L4_AT + 8] = {0};

	put_ipv4(h, 17, id, 8 + SMALL_BYTES);
	be_put16(h + L4_AT, 1000);
	be_put16(h + L4_AT + 2, 2000);
	be_put16(h + L4_AT + 4, 8 + SMALL_BYTES);
	put_partial(h + L4_AT + 6, 17, 8 + SMALL_BYTES);
	return read_of(v, h, sizeof(h), SMALL_BYTES);
}

static double parse_ns(void)
{
	struct buf *b = tcp_read();
	nsec_t ns = micro_cpu_ns();

	must(b->n_segs == N_SEGS);
	for (unsigned i = 0; i < N_REPEATS; i++)
		gso_parse(b);
	ns = micro_cpu_ns() - ns;
	buf_unref(pool, b);
	return (double)ns / N_REPEATS / N_SEGS;
}

static double head_ns(void)
{
	static uint8_t to[GSO_HEAD_BYTES];
	struct frame f = {.buf = tcp_read()};
	nsec_t ns = micro_cpu_ns();

	for (unsigned i = 0; i < N_REPEATS; i++)
		for (f.seg = 0; f.seg < N_SEGS; f.seg++)
			gso_lone_head(&f, to);
	ns = micro_cpu_ns() - ns;
	buf_unref(pool, f.buf);
	return (double)ns / N_REPEATS / N_SEGS;
}

static unsigned write_all(void)
{
	unsigned n = 0;

	join_seal(&join);
	while (!join_is_empty(&join)) {
		n++;
		join_done(&join, pool);
	}
	return n;
}

/* Every segment but each @hole-th leaves; with references as a path holds them. */
static double segments_ns(unsigned hole)
{
	struct buf *b = tcp_read();
	unsigned n_frames = 0, n_jobs = 0;
	nsec_t ns = micro_cpu_ns();

	for (unsigned i = 0; i < N_REPEATS; i++) {
		struct frame f = {.buf = b};

		for (f.seg = 0; f.seg < N_SEGS; f.seg++) {
			if (hole && f.seg % hole == hole - 1)
				continue;
			buf_ref(b);
			join_add(&join, &f);
			n_frames++;
		}
		n_jobs += write_all();
	}
	ns = micro_cpu_ns() - ns;
	must(n_jobs == N_REPEATS * (hole ? N_SEGS / hole + 1 : 1));
	buf_unref(pool, b);
	return (double)ns / n_frames;
}

/* The identification goes on by @step: by 1 they join, by 2 they cannot. */
static double datagrams_ns(unsigned step)
{
	struct frame f[N_READS] = {0};
	unsigned n_jobs = 0;
	nsec_t ns;

	for (unsigned k = 0; k < N_READS; k++)
		f[k].buf = udp_read(1 + k * step);
	ns = micro_cpu_ns();
	for (unsigned i = 0; i < N_REPEATS; i++) {
		for (unsigned k = 0; k < N_READS; k++) {
			buf_ref(f[k].buf);
			join_add(&join, &f[k]);
		}
		n_jobs += write_all();
	}
	ns = micro_cpu_ns() - ns;
	must(n_jobs == N_REPEATS * (step == 1 ? 1 : N_READS));
	for (unsigned k = 0; k < N_READS; k++)
		buf_unref(pool, f[k].buf);
	return (double)ns / N_REPEATS / N_READS;
}

static double whole_ns(void)
{
	return segments_ns(0);
}

static double holes_ns(void)
{
	return segments_ns(8);
}

static double across_ns(void)
{
	return datagrams_ns(1);
}

static double lone_ns(void)
{
	return datagrams_ns(2);
}

int main(void)
{
	static const struct {
		const char *name;
		double (*round)(void);
	} rows[] = {
		{"gso_parse", parse_ns},
		{"gso_head", head_ns},
		{"join_whole", whole_ns},
		{"join_holes", holes_ns},
		{"join_across", across_ns},
		{"join_lone", lone_ns},
	};
	double v[N_ROUNDS];

	pool = buf_pool_new((size_t)64 << 20, (size_t)16 << 20, NULL);
	must(pool);
	join_init(&join);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		for (unsigned k = 0; k < N_ROUNDS; k++)
			v[k] = rows[i].round();
		micro_row(rows[i].name, v, N_ROUNDS, "ns");
	}
	must(buf_pool_live_bufs(pool) == 0);
	buf_pool_free(pool);
	return 0;
}
