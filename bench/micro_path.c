/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bench/micro_path.c - one path under a virtual clock, ns per frame in and out
 */
#include "config.h"

#include "micro.h"

#include "engine/path.h"

#define N_ROUNDS 5
#define N_FRAMES 2000000u
#define N_BATCH 32
#define FRAME_BYTES 64
#define N_SEGS 45

/* A super-frame of full segments; the engine looks at no more of it. */
static void make_segments(struct buf *b)
{
	b->n_segs = N_SEGS;
	b->hdr_bytes = 66;
	b->gso_bytes = 1448;
	b->n_bytes = 66 + N_SEGS * 1448;
}

/* Batches of frames come @step_ns a frame; what is due leaves in batches, too. */
static double in_and_out_ns(const struct spec *s, nsec_t step_ns, unsigned n_segs)
{
	struct buf_pool *pool = buf_pool_new((size_t)1 << 30, (size_t)64 << 20, NULL);
	struct path *path = pool ? path_new(s, pool, 0, NULL) : NULL;
	struct frame out[N_BATCH];
	nsec_t now_ns = 0, start_ns;

	if (!path)
		exit(1);
	start_ns = micro_cpu_ns();
	for (uint32_t i = 0; i < N_FRAMES; i += N_BATCH * n_segs) {
		struct buf *in[N_BATCH];
		unsigned n;

		for (unsigned k = 0; k < N_BATCH; k++) {
			if (!buf_room(pool, BUF_READ_BYTES))
				exit(1);
			in[k] = buf_commit(pool, BUF_VNET_BYTES + FRAME_BYTES);
			if (n_segs > 1)
				make_segments(in[k]);
		}
		now_ns += N_BATCH * n_segs * step_ns;
		for (unsigned k = 0; k < N_BATCH; k++)
			path_push(path, in[k], now_ns);
		do {
			n = path_pop(path, now_ns, out, N_BATCH);
			for (unsigned k = 0; k < n; k++)
				buf_unref(pool, out[k].buf);
		} while (n == N_BATCH);
	}
	start_ns = micro_cpu_ns() - start_ns;
	path_free(path);
	buf_pool_free(pool);
	return (double)start_ns / N_FRAMES;
}

static void row(const char *name, const struct spec *s, unsigned n_segs)
{
	double v[N_ROUNDS];
	char text[64];

	for (unsigned k = 0; k < N_ROUNDS; k++)
		v[k] = in_and_out_ns(s, 1000, n_segs);
	snprintf(text, sizeof(text), "path_%s", name);
	micro_row(text, v, N_ROUNDS, "ns");
}

int main(void)
{
	struct spec s = {.kind = IMPAIR_NONE};

	row("none", &s, 1);
	s.kind = IMPAIR_NETEM;
	s.netem.limit_frames = 1000000;
	s.netem.seed = 1;
	row("delay_0", &s, 1);
	row("delay_0_segments", &s, N_SEGS);
	s.netem.latency_ns = 10 * NSEC_PER_MSEC;
	row("delay_10ms", &s, 1);
	row("delay_10ms_segments", &s, N_SEGS);
	s.netem.jitter_ns = 2 * NSEC_PER_MSEC;
	s.netem.dist.kind = DIST_NORMAL;
	row("delay_10ms_2ms_normal", &s, 1);
	row("normal_segments", &s, N_SEGS);
	s.netem.loss.p32 = P32_ONE / 100;
	s.netem.duplicate.p32 = P32_ONE / 100;
	s.netem.corrupt.p32 = P32_ONE / 100;
	row("jitter_loss_duplicate_corrupt", &s, 1);
	s.netem.rate_byteps = 125000000;
	row("the_same_with_rate", &s, 1);
	return 0;
}
