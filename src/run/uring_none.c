/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run/uring_none.c - the second carrier where it was not built in
 */
#include "config.h"

#include "run/uring.h"

#ifndef HAVE_LIBURING

#include <errno.h>

struct uring *uring_open(
	struct port *port, unsigned n_ports, int others_fd, struct err *e)
{
	(void)port;
	(void)n_ports;
	(void)others_fd;
	err_set(e, -ENOSYS,
		"--io 'uring': this farwire was built without liburing; write --io "
		"auto, or build it with liburing 2.3 or later");
	return NULL;
}

void uring_close(struct uring *u, struct buf_pool *pool)
{
	(void)u;
	(void)pool;
}

struct uring_news uring_wait(struct uring *u, struct buf_pool *pool, nsec_t until_ns)
{
	(void)u;
	(void)pool;
	(void)until_ns;
	return (struct uring_news){.is_broken = true};
}

bool uring_has_read(const struct port *p)
{
	(void)p;
	return false;
}

unsigned uring_read(
	struct port *p, struct buf_pool *pool, struct buf **out, struct port_lost *lost)
{
	return port_read_plain(p, pool, out, lost);
}

void uring_queue(struct port *p, const struct join *j)
{
	(void)p;
	(void)j;
}

void uring_write(
	struct port *p, struct buf_pool *pool, struct join *j, struct port_lost *lost)
{
	port_write_plain(p, pool, j, lost);
}

#endif
