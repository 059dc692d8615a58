/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conf/check.c - rules between the options of one SPEC, one function each
 */
#include "config.h"

#include "conf/check.h"

#include <errno.h>
#include <stddef.h>

/* The kernel keeps jitter in an int; it cuts what is larger without a word. */
#define JITTER_MAX_NS ((nsec_t)INT32_MAX)

static int jitter_fits(const struct netem_conf *n, struct err *e)
{
	if (n->jitter_ns <= JITTER_MAX_NS)
		return 0;
	return err_set(e, -EINVAL,
		"netem delay: jitter above 2147483647 ns, which the kernel would cut; "
		"write "
		"2147ms or less");
}

static int slot_jitter_fits(const struct netem_conf *n, struct err *e)
{
	if (n->slot.dist_jitter_ns <= JITTER_MAX_NS)
		return 0;
	return err_set(e, -EINVAL,
		"netem slot: jitter above 2147483647 ns, which the kernel would cut; "
		"write "
		"2147ms or less");
}

static int distribution_has_jitter(const struct netem_conf *n, struct err *e)
{
	if (!(n->named & NAMED_DISTRIBUTION) || (n->latency_ns && n->jitter_ns))
		return 0;
	return err_set(e, -EINVAL,
		"netem distribution: needs a delay and a jitter above 0; write delay "
		"TIME "
		"JITTER before it");
}

static int reorder_has_delay(const struct netem_conf *n, struct err *e)
{
	if (!n->reorder.p32 || n->latency_ns)
		return 0;
	return err_set(e, -EINVAL,
		"netem reorder: without a delay nothing waits that could be overtaken; "
		"add "
		"delay TIME");
}

static int gap_has_reorder(const struct netem_conf *n, struct err *e)
{
	if (!n->gap || n->reorder.p32)
		return 0;
	return err_set(e, -EINVAL,
		"netem gap: needs a reorder probability; add reorder 100%%");
}

static int ecn_has_loss(const struct netem_conf *n, struct err *e)
{
	if (!n->ecn || n->loss.p32 || n->loss_model != LOSS_RANDOM)
		return 0;
	return err_set(e, -EINVAL,
		"netem ecn: marks the frames that loss chooses, and there is no loss; "
		"add "
		"loss PERCENT");
}

/*
 * Each share is rounded to the nearest fraction, so that two which are 100 % together
 * may come out one above it.
 */
static bool sum_too_large(uint32_t a_p32, uint32_t b_p32)
{
	return (uint64_t)a_p32 + b_p32 > (uint64_t)P32_ONE + 1;
}

static int state_sums_fit(const struct netem_conf *n, struct err *e)
{
	if (n->loss_model != LOSS_STATE)
		return 0;
	if (sum_too_large(n->p13_p32, n->p14_p32))
		return err_set(e, -EINVAL,
			"netem loss state: p13 and p14 both leave state 1, and are "
			"above "
			"100%% together");
	if (sum_too_large(n->p31_p32, n->p32_p32))
		return err_set(e, -EINVAL,
			"netem loss state: p31 and p32 both leave state 3, and are "
			"above "
			"100%% together");
	return 0;
}

static int (*const rules[])(const struct netem_conf *n, struct err *e) = {
	jitter_fits,
	distribution_has_jitter,
	reorder_has_delay,
	gap_has_reorder,
	ecn_has_loss,
	state_sums_fit,
	slot_jitter_fits,
};

int check_netem(struct netem_conf *n, struct err *e)
{
	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
		int rc = rules[i](n, e);

		if (rc)
			return rc;
	}
	if (n->reorder.p32 && !n->gap)
		n->gap = 1;
	/* tc sends the three correlations together, and one of duplicate sends nothing.
	 */
	if (!(n->named & (NAMED_DELAY_CORR | NAMED_LOSS_CORR | NAMED_REORDER_CORR |
				 NAMED_CORRUPT_CORR)))
		n->duplicate.corr_p32 = 0;
	return 0;
}
