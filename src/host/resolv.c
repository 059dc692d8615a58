/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/resolv.c - the command's /etc/resolv.conf
 */
#include "config.h"

#include "host/resolv.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/log.h"

#define BLANKS " \t\r"
/* A resolv.conf is some lines; a whole book is none. */
#define FILE_BYTES 65536

/* The device behind the sign of fe80::1%eth0, a name or a number, or 0. */
static unsigned read_scope(const char *word)
{
	char dev[IFNAMSIZ] = "";

	word += strcspn(word, BLANKS "%");
	if (*word != '%')
		return 0;
	snprintf(dev, sizeof(dev), "%.*s", (int)strcspn(word + 1, BLANKS), word + 1);
	return dev[0] >= '0' && dev[0] <= '9' && !if_nametoindex(dev)
		       ? (unsigned)strtoul(dev, NULL, 10)
		       : if_nametoindex(dev);
}

/* The address of a `nameserver` line. Return: whether it is one. */
static bool read_server(const char *word, struct cidr *c, unsigned *scope)
{
	char text[INET6_ADDRSTRLEN];
	size_t n = strcspn(word, BLANKS "%");

	*scope = read_scope(word);
	if (n >= sizeof(text))
		return false;
	memcpy(text, word, n);
	text[n] = '\0';
	*c = (struct cidr){.family = AF_INET, .prefix = 32};
	if (inet_pton(AF_INET, text, c->bytes) == 1)
		return true;
	*c = (struct cidr){.family = AF_INET6, .prefix = 128};
	return inet_pton(AF_INET6, text, c->bytes) == 1;
}

static void take_line(struct resolv *r, const char *line)
{
	static const char word[] = "nameserver";
	const char *at = line + strspn(line, BLANKS);
	size_t n = strlen(word), used = strlen(r->kept);
	unsigned scope;
	struct cidr c;

	if (strncmp(at, word, n) != 0 || !strchr(BLANKS, at[n]) || !at[n]) {
		if (*at && used + strlen(line) + 2 <= sizeof(r->kept))
			sprintf(r->kept + used, "%s\n", line);
		return;
	}
	at += n;
	if (r->n_servers < RESOLV_SERVERS_MAX &&
		read_server(at + strspn(at, BLANKS), &c, &scope)) {
		r->scope[r->n_servers] = scope;
		r->server[r->n_servers++] = c;
	}
}

/* resolv.conf(5): without a `nameserver` line it is the local machine. */
static const struct cidr usual_server = {
	.family = AF_INET, .bytes = {127, 0, 0, 1}, .prefix = 32};

/* Why it cannot be opened. A link that leads nowhere is a machine in disorder. */
static int say_not_open(const char *path, struct err *e)
{
	char to[256];
	ssize_t n;
	int code = errno;

	n = readlink(path, to, sizeof(to) - 1);
	errno = code;
	if (code == EACCES || code == EPERM)
		return err_set(e, -code,
			"%s: %s: no names would be found; make it readable (chmod "
			"a+r), "
			"or write uplink none",
			path, strerror(code));
	if (n < 0)
		return code == ENOENT ? 0 : err_sys(e, "%s", path);
	to[n] = '\0';
	if (code == ENOENT || code == ELOOP)
		return err_set(e, -code,
			"%s: a link to '%s', which leads nowhere: no names would be "
			"found; mend it, or write uplink none",
			path, to);
	return err_sys(e, "%s: a link to '%s'", path, to);
}

int resolv_read(struct resolv *r, const char *path, struct err *e)
{
	char text[FILE_BYTES];
	struct resolv got = {0};
	int fd FD_AUTO = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	size_t n = 0;
	ssize_t more;
	char *line, *rest;

	if (fd < 0) {
		int code = say_not_open(path, e);

		if (!code)
			*r = got; /* no server: nobody could be told of it */
		return code;
	}
	while ((more = read(fd, text + n, sizeof(text) - 1 - n)) > 0)
		n += (size_t)more;
	if (more < 0)
		return err_sys(e, "%s", path);
	text[n] = '\0';
	got.is_there = true;
	for (line = text; *line; line = rest) {
		rest = line + strcspn(line, "\n");
		if (*rest)
			*rest++ = '\0';
		take_line(&got, line);
	}
	if (!got.n_servers)
		got.server[got.n_servers++] = usual_server;
	*r = got;
	return 0;
}

bool resolv_has(const struct resolv *r, int family)
{
	for (unsigned i = 0; i < r->n_servers; i++)
		if (r->server[i].family == family)
			return true;
	return false;
}

bool resolv_is_loopback(const struct cidr *server)
{
	static const uint8_t one[16] = {[15] = 1};

	return server->family == AF_INET ? server->bytes[0] == 127
					 : memcmp(server->bytes, one, sizeof(one)) == 0;
}

bool resolv_is_of_link(const struct cidr *server)
{
	return server->family == AF_INET6 && server->bytes[0] == 0xfe &&
	       (server->bytes[1] & 0xc0) == 0x80;
}

bool resolv_is_local(const struct resolv *r)
{
	for (unsigned i = 0; i < r->n_servers; i++)
		if (!resolv_is_loopback(&r->server[i]))
			return false;
	return true;
}

static int write_file(const struct resolv *r, const struct cidr *dns, unsigned n_dns,
	const char *path)
{
	FILE *f = fopen(path, "wxe");
	char text[INET6_ADDRSTRLEN];
	int bad = 0;

	if (!f)
		return -errno;
	fputs(r->kept, f);
	for (unsigned i = 0; i < n_dns; i++)
		fprintf(f, "nameserver %s\n",
			inet_ntop(dns[i].family, dns[i].bytes, text, sizeof(text)));
	bad |= fchmod(fileno(f), 0644) < 0;
	bad |= fflush(f) == EOF;
	bad |= fclose(f) == EOF;
	return bad ? -EIO : 0;
}

/*
 * A tmpfs over some directory, for as long as it takes to mount its one file elsewhere:
 * in a mount namespace of our own nobody sees it.
 */
static int mount_over(const struct resolv *r, const struct cidr *dns, unsigned n_dns)
{
	static const char *const places[] = {"/tmp", "/run", "/var", "/mnt"};
	static const size_t n_places = sizeof(places) / sizeof(places[0]);
	char path[64];
	int code = -ENOENT;
	size_t i;

	for (i = 0; i < n_places && code; i++)
		code = mount("farwire", places[i], "tmpfs",
			       MS_NOSUID | MS_NODEV | MS_NOEXEC, "size=64k,mode=0755")
			       ? -errno
			       : 0;
	if (code)
		return code;
	snprintf(path, sizeof(path), "%s/resolv.conf", places[i - 1]);
	code = write_file(r, dns, n_dns, path);
	if (!code && mount(path, RESOLV_PATH, NULL, MS_BIND, NULL) < 0)
		code = -errno;
	(void)umount2(places[i - 1], MNT_DETACH);
	return code;
}

int resolv_give(
	const struct resolv *r, const struct cidr *dns, unsigned n_dns, struct err *e)
{
	int code;

	if (!r->is_there)
		log_warn(RESOLV_PATH ": there is none, so the command finds no names; "
				     "make one, an empty file will do");
	if (!r->is_there || !n_dns)
		return 0;
	code = mount_over(r, dns, n_dns);
	if (!code)
		return 0;
	/* As in most containers under AppArmor. */
	if ((code == -EPERM || code == -EACCES) && !resolv_is_local(r))
		return 0;
	return err_set(e, code,
		"%s: cannot mount the command's own over it: %s; its name server is "
		"the "
		"host's loopback, which nobody reaches from inside: name another there",
		RESOLV_PATH, strerror(-code));
}
