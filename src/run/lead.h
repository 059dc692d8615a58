/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run/lead.h - how much earlier to ask for a wake-up, as each comes late
 *
 * Theory of operation
 *   A process that sleeps until an instant wakes some time after it: the timer fires, a
 *   halted CPU comes up, the scheduler switches. That takes 2 us on one machine and 60 on
 *   a virtual one, and it is much the same each time. So the forwarder learns it and
 *   asks for the instant as much earlier. Who wakes too soon waits awake, a look at the
 *   devices at a time: nothing ever leaves before it is due, by the clock.
 *
 *   The estimate follows a wake-up by an eighth of what it was off, and by no more than
 *   LEAD_STEP_NS: a scheduler tick of a competitor shall not count for a hundred others.
 *   So about half of the wake-ups come a little too soon.
 *
 * Limits   LEAD_MAX_NS: more is no wake-up but a machine without a CPU to spare.
 * Cost     a subtraction a turn; what is waited awake.
 */
#ifndef FW_RUN_LEAD_H
#define FW_RUN_LEAD_H

#include "base/clock.h"

#define LEAD_MAX_NS (100 * NSEC_PER_USEC)
#define LEAD_STEP_NS (4 * NSEC_PER_USEC)

/**
 * lead_wake() - When to wake for something that is due at @due_ns, NSEC_NEVER for never
 * @lead_ns: the estimate; it begins with 0
 *
 * Hot path.
 */
static inline nsec_t lead_wake(nsec_t lead_ns, nsec_t due_ns)
{
	return due_ns == NSEC_NEVER ? NSEC_NEVER : due_ns - lead_ns;
}

/** lead_learn() - A wake-up was @late_ns after what was asked for. Hot path. */
static inline void lead_learn(nsec_t *lead_ns, nsec_t late_ns)
{
	nsec_t step = (late_ns - *lead_ns) / 8;

	if (step > LEAD_STEP_NS)
		step = LEAD_STEP_NS;
	else if (step < -LEAD_STEP_NS)
		step = -LEAD_STEP_NS;
	*lead_ns += step;
	if (*lead_ns > LEAD_MAX_NS)
		*lead_ns = LEAD_MAX_NS;
}

#endif
