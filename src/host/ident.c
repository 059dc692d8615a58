/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/ident.c - as whom the command runs
 *
 * Theory of operation
 *   Under sudo the command is the caller's, not root's: a test suite must not leave
 *   root's files in the caller's tree. sudo leaves the caller's numbers in SUDO_UID and
 *   SUDO_GID. --user names somebody else; --user root keeps root. All names are looked
 *   up before the fork, where a failure can still be said and nothing stands yet.
 */
#include "config.h"

#include "host/ident.h"

#include <errno.h>
#include <grp.h>
#include <linux/securebits.h>
#include <pwd.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "host/privs.h"

/* A number without sign and rest, below the "no id" value. */
static bool read_id(const char *s, unsigned *id)
{
	char *end;
	unsigned long v;

	if (!s || *s < '0' || *s > '9')
		return false;
	errno = 0;
	v = strtoul(s, &end, 10);
	if (errno || *end || v >= UINT32_MAX)
		return false;
	*id = (unsigned)v;
	return true;
}

static int fill_groups(struct ident *id, struct err *e)
{
	int n = 32, r = -1;
	gid_t *more;

	while (r < 0) {
		id->n_groups = n;
		more = realloc(id->groups, (size_t)n * sizeof(*more));
		if (!more)
			return err_set(
				e, -ENOMEM, "user '%s': out of memory", id->name);
		id->groups = more;
		r = getgrouplist(id->name, id->gid, id->groups, &id->n_groups);
		/* It tells how many there are, or, in old C libraries, nothing. */
		n = id->n_groups > n ? id->n_groups : 2 * n;
		if (n > 65536) /* NGROUPS_MAX of Linux */
			return err_set(
				e, -EINVAL, "user '%s': too many groups", id->name);
	}
	return 0;
}

static int fill_user(struct ident *id, const struct passwd *pw, struct err *e)
{
	id->uid = pw->pw_uid;
	id->gid = pw->pw_gid;
	snprintf(id->name, sizeof(id->name), "%s", pw->pw_name);
	snprintf(id->home, sizeof(id->home), "%s", pw->pw_dir);
	return fill_groups(id, e);
}

/* The caller of sudo, who need not have an entry among the users. */
static int fill_sudo(struct ident *id, unsigned uid, struct err *e)
{
	const char *name = getenv("SUDO_USER");
	struct passwd *pw = getpwuid(uid);
	unsigned gid;

	if (pw)
		return fill_user(id, pw, e);
	if (!read_id(getenv("SUDO_GID"), &gid))
		return err_set(e, -EINVAL,
			"SUDO_UID '%u': no such user, and no SUDO_GID; name one by "
			"--user, or keep root by --user root",
			uid);
	id->uid = uid;
	id->gid = gid;
	snprintf(id->name, sizeof(id->name), "%s", name ? name : "");
	snprintf(id->home, sizeof(id->home), "/");
	id->groups = malloc(sizeof(*id->groups));
	if (!id->groups)
		return err_set(e, -ENOMEM, "user '%u': out of memory", uid);
	id->groups[0] = gid;
	id->n_groups = 1;
	return 0;
}

static int fill_named(struct ident *id, const char *user, struct err *e)
{
	struct passwd *pw = getpwnam(user);
	unsigned uid;

	if (!pw && read_id(user, &uid))
		pw = getpwuid(uid);
	if (!pw)
		return err_set(e, -EINVAL, "--user '%s': no such user", user);
	return fill_user(id, pw, e);
}

int ident_read(struct ident *id, const char *user, struct err *e)
{
	const char *sudo = getenv("SUDO_UID");
	unsigned uid;
	int r = 0;

	memset(id, 0, sizeof(*id));
	if (user)
		r = fill_named(id, user, e);
	else if (!sudo || geteuid() != 0 || !privs_can_setup())
		return 0;
	else if (!read_id(sudo, &uid))
		return err_set(e, -EINVAL, "SUDO_UID '%s': not a user id", sudo);
	else
		r = fill_sudo(id, uid, e);
	if (r < 0) {
		ident_fini(id);
		return r;
	}
	id->change = id->uid != geteuid();
	if (id->change && !privs_can_setuid()) {
		r = err_set(e, -EPERM,
			"%s '%s': needs CAP_SETUID and CAP_SETGID; run as root",
			user ? "--user" : "sudo's caller", *id->name ? id->name : sudo);
		ident_fini(id);
	}
	return r;
}

void ident_fini(struct ident *id)
{
	free(id->groups);
	memset(id, 0, sizeof(*id));
}

int ident_drop(const struct ident *id, struct err *e)
{
	if (!id->change)
		return 0;
	if (setgroups((size_t)id->n_groups, id->groups) < 0 ||
		setresgid(id->gid, id->gid, id->gid) < 0 ||
		setresuid(id->uid, id->uid, id->uid) < 0)
		return err_sys(e, "user '%s': cannot become it", id->name);
	return 0;
}

void ident_env(const struct ident *id)
{
	if (!id->change)
		return;
	setenv("HOME", id->home, 1);
	if (!*id->name)
		return;
	setenv("USER", id->name, 1);
	setenv("LOGNAME", id->name, 1);
}

int ident_become(const struct ident *id, bool rootless, struct err *e)
{
	int r = ident_drop(id, e);

	if (r < 0)
		return r;
	ident_env(id);
	if (rootless && geteuid() == 0 &&
		prctl(PR_SET_SECUREBITS, SECBIT_NOROOT | SECBIT_NOROOT_LOCKED) < 0)
		return err_sys(e, "cannot give up capabilities");
	return 0;
}
