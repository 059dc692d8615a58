/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/member.c - whether a device is still a port of its bridge
 *
 * Theory of operation
 *   A TAP is not told when its bridge is deleted, or when it is taken out: it lives on
 *   and leads nowhere. rtnetlink says so. A socket in the bridge's namespace would keep
 *   that from going away, so it is made where the TAP was opened, in a namespace of our
 *   own, and listens to those that this one has a number for: moving a device gives it
 *   one, and a number holds nothing. A filter lets one kind of message through, so that
 *   the process wakes for nothing else.
 */
#include "config.h"

#include "host/member.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>

#include "base/fd.h"

/* What a link's message may have, some ten times over. */
#define BUF_BYTES 8192

struct news {
	struct nlmsghdr head;
	struct ifinfomsg link;
};

int member_open(struct member *m, bool afar, struct err *e)
{
	struct sockaddr_nl a = {
		.nl_family = AF_NETLINK, .nl_groups = 1U << (RTNLGRP_LINK - 1)};
	int on = 1;

	*m = MEMBER_NONE;
	m->fd = socket(
		AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);
	if (m->fd < 0)
		return err_sys(e, "bridge: netlink socket");
	if ((afar && setsockopt(m->fd, SOL_NETLINK, NETLINK_LISTEN_ALL_NSID, &on,
			     sizeof(on)) < 0) ||
		bind(m->fd, (struct sockaddr *)&a, sizeof(a)) < 0) {
		err_sys(e, "bridge: netlink socket");
		member_close(m);
		return e->code;
	}
	return 0;
}

/* One message. @nsid: -1 for the socket's own namespace. Return: false: no more. */
static bool hear(const struct member *m, struct news *news, int *nsid)
{
	_Alignas(struct nlmsghdr) char buf[BUF_BYTES];
	_Alignas(struct cmsghdr) char aux[CMSG_SPACE(sizeof(int))];
	struct iovec iov = {.iov_base = buf, .iov_len = sizeof(buf)};
	struct msghdr msg = {.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = aux,
		.msg_controllen = sizeof(aux)};
	ssize_t n = recvmsg(m->fd, &msg, MSG_DONTWAIT);
	const struct cmsghdr *c = n < 0 ? NULL : CMSG_FIRSTHDR(&msg);

	memset(news, 0, sizeof(*news));
	*nsid = -1;
	/* Some were lost while nobody read: the next is as good. */
	if (n < 0)
		return errno == ENOBUFS || errno == EINTR;
	if (c && c->cmsg_level == SOL_NETLINK &&
		c->cmsg_type == NETLINK_LISTEN_ALL_NSID)
		memcpy(nsid, CMSG_DATA(c), sizeof(*nsid));
	if (n >= (ssize_t)sizeof(*news))
		memcpy(news, buf, sizeof(*news));
	return true;
}

/* A port that leaves is said to be deleted, to those who know of bridges. */
static int filter(const struct member *m, int index)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_H | BPF_ABS,
			offsetof(struct news, head.nlmsg_type)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, htons(RTM_DELLINK), 0, 5),
		BPF_STMT(BPF_LD | BPF_B | BPF_ABS,
			offsetof(struct news, link.ifi_family)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_BRIDGE, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			offsetof(struct news, link.ifi_index)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, htonl((uint32_t)index), 0, 1),
		BPF_STMT(BPF_RET | BPF_K, UINT32_MAX),
		BPF_STMT(BPF_RET | BPF_K, 0),
	};
	struct sock_fprog prog = {
		.len = sizeof(code) / sizeof(code[0]), .filter = code};

	return setsockopt(m->fd, SOL_SOCKET, SO_ATTACH_FILTER, &prog, sizeof(prog));
}

int member_aim(struct member *m, int index, struct err *e)
{
	bool left = false, found = false;
	struct news news;
	int nsid;

	if (filter(m, index) < 0)
		return err_sys(e, "bridge: filter");
	/* What came before the filter says which namespace is meant. */
	while (hear(m, &news, &nsid)) {
		if (news.link.ifi_family != AF_BRIDGE || news.link.ifi_index != index)
			continue;
		if (news.head.nlmsg_type == RTM_NEWLINK) {
			m->nsid = nsid;
			found = true;
		}
		left = found && news.head.nlmsg_type == RTM_DELLINK;
	}
	if (!found || left)
		return err_set(e, -ENOTCONN, "bridge: it does not keep the device");
	return 0;
}

bool member_left(const struct member *m)
{
	struct news news;
	int nsid;

	while (m->fd >= 0 && hear(m, &news, &nsid))
		if (news.head.nlmsg_type == RTM_DELLINK && nsid == m->nsid)
			return true;
	return false;
}

void member_close(struct member *m)
{
	fd_close(&m->fd);
}
