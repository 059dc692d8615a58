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

static int say_tun(
	struct err *e, int code, const struct fail_ctx *ctx, const char *what)
{
	const char *why = strerror(code);

	switch (code) {
	case ENOENT:
	case ENODEV:
	case ENXIO:
		return err_set(e, -code,
			"%s: %s; no TUN device here: modprobe tun, or start the "
			"container "
			"with --device /dev/net/tun --cap-add NET_ADMIN",
			what, why);
	case EPERM:
		return err_set(e, -code,
			"%s: %s; the container's device rules forbid it: start it with "
			"--device /dev/net/tun",
			what, why);
	case EACCES:
		if (ctx->root)
			return err_set(e, -code,
				"%s: %s; not open to this root: chmod 0666 "
				"/dev/net/tun "
				"outside, or run where root owns it",
				what, why);
		return err_set(e, -code,
			"%s: %s; let users open it (chmod 0666 /dev/net/tun, or a udev "
			"rule), or run as root",
			what, why);
	default:
		return err_set(e, -code, "%s: %s", what, why);
	}
}

static int say_apparmor(struct err *e, int code, const char *what)
{
	return err_set(e, -code,
		"%s: %s; AppArmor restricts user namespaces "
		"(kernel.apparmor_restrict_unprivileged_userns=1): install the farwire "
		"profile for AppArmor, or use sudo",
		what, strerror(code));
}

static int say_userns(struct err *e, int code, const struct fail_ctx *ctx)
{
	static const char where[] = "user namespace";
	const char *why = strerror(code);

	switch (code) {
	case ENOSPC:
		return err_set(e, -code,
			"%s: %s; user.max_user_namespaces is 0 or used up: sysctl -w "
			"user.max_user_namespaces=16384, or run as root",
			where, why);
	case EPERM:
		if (ctx->userns_clone)
			return err_set(e, -code,
				"%s: %s; kernel.unprivileged_userns_clone is 0: sysctl "
				"-w kernel.unprivileged_userns_clone=1, or run as root",
				where, why);
		return err_set(e, -code,
			"%s: %s; the kernel or the container (seccomp) forbids it%s: "
			"run "
			"as root with CAP_NET_ADMIN and CAP_SYS_ADMIN, or start the "
			"container with --security-opt seccomp=unconfined",
			where, why, ctx->apparmor ? ", or AppArmor does" : "");
	case EACCES:
		if (ctx->apparmor)
			return say_apparmor(e, code, where);
		return err_set(e, -code,
			"%s: %s; a security module forbids it: use sudo", where, why);
	case EINVAL:
	case ENOSYS:
		return err_set(e, -code,
			"%s: %s; this kernel has none (CONFIG_USER_NS): run as root",
			where, why);
	default:
		return err_set(e, -code, "%s: %s", where, why);
	}
}

static int say_netns(struct err *e, int code)
{
	static const char where[] = "network namespace";
	const char *why = strerror(code);

	switch (code) {
	case ENOSPC:
		return err_set(e, -code,
			"%s: %s; user.max_net_namespaces or user.max_mnt_namespaces is "
			"0 "
			"or used up: sysctl -w user.max_net_namespaces=16384 "
			"user.max_mnt_namespaces=16384",
			where, why);
	case EINVAL:
	case ENOSYS:
		return err_set(e, -code,
			"%s: %s; this kernel has none (CONFIG_NET_NS): use another",
			where, why);
	case EPERM:
		return err_set(e, -code,
			"%s: %s; needs CAP_SYS_ADMIN, and the container must not "
			"forbid "
			"unshare (--security-opt seccomp=unconfined)",
			where, why);
	default:
		return err_set(e, -code, "%s: %s", where, why);
	}
}

int fail_say(struct err *e, enum fail_at at, int code, const struct fail_ctx *ctx,
	const char *what)
{
	bool refused = code == EPERM || code == EACCES;

	/* Once the user namespace stands, only a security module can refuse this. */
	if (refused && ctx->rootless && ctx->apparmor &&
		(at == FAIL_NETNS || at == FAIL_INSIDE))
		return say_apparmor(
			e, code, what ? what : "set-up in the user namespace");
	switch (at) {
	case FAIL_TUN:
		return say_tun(e, code, ctx, what ? what : "/dev/net/tun");
	case FAIL_USERNS:
		return say_userns(e, code, ctx);
	case FAIL_NETNS:
		return say_netns(e, code);
	case FAIL_INSIDE:
		break;
	}
	return err_set(e, -code, "%s: %s%s", what ? what : "set-up", strerror(code),
		refused && ctx->rootless
			? "; a security module or the container forbids it: use sudo"
			: "");
}
