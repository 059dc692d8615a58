/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bench/bare_ring.c - the floor by io_uring: frames carried with as few calls as can be
 *
 * Ring: each turn is one call, which writes what the last one read and reads on, a batch
 * that doubles while it comes back full and halves when half of it is empty. A TAP that
 * gave less than was asked for is polled until it has something.
 *
 * Chain: a poll of each TAP with a read linked to it, and the last frame's write: one
 * call a frame where frames come one by one.
 */
#include "config.h"

#include "bare.h"

#include <stdio.h>
#include <stdlib.h>

#ifdef HAVE_LIBURING

#include <liburing.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define ENTRIES 256
#define LEAST_READS 2u

/* What a completion is of; the TAP and the buffer stand above it. */
enum { WRITTEN, READ, READY };

struct side {
	/* Two sets: one is written while the other is read into. */
	uint8_t *buf[2][BARE_READS_A_TURN];
	unsigned n_bytes[BARE_READS_A_TURN];
	unsigned n_full;  /* of the set to be written */
	unsigned n_reads; /* to be asked for in this turn */
	unsigned n_asked;
	int got[BARE_READS_A_TURN];
	bool hot;    /* it may have more */
	bool polled; /* a poll is on its way */
	unsigned set;
};

static struct io_uring ring;

bool bare_make_ring(const int fd[2])
{
	struct io_uring_params p = {.flags = IORING_SETUP_SINGLE_ISSUER |
					     IORING_SETUP_DEFER_TASKRUN |
					     IORING_SETUP_SUBMIT_ALL};

	if (io_uring_queue_init_params(ENTRIES, &ring, &p) < 0 ||
		io_uring_register_files(&ring, fd, 2) < 0) {
		fprintf(stderr, "bare: no io_uring\n");
		return false;
	}
	io_uring_register_ring_fd(&ring);
	return true;
}

void bare_end_ring(void)
{
	io_uring_unregister_files(&ring);
	io_uring_queue_exit(&ring);
}

static uint8_t *new_buf(void)
{
	uint8_t *b = malloc(BARE_READ_BYTES);

	if (!b)
		exit(1);
	/* Touched, so that no page is missing later. */
	return memset(b, 0, BARE_READ_BYTES);
}

static void put_write(
	unsigned tap, const uint8_t *bytes, unsigned n_bytes, unsigned flags)
{
	struct io_uring_sqe *s = io_uring_get_sqe(&ring);

	io_uring_prep_write(s, (int)tap, bytes, n_bytes, 0);
	s->rw_flags = RWF_NOWAIT;
	s->flags = IOSQE_FIXED_FILE | flags;
	s->user_data = WRITTEN;
}

static void put_read(unsigned tap, uint8_t *bytes, unsigned i)
{
	struct io_uring_sqe *s = io_uring_get_sqe(&ring);

	io_uring_prep_read(s, (int)tap, bytes, BARE_READ_BYTES, 0);
	s->rw_flags = RWF_NOWAIT;
	s->flags = IOSQE_FIXED_FILE;
	s->user_data = READ | tap << 8 | i << 16;
}

static void put_poll(unsigned tap, unsigned flags)
{
	struct io_uring_sqe *s = io_uring_get_sqe(&ring);

	io_uring_prep_poll_add(s, (int)tap, POLLIN);
	s->flags = IOSQE_FIXED_FILE | flags;
	s->user_data = READY | tap << 8;
}

/* This turn's entries of one TAP. Return: those that complete at once. */
static unsigned ask(struct side *s, unsigned tap)
{
	unsigned n = s->n_full;

	for (unsigned i = 0; i < s->n_full; i++)
		put_write(1 - tap, s->buf[s->set][i], s->n_bytes[i], 0);
	if (s->n_full)
		s->set = 1 - s->set;
	s->n_full = 0;
	s->n_asked = s->hot ? s->n_reads : 0;
	for (unsigned i = 0; i < s->n_asked; i++)
		put_read(tap, s->buf[s->set][i], i);
	if (!s->hot && !s->polled) {
		put_poll(tap, 0);
		s->polled = true;
	}
	return n + s->n_asked;
}

/* The call, and again until @n of its entries are done. */
static void turn(struct side side[2], unsigned n)
{
	do {
		struct io_uring_cqe *c;
		unsigned head, n_seen = 0;

		io_uring_submit_and_wait(&ring, n > 0 ? n : 1);
		io_uring_for_each_cqe(&ring, head, c)
		{
			struct side *s = &side[c->user_data >> 8 & 1];

			n_seen++;
			if ((c->user_data & 255) == READY) {
				s->polled = false;
				s->hot = true;
				continue;
			}
			if ((c->user_data & 255) == READ)
				s->got[c->user_data >> 16] = c->res;
			n--;
		}
		io_uring_cq_advance(&ring, n_seen);
	} while (n > 0);
}

/* The frames that came, to the front of their set. */
static void gather(struct side *s)
{
	uint8_t **b = s->buf[s->set], *t;

	if (s->n_asked == 0)
		return;
	for (unsigned i = 0; i < s->n_asked; i++) {
		if (s->got[i] <= 0)
			continue;
		t = b[s->n_full];
		b[s->n_full] = b[i];
		b[i] = t;
		s->n_bytes[s->n_full++] = (unsigned)s->got[i];
	}
	s->hot = s->n_full == s->n_asked;
	if (s->hot && s->n_reads < BARE_READS_A_TURN)
		s->n_reads *= 2;
	else if (2 * s->n_full <= s->n_reads && s->n_reads > LEAST_READS)
		s->n_reads /= 2;
}

_Noreturn void bare_ring(void)
{
	static struct side side[2];
	unsigned n;

	for (unsigned tap = 0; tap < 2; tap++) {
		side[tap].n_reads = LEAST_READS;
		for (unsigned i = 0; i < 2 * BARE_READS_A_TURN; i++)
			side[tap].buf[i & 1][i / 2] = new_buf();
	}
	for (;;) {
		n = ask(&side[0], 0);
		n += ask(&side[1], 1);
		/* A poll that is done at once does not count among them. */
		turn(side, n);
		gather(&side[0]);
		gather(&side[1]);
	}
}

_Noreturn void bare_chain(void)
{
	uint8_t *buf[2][2];
	unsigned n_bytes[2] = {0, 0}, set[2] = {0, 0}, head, n_seen;
	bool asked[2] = {false, false};
	struct io_uring_cqe *c;

	for (unsigned i = 0; i < 4; i++)
		buf[i & 1][i / 2] = new_buf();
	for (;;) {
		for (unsigned tap = 0; tap < 2; tap++) {
			if (n_bytes[tap] > 0) {
				put_write(1 - tap, buf[tap][set[tap]], n_bytes[tap],
					IOSQE_CQE_SKIP_SUCCESS);
				n_bytes[tap] = 0;
				set[tap] = 1 - set[tap];
			}
			if (asked[tap])
				continue;
			put_poll(tap, IOSQE_IO_LINK | IOSQE_CQE_SKIP_SUCCESS);
			put_read(tap, buf[tap][set[tap]], 0);
			asked[tap] = true;
		}
		io_uring_submit_and_wait(&ring, 1);
		n_seen = 0;
		io_uring_for_each_cqe(&ring, head, c)
		{
			unsigned tap = c->user_data >> 8 & 1;

			n_seen++;
			if ((c->user_data & 255) != READ)
				continue;
			asked[tap] = false;
			n_bytes[tap] = c->res > 0 ? (unsigned)c->res : 0;
		}
		io_uring_cq_advance(&ring, n_seen);
	}
}

#else

bool bare_make_ring(const int fd[2])
{
	(void)fd;
	fprintf(stderr, "bare: built without liburing\n");
	return false;
}

void bare_end_ring(void)
{
}

_Noreturn void bare_ring(void)
{
	abort();
}

_Noreturn void bare_chain(void)
{
	abort();
}

#endif
