/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests/unit/engine/test_bytes.c - impairments that change bytes: corrupt and ecn
 */
#include "config.h"

#include "unit/engine/rig.h"
#include "unit/unit.h"
#include "wire/csum.h"

#include <linux/virtio_net.h>
#include <math.h>
#include <string.h>

#define N_BYTES 1514

static struct buf *take(struct rig *r, const void *bytes, size_t n_bytes)
{
	uint8_t *room = buf_room(r->pool, BUF_VNET_BYTES + n_bytes);

	assert_non_null(room);
	memset(room, 0, BUF_VNET_BYTES);
	memcpy(room + BUF_VNET_BYTES, bytes, n_bytes);
	return buf_commit(r->pool, BUF_VNET_BYTES + n_bytes);
}

/* Where the one flipped bit of @f is, against @sent. */
static unsigned flipped(const struct frame *f, const uint8_t *sent)
{
	unsigned n = 0, at = 0;

	for (uint32_t i = 0; i < frame_bytes(f); i++) {
		uint8_t x = buf_bytes(f->buf)[i] ^ sent[i];

		n += (unsigned)__builtin_popcount(x);
		if (x)
			at = i * 8 + (unsigned)__builtin_ctz(x);
	}
	assert_int_equal(n, 1);
	return at;
}

/* Section 13: uniform over the frame, 14 of 1514 hits in the Ethernet header. */
static void one_bit_anywhere_in_the_frame_is_flipped(void **state)
{
	static uint8_t sent[N_BYTES];
	const unsigned n = 50000;
	const double p = 14.0 / N_BYTES;
	struct spec s = rig_spec();
	unsigned in_header = 0, of_bit[8] = {0};
	struct rig r;

	(void)state;
	s.netem.corrupt.p32 = P32_ONE;
	rig_init(&r, &s, 0);
	for (unsigned i = 0; i < N_BYTES; i++)
		sent[i] = (uint8_t)(i * 7);
	for (unsigned i = 0; i < n; i++) {
		struct frame f;
		unsigned at;

		path_push(r.path, take(&r, sent, N_BYTES), i);
		assert_int_equal(path_pop(r.path, i, &f, 1), 1);
		assert_true(f.flags & FRAME_MODIFIED);
		at = flipped(&f, sent);
		in_header += at < 14 * 8;
		of_bit[at % 8]++;
		buf_unref(r.pool, f.buf);
	}
	assert_true(fabs(in_header - n * p) <= 5 * sqrt(n * p * (1 - p)));
	for (unsigned i = 0; i < 8; i++)
		assert_true(fabs(of_bit[i] - n / 8.0) <= 5 * sqrt(n * 7 / 64.0));
	assert_int_equal(r.count->corrupted, n);
	rig_fini(&r);
}

/* The copy is made from the clean frame, and meets its own decision. */
static void a_damaged_frame_and_its_copy_share_nothing(void **state)
{
	static uint8_t sent[200];
	struct spec s = rig_spec();
	unsigned clean = 0, damaged = 0;
	struct rig r;

	(void)state;
	s.netem.corrupt.p32 = PERCENT(50);
	s.netem.duplicate.p32 = P32_ONE;
	s.netem.latency_ns = MS;
	rig_init(&r, &s, 0);
	for (unsigned i = 0; i < 1000; i++) {
		struct frame f[2];

		path_push(r.path, take(&r, sent, sizeof(sent)), i * MS);
		assert_int_equal(path_pop(r.path, (i + 1) * MS, f, 2), 2);
		for (unsigned k = 0; k < 2; k++) {
			if (f[k].flags & FRAME_MODIFIED) {
				flipped(&f[k], sent);
				damaged++;
			} else {
				assert_memory_equal(
					buf_bytes(f[k].buf), sent, sizeof(sent));
				clean++;
			}
			buf_unref(r.pool, f[k].buf);
		}
	}
	assert_int_equal(damaged, r.count->corrupted);
	assert_true(clean > 800 && damaged > 800);
	rig_fini(&r);
}

/* A checksum left to the device is made first: the receiver then sees the damage. */
static void damage_shows_in_the_checksum(void **state)
{
	const struct virtio_net_hdr h = {.flags = VIRTIO_NET_HDR_F_NEEDS_CSUM,
		.csum_start = 34,
		.csum_offset = 16};
	static uint8_t sent[200];
	struct spec s = rig_spec();
	unsigned seen = 0;
	struct rig r;

	(void)state;
	s.netem.corrupt.p32 = P32_ONE;
	rig_init(&r, &s, 0);
	for (unsigned i = 0; i < 1000; i++) {
		struct buf *b = take(&r, sent, sizeof(sent));
		struct virtio_net_hdr got;
		struct frame f;
		bool wrong;

		memcpy(buf_vnet(b), &h, sizeof(h));
		path_push(r.path, b, i);
		assert_int_equal(path_pop(r.path, i, &f, 1), 1);
		memcpy(&got, buf_vnet(f.buf), sizeof(got));
		assert_int_equal(got.flags, 0);
		/* The pseudo header's sum is 0 here. */
		wrong = csum_add(0, buf_bytes(f.buf) + 34, sizeof(sent) - 34) != 0xffff;
		seen += wrong;
		/* Only damage before byte 34 leaves it right. */
		if (!wrong) {
			bool before = false;

			for (unsigned k = 0; k < 34; k++)
				before |= buf_bytes(f.buf)[k] != 0;
			assert_true(before);
		}
		buf_unref(r.pool, f.buf);
	}
	assert_true(seen > 700);
	rig_fini(&r);
}

/* An IPv4 frame with a right header checksum. */
static void ipv4(uint8_t *bytes, uint8_t tos)
{
	uint16_t csum;

	memset(bytes, 0, 60);
	bytes[12] = 0x08;
	bytes[14] = 0x45;
	bytes[15] = tos;
	csum = (uint16_t)~csum_add(0, bytes + 14, 20);
	bytes[24] = (uint8_t)(csum >> 8);
	bytes[25] = (uint8_t)csum;
}

/* Section 8.5: what becomes of a frame that the loss model picks. */
static void ecn_marks_what_can_be_marked_and_loses_the_rest(void **state)
{
	static const struct {
		uint8_t tos;
		bool kept;
	} t[] = {{0xb8, false}, {0xb9, true}, {0xba, true}, {0xbb, true}};
	struct spec s = rig_spec();
	uint64_t marked = 0;
	struct rig r;

	(void)state;
	s.netem.loss.p32 = P32_ONE;
	s.netem.ecn = true;
	rig_init(&r, &s, 0);
	for (unsigned i = 0; i < 4; i++) {
		uint8_t bytes[60];
		struct frame f;
		unsigned n;

		ipv4(bytes, t[i].tos);
		path_push(r.path, take(&r, bytes, sizeof(bytes)), i);
		n = path_pop(r.path, i, &f, 1);
		assert_int_equal(n, t[i].kept);
		marked += n;
		assert_int_equal(r.count->ecn_marked, marked);
		assert_int_equal(r.count->loss_hits, 1);
		if (!n)
			continue;
		ipv4(bytes, t[i].tos | 3);
		assert_memory_equal(buf_bytes(f.buf), bytes, sizeof(bytes));
		buf_unref(r.pool, f.buf);
	}
	assert_int_equal(r.count->drops, 1);
	rig_push(&r, 9, 60, 10);
	assert_int_equal(r.count->lost, 2);
	rig_fini(&r);
}

/* The original is marked before its copy is made, the copy marks for itself alone. */
static void marks_of_copies_are_their_own(void **state)
{
	struct spec s = rig_spec();
	unsigned of[2][2] = {{0}};
	struct rig r;

	(void)state;
	s.netem.loss.p32 = PERCENT(50);
	s.netem.ecn = true;
	s.netem.duplicate.p32 = P32_ONE;
	rig_init(&r, &s, 0);
	for (unsigned i = 0; i < 1000; i++) {
		bool marked[2] = {false};
		uint8_t bytes[60];
		struct frame f[2];

		ipv4(bytes, 2);
		path_push(r.path, take(&r, bytes, sizeof(bytes)), i);
		assert_int_equal(path_pop(r.path, i, f, 2), 2);
		for (unsigned k = 0; k < 2; k++) {
			marked[!(f[k].flags & FRAME_COPY)] =
				buf_bytes(f[k].buf)[15] == 3;
			assert_int_equal(
				csum_add(0, buf_bytes(f[k].buf) + 14, 20), 0xffff);
			buf_unref(r.pool, f[k].buf);
		}
		of[marked[0]][marked[1]]++;
	}
	/* [copy][original]: a marked original has a marked copy. */
	assert_int_equal(of[0][1], 0);
	assert_true(of[0][0] > 150 && of[1][0] > 150 && of[1][1] > 350);
	rig_fini(&r);
}

/* No memory for the copy that corrupt needs: both frames are dropped and counted. */
static void without_memory_a_shared_frame_is_dropped(void **state)
{
	struct buf_pool *pool = buf_pool_new(0, 0, NULL);
	struct spec s = rig_spec();
	const struct count *c;
	struct path *path;
	struct buf *b;

	(void)state;
	s.netem.corrupt.p32 = P32_ONE;
	s.netem.duplicate.p32 = P32_ONE;
	path = path_new(&s, pool, 0, NULL);
	c = path_count(path);
	assert_non_null(buf_room(pool, BUF_READ_BYTES));
	b = buf_commit(pool, 60000);
	while (buf_room(pool, 60000))
		buf_commit(pool, 60000);
	path_push(path, b, 0);
	assert_int_equal(c->drop_mem, 2);
	assert_int_equal(c->in + c->duplicated, c->drop_mem);
	assert_int_equal(c->drops, 1);
	path_free(path);
	buf_pool_free(pool);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_bit_anywhere_in_the_frame_is_flipped),
		cmocka_unit_test(a_damaged_frame_and_its_copy_share_nothing),
		cmocka_unit_test(damage_shows_in_the_checksum),
		cmocka_unit_test(ecn_marks_what_can_be_marked_and_loses_the_rest),
		cmocka_unit_test(marks_of_copies_are_their_own),
		cmocka_unit_test(without_memory_a_shared_frame_is_dropped),
	};

	return cmocka_run_group_tests_name("engine/bytes", tests, NULL, NULL);
}
