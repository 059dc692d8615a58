/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/nftlib.h - libnftables, loaded when it is wanted
 *
 * It brings five more libraries, which would cost every start of farwire a third of its
 * time, and every fork of a batch a third of its mappings; the loopback of some kernels and
 * `uplink nat` alone want it.
 */
#ifndef FW_HOST_NFTLIB_H
#define FW_HOST_NFTLIB_H

#include "base/err.h"

#ifdef HAVE_NFTABLES

#include <nftables/libnftables.h>

struct nftlib {
	__typeof__(&nft_ctx_new) ctx_new;
	__typeof__(&nft_ctx_free) ctx_free;
	__typeof__(&nft_ctx_buffer_output) buffer_output;
	__typeof__(&nft_ctx_buffer_error) buffer_error;
	__typeof__(&nft_ctx_get_output_buffer) get_output;
	__typeof__(&nft_ctx_get_error_buffer) get_error;
	__typeof__(&nft_run_cmd_from_buffer) run;
};

/**
 * nftlib_get() - Load it, once for a process and those that it forks later
 *
 * Return: all functions, or NULL with @e: -ENOENT where it cannot be loaded, -EOPNOTSUPP
 * where it lacks one of them. The first call opens files: for set-up only.
 */
const struct nftlib *nftlib_get(struct err *e);

#endif
#endif
