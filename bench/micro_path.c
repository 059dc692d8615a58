/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bench/micro_path.c - one path under a virtual clock, ns per frame in and out
 */
#include "config.h"

#include "base/clock.h"
#include "engine/path.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define N_ROUNDS 5
#define N_FRAMES 2000000u
#define N_BATCH 32
#define FRAME_BYTES 64

/* CPU time, since others may share the machine. */
static nsec_t cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * NSEC_PER_SEC + t.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Batches of frames come @step_ns a frame; what is due leaves in batches, too. */
static double in_and_out_ns(const struct spec *s, nsec_t step_ns)
{
	struct buf_pool *pool = buf_pool_new((size_t)1 << 30, (size_t)64 << 20, NULL);
	struct path *path = pool ? path_new(s, pool, 0, NULL) : NULL;
	struct frame out[N_BATCH];
	nsec_t now_ns = 0, start_ns;

	if (!path)
		exit(1);
	start_ns = cpu_ns();
	for (uint32_t i = 0; i < N_FRAMES; i += N_BATCH) {
		struct buf *in[N_BATCH];
		unsigned n;

		for (unsigned k = 0; k < N_BATCH; k++) {
			if (!buf_room(pool, BUF_READ_BYTES))
				exit(1);
			in[k] = buf_commit(pool, BUF_VNET_BYTES + FRAME_BYTES);
		}
		now_ns += N_BATCH * step_ns;
		for (unsigned k = 0; k < N_BATCH; k++)
			path_push(path, in[k], now_ns);
		do {
			n = path_pop(path, now_ns, out, N_BATCH);
			for (unsigned k = 0; k < n; k++)
				buf_unref(pool, out[k].buf);
		} while (n == N_BATCH);
	}
	start_ns = cpu_ns() - start_ns;
	path_free(path);
	buf_pool_free(pool);
	return (double)start_ns / N_FRAMES;
}

static void row(const char *name, const struct spec *s)
{
	double v[N_ROUNDS];

	for (unsigned k = 0; k < N_ROUNDS; k++)
		v[k] = in_and_out_ns(s, 1000);
	qsort(v, N_ROUNDS, sizeof(*v), by_value);
	printf("path_%s=%.1f ns (%.1f..%.1f)\n", name, v[N_ROUNDS / 2], v[0],
		v[N_ROUNDS - 1]);
}

int main(void)
{
	struct spec s = {.kind = IMPAIR_NONE};

	row("none", &s);
	s.kind = IMPAIR_NETEM;
	s.netem.limit_frames = 1000000;
	s.netem.seed = 1;
	row("delay_0", &s);
	s.netem.latency_ns = 10 * NSEC_PER_MSEC;
	row("delay_10ms", &s);
	s.netem.jitter_ns = 2 * NSEC_PER_MSEC;
	s.netem.dist.kind = DIST_NORMAL;
	row("delay_10ms_2ms_normal", &s);
	s.netem.loss.p32 = P32_ONE / 100;
	s.netem.duplicate.p32 = P32_ONE / 100;
	s.netem.corrupt.p32 = P32_ONE / 100;
	row("jitter_loss_duplicate_corrupt", &s);
	s.netem.rate_byteps = 125000000;
	row("the_same_with_rate", &s);
	return 0;
}
