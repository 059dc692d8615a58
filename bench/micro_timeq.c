/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bench/micro_timeq.c - the time queue and the memory of frames, ns and bytes per frame
 *
 * Each row is the median of N_ROUNDS rounds of CPU time with their spread (of memory the
 * largest, for later rounds find memory of earlier ones): one frame in and one out
 * at a constant fill, in order or with normal jitter; a reset; memory at 10^6 frames.
 */
#include "config.h"

#include "micro.h"

#include "engine/dist.h"
#include "engine/rng.h"
#include "engine/timeq.h"

#include <string.h>
#include <unistd.h>

#define N_ROUNDS 9
#define N_FILLS 3
/* Frames in and out a round; at a fill of 10^6 a few times the fill. */
#define N_STEPS 2000000u

static const uint32_t fills[N_FILLS] = {10000, 100000, 1000000};

static void row(const char *name, uint32_t fill, double *v, const char *unit)
{
	char text[64];

	snprintf(text, sizeof(text), "timeq_%s_%u", name, fill);
	micro_row(text, v, N_ROUNDS, unit);
}

static void must(bool ok)
{
	if (!ok) {
		fputs("micro_timeq: no memory\n", stderr);
		exit(1);
	}
}

/* Frames come 1 us apart; the delay is so many us that @fill of them wait. */
static double in_and_out_ns(uint32_t fill, const struct dist *d)
{
	nsec_t center_ns = (nsec_t)fill * 1000, now_ns = 0, start_ns;
	uint32_t jitter_ns = (uint32_t)(center_ns / 5);
	struct frame f = {0};
	struct timeq q;
	struct rng r;

	timeq_init(&q);
	rng_seed(&r, 12345);
	for (uint32_t i = 0; i < fill; i++, now_ns += 1000) {
		f.due_ns = now_ns +
			   (d ? dist_delay_ns(d, center_ns, jitter_ns, rng_next(&r))
			      : center_ns);
		must(timeq_push(&q, &f));
	}
	start_ns = micro_cpu_ns();
	for (uint32_t i = 0; i < N_STEPS; i++, now_ns += 1000) {
		f.due_ns = now_ns +
			   (d ? dist_delay_ns(d, center_ns, jitter_ns, rng_next(&r))
			      : center_ns);
		must(timeq_push(&q, &f));
		timeq_pop(&q, &f);
	}
	start_ns = micro_cpu_ns() - start_ns;
	timeq_fini(&q);
	return (double)start_ns / N_STEPS;
}

/* What the draw of the delay costs in the rows above. */
static double draw_ns(const struct dist *d)
{
	nsec_t sum = 0, start_ns = micro_cpu_ns();
	struct rng r;

	rng_seed(&r, 1);
	for (uint32_t i = 0; i < N_STEPS; i++)
		sum += dist_delay_ns(d, 1000000, 200000, rng_next(&r));
	start_ns = micro_cpu_ns() - start_ns;
	if (sum == 1)
		puts("");
	return (double)start_ns / N_STEPS;
}

static size_t resident_bytes(void)
{
	FILE *f = fopen("/proc/self/statm", "re");
	unsigned long all, resident = 0;

	if (!f || fscanf(f, "%lu %lu", &all, &resident) != 2)
		resident = 0;
	if (f)
		fclose(f);
	return resident * (size_t)sysconf(_SC_PAGESIZE);
}

/* Fill with real frames of @n_bytes; memory per frame into @bytes, reset into @ns. */
static void fill_and_reset(
	uint32_t fill, size_t n_bytes, const struct dist *d, double *ns, double *bytes)
{
	struct buf_pool *pool = buf_pool_new((size_t)4 << 30, 0, NULL);
	size_t before = resident_bytes();
	nsec_t start_ns;
	struct timeq q;
	struct rng r;

	must(pool);
	timeq_init(&q);
	rng_seed(&r, 3);
	for (uint32_t i = 0; i < fill; i++) {
		struct frame f = {.due_ns = (nsec_t)i * 1000};
		uint8_t *room = buf_room(pool, BUF_READ_BYTES);

		must(room);
		memset(room, 1, BUF_VNET_BYTES + n_bytes);
		f.buf = buf_commit(pool, BUF_VNET_BYTES + n_bytes);
		if (d)
			f.due_ns += dist_delay_ns(d, 1000000, 200000, rng_next(&r));
		must(timeq_push(&q, &f));
	}
	*bytes = (double)(resident_bytes() - before) / fill;
	start_ns = micro_cpu_ns();
	timeq_reset(&q, pool);
	*ns = (double)(micro_cpu_ns() - start_ns) / fill;
	if (buf_pool_live_bufs(pool))
		puts("timeq_reset: frames are left");
	timeq_fini(&q);
	buf_pool_free(pool);
}

static void bench_reset(const char *name, size_t n_bytes, const struct dist *d)
{
	double ns[N_ROUNDS], bytes[N_ROUNDS];
	char text[64];

	for (unsigned i = 0; i < N_FILLS; i++) {
		for (unsigned k = 0; k < N_ROUNDS; k++)
			fill_and_reset(fills[i], n_bytes, d, &ns[k], &bytes[k]);
		snprintf(text, sizeof(text), "reset_%s_%zu", name, n_bytes);
		row(text, fills[i], ns, "ns");
	}
	snprintf(text, sizeof(text), "memory_%s_%zu", name, n_bytes);
	qsort(bytes, N_ROUNDS, sizeof(*bytes), micro_by_value);
	printf("timeq_%s_%u=%.0f bytes\n", text, fills[N_FILLS - 1],
		bytes[N_ROUNDS - 1]);
}

int main(void)
{
	const struct dist_conf normal = {.kind = DIST_NORMAL};
	double v[N_ROUNDS];
	struct dist d;

	must(dist_init(&d, &normal, NULL) == 0);
	for (unsigned i = 0; i < N_FILLS; i++) {
		for (unsigned k = 0; k < N_ROUNDS; k++)
			v[k] = in_and_out_ns(fills[i], NULL);
		row("in_order", fills[i], v, "ns");
	}
	for (unsigned k = 0; k < N_ROUNDS; k++)
		v[k] = draw_ns(&d);
	row("draw", 1, v, "ns");
	for (unsigned i = 0; i < N_FILLS; i++) {
		for (unsigned k = 0; k < N_ROUNDS; k++)
			v[k] = in_and_out_ns(fills[i], &d);
		row("jitter", fills[i], v, "ns");
	}
	bench_reset("in_order", 64, NULL);
	bench_reset("jitter", 64, &d);
	bench_reset("in_order", 1514, NULL);
	dist_fini(&d);
	return 0;
}
