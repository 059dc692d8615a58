/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * base/fd.h - open files: -1 means none, everything is close-on-exec
 */
#ifndef FW_BASE_FD_H
#define FW_BASE_FD_H

#include <stddef.h>

/** fd_close() - Close *@fd if it is open and set it to -1. errno is kept. */
void fd_close(int *fd);

/* `int fd __attribute__((cleanup(fd_close))) = -1;` closes on leaving the block. */
#define FD_AUTO __attribute__((cleanup(fd_close)))

/**
 * fd_send() - Send one message with open files over a UNIX socket
 * @sock:     SOCK_SEQPACKET or SOCK_STREAM socket, blocking
 * @data:     at least one byte
 * @n_bytes:  its length
 * @fds:      files to pass, the caller keeps its own
 * @n_fds:    0 to FD_SEND_MAX
 *
 * Return: 0 or -errno. Blocks, raises no SIGPIPE.
 */
int fd_send(int sock, const void *data, size_t n_bytes, const int *fds, int n_fds);

/**
 * fd_recv() - Receive one message with open files
 * @sock:     as above
 * @data:     room for the message
 * @max_bytes: its size
 * @fds:      room for @max_fds files, all set to -1 first; what arrives is
 * close-on-exec
 * @max_fds:  0 to FD_SEND_MAX
 *
 * Return: bytes received, 0 when the other side is gone, or -errno. Files beyond
 * @max_fds are closed and give -EMSGSIZE.
 */
int fd_recv(int sock, void *data, size_t max_bytes, int *fds, int max_fds);

#define FD_SEND_MAX 8

#endif
