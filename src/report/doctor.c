/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report/doctor.c - what the doctor found, for people and for programs
 */
#include "config.h"

#include "report/doctor.h"

#include <errno.h>
#include <json-c/json.h>

/* Wide enough for the longest name, "user namespaces", and a gap. */
#define NAME_COLUMNS 18
#define YES_COLUMNS 6

int doctor_text(FILE *to, const struct doctor *f)
{
	const struct fact *x;
	unsigned i;

	for (i = 0; i < f->n; i++) {
		x = &f->fact[i];
		fprintf(to, "%-*s%-*s%s\n", NAME_COLUMNS, x->name, YES_COLUMNS,
			x->yes ? "yes" : "no", x->text);
		if (*x->fix)
			fprintf(to, "%*sfix: %s\n", NAME_COLUMNS + YES_COLUMNS, "",
				x->fix);
	}
	return 0;
}

static struct json_object *fact_object(const struct fact *x)
{
	struct json_object *o = json_object_new_object();

	if (!o)
		return NULL;
	json_object_object_add(o, "name", json_object_new_string(x->name));
	json_object_object_add(o, "yes", json_object_new_boolean(x->yes));
	json_object_object_add(o, "needed", json_object_new_boolean(x->needed));
	json_object_object_add(o, "text", json_object_new_string(x->text));
	if (*x->fix)
		json_object_object_add(o, "fix", json_object_new_string(x->fix));
	return o;
}

int doctor_json(FILE *to, const struct doctor *f, bool pretty)
{
	int flags = JSON_C_TO_STRING_NOSLASHESCAPE |
		    (pretty ? JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED
			    : JSON_C_TO_STRING_PLAIN);
	struct json_object *top = json_object_new_object();
	struct json_object *list = json_object_new_array();
	unsigned i;

	if (!top || !list) {
		json_object_put(top);
		json_object_put(list);
		return -ENOMEM;
	}
	for (i = 0; i < f->n; i++)
		json_object_array_add(list, fact_object(&f->fact[i]));
	json_object_object_add(top, "can_run", json_object_new_boolean(f->can_run));
	json_object_object_add(top, "facts", list);
	fprintf(to, "%s\n", json_object_to_json_string_ext(top, flags));
	json_object_put(top);
	return 0;
}
