/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/sockbuf.h - room in a socket for a burst of frames
 */
#ifndef FW_HOST_SOCKBUF_H
#define FW_HOST_SOCKBUF_H

/** sockbuf_grow() - As much as the caller may have, at most 4 MiB; best effort. */
void sockbuf_grow(int fd);

#endif
