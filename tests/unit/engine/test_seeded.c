/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests/unit/engine/test_seeded.c - packet by packet what the kernel's netem did
 *
 * tests/data/seeded.json records the fate of each of 57000 packets in Linux 6.12: 1000
 * packets a run, one each millisecond, under 19 configurations and three seeds. The same
 * packets go through a path; lost, marked, corrupted and doubled ones must be the same,
 * and each delay that of the kernel within the record's grain.
 */
#include "config.h"

#include "unit/engine/rig.h"
#include "unit/engine/tcwords.h"
#include "unit/unit.h"

#include <json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N_PACKETS 1000
#define FRAME_BYTES 74
#define IP_OFFSET 14
/* The number of a packet stands three times in it: one bit may be flipped. */
#define ID_OFFSET 42
/* Two ticks of the recording clock. */
#define GRAIN_NS 512

struct fate {
	unsigned n;
	nsec_t delay_ns[2];
	bool marked, corrupted;
};

static void make_frame(uint8_t *bytes, uint32_t id, uint8_t tos)
{
	memset(bytes, 0, FRAME_BYTES);
	bytes[12] = 0x08;
	bytes[IP_OFFSET] = 0x45;
	bytes[IP_OFFSET + 1] = tos;
	/* The two sums for tos 2 and 3, all else but version and length being 0. */
	bytes[IP_OFFSET + 10] = 0xba;
	bytes[IP_OFFSET + 11] = tos == 2 ? 0xfd : 0xfc;
	for (unsigned i = 0; i < 3; i++)
		memcpy(bytes + ID_OFFSET + 4 * i, &id, sizeof(id));
}

static uint32_t id_of(const uint8_t *bytes)
{
	uint32_t id[3];

	memcpy(id, bytes + ID_OFFSET, sizeof(id));
	return id[0] == id[1] ? id[0] : id[2];
}

static void note(struct fate *fates, const struct frame *f)
{
	const uint8_t *bytes = buf_bytes(f->buf);
	uint8_t sent[FRAME_BYTES], marked[FRAME_BYTES];
	uint32_t id = id_of(bytes);
	struct fate *to = &fates[id];

	assert_true(id < N_PACKETS && to->n < 2);
	assert_int_equal(frame_bytes(f), FRAME_BYTES);
	make_frame(sent, id, 2);
	make_frame(marked, id, 3);
	to->delay_ns[to->n++] = f->due_ns - id * MS;
	if (!memcmp(bytes, marked, FRAME_BYTES))
		to->marked = true;
	else if (memcmp(bytes, sent, FRAME_BYTES))
		to->corrupted = true;
}

static void take_due(struct rig *r, struct fate *fates, nsec_t until_ns)
{
	nsec_t ns;

	while ((ns = path_next_ns(r->path)) <= until_ns && ns != NSEC_NEVER) {
		struct frame f;

		while (path_pop(r->path, ns, &f, 1)) {
			note(fates, &f);
			buf_unref(r->pool, f.buf);
		}
	}
}

static void run_all(const struct spec *s, struct fate *fates)
{
	struct rig r;

	rig_init(&r, s, 0);
	for (uint32_t id = 0; id < N_PACKETS; id++) {
		uint8_t *room = buf_room(r.pool, BUF_VNET_BYTES + FRAME_BYTES);

		take_due(&r, fates, id * MS - 1);
		memset(room, 0, BUF_VNET_BYTES);
		make_frame(room + BUF_VNET_BYTES, id, 2);
		path_push(r.path, buf_commit(r.pool, BUF_VNET_BYTES + FRAME_BYTES),
			id * MS);
	}
	take_due(&r, fates, NSEC_NEVER);
	rig_fini(&r);
}

static bool holds(struct json_object *list, uint32_t id)
{
	for (size_t i = 0; i < json_object_array_length(list); i++) {
		if (json_object_get_int(json_object_array_get_idx(list, i)) == (int)id)
			return true;
	}
	return false;
}

/* The recorded delays of packet @id: none, one number, or a list. */
static unsigned recorded(
	struct json_object *all, uint32_t id, bool lost, nsec_t *delay_ns)
{
	struct json_object *d;

	if (lost)
		return 0;
	if (json_object_is_type(all, json_type_object))
		d = json_object_object_get(all, "all");
	else
		d = json_object_array_get_idx(all, id);
	if (!json_object_is_type(d, json_type_array)) {
		delay_ns[0] = json_object_get_int64(d);
		return 1;
	}
	for (size_t i = 0; i < json_object_array_length(d) && i < 2; i++)
		delay_ns[i] = json_object_get_int64(json_object_array_get_idx(d, i));
	return (unsigned)json_object_array_length(d);
}

/* Where all that arrived agree, the record keeps one value; a double has no single one. */
static bool delays_agree(const struct fate *f, unsigned n, const nsec_t *want_ns)
{
	if (f->n != n)
		return false;
	for (unsigned i = 0; i < n; i++) {
		nsec_t over_ns = want_ns[i] - f->delay_ns[i];

		if (over_ns < 0 || over_ns > GRAIN_NS)
			return false;
	}
	return true;
}

static unsigned compare(struct json_object *run, const struct fate *fates)
{
	struct json_object *lost = json_object_object_get(run, "lost");
	struct json_object *marked = json_object_object_get(run, "marked");
	struct json_object *corrupted = json_object_object_get(run, "corrupted");
	struct json_object *delays = json_object_object_get(run, "delays_ns");
	unsigned wrong = 0;

	for (uint32_t id = 0; id < N_PACKETS; id++) {
		nsec_t want_ns[2] = {0};
		bool is_lost = holds(lost, id);
		unsigned n = recorded(delays, id, is_lost, want_ns);

		if ((fates[id].n == 0) == is_lost &&
			fates[id].marked == holds(marked, id) &&
			fates[id].corrupted == holds(corrupted, id) &&
			delays_agree(&fates[id], n, want_ns))
			continue;
		if (!wrong++)
			print_message("%s: packet %u differs\n",
				json_object_get_string(
					json_object_object_get(run, "netem")),
				id);
	}
	return wrong;
}

static void fates_of_57000_packets_are_the_kernel_s(void **state)
{
	struct json_object *all = json_object_from_file(TEST_DATA "/seeded.json");
	struct json_object *runs;
	unsigned wrong = 0, done = 0, left_out = 0;

	(void)state;
	assert_non_null(all);
	runs = json_object_object_get(all, "runs");
	assert_int_equal(json_object_array_length(runs), 57);
	for (size_t i = 0; i < json_object_array_length(runs); i++) {
		struct json_object *run = json_object_array_get_idx(runs, i);
		static struct fate fates[N_PACKETS];
		struct spec s = rig_spec();

		memset(fates, 0, sizeof(fates));
		s.netem.seed =
			json_object_get_uint64(json_object_object_get(run, "seed"));
		if (!tcwords_read(
			    &s.netem, json_object_get_string(
					      json_object_object_get(run, "netem")))) {
			left_out++;
			continue;
		}
		run_all(&s, fates);
		wrong += compare(run, fates);
		free(s.netem.dist.values);
		done++;
	}
	json_object_put(all);
	assert_int_equal(wrong, 0);
	/* Only iproute2's measured table may be missing on a machine. */
	assert_true(left_out == 0 || left_out == 3);
	print_message("# %u runs agree, %u left out\n", done, left_out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fates_of_57000_packets_are_the_kernel_s),
	};

	return cmocka_run_group_tests_name("engine/seeded", tests, NULL, NULL);
}
