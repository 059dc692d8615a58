/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests/unit/run/test_port.c - mirrors src/run/port.c: jobs out, super-frames in
 *
 * The device is played by read() and writev() of this file. What it takes is cut into
 * plain frames by tests/lib/plain.c.
 */
#include "config.h"

#include "lib/plain.h"
#include "lib/supers.h"
#include "run/port.h"
#include "unit/unit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#define FD 12345
#define READS 60

static const uint8_t mac_a[6] = {2, 0, 0, 0, 0, 1}, mac_b[6] = {2, 0, 0, 0, 0, 2};

static struct buf_pool *pool;
static struct supers rng;
static struct join join;
static struct port port;

/* What is read, and what was written. */
static struct plain_list *sent, *got;
static unsigned n_to_read;
/* Errors of the device: on super-frames, every so many writes, always. */
static int super_error, always_error;
static unsigned again_every, n_calls;

ssize_t __real_read(int fd, void *to, size_t n);
ssize_t __wrap_read(int fd, void *to, size_t n);
ssize_t __real_writev(int fd, const struct iovec *iov, int n);
ssize_t __wrap_writev(int fd, const struct iovec *iov, int n);

ssize_t __wrap_read(int fd, void *to, size_t n)
{
	static uint8_t bytes[SUPERS_BYTES_MAX];
	uint32_t n_bytes;

	if (fd != FD)
		return __real_read(fd, to, n);
	if (!n_to_read) {
		errno = EAGAIN;
		return -1;
	}
	n_to_read--;
	n_bytes = supers_next(&rng, bytes);
	assert_true(n_bytes <= n);
	assert_null(plain_add(sent, bytes, n_bytes));
	memcpy(to, bytes, n_bytes);
	return (ssize_t)n_bytes;
}

ssize_t __wrap_writev(int fd, const struct iovec *iov, int n)
{
	static uint8_t bytes[BUF_READ_BYTES];
	size_t n_bytes = 0;

	if (fd != FD)
		return __real_writev(fd, iov, n);
	errno = always_error;
	if (errno)
		return -1;
	errno = EAGAIN;
	if (again_every && n_calls++ % again_every == again_every - 1)
		return -1;
	for (int i = 0; i < n; i++) {
		assert_true(n_bytes + iov[i].iov_len <= sizeof(bytes));
		memcpy(bytes + n_bytes, iov[i].iov_base, iov[i].iov_len);
		n_bytes += iov[i].iov_len;
	}
	errno = super_error;
	if (errno && bytes[1])
		return -1;
	assert_null(plain_add(got, bytes, (uint32_t)n_bytes));
	return (ssize_t)n_bytes;
}

static int set_up(void **state)
{
	struct err e;

	(void)state;
	pool = buf_pool_new((size_t)64 << 20, 0, &e);
	sent = plain_list_new(10000, 20u << 20);
	got = plain_list_new(10000, 20u << 20);
	supers_init(&rng, 1, mac_a, mac_b);
	join_init(&join);
	port = (struct port){.fd = FD};
	super_error = always_error = 0;
	again_every = n_calls = 0;
	n_to_read = READS;
	return !pool;
}

static int tear_down(void **state)
{
	(void)state;
	assert_int_equal(buf_pool_live_bufs(pool), 0);
	buf_pool_free(pool);
	plain_list_free(sent);
	plain_list_free(got);
	return 0;
}

/* All that is to be read, a batch at a time, out again at once. Return: tries. */
static unsigned carry(struct port_lost *lost)
{
	struct buf *bufs[PORT_BATCH];
	unsigned n, k, tries = 0;

	while ((n = port_read(&port, pool, bufs, lost)) > 0) {
		for (k = 0; k < n; k++) {
			buf_ref_n(bufs[k], bufs[k]->n_segs - 1u);
			for (uint16_t s = 0; s < bufs[k]->n_segs; s++)
				join_add(&join,
					&(struct frame){.buf = bufs[k], .seg = s});
		}
		join_seal(&join);
		do
			port_write(&port, pool, &join, lost);
		while (tries++ < 100000 && !join_is_empty(&join));
	}
	return tries;
}

static void assert_all_arrived(void)
{
	assert_int_equal(port.frames_read, sent->n_frames);
	assert_int_equal(port.frames_written, sent->n_frames);
	assert_int_equal(got->n_frames, sent->n_frames);
	assert_int_equal(got->n_bytes, sent->n_bytes);
	assert_memory_equal(got->bytes, sent->bytes, sent->n_bytes);
}

static void super_frames_in_super_frames_out(void **state)
{
	struct port_lost lost = {0};

	(void)state;
	carry(&lost);
	assert_all_arrived();
	assert_int_equal(lost.frames, 0);
	assert_true(port.writes < READS);
	assert_true(sent->n_frames > 3 * READS);
}

static void what_is_not_taken_now_is_taken_later(void **state)
{
	struct port_lost lost = {0};

	(void)state;
	again_every = 3;
	assert_true(carry(&lost) > READS / 4);
	assert_all_arrived();
	assert_int_equal(lost.frames, 0);
}

static void a_device_that_refuses_super_frames_gets_plain_ones(void **state)
{
	struct port_lost lost = {0};

	(void)state;
	super_error = EINVAL;
	carry(&lost);
	assert_all_arrived();
	assert_int_equal(lost.frames, 0);
	assert_true(join.no_udp);
	assert_true(port.writes > sent->n_frames);
}

static void also_when_it_can_take_only_some_of_them_now(void **state)
{
	struct port_lost lost = {0};

	(void)state;
	super_error = EINVAL;
	again_every = 5;
	assert_true(carry(&lost) > sent->n_frames / 5);
	assert_all_arrived();
	assert_int_equal(lost.frames, 0);
}

static void what_is_refused_for_good_is_lost_frame_by_frame(void **state)
{
	struct port_lost lost = {0};

	(void)state;
	always_error = EIO; /* down */
	carry(&lost);
	assert_int_equal(lost.frames, sent->n_frames);
	assert_int_equal(lost.bytes, sent->n_bytes);
	assert_int_equal(port.frames_written, 0);
	assert_false(port.broken);
	n_to_read = 1;
	always_error = EBADFD;
	carry(&lost);
	assert_true(port.broken);
	assert_int_equal(port.broken_errno, EBADFD);
}

static void without_memory_every_frame_that_came_is_counted(void **state)
{
	struct buf_pool *full = buf_pool_new(0, 0, NULL);
	struct buf *bufs[PORT_BATCH];
	struct port_lost lost = {0};

	(void)state;
	while (buf_room(full, BUF_READ_BYTES))
		buf_commit(full, BUF_READ_BYTES);
	while (n_to_read)
		assert_int_equal(port_read(&port, full, bufs, &lost), 0);
	assert_int_equal(lost.frames, sent->n_frames);
	assert_int_equal(lost.bytes, sent->n_bytes);
	assert_int_equal(port.frames_read, sent->n_frames);
	buf_pool_free(full);
}

static void whole_marks_super_frames_alone(void **state)
{
	struct buf *bufs[PORT_BATCH];
	struct port_lost lost = {0};
	unsigned n, n_whole = 0;

	(void)state;
	port.whole = true;
	n = port_read(&port, pool, bufs, &lost);
	assert_int_equal(n, PORT_BATCH);
	for (unsigned i = 0; i < n; i++) {
		assert_int_equal(!!(bufs[i]->flags & BUF_WHOLE), bufs[i]->n_segs > 1);
		n_whole += bufs[i]->n_segs > 1;
		buf_unref(pool, bufs[i]);
	}
	assert_true(n_whole > 5);
	assert_int_equal(port.frames_read, sent->n_frames);
}

#define T(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(super_frames_in_super_frames_out),
		T(what_is_not_taken_now_is_taken_later),
		T(a_device_that_refuses_super_frames_gets_plain_ones),
		T(also_when_it_can_take_only_some_of_them_now),
		T(what_is_refused_for_good_is_lost_frame_by_frame),
		T(without_memory_every_frame_that_came_is_counted),
		T(whole_marks_super_frames_alone),
	};

	return cmocka_run_group_tests_name("run/port", tests, NULL, NULL);
}
