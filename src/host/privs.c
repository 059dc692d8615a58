/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/privs.c - which capabilities the caller has; "root" means these, never uid 0
 */
#include "config.h"

#include "host/privs.h"

#include <errno.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* By one call: a library reads each of 41 capabilities in two more sets for it. */
static bool have_both(unsigned a, unsigned b)
{
	struct __user_cap_header_struct h = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct d[_LINUX_CAPABILITY_U32S_3] = {0};

	return syscall(SYS_capget, &h, d) == 0 &&
	       (d[CAP_TO_INDEX(a)].effective & CAP_TO_MASK(a)) &&
	       (d[CAP_TO_INDEX(b)].effective & CAP_TO_MASK(b));
}

bool privs_can_setup(void)
{
	return have_both(CAP_NET_ADMIN, CAP_SYS_ADMIN);
}

bool privs_can_setuid(void)
{
	return have_both(CAP_SETUID, CAP_SETGID);
}

bool privs_can_lock(void)
{
	return have_both(CAP_IPC_LOCK, CAP_IPC_LOCK);
}

bool privs_can_raise(void)
{
	return have_both(CAP_SYS_RESOURCE, CAP_SYS_RESOURCE);
}

int privs_fall(void)
{
	struct __user_cap_header_struct h = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {0};
	int cap;

	/* Needs CAP_SETPCAP: who lacks it has nothing the set could give back under
	 * no_new_privs either. */
	for (cap = 0; prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) == 0; cap++)
		;
	/* Kernels before 4.3 have no ambient set. */
	(void)prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -errno;
	return syscall(SYS_capset, &h, none) < 0 ? -errno : 0;
}
