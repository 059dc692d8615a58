/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bench/bare.h - two TAPs with nothing between them: the ways to carry frames */
#ifndef BENCH_BARE_H
#define BENCH_BARE_H

/* virtio header, Ethernet and a VLAN tag, the longest IP packet. */
#define BARE_READ_BYTES (10 + 14 + 4 + 65535)
#define BARE_READS_A_TURN 32

#include <stdbool.h>

/*
 * bare_make_ring() - an io_uring for two TAPs
 * @fd: not blocking; a frame of one goes out of the other
 *
 * Return: false where there is none, said on stderr.
 */
bool bare_make_ring(const int fd[2]);

/* bare_end_ring() - let go of the TAPs now; the end of a process does it some time later */
void bare_end_ring(void);

/*
 * bare_ring() - what came in the last turn is written, and more read, in one call
 * bare_chain() - a frame of a TAP at a time: poll, read and the last write in one call
 */
_Noreturn void bare_ring(void);
_Noreturn void bare_chain(void);

#endif
