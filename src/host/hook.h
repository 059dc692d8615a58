/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/hook.h - what a test may set before it calls host_run_start()
 */
#ifndef FW_HOST_HOOK_H
#define FW_HOST_HOOK_H

#include "host/loopback.h"

/* Which redirect host_run_start() uses; REDIRECT_AUTO in the product. */
extern enum redirect host_redirect;

#endif
