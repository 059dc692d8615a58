/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/probe.c - trials for the doctor, each in a process that is thrown away
 */
#include "config.h"

#include "host/filter.h"
#include "host/probe.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "host/netns.h"
#include "host/rank.h"
#include "host/tap.h"

/* A trial that hangs is a trial that failed. */
#define TRIAL_SECONDS 5
#define FRAME_WAIT_MS 1000

struct trial {
	void (*run)(struct probe *p, const struct trial *t);
	bool rootless;
	enum redirect want;
};

static void in_child(struct probe *p, const struct trial *t)
{
	int s[2];
	pid_t pid;

	memset(p, 0, sizeof(*p));
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, s) < 0) {
		err_sys(&p->err, "socket");
		return;
	}
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		alarm(TRIAL_SECONDS);
		t->run(p, t);
		_exit(fd_send(s[1], p, sizeof(*p), NULL, 0) < 0);
	}
	fd_close(&s[1]);
	if (pid < 0)
		err_sys(&p->err, "fork");
	else if (fd_recv(s[0], p, sizeof(*p), NULL, 0) != (int)sizeof(*p))
		err_set(&p->err, -ETIMEDOUT, "the trial did not end within %d s",
			TRIAL_SECONDS);
	fd_close(&s[0]);
	if (pid > 0)
		waitpid(pid, NULL, 0);
}

static void run_userns(struct probe *p, const struct trial *t)
{
	struct fail_ctx ctx;

	(void)t;
	fail_look(&ctx, true);
	netns_new(&ctx, &p->err);
}

void probe_userns(struct probe *p)
{
	in_child(p, &(struct trial){.run = run_userns, .rootless = true});
}

/* A datagram to ourselves, which must come out of the TAP and back through it. */
static int round_trip(const struct host_port *tap, struct err *e)
{
	struct sockaddr_in a = {
		.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int s FD_AUTO = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct pollfd out = {.fd = tap->fd, .events = POLLIN};
	struct pollfd in = {.fd = s, .events = POLLIN};
	socklen_t len = sizeof(a);
	char buf[256];
	ssize_t n;

	if (s < 0 || bind(s, (struct sockaddr *)&a, sizeof(a)) < 0 ||
		getsockname(s, (struct sockaddr *)&a, &len) < 0 ||
		sendto(s, "x", 1, 0, (struct sockaddr *)&a, len) != 1)
		return err_sys(e, "a datagram to 127.0.0.1");
	if (poll(&in, 1, 0) != 0)
		return err_set(e, -EIO, "a datagram passed beside the TAP");
	if (poll(&out, 1, FRAME_WAIT_MS) != 1)
		return err_set(e, -EIO, "no frame came out of the TAP");
	n = read(tap->fd, buf, sizeof(buf));
	if (n < TAP_VNET_HDR_BYTES + 14)
		return err_set(e, -EIO, "no whole frame came out of the TAP");
	if (tap->set_dst_mac)
		memcpy(buf + TAP_VNET_HDR_BYTES, tap->mac, sizeof(tap->mac));
	if (write(tap->fd, buf, (size_t)n) != n)
		return err_sys(e, "write to the TAP");
	if (poll(&in, 1, FRAME_WAIT_MS) != 1)
		return err_set(e, -EIO, "a frame did not come back from the TAP");
	return 0;
}

static void run_loopback(struct probe *p, const struct trial *t)
{
	struct host_port tap = {.fd = -1};
	struct fail_ctx ctx;
	const char *how;

	fail_look(&ctx, t->rootless);
	if (netns_new(&ctx, &p->err) < 0 ||
		loopback_make(t->want, 0, &tap, &how, &ctx, &p->err) < 0)
		return;
	if (round_trip(&tap, &p->err) < 0)
		err_wrap(&p->err, "%s", how);
	tap_offloads(tap.fd, &p->tso, &p->uso);
}

void probe_loopback(struct probe *p, bool rootless, enum redirect want)
{
	in_child(p, &(struct trial){
			    .run = run_loopback, .rootless = rootless, .want = want});
}

static void run_fifo(struct probe *p, const struct trial *t)
{
	(void)t;
	p->err.code = rank_fifo();
}

int probe_fifo(void)
{
	struct probe p;

	in_child(&p, &(struct trial){.run = run_fifo});
	return p.err.code;
}

static void run_filter(struct probe *p, const struct trial *t)
{
	(void)t;
	/* As it is loaded when privileges have fallen. */
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		err_sys(&p->err, "no_new_privs");
	else
		(void)filter_load(0, -1, &p->err);
}

int probe_filter(struct err *e)
{
	struct probe p;

	in_child(&p, &(struct trial){.run = run_filter});
	*e = p.err;
	return e->code;
}

int probe_uring(void)
{
	/* struct io_uring_params is 120 bytes of zeros in the plainest request. */
	char params[120] = {0};
	int fd FD_AUTO = (int)syscall(SYS_io_uring_setup, 1, params);

	return fd < 0 ? -errno : 0;
}
