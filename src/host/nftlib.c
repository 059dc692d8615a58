/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/nftlib.c - libnftables, loaded when it is wanted
 */
#include "config.h"

#include "host/nftlib.h"

#ifdef HAVE_NFTABLES

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

/* As the header that it was built with: another number is another interface. */
#define LIBRARY "libnftables.so.1"

/* POSIX lets a function's address be read through an object's; C has no cast for it. */
static bool find(void *lib, const char *name, void *to)
{
	void *at = dlsym(lib, name);

	memcpy(to, &at, sizeof(at));
	return at;
}

const struct nftlib *nftlib_get(struct err *e)
{
	static struct nftlib lib;
	static bool is_loaded;
	void *handle;

	if (is_loaded)
		return &lib;
	/* Never closed: its libraries are not made to be loaded twice. */
	handle = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	if (!handle) {
		err_set(e, -ENOENT, "nft: %s", dlerror());
		return NULL;
	}
	is_loaded = find(handle, "nft_ctx_new", &lib.ctx_new) &&
		    find(handle, "nft_ctx_free", &lib.ctx_free) &&
		    find(handle, "nft_ctx_buffer_output", &lib.buffer_output) &&
		    find(handle, "nft_ctx_buffer_error", &lib.buffer_error) &&
		    find(handle, "nft_ctx_get_output_buffer", &lib.get_output) &&
		    find(handle, "nft_ctx_get_error_buffer", &lib.get_error) &&
		    find(handle, "nft_run_cmd_from_buffer", &lib.run);
	if (!is_loaded) {
		err_set(e, -EOPNOTSUPP, "nft: " LIBRARY " is too old");
		return NULL;
	}
	return &lib;
}

#endif
