/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * base/log.c - what farwire says on stderr
 */
#include "config.h"

#include "base/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#define LINE_BYTES 1024

static bool quiet_wanted;
static const char *syslog_name; /* NULL: stderr */
static const char *where = "";

static void __attribute__((format(printf, 3, 0)))
say(int level, const char *kind, const char *fmt, va_list ap)
{
	int saved = errno;
	char line[LINE_BYTES];
	int n, m;

	n = snprintf(line, sizeof(line), "%s: %.200s%s",
		syslog_name ? syslog_name : "farwire", level == LOG_INFO ? "" : where,
		kind);
	m = vsnprintf(line + n, sizeof(line) - (size_t)n - 1, fmt, ap);
	if (m > 0)
		n += m;
	if (n > (int)sizeof(line) - 2)
		n = (int)sizeof(line) - 2;
	/* Names come from the user and from processes: one line, and no orders to the
	 * terminal. */
	for (m = 0; m < n; m++)
		if ((unsigned char)line[m] < ' ' || line[m] == 0x7f)
			line[m] = '?';
	if (syslog_name) {
		syslog(level, "%.*s", n, line);
		errno = saved;
		return;
	}
	line[n++] = '\n';
	/* Nobody is left to be told when stderr is gone. */
	if (write(STDERR_FILENO, line, (size_t)n) < 0)
		errno = saved;
	errno = saved;
}

bool log_quiet(bool quiet)
{
	bool was = quiet_wanted;

	quiet_wanted = quiet;
	return was;
}

const char *log_where(const char *text)
{
	const char *was = where;

	where = text ? text : "";
	return was;
}

void log_prepare(void)
{
	/* The time stamp needs the zone's file. */
	tzset();
}

void log_to_syslog(const char *name)
{
	openlog("farwire", LOG_PID | LOG_NDELAY, LOG_DAEMON);
	syslog_name = name;
}

void log_note(const char *fmt, ...)
{
	va_list ap;

	if (quiet_wanted)
		return;
	va_start(ap, fmt);
	say(LOG_INFO, "", fmt, ap);
	va_end(ap);
}

void log_warn(const char *fmt, ...)
{
	va_list ap;

	if (quiet_wanted)
		return;
	va_start(ap, fmt);
	say(LOG_WARNING, "warning: ", fmt, ap);
	va_end(ap);
}

void log_error(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(LOG_ERR, "", fmt, ap);
	va_end(ap);
}
