/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * base/fd.c - open files: -1 means none, everything is close-on-exec
 */
#include "config.h"

#include "base/fd.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

union ancillary {
	struct cmsghdr align;
	char bytes[CMSG_SPACE(sizeof(int) * FD_SEND_MAX)];
};

void fd_close(int *fd)
{
	int saved = errno;

	if (*fd >= 0)
		close(*fd);
	*fd = -1;
	errno = saved;
}

int fd_send(int sock, const void *data, size_t n_bytes, const int *fds, int n_fds)
{
	struct iovec iov = {.iov_base = (void *)(size_t)data, .iov_len = n_bytes};
	struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};
	union ancillary ctl = {0};
	struct cmsghdr *c;
	ssize_t n;

	if (n_fds > 0) {
		msg.msg_control = ctl.bytes;
		msg.msg_controllen = CMSG_SPACE(sizeof(int) * (size_t)n_fds);
		c = CMSG_FIRSTHDR(&msg);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(sizeof(int) * (size_t)n_fds);
		memcpy(CMSG_DATA(c), fds, sizeof(int) * (size_t)n_fds);
	}
	do
		n = sendmsg(sock, &msg, MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : 0;
}

int fd_recv(int sock, void *data, size_t max_bytes, int *fds, int max_fds)
{
	struct iovec iov = {.iov_base = data, .iov_len = max_bytes};
	union ancillary ctl = {0};
	struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};
	struct cmsghdr *c;
	int i, n_got = 0, spare;
	ssize_t n;

	for (i = 0; i < max_fds; i++)
		fds[i] = -1;
	msg.msg_control = ctl.bytes;
	msg.msg_controllen = sizeof(ctl.bytes);
	do
		n = recvmsg(sock, &msg, MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	for (c = CMSG_FIRSTHDR(&msg); c; c = CMSG_NXTHDR(&msg, c)) {
		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		for (i = 0; CMSG_LEN(sizeof(int) * (size_t)(i + 1)) <= c->cmsg_len;
			i++) {
			memcpy(&spare, CMSG_DATA(c) + sizeof(int) * (size_t)i,
				sizeof(int));
			if (n_got < max_fds)
				fds[n_got] = spare;
			else
				close(spare);
			n_got++;
		}
	}
	return n_got > max_fds || (msg.msg_flags & MSG_CTRUNC) ? -EMSGSIZE : (int)n;
}
