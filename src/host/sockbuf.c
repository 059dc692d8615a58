/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/sockbuf.c - room in a socket for a burst of frames
 */
#include "config.h"

#include "host/sockbuf.h"

#include <sys/socket.h>

/* 2000 full frames: what the helper writes while farwire does not run. */
#define ROOM_BYTES (4 << 20)

void sockbuf_grow(int fd)
{
	static const int force[] = {SO_SNDBUFFORCE, SO_RCVBUFFORCE};
	static const int usual[] = {SO_SNDBUF, SO_RCVBUF};
	int n = ROOM_BYTES;

	for (int i = 0; i < 2; i++)
		if (setsockopt(fd, SOL_SOCKET, force[i], &n, sizeof(n)) < 0)
			(void)setsockopt(fd, SOL_SOCKET, usual[i], &n, sizeof(n));
}
