/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/child.c - the process that makes the namespaces and then becomes the command
 *
 * Theory of operation, with what is held at each step
 *   set-up   the caller's privileges, or all of them in a user namespace of its own;
 *            every signal blocked, so that Ctrl-C waits until somebody can be told
 *   waiting  the same; no device is open any more, the forwarder has them
 *   go       ids of the command's user (capabilities fall with them), then the caller's
 *            signal mask, then exec. The death signal is asked for again after each
 *            change of credentials, which clears it, and the parent looked at after
 *            that: it may have gone before.
 */
#include "config.h"

#include "host/child.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/securebits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/log.h"
#include "host/netns.h"

/* cli.md's numbers: ours, not executable, not found. */
#define EXIT_OURS 125
#define EXIT_NOT_EXECUTABLE 126
#define EXIT_NOT_FOUND 127

static void die_with_parent(pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(EXIT_OURS);
}

/* A file of its own: the forwarder keeps it open and reads the TAP's drops from it. */
static int open_stats(struct child_ready *r)
{
	struct stat st;
	int fd = open("/proc/self/net/dev", O_RDONLY | O_CLOEXEC);

	if (fd >= 0 && fstat(fd, &st) == 0)
		r->ns.net_dev = st.st_ino;
	return fd;
}

static int set_up(const struct child_start *s, struct child_ready *r, const char **how)
{
	struct fail_ctx ctx;
	int code;

	fail_look(&ctx, s->rootless);
	code = netns_new(&ctx, &r->err);
	if (code < 0)
		return code;
	die_with_parent(s->parent);
	r->ns.net = netns_inode();
	if (!r->ns.net)
		return err_sys(&r->err, "/proc/self/ns/net");
	code = loopback_make(s->redirect, &r->port, how, &ctx, &r->err);
	if (code < 0)
		return code;
	netns_ping_group(s->ident->change ? s->ident->gid : getegid());
	r->port.stats_fd = open_stats(r);
	if (r->port.stats_fd < 0)
		return err_sys(&r->err, "/proc/self/net/dev");
	return 0;
}

static void tell_ready(const struct child_start *s)
{
	struct child_ready r = {.port = {.fd = -1, .stats_fd = -1}};
	const char *how = "";
	int fds[CHILD_FDS], code = set_up(s, &r, &how);

	if (code < 0) {
		r.err.code = code;
		(void)fd_send(s->sock, &r, sizeof(r), NULL, 0);
		_exit(EXIT_OURS);
	}
	r.err.code = 0;
	snprintf(r.redirect, sizeof(r.redirect), "%s", how);
	fds[0] = r.port.fd;
	fds[1] = r.port.stats_fd;
	if (fd_send(s->sock, &r, sizeof(r), fds, CHILD_FDS) < 0)
		_exit(EXIT_OURS);
	fd_close(&r.port.fd);
	fd_close(&r.port.stats_fd);
}

static void become_command(const struct child_start *s)
{
	char **argv = s->conf->command;
	struct err e;
	int code;

	if (ident_drop(s->ident, &e) < 0) {
		log_error("run: %s", e.text);
		_exit(EXIT_OURS);
	}
	ident_env(s->ident);
	/* In our own user namespace uid 0 would get all its capabilities from exec. */
	if (s->rootless && geteuid() == 0 &&
		prctl(PR_SET_SECUREBITS, SECBIT_NOROOT | SECBIT_NOROOT_LOCKED) < 0) {
		log_error("run: cannot give up capabilities: %s", strerror(errno));
		_exit(EXIT_OURS);
	}
	die_with_parent(s->parent);
	sigprocmask(SIG_SETMASK, &s->mask, NULL);
	execvp(argv[0], argv);
	code = errno;
	log_error("run: '%s': %s", argv[0], strerror(code));
	_exit(code == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE);
}

void child_main(const struct child_start *s)
{
	char go;

	die_with_parent(s->parent);
	tell_ready(s);
	if (fd_recv(s->sock, &go, 1, NULL, 0) != 1 || go != CHILD_GO)
		_exit(EXIT_OURS);
	become_command(s);
	_exit(EXIT_OURS);
}
