/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/rules.c - nftables, in this process, by libnftables
 */
#include "config.h"

#include "host/rules.h"

/* Before the kernel's own, which then leaves out what it has. */
#include <netinet/in.h>

#include <errno.h>
#include <fcntl.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netlink.h>
#include <net/if.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "host/nftlib.h"

#ifdef HAVE_NFTABLES

/* Where the library's socket may be: it gets the lowest number that is free. */
#define FDS_MAX 1024

struct rules {
	const struct nftlib *lib;
	struct nft_ctx *ctx;
	int fd; /* the library's socket */
};

static bool is_netfilter(int fd)
{
	socklen_t n = sizeof(int);
	int domain = 0, protocol = 0;

	return getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &n) == 0 &&
	       domain == AF_NETLINK &&
	       getsockopt(fd, SOL_SOCKET, SO_PROTOCOL, &protocol, &n) == 0 &&
	       protocol == NETLINK_NETFILTER;
}

/* The library ends the process where it cannot have its socket. */
static int may_open(struct err *e)
{
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_NETFILTER);

	if (fd < 0)
		return err_sys(e, "this kernel has no nftables");
	close(fd);
	return 0;
}

struct rules *rules_open(struct err *e)
{
	static bool before[FDS_MAX];
	const struct nftlib *lib;
	struct rules *r;
	int fd;

	if (may_open(e) < 0)
		return NULL;
	lib = nftlib_get(e);
	if (!lib)
		return NULL;
	for (fd = 0; fd < FDS_MAX; fd++)
		before[fd] = is_netfilter(fd);
	r = calloc(1, sizeof(*r));
	if (r)
		r->ctx = lib->ctx_new(NFT_CTX_DEFAULT);
	if (!r || !r->ctx) {
		free(r);
		err_set(e, -ENOMEM, "nft: out of memory");
		return NULL;
	}
	r->lib = lib;
	lib->buffer_error(r->ctx);
	lib->buffer_output(r->ctx);
	r->fd = -1;
	for (fd = 0; fd < FDS_MAX && r->fd < 0; fd++)
		if (!before[fd] && is_netfilter(fd))
			r->fd = fd;
	return r;
}

void rules_close(struct rules **r)
{
	if (*r)
		(*r)->lib->ctx_free((*r)->ctx);
	free(*r);
	*r = NULL;
}

int rules_run(struct rules *r, const char *text, struct err *e)
{
	const char *said;
	int code;

	errno = 0;
	if (r->lib->run(r->ctx, text) == 0)
		return 0;
	code = errno ? errno : EOPNOTSUPP;
	said = r->lib->get_error(r->ctx);
	if (!said || !*said)
		said = "refused";
	/* Its first line says all, behind the place in our own text. */
	if (strstr(said, "Error: "))
		said = strstr(said, "Error: ") + strlen("Error: ");
	return err_set(e, -code, "nft: %.*s", (int)strcspn(said, "\n"), said);
}

const char *rules_list(struct rules *r, const char *command)
{
	const char *said = NULL;

	if (r->lib->run(r->ctx, command) == 0)
		said = r->lib->get_output(r->ctx);
	/* Else what it says would stay for the next one. */
	(void)r->lib->get_error(r->ctx);
	return said;
}

int rules_keep(const struct rules *r)
{
	int fd = fcntl(r->fd, F_DUPFD_CLOEXEC, 0);

	return fd < 0 ? -errno : fd;
}

/* A batch of one request, and the answers to it. */
struct drop {
	struct nlmsghdr begin_head;
	struct nfgenmsg begin;
	struct nlmsghdr head;
	struct nfgenmsg about;
	struct nlattr attr;
	char table[IFNAMSIZ];
	struct nlmsghdr end_head;
	struct nfgenmsg end;
};
_Static_assert(IFNAMSIZ % NLMSG_ALIGNTO == 0, "no hole behind the name");

/* No answer to an older request of the library's. */
#define DROP_SEQ 0x66617277
#define ANSWER_MS 1000

static struct nlmsghdr message(unsigned type, unsigned flags, size_t n_bytes)
{
	return (struct nlmsghdr){.nlmsg_len = (uint32_t)n_bytes,
		.nlmsg_type = (uint16_t)type,
		.nlmsg_flags = (uint16_t)(NLM_F_REQUEST | flags),
		.nlmsg_seq = DROP_SEQ};
}

/* The library cannot be given a socket, and the owner alone may do this. */
int rules_drop(int fd, const char *table)
{
	const size_t head = sizeof(struct nlmsghdr) + sizeof(struct nfgenmsg);
	struct drop d = {.begin_head = message(NFNL_MSG_BATCH_BEGIN, 0, head),
		.begin.res_id = htons(NFNL_SUBSYS_NFTABLES),
		.head = message(NFNL_SUBSYS_NFTABLES << 8 | NFT_MSG_DELTABLE, NLM_F_ACK,
			head + sizeof(d.attr) + sizeof(d.table)),
		.about.nfgen_family = NFPROTO_INET,
		.attr = {.nla_len = sizeof(d.attr) + sizeof(d.table),
			.nla_type = NFTA_TABLE_NAME},
		.end_head = message(NFNL_MSG_BATCH_END, 0, head),
		.end.res_id = htons(NFNL_SUBSYS_NFTABLES)};
	struct pollfd p = {.fd = fd, .events = POLLIN};
	struct {
		struct nlmsghdr head;
		struct nlmsgerr err;
		char rest[512];
	} answer;

	strncpy(d.table, table, sizeof(d.table) - 1);
	if (send(fd, &d, sizeof(d), MSG_NOSIGNAL) < 0)
		return -errno;
	while (poll(&p, 1, ANSWER_MS) > 0) {
		ssize_t n = recv(fd, &answer, sizeof(answer), MSG_DONTWAIT);

		if (n < 0 && errno != EINTR)
			return -errno;
		if (n >= (ssize_t)(sizeof(answer.head) + sizeof(answer.err)) &&
			answer.head.nlmsg_type == NLMSG_ERROR &&
			answer.head.nlmsg_seq == DROP_SEQ)
			return answer.err.error;
	}
	return -ETIMEDOUT;
}

#else /* without libnftables */

int rules_drop(int fd, const char *table)
{
	(void)fd;
	(void)table;
	return -EOPNOTSUPP;
}

struct rules *rules_open(struct err *e)
{
	err_set(e, -EOPNOTSUPP, "this farwire was built without libnftables");
	return NULL;
}

void rules_close(struct rules **r)
{
	*r = NULL;
}

int rules_run(struct rules *r, const char *text, struct err *e)
{
	(void)r;
	(void)text;
	return err_set(e, -EOPNOTSUPP, "this farwire was built without libnftables");
}

const char *rules_list(struct rules *r, const char *command)
{
	(void)r;
	(void)command;
	return NULL;
}

int rules_keep(const struct rules *r)
{
	(void)r;
	return -EOPNOTSUPP;
}
#endif
