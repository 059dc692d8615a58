/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests/unit/run/test_sockport.c - mirrors src/run/sockport.c
 *
 * One end of a pair of sockets is the port's, the other the helper's: this file's.
 */
#include "config.h"

#include "run/sockport.h"
#include "unit/unit.h"

#include "wire/be.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define FRAME_MAX_BYTES (BUF_READ_BYTES - BUF_VNET_BYTES)

static struct buf_pool *pool;
static struct join join;
static struct port port;
static int helper;

static void open_pair(int type)
{
	struct err e;
	int sv[2];

	assert_int_equal(
		socketpair(AF_UNIX, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, sv), 0);
	helper = sv[1];
	port = (struct port){
		.fd = sv[0], .sock = sockport_new(type == SOCK_STREAM, "hlp")};
	assert_non_null(port.sock);
	pool = buf_pool_new(64u << 20, 0, &e);
	assert_non_null(pool);
	join_init(&join);
}

static void close_pair(void)
{
	join_drop(&join, pool);
	assert_int_equal(buf_pool_live_bufs(pool), 0);
	buf_pool_free(pool);
	sockport_free(port.sock);
	close(port.fd);
	if (helper >= 0)
		close(helper);
}

/* Byte @at of frame @number. */
static uint8_t byte_of(unsigned number, size_t at)
{
	return (uint8_t)(number * 31 + at * 7 + (at >> 8));
}

static void fill(uint8_t *to, unsigned number, size_t n)
{
	for (size_t i = 0; i < n; i++)
		to[i] = byte_of(number, i);
}

static bool is_frame(const uint8_t *b, unsigned number, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (b[i] != byte_of(number, i))
			return false;
	return true;
}

static void add_job(unsigned number, size_t n)
{
	uint8_t *room = buf_room(pool, BUF_VNET_BYTES + n);
	struct frame f = {0};

	assert_non_null(room);
	memset(room, 0, BUF_VNET_BYTES);
	fill(room + BUF_VNET_BYTES, number, n);
	f.buf = buf_commit(pool, BUF_VNET_BYTES + n);
	port_accept(&port, f.buf);
	join_add(&join, &f);
}

static void helper_sends(const void *b, size_t n)
{
	assert_int_equal(send(helper, b, n, 0), (ssize_t)n);
}

static void helper_sends_frame(unsigned number, size_t n)
{
	static uint8_t b[4 + FRAME_MAX_BYTES];

	be_put32(b, (uint32_t)n);
	fill(b + 4, number, n);
	helper_sends(b, n + 4);
}

/* Reads what has come and checks that it is frames from @number on. */
static unsigned read_frames(unsigned number, size_t n_bytes)
{
	struct buf *bufs[PORT_BATCH];
	struct port_lost lost = {0};
	unsigned n = port_read(&port, pool, bufs, &lost);

	assert_int_equal(lost.frames, 0);
	for (unsigned i = 0; i < n; i++) {
		static const uint8_t none[BUF_VNET_BYTES];

		assert_int_equal(bufs[i]->n_bytes, n_bytes);
		assert_int_equal(bufs[i]->n_segs, 1);
		assert_memory_equal(buf_vnet(bufs[i]), none, sizeof(none));
		assert_true(is_frame(buf_bytes(bufs[i]), number + i, n_bytes));
		buf_unref(pool, bufs[i]);
	}
	return n;
}

static void many_frames_of_one_read(void **state)
{
	uint64_t reads;

	(void)state;
	open_pair(SOCK_STREAM);
	for (unsigned i = 0; i < PORT_BATCH + 5; i++)
		helper_sends_frame(i, 100);
	assert_false(port_has_read(&port));
	assert_int_equal(read_frames(0, 100), PORT_BATCH);
	/* The epoll knows nothing of the rest: it has been read. */
	reads = port.reads;
	assert_true(port_has_read(&port));
	assert_int_equal(read_frames(PORT_BATCH, 100), 5);
	assert_int_equal(port.reads, reads);
	assert_false(port_has_read(&port));
	assert_int_equal(read_frames(0, 100), 0);
	assert_false(port.broken);
	assert_int_equal(port.frames_read, PORT_BATCH + 5);
	close_pair();
}

/* A frame that comes byte by byte is there with its last byte, and not before. */
static void a_frame_in_pieces(void **state)
{
	uint8_t b[4 + 60];

	(void)state;
	open_pair(SOCK_STREAM);
	for (unsigned k = 0; k < 3; k++) {
		be_put32(b, 60);
		fill(b + 4, k, 60);
		for (size_t i = 0; i < sizeof(b); i++) {
			assert_int_equal(read_frames(k, 60), 0);
			assert_false(port_has_read(&port));
			helper_sends(b + i, 1);
		}
		assert_int_equal(read_frames(k, 60), 1);
	}
	close_pair();
}

/* More than the port's buffer holds, in frames that never end where it does. */
static void the_longest_frames(void **state)
{
	unsigned got = 0, sent = 0;

	(void)state;
	open_pair(SOCK_STREAM);
	setsockopt(helper, SOL_SOCKET, SO_SNDBUF, &(int){1 << 20}, sizeof(int));
	while (got < 40) {
		if (sent - got < 1 && sent < 40) {
			helper_sends_frame(sent++, FRAME_MAX_BYTES);
			helper_sends_frame(sent++, FRAME_MAX_BYTES);
		}
		got += read_frames(got, FRAME_MAX_BYTES);
	}
	close_pair();
}

static void a_length_of_no_frame_breaks_the_port(void **state)
{
	static const uint32_t wrong[] = {
		0, 13, FRAME_MAX_BYTES + 1, 0x48545450, UINT32_MAX};
	uint8_t b[4];

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		open_pair(SOCK_STREAM);
		helper_sends_frame(0, 100);
		be_put32(b, wrong[i]);
		helper_sends(b, sizeof(b));
		/* What came before it is good. */
		assert_int_equal(read_frames(0, 100), 1);
		assert_true(port.broken);
		assert_non_null(strstr(port_why(&port), "hlp sent a frame of "));
		assert_false(port_has_read(&port));
		close_pair();
	}
}

static void the_end_of_the_helper_is_told(void **state)
{
	static const int types[] = {SOCK_STREAM, SOCK_SEQPACKET};

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct port_lost lost = {0};

		open_pair(types[i]);
		close(helper);
		helper = -1;
		assert_int_equal(read_frames(0, 100), 0);
		assert_true(port.broken);
		assert_string_equal(port_why(&port), "hlp has ended");
		/* Nobody takes what is left: it is counted. */
		add_job(0, 100);
		join_seal(&join);
		port_write(&port, pool, &join, &lost);
		assert_int_equal(lost.frames, 1);
		assert_int_equal(lost.bytes, 100);
		close_pair();
	}
}

static void writing_notices_the_end(void **state)
{
	struct port_lost lost = {0};

	(void)state;
	open_pair(SOCK_STREAM);
	close(helper);
	helper = -1;
	add_job(0, 100);
	add_job(1, 100);
	join_seal(&join);
	port_write(&port, pool, &join, &lost);
	assert_true(port.broken);
	assert_int_equal(lost.frames, 1);
	port_write(&port, pool, &join, &lost);
	assert_int_equal(lost.frames, 2);
	assert_true(join_is_empty(&join));
	close_pair();
}

/* What the helper has got so far. */
static uint8_t *heap;
static size_t heap_bytes;

static void helper_reads(size_t max)
{
	ssize_t n;

	heap = realloc(heap, heap_bytes + max);
	assert_non_null(heap);
	n = recv(helper, heap + heap_bytes, max, MSG_DONTWAIT);
	if (n > 0)
		heap_bytes += (size_t)n;
}

/*
 * The helper reads slowly and the socket is small: frames go in pieces over many calls,
 * and none is lost, torn or twice there.
 */
static void a_full_socket_takes_frames_in_pieces(void **state)
{
	struct port_lost lost = {0};
	unsigned in = 0, number, again = 0;
	size_t at = 0;

	(void)state;
	open_pair(SOCK_STREAM);
	setsockopt(port.fd, SOL_SOCKET, SO_SNDBUF, &(int){4096}, sizeof(int));
	heap_bytes = 0;
	while (in < 400 || !join_is_empty(&join)) {
		if (join_is_empty(&join)) {
			for (unsigned k = 0; k < 40 && in < 400; k++, in++)
				add_job(in, 60 + in * 37 % 1455);
			join_seal(&join);
		}
		port_write(&port, pool, &join, &lost);
		again += !join_is_empty(&join);
		helper_reads(777);
	}
	while (at = heap_bytes, helper_reads(65536), heap_bytes > at)
		;
	assert_int_equal(lost.frames, 0);
	assert_true(again > 100);
	assert_int_equal(port.frames_written, 400);
	for (at = 0, number = 0; number < 400; number++) {
		size_t n = 60 + number * 37 % 1455;

		assert_int_equal(be_get32(heap + at), n);
		assert_true(is_frame(heap + at + 4, number, n));
		at += 4 + n;
	}
	assert_int_equal(at, heap_bytes);
	free(heap);
	heap = NULL;
	close_pair();
}

static void packets_are_frames(void **state)
{
	uint8_t b[2000];
	struct port_lost lost = {0};
	unsigned n;

	(void)state;
	open_pair(SOCK_SEQPACKET);
	for (unsigned i = 0; i < PORT_BATCH + 2; i++) {
		fill(b, i, 90);
		helper_sends(b, 90);
	}
	assert_int_equal(read_frames(0, 90), PORT_BATCH);
	assert_false(port_has_read(&port));
	helper_sends("short", 5);
	assert_int_equal(read_frames(PORT_BATCH, 90), 2);
	assert_false(port.broken);
	for (n = 0; n < 20; n++)
		add_job(n, 60 + n * 70);
	join_seal(&join);
	port_write(&port, pool, &join, &lost);
	assert_true(join_is_empty(&join));
	for (n = 0; n < 20; n++) {
		assert_int_equal(recv(helper, b, sizeof(b), 0), 60 + n * 70);
		assert_true(is_frame(b, n, 60 + n * 70));
	}
	assert_int_equal(lost.frames, 0);
	close_pair();
}

/* Packets that have no room stay in their order, and none is lost. */
static void full_packets_wait(void **state)
{
	struct port_lost lost = {0};
	uint8_t b[2000];
	unsigned n;

	(void)state;
	open_pair(SOCK_SEQPACKET);
	setsockopt(port.fd, SOL_SOCKET, SO_SNDBUF, &(int){4096}, sizeof(int));
	for (n = 0; n < JOIN_JOBS_MAX; n++)
		add_job(n, 1514);
	join_seal(&join);
	port_write(&port, pool, &join, &lost);
	assert_false(join_is_empty(&join));
	for (n = 0; n < JOIN_JOBS_MAX; n++) {
		assert_int_equal(recv(helper, b, sizeof(b), 0), 1514);
		assert_true(is_frame(b, n, 1514));
		port_write(&port, pool, &join, &lost);
	}
	assert_true(join_is_empty(&join));
	assert_int_equal(lost.frames, 0);
	assert_int_equal(port.frames_written, JOIN_JOBS_MAX);
	close_pair();
}

/* With no memory left the socket is drained all the same, and each frame counted. */
static void frames_without_memory_are_counted(void **state)
{
	struct buf *bufs[PORT_BATCH];
	struct port_lost lost = {0};
	struct err e;

	(void)state;
	open_pair(SOCK_STREAM);
	buf_pool_free(pool);
	pool = buf_pool_new(0, 0, &e);
	assert_non_null(pool);
	/* What is taken stays taken: the pool is thrown away as a whole. */
	while (buf_room(pool, BUF_VNET_BYTES + 100))
		(void)buf_commit(pool, BUF_VNET_BYTES + 100);
	helper_sends_frame(0, 100);
	helper_sends_frame(1, 100);
	assert_int_equal(port_read(&port, pool, bufs, &lost), 0);
	assert_int_equal(lost.frames, 2);
	assert_int_equal(lost.bytes, 200);
	assert_int_equal(port.frames_read, 2);
	assert_false(port.broken);
	sockport_free(port.sock);
	buf_pool_free(pool);
	close(port.fd);
	close(helper);
}

/* An empty UDP datagram over IPv4 from 10.0.0.1 to 10.0.0.2, with its sums. */
static const uint8_t datagram[] = {2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 8, 0, 0x45, 0, 0,
	28, 0, 0, 0, 0, 64, 17, 0x66, 0xcf, 10, 0, 0, 1, 10, 0, 0, 2, 0, 1, 0, 2, 0, 8,
	0xeb, 0xd8};

/* Flips the bits @flip of its byte @at. */
static void add_datagram(size_t at, uint8_t flip, bool is_marked)
{
	uint8_t *room = buf_room(pool, BUF_VNET_BYTES + sizeof(datagram));
	struct frame f = {0};

	memset(room, 0, BUF_VNET_BYTES);
	memcpy(room + BUF_VNET_BYTES, datagram, sizeof(datagram));
	room[BUF_VNET_BYTES + at] ^= flip;
	f.buf = buf_commit(pool, BUF_VNET_BYTES + sizeof(datagram));
	port_accept(&port, f.buf);
	if (is_marked)
		f.buf->flags |= BUF_DAMAGED;
	join_add(&join, &f);
}

/* Of damaged frames those arrive that a receiver takes, and they alone. */
static void frames_with_wrong_sums_are_thrown_away(int type, size_t head_bytes)
{
	static const struct {
		size_t at;
		uint8_t flip;
		bool is_marked, arrives;
	} frame[] = {
		{40, 1, true, false}, /* the first, the last, two at a time */
		{0, 0, true, true},
		{40, 1, false, true}, /* nobody has said so */
		{30, 4, true, false},
		{31, 4, true, false},
		{5, 4, true, true}, /* of an address that no sum covers */
		{0, 0, false, true},
		{40, 8, true, false},
	};
	struct port_lost lost = {0};
	uint8_t b[100], want[sizeof(datagram)];

	open_pair(type);
	for (size_t i = 0; i < sizeof(frame) / sizeof(frame[0]); i++)
		add_datagram(frame[i].at, frame[i].flip, frame[i].is_marked);
	join_seal(&join);
	port_write(&port, pool, &join, &lost);
	assert_true(join_is_empty(&join));
	for (size_t i = 0; i < sizeof(frame) / sizeof(frame[0]); i++) {
		if (!frame[i].arrives)
			continue;
		memcpy(want, datagram, sizeof(want));
		want[frame[i].at] ^= frame[i].flip;
		assert_int_equal(recv(helper, b, head_bytes + sizeof(want), 0),
			head_bytes + sizeof(want));
		assert_memory_equal(b + head_bytes, want, sizeof(want));
	}
	assert_int_equal(recv(helper, b, 1, 0), -1);
	assert_int_equal(lost.frames, 0);
	assert_int_equal(port.frames_written, 4);
	assert_false(port.broken);
	close_pair();
}

static void damaged_frames(void **state)
{
	(void)state;
	frames_with_wrong_sums_are_thrown_away(SOCK_STREAM, 4);
	frames_with_wrong_sums_are_thrown_away(SOCK_SEQPACKET, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(many_frames_of_one_read),
		cmocka_unit_test(a_frame_in_pieces),
		cmocka_unit_test(the_longest_frames),
		cmocka_unit_test(a_length_of_no_frame_breaks_the_port),
		cmocka_unit_test(the_end_of_the_helper_is_told),
		cmocka_unit_test(writing_notices_the_end),
		cmocka_unit_test(a_full_socket_takes_frames_in_pieces),
		cmocka_unit_test(packets_are_frames),
		cmocka_unit_test(full_packets_wait),
		cmocka_unit_test(frames_without_memory_are_counted),
		cmocka_unit_test(damaged_frames),
	};

	return cmocka_run_group_tests_name("run/sockport", tests, NULL, NULL);
}
