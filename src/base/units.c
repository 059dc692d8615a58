/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * base/units.c - numbers with units: text to number and back, as tc has them
 *
 * Theory of operation
 *   scan_number() decides what a number is; only then strtod() makes its value, so that
 *   the value is the very double that tc works with and rounds the same way, while its
 *   looser forms never get that far. Units are tables of name and scale.
 *
 * Source   tc(8) PARAMETERS for the units; what tc makes of odd input was tried.
 */
#include "config.h"

#include "base/units.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct unit {
	const char *name;
	double scale;
};

static const struct unit time_units[] = {
	{"s", 1e9},
	{"sec", 1e9},
	{"secs", 1e9},
	{"ms", 1e6},
	{"msec", 1e6},
	{"msecs", 1e6},
	{"us", 1e3},
	{"usec", 1e3},
	{"usecs", 1e3},
	{"ns", 1},
	{"nsec", 1},
	{"nsecs", 1},
	{NULL, 0},
};

/* In bits, powers of 10 and of 2. */
static const struct unit rate_units[] = {
	{"bit", 1},
	{"kbit", 1e3},
	{"mbit", 1e6},
	{"gbit", 1e9},
	{"tbit", 1e12},
	{"kibit", 0x1p10},
	{"mibit", 0x1p20},
	{"gibit", 0x1p30},
	{"tibit", 0x1p40},
	{"bps", 8},
	{"kbps", 8e3},
	{"mbps", 8e6},
	{"gbps", 8e9},
	{"tbps", 8e12},
	{"kibps", 0x1p13},
	{"mibps", 0x1p23},
	{"gibps", 0x1p33},
	{"tibps", 0x1p43},
	{NULL, 0},
};

/* In bytes; k is 1024 here, also in bits. */
static const struct unit size_units[] = {
	{"b", 1},
	{"k", 0x1p10},
	{"kb", 0x1p10},
	{"m", 0x1p20},
	{"mb", 0x1p20},
	{"g", 0x1p30},
	{"gb", 0x1p30},
	{"kbit", 0x1p7},
	{"mbit", 0x1p17},
	{"gbit", 0x1p27},
	{NULL, 0},
};

static const char *skip_digits(const char *p)
{
	while (isdigit((unsigned char)*p))
		p++;
	return p;
}

/* The end of an exponent at @p, or @p itself if there is none. */
static const char *skip_exponent(const char *p)
{
	const char *q = p;

	if (*q != 'e' && *q != 'E')
		return p;
	q++;
	if (*q == '+' || *q == '-')
		q++;
	return isdigit((unsigned char)*q) ? skip_digits(q) : p;
}

/* "0x" and a hexadecimal digit at @p. */
static bool is_hex(const char *p)
{
	return p[0] == '0' && (p[1] == 'x' || p[1] == 'X') &&
	       (isxdigit((unsigned char)p[2]) || p[2] == '.');
}

/*
 * Read the number at the start of @text; *@end is what follows it. Infinity by overflow
 * counts as a failure, so that every result is finite.
 */
static int scan_number(const char *text, double *value, const char **end, struct err *e)
{
	const char *p = text, *digits;

	while (isspace((unsigned char)*p))
		p++;
	if (*p == '+' || *p == '-')
		p++;
	digits = p;
	if (is_hex(p)) {
		for (p += 2; isxdigit((unsigned char)*p); p++)
			;
		if (*p == '.' || *p == 'p' || *p == 'P' || p == digits + 2)
			return err_set(e, -EINVAL,
				"a hexadecimal number must be whole; write it in "
				"decimal");
	} else {
		p = skip_digits(p);
		if (*p == '.')
			p = skip_digits(p + 1);
		if (p == digits || (p == digits + 1 && *digits == '.'))
			return err_set(e, -EINVAL, "not a number");
		p = skip_exponent(p);
	}
	*value = strtod(text, NULL);
	if (!isfinite(*value))
		return err_set(e, -EINVAL, "too large");
	*end = p;
	return 0;
}

static const struct unit *find_unit(const struct unit *table, const char *name)
{
	for (; table->name; table++)
		if (strcasecmp(table->name, name) == 0)
			return table;
	return NULL;
}

/* Text of at most 12 printable characters, to be quoted in a message. */
static const char *brief(const char *text, char room[16])
{
	size_t i;

	for (i = 0; i < 12 && text[i]; i++)
		room[i] = isprint((unsigned char)text[i]) ? text[i] : '?';
	room[i] = '\0';
	return room;
}

int units_time(const char *text, nsec_t *ns, struct err *e)
{
	const struct unit *unit;
	const char *end = "";
	char room[16], number[16];
	double value = 0;
	int rc = scan_number(text, &value, &end, e);

	if (rc)
		return rc;
	if (value < 0)
		return err_set(e, -EINVAL, "a time cannot be negative");
	if (!*end && value != 0) {
		brief(text, number);
		return err_set(e, -EINVAL,
			"a time needs a unit (tc reads ns, before 2024 us); "
			"write %s"
			"ms, %s"
			"us or %s"
			"ns",
			number, number, number);
	}
	unit = find_unit(time_units, *end ? end : "ns");
	if (!unit)
		return err_set(e, -EINVAL,
			"no such unit of time '%s'; write s, ms, us or ns",
			brief(end, room));
	value *= unit->scale;
	if (value >= 0x1p63)
		return err_set(e, -EINVAL, "above 2^63-1 ns, 292 years");
	*ns = (nsec_t)value;
	return 0;
}

int units_rate(const char *text, uint64_t *byteps, struct err *e)
{
	const struct unit *unit;
	const char *end = "";
	char room[16];
	double value = 0;
	int rc = scan_number(text, &value, &end, e);

	if (rc)
		return rc;
	if (value < 0)
		return err_set(e, -EINVAL, "a rate cannot be negative");
	if (strcmp(end, "%") == 0)
		return err_set(e, -EINVAL,
			"a share of a device's speed, which this link does not have; "
			"write the rate itself, such as 10mbit");
	unit = find_unit(rate_units, *end ? end : "bit");
	if (!unit)
		return err_set(e, -EINVAL,
			"no such unit of rate '%s'; write bit, kbit, mbit, gbit, or "
			"kbps, mbps "
			"for bytes",
			brief(end, room));
	value = value * unit->scale / 8;
	if (value >= 0x1p64)
		return err_set(e, -EINVAL, "above 2^64-1 bytes/s");
	if (value > 0 && value < 1)
		return err_set(e, -EINVAL,
			"below 8 bit/s, which tc makes 0, no rate at all; write 8bit "
			"or 0");
	*byteps = (uint64_t)value;
	return 0;
}

int units_size(const char *text, uint32_t *bytes, struct err *e)
{
	const struct unit *unit;
	const char *end = "";
	char room[16];
	double value = 0;
	int rc = scan_number(text, &value, &end, e);

	if (rc)
		return rc;
	if (value < 0)
		return err_set(e, -EINVAL, "cannot be negative");
	unit = find_unit(size_units, *end ? end : "b");
	if (!unit)
		return err_set(e, -EINVAL,
			"no such unit of size '%s'; write b, k, m or g",
			brief(end, room));
	value *= unit->scale;
	if (value >= 0x1p32)
		return err_set(e, -EINVAL, "above 4294967295");
	*bytes = (uint32_t)value;
	return 0;
}

int units_percent(const char *text, double *share, struct err *e)
{
	const char *end = "";
	char room[16];
	double value = 0;
	int rc = scan_number(text, &value, &end, e);

	if (rc)
		return rc;
	if (*end && strcmp(end, "%") != 0)
		return err_set(e, -EINVAL,
			"'%s' behind a percentage; write a number and %%",
			brief(end, room));
	/* The order of the steps is tc's: the last bit of the fraction depends on it.
	 */
	value /= 100;
	if (value < 0 || value > 1)
		return err_set(e, -EINVAL, "not within 0%% and 100%%");
	*share = value;
	return 0;
}

uint32_t units_p32(double share)
{
	return (uint32_t)rint(share * UINT32_MAX);
}

/* Is @text a whole number in @base, 0 for C's rule? Range is the caller's affair. */
static bool is_whole(const char *text, int base)
{
	const char *p = text;

	while (isspace((unsigned char)*p))
		p++;
	if (*p == '+' || *p == '-')
		p++;
	if (base == 0 && is_hex(p)) {
		for (p += 2; isxdigit((unsigned char)*p); p++)
			;
		return !*p && isxdigit((unsigned char)p[-1]);
	}
	if (base == 0 && *p == '0')
		return !p[strspn(p, "01234567")];
	return isdigit((unsigned char)*p) && !*skip_digits(p);
}

int units_s32(const char *text, int32_t *n, struct err *e)
{
	long long value;

	if (!is_whole(text, 0))
		return err_set(e, -EINVAL, "not a whole number");
	errno = 0;
	value = strtoll(text, NULL, 0);
	if (errno || value < INT32_MIN || value > INT32_MAX)
		return err_set(e, -EINVAL, "not within -2147483648 and 2147483647");
	*n = (int32_t)value;
	return 0;
}

int units_u32(const char *text, uint32_t *n, struct err *e)
{
	long long value;

	if (!is_whole(text, 0))
		return err_set(e, -EINVAL, "not a whole number");
	errno = 0;
	value = strtoll(text, NULL, 0);
	if (errno || value < 0 || value > UINT32_MAX)
		return err_set(e, -EINVAL, "not within 0 and 4294967295");
	*n = (uint32_t)value;
	return 0;
}

int units_u64(const char *text, uint64_t *n, struct err *e)
{
	unsigned long long value;

	if (!is_whole(text, 10))
		return err_set(e, -EINVAL, "not a whole decimal number");
	errno = 0;
	value = strtoull(text, NULL, 10);
	if (errno)
		return err_set(e, -EINVAL, "not within 0 and 18446744073709551615");
	*n = value;
	return 0;
}

bool units_is_number(const char *text, bool signed_too)
{
	if (!text)
		return false;
	if (signed_too && *text == '-')
		text++;
	if (*text == '.')
		text++;
	return isdigit((unsigned char)*text);
}

static size_t __attribute__((format(printf, 3, 4)))
print(char *text, size_t max_bytes, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(text, max_bytes, fmt, ap);
	va_end(ap);
	if (n < 0)
		n = 0;
	return (size_t)n < max_bytes ? (size_t)n : max_bytes - 1;
}

size_t units_print_time(nsec_t ns, char *text, size_t max_bytes)
{
	double value = (double)ns;

	if (ns >= NSEC_PER_SEC)
		return print(text, max_bytes, "%.3gs", value / (double)NSEC_PER_SEC);
	if (ns >= NSEC_PER_MSEC)
		return print(text, max_bytes, "%.3gms", value / (double)NSEC_PER_MSEC);
	if (ns >= NSEC_PER_USEC)
		return print(text, max_bytes, "%.3gus", value / (double)NSEC_PER_USEC);
	return print(text, max_bytes, "%" PRId64 "ns", ns);
}

size_t units_print_rate(uint64_t byteps, bool iec, char *text, size_t max_bytes)
{
	static const char *const prefix[] = {"", "K", "M", "G", "T"};
	uint64_t step = iec ? 1024 : 1000, n;
	unsigned i = 0;

	if (byteps > UINT64_MAX / 8) {
		/* The bits do not fit: begin one unit higher, with the same value. */
		n = byteps / (step / 8);
		i = 1;
	} else {
		n = byteps * 8;
	}
	for (; i < 4 && n >= step && (n % step == 0 || n >= 1000 * step); i++)
		n /= step;
	return print(text, max_bytes, "%" PRIu64 "%s%sbit", n, prefix[i],
		iec && i ? "i" : "");
}

size_t units_print_size(uint32_t bytes, char *text, size_t max_bytes)
{
	double size = bytes;

	if (bytes >= 1u << 30 && fabs(0x1p30 * rint(size / 0x1p30) - size) < 1024)
		return print(text, max_bytes, "%gGb", rint(size / 0x1p30));
	if (bytes >= 1u << 20 && fabs(0x1p20 * rint(size / 0x1p20) - size) < 1024)
		return print(text, max_bytes, "%gMb", rint(size / 0x1p20));
	if (bytes >= 1u << 10 && fabs(0x1p10 * rint(size / 0x1p10) - size) < 16)
		return print(text, max_bytes, "%gKb", rint(size / 0x1p10));
	return print(text, max_bytes, "%" PRIu32 "b", bytes);
}

size_t units_print_percent(uint32_t p32, char *text, size_t max_bytes)
{
	return print(text, max_bytes, "%g%%", 100.0 * p32 / UINT32_MAX);
}
