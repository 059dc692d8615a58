/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/slot.c - settings and draws of slots
 */
#include "config.h"

#include "engine/slot.h"

static void refill(struct slot *s)
{
	s->frames_left = s->max_frames;
	s->bytes_left = s->max_bytes;
}

static void take_settings(struct slot *s, const struct slot_conf *c, nsec_t now_ns)
{
	nsec_t jitter_ns = c->dist_jitter_ns;

	if (jitter_ns > DIST_JITTER_MAX_NS)
		jitter_ns = DIST_JITTER_MAX_NS;
	s->active = c->active;
	s->has_dist = c->has_dist;
	s->next_ns = now_ns;
	s->max_frames = c->max_packets ? c->max_packets : INT32_MAX;
	s->max_bytes = c->max_bytes ? c->max_bytes : INT32_MAX;
	s->min_delay_ns = c->min_delay_ns;
	s->max_delay_ns = c->max_delay_ns;
	s->dist_delay_ns = c->dist_delay_ns;
	s->dist_jitter_ns = (uint32_t)jitter_ns;
	refill(s);
}

int slot_init(struct slot *s, const struct slot_conf *c, nsec_t now_ns, struct err *e)
{
	*s = (struct slot){0};
	take_settings(s, c, now_ns);
	if (!c->active || !c->has_dist)
		return 0;
	return dist_init(&s->dist, &c->dist, e);
}

void slot_change(
	struct slot *s, const struct slot_conf *c, nsec_t now_ns, struct dist *dist)
{
	take_settings(s, c, now_ns);
	if (!dist)
		return;
	dist_fini(&s->dist);
	s->dist = *dist;
	*dist = (struct dist){0};
}

void slot_fini(struct slot *s)
{
	dist_fini(&s->dist);
}

static nsec_t draw_ns(struct slot *s, struct rng *seeded, struct rng *other)
{
	uint64_t span = (uint64_t)(s->max_delay_ns - s->min_delay_ns);

	if (s->has_dist) {
		if (!s->dist_jitter_ns)
			return s->dist_delay_ns;
		return dist_delay_ns(&s->dist, s->dist_delay_ns, s->dist_jitter_ns,
			rng_next(seeded));
	}
	return s->min_delay_ns +
	       (nsec_t)((unsigned __int128)span * rng_next(other) >> 32);
}

void slot_open(struct slot *s, nsec_t now_ns, struct rng *seeded, struct rng *other)
{
	nsec_t delay_ns = draw_ns(s, seeded, other);

	if (__builtin_add_overflow(now_ns, delay_ns, &s->next_ns))
		s->next_ns = NSEC_NEVER;
	refill(s);
}
