/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/doctor.h - what this machine allows farwire to do
 */
#ifndef FW_HOST_DOCTOR_H
#define FW_HOST_DOCTOR_H

#include "conf/fact.h"

/**
 * doctor_examine() - Try everything that a run needs, in processes that are thrown away
 * @f: filled; f->can_run tells whether `run dev lo` works
 *
 * A packet is really sent over an impaired loopback; nothing of the machine is changed
 * and nothing is left. Takes some 100 ms.
 */
void doctor_examine(struct doctor *f);

#endif
