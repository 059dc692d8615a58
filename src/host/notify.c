/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/notify.c - tell the service manager that we are ready
 */
#include "config.h"

#include "host/notify.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "base/fd.h"

int notify_open(void)
{
	struct sockaddr_un a = {.sun_family = AF_UNIX};
	const char *name = getenv("NOTIFY_SOCKET");
	size_t n = name ? strlen(name) : 0;
	int fd;

	/* A path, or an abstract name behind an @. */
	if (n < 2 || n >= sizeof(a.sun_path) || (*name != '/' && *name != '@'))
		return -1;
	memcpy(a.sun_path, name, n);
	if (*name == '@')
		a.sun_path[0] = '\0';
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	/* The length counts: an abstract name ends with it. */
	if (fd >= 0 &&
		connect(fd, (struct sockaddr *)&a,
			(socklen_t)(offsetof(struct sockaddr_un, sun_path) + n)) < 0)
		fd_close(&fd);
	return fd;
}

void notify_send(int fd, const char *text)
{
	if (fd >= 0)
		(void)!send(fd, text, strlen(text), MSG_NOSIGNAL);
}
