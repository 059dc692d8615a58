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
 *   Only what a sleep was for is waited for awake. Where the next frames follow closer than
 *   a wake-up is late, they are slept for until they are due, leave a little late and
 *   together, as a CPU kept awake for all of them would be worth more to others.
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

struct lead {
	nsec_t lead_ns;
	nsec_t for_ns; /* what was due, that the last sleep was for */
};

/**
 * lead_wake() - When to wake for something that is due at @due_ns; NSEC_NEVER for never
 * @now_ns: just read
 *
 * Return: not later than @now_ns to wait awake. Hot path.
 */
static inline nsec_t lead_wake(const struct lead *l, nsec_t due_ns, nsec_t now_ns)
{
	nsec_t wake_ns = due_ns - l->lead_ns;

	if (due_ns == NSEC_NEVER || (wake_ns <= now_ns && due_ns > l->for_ns))
		return due_ns;
	return wake_ns;
}

/**
 * lead_learn() - A sleep until @wake_ns, of lead_wake() for @due_ns, is over
 *
 * What ended before taught nothing. Hot path.
 */
static inline void lead_learn(
	struct lead *l, nsec_t due_ns, nsec_t wake_ns, nsec_t now_ns)
{
	nsec_t step;

	l->for_ns = due_ns;
	if (now_ns < wake_ns)
		return;
	step = (now_ns - wake_ns - l->lead_ns) / 8;
	if (step > LEAD_STEP_NS)
		step = LEAD_STEP_NS;
	else if (step < -LEAD_STEP_NS)
		step = -LEAD_STEP_NS;
	l->lead_ns += step;
	if (l->lead_ns > LEAD_MAX_NS)
		l->lead_ns = LEAD_MAX_NS;
}

#endif
