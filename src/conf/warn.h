/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conf/warn.h - what is right as words and yet may not be what the user means
 */
#ifndef FW_CONF_WARN_H
#define FW_CONF_WARN_H

#include "conf/conf.h"

#define WARN_LINES_MAX 8
#define WARN_LINE_BYTES 256

/**
 * warn_spec() - The warnings of one SPEC, each with its figure
 * @s:     a SPEC that was read
 * @lines: filled with one line each, without "farwire: warning: "
 *
 * Return: how many lines. Pure; may take a few ms where a correlation is set.
 */
unsigned warn_spec(const struct spec *s, char lines[WARN_LINES_MAX][WARN_LINE_BYTES]);

/**
 * warn_true_rate() - The share of yes that netem's correlated draws give
 * @p:   the share that was asked for, 0..1
 * @rho: the correlation, 0..1
 *
 * Each draw is (1 - rho) of a fresh number and rho of the one before, so they crowd in
 * the middle and a small share becomes far smaller (netem-semantics: "True rate").
 */
double warn_true_rate(double p, double rho);

#endif
