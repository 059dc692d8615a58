/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * base/log.h - what farwire says on stderr
 *
 * Every line begins with "farwire: " and is written by one write(2), so that it is
 * never torn by the command's own output; control characters in it are shown as '?'.
 * stdout is for results alone and not touched here.
 */
#ifndef FW_BASE_LOG_H
#define FW_BASE_LOG_H

#include <stdbool.h>

/**
 * log_quiet() - From now on drop notes and warnings (-q); errors are still said
 *
 * Return: what it was before.
 */
bool log_quiet(bool quiet);

/** log_prepare() - Read now what log_to_syslog() needs; once for many children */
void log_prepare(void);

/**
 * log_to_syslog() - From now on write to the system's log instead, for a background link
 * @name: put in front of each line; kept by the caller
 *
 * After log_prepare(). Opens the way to it now, so that it works when no file can be opened any more. -q
 * counts there too.
 */
void log_to_syslog(const char *name);

/**
 * log_where() - Put @text in front of warnings and errors from now on; kept. NULL: none
 *
 * Return: what it was before.
 */
const char *log_where(const char *text);

/** log_note() - A line the user wants once, such as the start line. Silenced by -q. */
void log_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/** log_warn() - The same with "warning: " in front. Silenced by -q. */
void log_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/** log_error() - Why farwire ends or what it could not do. Never silenced. */
void log_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
