/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conf/show.c - settings back into words: tc's text, exact words, JSON
 */
#include "config.h"

#include "conf/show.h"

#include "base/units.h"
#include "conf/kinds.h"

#include <errno.h>
#include <inttypes.h>
#include <json-c/json.h>
#include <string.h>

/* A stream into @text; fmemopen() terminates it, where there is room for that. */
static FILE *open_text(char *text, size_t max_bytes)
{
	text[0] = text[max_bytes - 1] = '\0';
	return max_bytes > 1 ? fmemopen(text, max_bytes, "w") : NULL;
}

static size_t close_text(FILE *out, char *text, size_t max_bytes)
{
	fclose(out);
	text[max_bytes - 1] = '\0';
	return strlen(text);
}

size_t show_spec(const struct spec *s, char *text, size_t max_bytes)
{
	const struct kind *k = kinds_get(s->kind);
	FILE *out = open_text(text, max_bytes);

	if (!out)
		return 0;
	if (k)
		k->show(s, out);
	return close_text(out, text, max_bytes);
}

size_t show_exact(const struct spec *s, char *text, size_t max_bytes)
{
	const struct kind *k = kinds_get(s->kind);
	FILE *out = open_text(text, max_bytes);

	if (!out)
		return 0;
	if (k) {
		fprintf(out, "%s ", k->name);
		k->show_exact(s, out);
	}
	return close_text(out, text, max_bytes);
}

/* "netem delay 50ms loss 1%" */
static void put_kind(FILE *out, const struct spec *s)
{
	fputs(kinds_get(s->kind)->name, out);
	kinds_get(s->kind)->show_short(s, out);
}

static nsec_t delay_ns(const struct spec *s)
{
	const struct kind *k = kinds_get(s->kind);

	return k ? k->delay_ns(s) : 0;
}

/* Nobody waits for 292 years, but the sum must not wrap. */
static void put_rtt(FILE *out, nsec_t one_ns, nsec_t other_ns)
{
	char time[UNITS_TEXT_BYTES];
	nsec_t rtt_ns;

	if (__builtin_add_overflow(one_ns, other_ns, &rtt_ns))
		rtt_ns = INT64_MAX;
	if (!rtt_ns)
		return;
	units_print_time(rtt_ns, time, sizeof(time));
	fprintf(out, ", RTT +%s", time);
}

size_t show_start_line(
	const struct spec *s, int round_trips, char *text, size_t max_bytes)
{
	const struct kind *k = kinds_get(s->kind);
	FILE *out = open_text(text, max_bytes);

	if (!out)
		return 0;
	if (!k) {
		fputs("unimpaired", out);
		return close_text(out, text, max_bytes);
	}
	put_kind(out, s);
	put_rtt(out, delay_ns(s), round_trips > 1 ? delay_ns(s) : 0);
	k->show_end(s, out);
	return close_text(out, text, max_bytes);
}

size_t show_start_wire(const struct spec *up, const struct spec *down, bool alike,
	char *text, size_t max_bytes)
{
	FILE *out = open_text(text, max_bytes);

	if (!out)
		return 0;
	if (alike) {
		put_kind(out, up);
		fputs(" each way", out);
		put_rtt(out, delay_ns(up), delay_ns(down));
		kinds_get(up->kind)->show_end(up, out);
		fprintf(out, "/%" PRIu64, down->netem.seed);
		return close_text(out, text, max_bytes);
	}
	fputs("up ", out);
	put_kind(out, up);
	kinds_get(up->kind)->show_end(up, out);
	fputs("; down ", out);
	put_kind(out, down);
	kinds_get(down->kind)->show_end(down, out);
	put_rtt(out, delay_ns(up), delay_ns(down));
	return close_text(out, text, max_bytes);
}

struct json_object *show_json(const struct spec *s, const char *direction)
{
	const struct kind *k = kinds_get(s->kind);
	struct json_object *o = json_object_new_object();

	if (!o || !k)
		return o;
	json_object_object_add(o, "kind", json_object_new_string(k->name));
	json_object_object_add(o, "handle", json_object_new_string("1:"));
	json_object_object_add(o, "root", json_object_new_boolean(true));
	if (direction)
		json_object_object_add(
			o, "direction", json_object_new_string(direction));
	json_object_object_add(o, "options", k->show_json(s));
	return o;
}

static void check_text(const struct spec *s, const char *direction, FILE *out)
{
	fprintf(out, "%s%s%s ", direction ? direction : "", direction ? " " : "",
		kinds_get(s->kind)->name);
	kinds_get(s->kind)->show(s, out);
	fputc('\n', out);
}

void show_put_json(struct json_object *o, bool pretty, FILE *out)
{
	int flags = pretty ? JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED
			   : JSON_C_TO_STRING_PLAIN;

	flags |= JSON_C_TO_STRING_NOSLASHESCAPE;
	fprintf(out, "%s\n", json_object_to_json_string_ext(o, flags));
}

int show_check(const struct conf *c, FILE *out)
{
	static const char *const names[N_DIRS] = {"up", "down"};
	struct json_object *all = c->json ? json_object_new_array() : NULL;
	bool both = !c->has_direction[DIR_UP] && !c->has_direction[DIR_DOWN];

	for (int i = 0; i < N_DIRS; i++) {
		const char *direction = both ? NULL : names[i];

		if (c->spec[i].kind == IMPAIR_NONE || (both && i == DIR_DOWN))
			continue;
		if (all)
			json_object_array_add(all, show_json(&c->spec[i], direction));
		else
			check_text(&c->spec[i], direction, out);
	}
	if (all) {
		show_put_json(all, c->pretty, out);
		json_object_put(all);
	}
	return fflush(out) ? -errno : 0;
}
