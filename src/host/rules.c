/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/rules.c - nftables, in this process, by libnftables
 */
#include "config.h"

#include "host/rules.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#ifdef HAVE_NFTABLES
#include <nftables/libnftables.h>

/* Where the library's socket may be: it gets the lowest number that is free. */
#define FDS_MAX 1024

struct rules {
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
	struct rules *r;
	int fd;

	if (may_open(e) < 0)
		return NULL;
	for (fd = 0; fd < FDS_MAX; fd++)
		before[fd] = is_netfilter(fd);
	r = calloc(1, sizeof(*r));
	if (r)
		r->ctx = nft_ctx_new(NFT_CTX_DEFAULT);
	if (!r || !r->ctx) {
		free(r);
		err_set(e, -ENOMEM, "nft: out of memory");
		return NULL;
	}
	nft_ctx_buffer_error(r->ctx);
	nft_ctx_buffer_output(r->ctx);
	r->fd = -1;
	for (fd = 0; fd < FDS_MAX && r->fd < 0; fd++)
		if (!before[fd] && is_netfilter(fd))
			r->fd = fd;
	return r;
}

void rules_close(struct rules **r)
{
	if (*r)
		nft_ctx_free((*r)->ctx);
	free(*r);
	*r = NULL;
}

int rules_run(struct rules *r, const char *text, struct err *e)
{
	const char *said;
	int code;

	errno = 0;
	if (nft_run_cmd_from_buffer(r->ctx, text) == 0)
		return 0;
	code = errno ? errno : EOPNOTSUPP;
	said = nft_ctx_get_error_buffer(r->ctx);
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

	if (nft_run_cmd_from_buffer(r->ctx, command) == 0)
		said = nft_ctx_get_output_buffer(r->ctx);
	/* Else what it says would stay for the next one. */
	(void)nft_ctx_get_error_buffer(r->ctx);
	return said;
}

int rules_keep(const struct rules *r)
{
	int fd = fcntl(r->fd, F_DUPFD_CLOEXEC, 0);

	return fd < 0 ? -errno : fd;
}

#else /* without libnftables */

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
