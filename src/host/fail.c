/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/fail.c - what the machine refused, said in one line with the fix
 */
#include "config.h"

#include "host/fail.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"

#define SYS "/proc/sys/"

/* First character of a file under /proc/sys, or 0. */
static char sysctl_char(const char *path)
{
	int fd FD_AUTO = open(path, O_RDONLY | O_CLOEXEC);
	char c = 0;

	if (fd < 0 || read(fd, &c, 1) != 1)
		return 0;
	return c;
}

void fail_look(struct fail_ctx *ctx, bool rootless)
{
	ctx->rootless = rootless;
	ctx->apparmor =
		sysctl_char(SYS "kernel/apparmor_restrict_unprivileged_userns") == '1';
	ctx->userns_clone = sysctl_char(SYS "kernel/unprivileged_userns_clone") == '0';
	ctx->root = geteuid() == 0;
}

/* Conditions of a row; all that are set must hold. */
enum only {
	ALWAYS = 0,
	ROOT = 1 << 0,
	ROOTLESS = 1 << 1,
	APPARMOR = 1 << 2,
	USERNS_CLONE = 1 << 3,
};

struct row {
	enum fail_at at;
	int code;
	unsigned only;
	const char *cause; /* NULL: the errno says it */
	const char *fix;
};

#define TUN_MISSING "no TUN device here"
#define TUN_BRING                                                                      \
	"modprobe tun, or start the container with --device /dev/net/tun "             \
	"--cap-add NET_ADMIN --cap-add SYS_ADMIN"
#define AA_CAUSE                                                                       \
	"AppArmor restricts user namespaces "                                          \
	"(kernel.apparmor_restrict_unprivileged_userns=1)"
#define AA_FIX "install its AppArmor profile (contrib/farwire.apparmor), or use sudo"
#define NO_USERNS "this kernel has no user namespaces (CONFIG_USER_NS)"
#define NO_NETNS "this kernel has no network namespaces (CONFIG_NET_NS)"
#define CLONE_SYSCTL "kernel.unprivileged_userns_clone"
#define MODULE "a security module or the container forbids it"

/* The first row that fits is taken. */
static const struct row rows[] = {
	{FAIL_TUN, ENOENT, ALWAYS, TUN_MISSING, TUN_BRING},
	{FAIL_TUN, ENODEV, ALWAYS, TUN_MISSING, TUN_BRING},
	{FAIL_TUN, ENXIO, ALWAYS, TUN_MISSING, TUN_BRING},
	{FAIL_TUN, EPERM, ALWAYS, "the container's device rules forbid it",
		"start it with --device /dev/net/tun"},
	{FAIL_TUN, EACCES, ROOT, "not open to this root",
		"let all open it outside (chmod 0666 /dev/net/tun)"},
	{FAIL_TUN, EACCES, ALWAYS, NULL,
		"let users open it (chmod 0666 /dev/net/tun, or a udev rule), or run "
		"as "
		"root"},
	{FAIL_USERNS, ENOSPC, ALWAYS, "user.max_user_namespaces is 0 or used up",
		"sysctl -w user.max_user_namespaces=16384, or run as root"},
	{FAIL_USERNS, EPERM, USERNS_CLONE, CLONE_SYSCTL " is 0",
		"sysctl -w " CLONE_SYSCTL "=1, or run as root"},
	{FAIL_USERNS, EPERM, APPARMOR,
		"the container (seccomp) forbids it, or " AA_CAUSE, AA_FIX},
	{FAIL_USERNS, EPERM, ALWAYS, "the kernel or the container (seccomp) forbids it",
		"run as root, or start the container with --cap-add NET_ADMIN "
		"--cap-add SYS_ADMIN"},
	{FAIL_USERNS, EACCES, APPARMOR, AA_CAUSE, AA_FIX},
	{FAIL_USERNS, EACCES, ALWAYS, MODULE, "use sudo"},
	{FAIL_USERNS, EINVAL, ALWAYS, NO_USERNS, "run as root"},
	{FAIL_USERNS, ENOSYS, ALWAYS, NO_USERNS, "run as root"},
	{FAIL_NETNS, ENOSPC, ALWAYS,
		"user.max_net_namespaces or user.max_mnt_namespaces is 0 or used up",
		"sysctl -w user.max_net_namespaces=16384 "
		"user.max_mnt_namespaces=16384"},
	{FAIL_NETNS, EPERM, ROOTLESS | APPARMOR, AA_CAUSE, AA_FIX},
	{FAIL_NETNS, EACCES, ROOTLESS | APPARMOR, AA_CAUSE, AA_FIX},
	{FAIL_NETNS, EPERM, ALWAYS, MODULE,
		"start the container with --security-opt seccomp=unconfined"},
	{FAIL_NETNS, EACCES, ALWAYS, MODULE, "use sudo"},
	{FAIL_NETNS, EINVAL, ALWAYS, NO_NETNS, "use another kernel"},
	{FAIL_INSIDE, EPERM, ROOTLESS | APPARMOR, AA_CAUSE, AA_FIX},
	{FAIL_INSIDE, EACCES, ROOTLESS | APPARMOR, AA_CAUSE, AA_FIX},
	{FAIL_INSIDE, EPERM, ROOTLESS | ROOT,
		"uid 0 without CAP_SETFCAP, a security module or the container forbid "
		"it",
		"give it CAP_NET_ADMIN and CAP_SYS_ADMIN, or run as another user"},
	{FAIL_INSIDE, EPERM, ALWAYS, MODULE, "use sudo, outside a container"},
	{FAIL_INSIDE, EACCES, ALWAYS, MODULE, "use sudo, outside a container"},
};

static const char *usual_name(enum fail_at at)
{
	switch (at) {
	case FAIL_TUN:
		return "/dev/net/tun";
	case FAIL_USERNS:
		return "user namespace";
	case FAIL_NETNS:
		return "network namespace";
	case FAIL_INSIDE:
		break;
	}
	return "set-up";
}

int fail_say(struct err *e, enum fail_at at, int code, const struct fail_ctx *ctx,
	const char *what)
{
	unsigned is = (ctx->root ? ROOT : 0) | (ctx->rootless ? ROOTLESS : 0) |
		      (ctx->apparmor ? APPARMOR : 0) |
		      (ctx->userns_clone ? USERNS_CLONE : 0);
	const struct row *r;
	size_t i;

	if (!what)
		what = usual_name(at);
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		r = &rows[i];
		if (r->at != at || r->code != code || (r->only & is) != r->only)
			continue;
		return err_set(e, -code, "%s: %s%s%s; %s", what, strerror(code),
			r->cause ? ": " : "", r->cause ? r->cause : "", r->fix);
	}
	return err_set(e, -code, "%s: %s", what, strerror(code));
}
