/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * base/err.h - one error, said once
 *
 * Set-up code returns 0 or a negative errno and takes a `struct err *` last. The one
 * who knows the names fills it, callers may put "where" in front of it, only main.c
 * prints it. The text follows "where 'what': why; what to do": one line, no capital, no
 * full stop, no program name. On failure outputs are unchanged.
 */
#ifndef FW_BASE_ERR_H
#define FW_BASE_ERR_H

#define ERR_TEXT_BYTES 512

struct err {
	int code; /* negative errno, 0 when nothing is set */
	char text[ERR_TEXT_BYTES];
};

/**
 * err_set() - Fill an error
 * @e:    error to fill, whatever it held; NULL is allowed and only returns @code
 * @code: negative errno
 * @fmt:  printf format of the text, cut at ERR_TEXT_BYTES
 *
 * Return: @code, so that a caller may write `return err_set(...)`. errno is kept.
 */
int err_set(struct err *e, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/**
 * err_sys() - Fill an error from errno: the text is "FMT...: strerror"
 * @e:   error to fill, or NULL
 * @fmt: printf format of what stands before the reason
 *
 * Return: -errno as it was on entry (-EIO where errno was 0).
 */
int err_sys(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/**
 * err_wrap() - Put "FMT...: " in front of the text that @e holds
 *
 * Return: the code that @e holds.
 */
int err_wrap(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
