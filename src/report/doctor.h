/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report/doctor.h - what the doctor found, for people and for programs
 */
#ifndef FW_REPORT_DOCTOR_H
#define FW_REPORT_DOCTOR_H

#include "conf/fact.h"

#include <stdio.h>

/** doctor_text() - One line a fact, its fix below it. Return: 0. */
int doctor_text(FILE *to, const struct doctor *f);

/**
 * doctor_json() - {"can_run": true, "facts": [{"name", "yes", "needed", "text", "fix"}]}
 * @pretty: over several lines
 *
 * "fix" is left out where nothing need be done. Return: 0 or -ENOMEM.
 */
int doctor_json(FILE *to, const struct doctor *f, bool pretty);

#endif
