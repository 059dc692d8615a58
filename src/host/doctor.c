/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/doctor.c - what this machine allows farwire to do
 *
 * Theory of operation
 *   Nothing is concluded that can be tried. The verdict is that of the trial which does
 *   what `run dev lo` does; the other rows say why it failed, or what would be better.
 *   Reasons and fixes come from the table that `run` speaks from (host/fail.h): what
 *   stands behind the first "; " of its line is the fix.
 */
#include "config.h"

#include "host/doctor.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>

#include "base/fd.h"
#include "host/fail.h"
#include "host/helper.h"
#include "host/privs.h"
#include "host/probe.h"
#include "host/rules.h"

static struct fact *add(struct doctor *f, const char *name, bool yes)
{
	struct fact *x = &f->fact[f->n++];

	x->name = name;
	x->yes = yes;
	return x;
}

static void put(char *to, const char *text)
{
	snprintf(to, FACT_TEXT_BYTES, "%s", text);
}

/* A line of the failure table, without the where that the row's name gives already. */
static void put_err(struct fact *x, const struct err *e, const char *where)
{
	size_t n = strlen(where);
	const char *text = e->text, *fix;

	if (n && !strncmp(text, where, n) && !strncmp(text + n, ": ", 2))
		text += n + 2;
	fix = strstr(text, "; ");
	snprintf(x->text, sizeof(x->text), "%.*s",
		fix ? (int)(fix - text) : (int)sizeof(x->text) - 1, text);
	put(x->fix, fix ? fix + 2 : "");
}

static void look_tun(struct doctor *f, const struct fail_ctx *ctx)
{
	int fd FD_AUTO = open("/dev/net/tun", O_RDWR | O_CLOEXEC);
	struct fact *x = add(f, "tun device", fd >= 0);
	struct err e;

	x->needed = true;
	if (x->yes) {
		put(x->text, "/dev/net/tun, open to you");
		return;
	}
	fail_say(&e, FAIL_TUN, errno, ctx, NULL);
	put_err(x, &e, "");
}

static void look_userns(struct doctor *f, bool rootless, const struct fail_ctx *ctx)
{
	struct probe p;
	struct fact *x, *a;
	bool refused;

	probe_userns(&p);
	refused = p.err.code == -EPERM || p.err.code == -EACCES;
	x = add(f, "user namespaces", p.err.code == 0);
	x->needed = rootless;
	if (x->yes)
		put(x->text, rootless ? "allowed" : "allowed; not needed by you");
	else
		put_err(x, &p.err, "user namespace");
	/* Its profile may except farwire: the switch alone says nothing. */
	a = add(f, "AppArmor", !(ctx->apparmor && refused));
	a->needed = rootless;
	if (!a->yes) {
		put_err(a, &p.err, "user namespace");
		put(a->text, "restricts user namespaces "
			     "(kernel.apparmor_restrict_unprivileged_userns=1)");
	} else {
		put(a->text, ctx->apparmor
				     ? "restricts user namespaces, but not farwire's"
				     : "does not restrict user namespaces");
	}
}

/* The rows before this one are the device and the namespaces. */
static void look_loopback(struct doctor *f, bool rootless, struct probe *best)
{
	struct probe tc, nft;
	struct fact *x;

	probe_loopback(&tc, rootless, REDIRECT_TC);
	probe_loopback(&nft, rootless, REDIRECT_NFT);
	*best = tc.err.code == 0 ? tc : nft;
	x = add(f, "loopback", best->err.code == 0);
	x->needed = true;
	f->can_run = x->yes;
	if (!tc.err.code && !nft.err.code)
		put(x->text, "tc redirect (nft redirect works too)");
	else if (x->yes)
		put(x->text, !tc.err.code ? "tc redirect" : "nft redirect");
	else if (!f->fact[0].yes)
		put(x->text, "needs the tun device");
	else if (f->fact[1].needed && !f->fact[1].yes)
		put(x->text, "needs user namespaces");
	else
		put_err(x, &tc.err, "loopback");
}

/* Said only where it is missing: a matter of course nearly everywhere. */
static void look_filter(struct doctor *f)
{
	struct err e;
	struct fact *x;

	if (probe_filter(&e) == 0)
		return;
	x = add(f, "seccomp", false);
	x->needed = true;
	f->can_run = false;
	put_err(x, &e, "seccomp");
	put(x->fix, "a kernel with CONFIG_SECCOMP_FILTER; in a container one whose "
		    "rules allow seccomp(2)");
}

static void look_rank(struct doctor *f)
{
	struct rlimit lim = {0};
	int code = probe_fifo();
	struct fact *x = add(f, "real-time rank", code == 0);

	if (x->yes) {
		put(x->text, "SCHED_FIFO");
		return;
	}
	if (code == -EAGAIN) {
		put(x->text, "one CPU: a real-time forwarder would starve the command");
		put(x->fix, "a second CPU");
		return;
	}
	getrlimit(RLIMIT_RTPRIO, &lim);
	if (lim.rlim_cur == 0)
		put(x->text, "RLIMIT_RTPRIO is 0: late up to 4 ms when all cores are "
			     "busy");
	else
		put(x->text, "refused (a control group without real-time budget): late "
			     "up to 4 ms when all cores are busy");
	put(x->fix, "@users - rtprio 1 in /etc/security/limits.d/, or run "
		    "with CAP_SYS_NICE, as root has");
}

static void look_uring(struct doctor *f)
{
#ifdef HAVE_LIBURING
	int code = probe_uring();
	struct fact *x = add(f, "io_uring", code == 0);

	if (x->yes) {
		put(x->text, "allowed");
		return;
	}
	snprintf(
		x->text, sizeof(x->text), "%s; plain system calls do", strerror(-code));
	if (code == -EPERM)
		put(x->fix, "sysctl -w kernel.io_uring_disabled=0; in a container "
			    "--security-opt seccomp=unconfined");
	else if (code == -ENOSYS)
		put(x->fix, "a kernel with CONFIG_IO_URING (Linux 5.11)");
#else
	struct fact *x = add(f, "io_uring", false);

	put(x->text, "not in this build; plain system calls do");
	put(x->fix, "liburing 2.3 or later, then configure and build again");
#endif
}

/* @why: filled with what it lacks */
static bool can_nat(bool rootless, char why[ERR_TEXT_BYTES])
{
	struct err e = {0};
	struct rules *r;

	if (rootless) {
		snprintf(why, ERR_TEXT_BYTES, "needs root");
		return false;
	}
	r = rules_open(&e);
	snprintf(why, ERR_TEXT_BYTES, "%s",
		e.code == -ENOENT ? "needs libnftables" : e.text);
	if (!r)
		return false;
	rules_close(&r);
	return true;
}

/* What is installed, not what it does: that is a matter of where the host leads. */
static void look_uplinks(struct doctor *f, bool rootless)
{
	char path[512], why[ERR_TEXT_BYTES];
	bool nat = can_nat(rootless, why);
	bool passt = helper_find("passt", path, sizeof(path));
	bool slirp = helper_find("slirp4netns", path, sizeof(path));
	struct fact *x = add(f, "uplinks", nat || passt || slirp);

	snprintf(x->text, sizeof(x->text), "nat %s%.60s%s, passt %s, slirp %s",
		nat ? "yes" : "no (", nat ? "" : why, nat ? "" : ")",
		passt ? "yes" : "no (not installed)",
		slirp ? "yes" : "no (slirp4netns is not installed)");
	if (!x->yes)
		put(x->fix,
			rootless ? "install passt, or run as root" : "install passt");
}

static void look_kernel(struct doctor *f, const struct probe *p)
{
	struct utsname u;
	struct fact *x = add(f, "kernel", p->tso && p->uso);
	const char *what = p->tso && p->uso ? "super-frames TCP and UDP"
			   : p->tso         ? "super-frames TCP only"
					    : "no super-frames";

	if (uname(&u) < 0)
		memcpy(u.release, "unknown", sizeof("unknown"));
	if (p->err.code)
		what = "super-frames not tried: no loopback";
	snprintf(x->text, sizeof(x->text), "%.64s: %s", u.release, what);
	if (!p->err.code && !p->uso)
		put(x->fix,
			"Linux 6.2 for UDP; TCP and small frames are not concerned");
}

void doctor_examine(struct doctor *f)
{
	bool rootless = !privs_can_setup();
	struct fail_ctx ctx;
	struct probe best;

	memset(f, 0, sizeof(*f));
	fail_look(&ctx, rootless);
	look_tun(f, &ctx);
	look_userns(f, rootless, &ctx);
	look_loopback(f, rootless, &best);
	look_filter(f);
	look_rank(f);
	look_uring(f);
	look_uplinks(f, rootless);
	look_kernel(f, &best);
}
