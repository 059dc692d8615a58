/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conf/netem_json.c - a struct netem_conf as the "options" of tc's JSON
 *
 * Fractions have six digits, as tc prints them; what must be exact is in "ext".
 */
#include "config.h"

#include "conf/netem_json.h"

#include "conf/netem_show.h"

#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>

static void put(struct json_object *to, const char *key, struct json_object *value)
{
	if (json_object_object_add(to, key, value))
		json_object_put(value);
}

/* With tc's six digits; json-c's own way would write 1 as 1.0. */
static void put_double(struct json_object *to, const char *key, double value)
{
	char text[32];

	snprintf(text, sizeof(text), "%g", value);
	put(to, key, json_object_new_double_s(value, text));
}

static void put_share(struct json_object *to, const char *key, uint32_t p32)
{
	put_double(to, key, (double)p32 / UINT32_MAX);
}

static void put_seconds(struct json_object *to, const char *key, nsec_t ns)
{
	put_double(to, key, (double)ns / (double)NSEC_PER_SEC);
}

/* An object under @key whose member @name is the probability. */
static void put_chance(struct json_object *to, const char *key, const char *name,
	const struct chance *c)
{
	struct json_object *o;

	if (!c->p32)
		return;
	o = json_object_new_object();
	put_share(o, name, c->p32);
	put_share(o, "correlation", c->corr_p32);
	put(to, key, o);
}

static void put_delay(struct json_object *to, const struct netem_conf *n)
{
	struct json_object *o;

	if (!n->latency_ns)
		return;
	o = json_object_new_object();
	put_seconds(o, "delay", n->latency_ns);
	put_seconds(o, "jitter", n->jitter_ns);
	put_share(o, "correlation", n->delay_corr_p32);
	put(to, "delay", o);
}

static void put_loss(struct json_object *to, const struct netem_conf *n)
{
	struct json_object *o;

	switch (n->loss_model) {
	case LOSS_RANDOM:
		put_chance(to, "loss-random", "loss", &n->loss);
		break;
	case LOSS_STATE:
		o = json_object_new_object();
		put_share(o, "p13", n->p13_p32);
		put_share(o, "p31", n->p31_p32);
		put_share(o, "p32", n->p32_p32);
		put_share(o, "p23", n->p23_p32);
		put_share(o, "p14", n->p14_p32);
		put(to, "loss-state", o);
		break;
	case LOSS_GEMODEL:
		o = json_object_new_object();
		put_share(o, "p", n->ge_p_p32);
		put_share(o, "r", n->ge_r_p32);
		put_share(o, "1-h", n->ge_1_h_p32);
		put_share(o, "1-k", n->ge_1_k_p32);
		put(to, "loss-gemodel", o);
		break;
	}
}

static void put_rate(struct json_object *to, const struct netem_conf *n)
{
	struct json_object *o;

	if (!n->rate_byteps)
		return;
	o = json_object_new_object();
	put(o, "rate", json_object_new_uint64(n->rate_byteps));
	put(o, "packetoverhead", json_object_new_int(n->overhead_bytes));
	put(o, "cellsize", json_object_new_int64(n->cell_bytes));
	put(o, "celloverhead", json_object_new_int(n->cell_overhead_bytes));
	put(to, "rate", o);
}

static void put_slot(struct json_object *to, const struct netem_conf *n)
{
	const struct slot_conf *s = &n->slot;
	struct json_object *o;

	if (!s->active)
		return;
	o = json_object_new_object();
	if (s->dist_jitter_ns) {
		put_seconds(o, "distribution", s->dist_delay_ns);
		put_seconds(o, "jitter", s->dist_jitter_ns);
	} else {
		put_seconds(o, "min-delay", s->min_delay_ns);
		put_seconds(o, "max-delay", s->max_delay_ns);
	}
	put(o, "packets", json_object_new_int(s->max_packets));
	put(o, "bytes", json_object_new_int(s->max_bytes));
	put(to, "slot", o);
}

static void put_ext(struct json_object *to, const struct netem_conf *n)
{
	struct json_object *ext = json_object_new_object();
	char *args = NULL;
	size_t n_bytes;
	FILE *out = open_memstream(&args, &n_bytes);

	if (out) {
		fputs("netem ", out);
		netem_show_exact(n, out);
		fclose(out);
	}
	put(ext, "delay_ns", json_object_new_int64(n->latency_ns));
	put(ext, "jitter_ns", json_object_new_int64(n->jitter_ns));
	if (n->dist.name)
		put(ext, "distribution", json_object_new_string(n->dist.name));
	if (n->slot.dist.name)
		put(ext, "slot_distribution",
			json_object_new_string(n->slot.dist.name));
	if (args)
		put(ext, "args", json_object_new_string(args));
	free(args);
	put(to, "ext", ext);
}

struct json_object *netem_json_options(const struct netem_conf *n)
{
	struct json_object *o = json_object_new_object();

	if (!o)
		return NULL;
	put(o, "limit", json_object_new_int64(n->limit_frames));
	put_delay(o, n);
	put_loss(o, n);
	put_chance(o, "duplicate", "duplicate", &n->duplicate);
	put_chance(o, "reorder", "reorder", &n->reorder);
	put_chance(o, "corrupt", "corrupt", &n->corrupt);
	put_rate(o, n);
	put_slot(o, n);
	if (n->has_seed)
		put(o, "seed", json_object_new_uint64(n->seed));
	put(o, "ecn", json_object_new_boolean(n->ecn));
	put(o, "gap", json_object_new_int64(n->gap));
	put_ext(o, n);
	return o;
}
