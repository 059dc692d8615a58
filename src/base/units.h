/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * base/units.h - numbers with units: text to number and back, as tc has them
 *
 * Conventions of the readers: @text is one whole word; what is behind the number must
 * be a known unit in full, upper or lower case. A decimal number may have a sign, a
 * fraction and an exponent, a whole one may be hexadecimal. nan, inf, hexadecimal
 * fractions and whatever does not fit the result are errors, never cut to size. On
 * failure the result is unchanged and @e holds the reason without the word itself: the
 * caller knows what the word was for and puts that in front.
 *
 * Conventions of the printers: @text is always terminated, the return is its length.
 */
#ifndef FW_BASE_UNITS_H
#define FW_BASE_UNITS_H

#include "base/clock.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Room for whatever a printer below makes. */
#define UNITS_TEXT_BYTES 40

/**
 * units_time() - "50ms" into ns, 0..2^63-1; a fraction of 1 ns is cut off
 *
 * A number without a unit is an error unless it is 0: tc has read it in three ways.
 */
int units_time(const char *text, nsec_t *ns, struct err *e);

/** units_rate() - "10mbit", "5KBps" or bits/s into bytes/s; non-zero never becomes 0 */
int units_rate(const char *text, uint64_t *byteps, struct err *e);

/** units_size() - "64k", "1500" into bytes (or frames, for a limit), 0..2^32-1 */
int units_size(const char *text, uint32_t *bytes, struct err *e);

/** units_percent() - "5%" or "5" into a share of 1, 0..1 */
int units_percent(const char *text, double *share, struct err *e);

/** units_p32() - A share of 1 as a fraction of 2^32-1, half to even */
uint32_t units_p32(double share);

/** units_u32() - A whole number, 0..2^32-1; 0x and a leading 0 as in C */
int units_u32(const char *text, uint32_t *n, struct err *e);

/** units_s32() - A whole number, -2^31..2^31-1; 0x and a leading 0 as in C */
int units_s32(const char *text, int32_t *n, struct err *e);

/** units_u64() - A decimal whole number, 0..2^64-1; -N is 2^64-N, as strtoull has it */
int units_u64(const char *text, uint64_t *n, struct err *e);

/**
 * units_is_number() - Does this word look like an optional value?
 * @text:   a word, or NULL
 * @signed_too: may it begin with a minus
 *
 * Optional values are known by how they begin: a digit, or a point and a digit.
 */
bool units_is_number(const char *text, bool signed_too);

/** units_print_time() - Three digits of the largest fitting unit: "1.5ms", "999ns" */
size_t units_print_time(nsec_t ns, char *text, size_t max_bytes);

/** units_print_rate() - Whole bits/s: "1500Kbit"; @iec counts in 1024: "1Mibit" */
size_t units_print_rate(uint64_t byteps, bool iec, char *text, size_t max_bytes);

/** units_print_size() - Bytes: "1514b", "2Kb" */
size_t units_print_size(uint32_t bytes, char *text, size_t max_bytes);

/** units_print_percent() - Six digits: "33.33%" */
size_t units_print_percent(uint32_t p32, char *text, size_t max_bytes);

#endif
