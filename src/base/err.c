/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * base/err.c - one error, said once
 */
#include "config.h"

#include "base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int err_set(struct err *e, int code, const char *fmt, ...)
{
	int saved = errno;
	va_list ap;

	if (e) {
		e->code = code;
		va_start(ap, fmt);
		vsnprintf(e->text, sizeof(e->text), fmt, ap);
		va_end(ap);
	}
	errno = saved;
	return code;
}

int err_sys(struct err *e, const char *fmt, ...)
{
	int saved = errno ? errno : EIO;
	char what[ERR_TEXT_BYTES];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	return err_set(
		e, -saved, "%.*s: %s", (int)sizeof(what) - 64, what, strerror(saved));
}

int err_wrap(struct err *e, const char *fmt, ...)
{
	char where[ERR_TEXT_BYTES], old[ERR_TEXT_BYTES];
	va_list ap;

	if (!e)
		return -EIO;
	memcpy(old, e->text, sizeof(old));
	va_start(ap, fmt);
	vsnprintf(where, sizeof(where), fmt, ap);
	va_end(ap);
	return err_set(e, e->code, "%.*s: %.*s", ERR_TEXT_BYTES / 2, where,
		ERR_TEXT_BYTES / 2 - 3, old);
}
