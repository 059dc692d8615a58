/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/privs.c - which capabilities the caller has; "root" means these, never uid 0
 */
#include "config.h"

#include "host/privs.h"

#include <cap-ng.h>
#include <errno.h>
#include <sys/prctl.h>

static bool has(unsigned cap)
{
	return capng_have_capability(CAPNG_EFFECTIVE, cap) == 1;
}

static bool have_both(unsigned a, unsigned b)
{
	return capng_get_caps_process() == 0 && has(a) && has(b);
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

int privs_fall(void)
{
	int cap;

	/* Needs CAP_SETPCAP: who lacks it has nothing the set could give back under
	 * no_new_privs either. */
	for (cap = 0; prctl(PR_CAPBSET_READ, cap, 0, 0, 0) >= 0; cap++)
		(void)prctl(PR_CAPBSET_DROP, cap, 0, 0, 0);
	/* Kernels before 4.3 have no ambient set. */
	(void)prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -errno;
	capng_clear(CAPNG_SELECT_CAPS);
	if (capng_apply(CAPNG_SELECT_CAPS) < 0)
		return -(errno ? errno : EPERM);
	return 0;
}
