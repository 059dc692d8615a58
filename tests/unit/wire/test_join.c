/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests/unit/wire/test_join.c - mirrors src/wire/join.c: which frames leave together
 */
#include "config.h"

#include "unit/wire/joinrig.h"

#include <string.h>

static const uint8_t mac_a[6] = {2, 0, 0, 0, 0, 1}, mac_b[6] = {2, 0, 0, 0, 0, 2};

/* A lone frame of a flow of its own, to be changed by the tests below. */
struct lone {
	bool tcp, v6;
	uint16_t id;
	uint32_t seq;
	unsigned n_bytes; /* of payload */
	uint8_t flags;
	/* One byte more or less, at an offset from the IP header; 0: none. */
	int at, add;
	bool not_needs_csum;
};

static unsigned add(unsigned sum, const uint8_t *p, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		sum += i % 2 ? p[i] : p[i] * 256u;
	while (sum > 0xffff)
		sum = (sum & 0xffff) + (sum >> 16);
	return sum;
}

static struct buf *lone(const struct lone *l)
{
	unsigned ip_bytes = l->v6 ? 40 : 20, l4_bytes = (l->tcp ? 20 : 8) + l->n_bytes;
	uint8_t read[2000] = {1}, *b = read + BUF_VNET_BYTES, *ip = b + 14;
	uint8_t *l4 = ip + ip_bytes;
	uint16_t v[4] = {0, 0, (uint16_t)(14 + ip_bytes), l->tcp ? 16 : 6};
	unsigned sum = (l->tcp ? 6u : 17u) + l4_bytes;

	read[0] = !l->not_needs_csum;
	memcpy(read + 2, v, sizeof(v));
	memcpy(b, mac_b, 6);
	memcpy(b + 6, mac_a, 6);
	b[12] = l->v6 ? 0x86 : 0x08;
	b[13] = l->v6 ? 0xdd : 0;
	ip[0] = l->v6 ? 0x60 : 0x45;
	if (l->v6) {
		ip[5] = (uint8_t)l4_bytes;
		ip[6] = l->tcp ? 6 : 17;
		ip[7] = 64;
	} else {
		ip[3] = (uint8_t)(20 + l4_bytes);
		ip[4] = (uint8_t)(l->id >> 8);
		ip[5] = (uint8_t)l->id;
		ip[8] = 64;
		ip[9] = l->tcp ? 6 : 17;
		ip[12] = ip[16] = 10;
	}
	if (l->tcp) {
		l4[7] = (uint8_t)l->seq;
		l4[6] = (uint8_t)(l->seq >> 8);
		l4[12] = 0x50;
		l4[13] = l->flags;
	} else {
		l4[5] = (uint8_t)l4_bytes;
	}
	memset(l4 + l4_bytes - l->n_bytes, 0x77, l->n_bytes);
	if (l->at)
		ip[l->at] = (uint8_t)(ip[l->at] + l->add);
	sum = l->v6 ? add(sum, ip + 8, 32) : add(sum, ip + 12, 8);
	l4[v[3]] = (uint8_t)(sum >> 8);
	l4[v[3] + 1] = (uint8_t)sum;
	if (l->at == -1)
		l4[v[3] + 1] ^= 1;
	if (!l->v6) {
		sum = 0xffff - add(0, ip, 20);
		ip[10] = (uint8_t)(sum >> 8);
		ip[11] = (uint8_t)sum;
		if (l->at == -2)
			ip[11] ^= 1;
	}
	return joinrig_take(read, BUF_VNET_BYTES + 14 + ip_bytes + l4_bytes);
}

/* Writes that two frames take. */
static unsigned writes(const struct lone *a, const struct lone *b)
{
	struct plain_list *l = plain_list_new(2, 4000);
	unsigned n;

	join_add(&join, &(struct frame){.buf = lone(a)});
	join_add(&join, &(struct frame){.buf = lone(b)});
	n = joinrig_write_all(l);
	assert_int_equal(l->n_frames, 2);
	plain_list_free(l);
	return n;
}

enum {
	ACK = 0x10,
	PSH = 8,
	FIN = 1,
	SYN = 2,
	RST = 4,
	URG = 0x20,
	ECE = 0x40,
	CWR = 0x80
};

static void frames_of_one_tcp_flow_join_only_if_they_follow(void **state)
{
	const struct lone a = {
		.tcp = true, .id = 7, .seq = 100, .n_bytes = 50, .flags = ACK};
	const struct lone b = {
		.tcp = true, .id = 8, .seq = 150, .n_bytes = 50, .flags = ACK};
	static const struct {
		const char *what;
		int at, add;
		unsigned n_bytes, id, seq, flags, flags_before, writes;
	} t[] = {
		{"the next one", 0, 0, 50, 8, 150, ACK, ACK, 1},
		{"the next, shorter", 0, 0, 20, 8, 150, ACK, ACK, 1},
		{"the next, with PSH and FIN", 0, 0, 50, 8, 150, ACK | PSH | FIN, ACK,
			1},
		{"the first has CWR", 0, 0, 50, 8, 150, ACK, ACK | CWR, 1},
		{"both have ECE", 0, 0, 50, 8, 150, ACK | ECE, ACK | ECE, 1},
		{"longer", 0, 0, 51, 8, 150, ACK, ACK, 2},
		{"the id stands still", 0, 0, 50, 7, 150, ACK, ACK, 2},
		{"the id jumps", 0, 0, 50, 9, 150, ACK, ACK, 2},
		{"a gap", 0, 0, 50, 8, 151, ACK, ACK, 2},
		{"sent again", 0, 0, 50, 8, 100, ACK, ACK, 2},
		{"without payload", 0, 0, 0, 8, 150, ACK, ACK, 2},
		{"behind PSH", 0, 0, 50, 8, 150, ACK, ACK | PSH, 2},
		{"behind FIN", 0, 0, 50, 8, 150, ACK, ACK | FIN, 2},
		{"CWR inside", 0, 0, 50, 8, 150, ACK | CWR, ACK, 2},
		{"ECE once", 0, 0, 50, 8, 150, ACK | ECE, ACK, 2},
		{"SYN", 0, 0, 50, 8, 150, ACK | SYN, ACK | SYN, 2},
		{"RST", 0, 0, 50, 8, 150, ACK | RST, ACK | RST, 2},
		{"URG", 0, 0, 50, 8, 150, ACK | URG, ACK | URG, 2},
		{"another destination MAC", -14, 1, 50, 8, 150, ACK, ACK, 2},
		{"another source MAC", -3, 1, 50, 8, 150, ACK, ACK, 2},
		{"another TOS", 1, 1, 50, 8, 150, ACK, ACK, 2},
		{"DF once", 6, 0x40, 50, 8, 150, ACK, ACK, 2},
		{"another TTL", 8, 1, 50, 8, 150, ACK, ACK, 2},
		{"another source", 15, 1, 50, 8, 150, ACK, ACK, 2},
		{"another destination", 19, 1, 50, 8, 150, ACK, ACK, 2},
		{"another source port", 21, 1, 50, 8, 150, ACK, ACK, 2},
		{"another destination port", 23, 1, 50, 8, 150, ACK, ACK, 2},
		{"another ack", 31, 1, 50, 8, 150, ACK, ACK, 2},
		{"another window", 35, 1, 50, 8, 150, ACK, ACK, 2},
		{"another urgent pointer", 39, 1, 50, 8, 150, ACK, ACK, 2},
		{"another data offset", 32, 0x10, 50, 8, 150, ACK, ACK, 2},
		{"a wrong TCP sum", -1, 0, 50, 8, 150, ACK, ACK, 2},
		{"a wrong IP sum", -2, 0, 50, 8, 150, ACK, ACK, 2},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		struct lone x = a, y = b;

		x.flags = (uint8_t)t[i].flags_before;
		y.flags = (uint8_t)t[i].flags;
		y.n_bytes = t[i].n_bytes;
		y.id = (uint16_t)t[i].id;
		y.seq = t[i].seq;
		y.at = t[i].at;
		y.add = t[i].add;
		if (writes(&x, &y) != t[i].writes)
			fail_msg("%s: not %u writes", t[i].what, t[i].writes);
	}
	/* A sum that is complete says what it says. */
	struct lone y = b;

	y.not_needs_csum = true;
	assert_int_equal(writes(&a, &y), 2);
	/* Nothing behind a short one. */
	struct lone x = a;

	x.n_bytes = 20;
	y = b;
	y.seq = 120;
	assert_int_equal(writes(&x, &y), 2);
}

static void datagrams_join_where_nobody_can_tell(void **state)
{
	const struct lone v4 = {.id = 7, .n_bytes = 18};
	struct lone next = v4, v6 = {.v6 = true, .n_bytes = 18}, other = v6;

	(void)state;
	/* Sockets that are not connected send id 0 with DF, always. */
	assert_int_equal(writes(&v4, &next), 2);
	next.id = 8;
	assert_int_equal(writes(&v4, &next), 1);
	assert_int_equal(writes(&v6, &v6), 1);
	assert_int_equal(writes(&v6, &next), 2);
	other.n_bytes = 17;
	assert_int_equal(writes(&v6, &other), 1);
	assert_int_equal(writes(&other, &v6), 2);
	other = v6;
	other.at = 2; /* flow label */
	other.add = 1;
	assert_int_equal(writes(&v6, &other), 2);
	other.at = 43; /* port */
	assert_int_equal(writes(&v6, &other), 2);
	other.at = 0;
	other.n_bytes = 0;
	assert_int_equal(writes(&other, &other), 2);
	join.no_udp = true;
	assert_int_equal(writes(&v6, &v6), 2);
	join.no_udp = false;
}

static void at_most_64_frames_are_joined(void **state)
{
	const struct lone v6 = {.v6 = true, .n_bytes = 18};
	struct plain_list *l = plain_list_new(200, 40000);

	(void)state;
	for (unsigned i = 0; i < 130; i++)
		join_add(&join, &(struct frame){.buf = lone(&v6)});
	assert_int_equal(joinrig_write_all(l), 3);
	assert_int_equal(l->n_frames, 130);
	plain_list_free(l);
}

/* What a frame got of its own may not be made good by what others say. */
static void modified_frames_stay_alone(void **state)
{
	const struct lone v6 = {.v6 = true, .n_bytes = 18};
	struct plain_list *l = plain_list_new(200, 40000);

	(void)state;
	for (unsigned i = 0; i < 9; i++)
		join_add(&join, &(struct frame){.buf = lone(&v6),
					.flags = i % 4 == 2 ? FRAME_MODIFIED : 0});
	/* 0-1, 2, 3-5, 6, 7-8 */
	assert_int_equal(joinrig_write_all(l), 5);
	plain_list_free(l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_of_one_tcp_flow_join_only_if_they_follow),
		cmocka_unit_test(datagrams_join_where_nobody_can_tell),
		cmocka_unit_test(at_most_64_frames_are_joined),
		cmocka_unit_test(modified_frames_stay_alone),
	};

	return cmocka_run_group_tests_name(
		"wire/join", tests, joinrig_set_up, joinrig_tear_down);
}
