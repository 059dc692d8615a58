/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests/unit/wire/test_csum.c - mirrors src/wire/csum.c
 */
#include "config.h"

#include "unit/unit.h"
#include "wire/csum.h"

#include <linux/virtio_net.h>
#include <stdlib.h>
#include <string.h>

/* RFC 1071, section 3. */
static void the_sum_is_that_of_the_rfc(void **state)
{
	static const uint8_t bytes[] = {0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7};

	(void)state;
	assert_int_equal(csum_add(0, bytes, 8), 0xddf2);
	assert_int_equal(csum_add(csum_add(0, bytes, 4), bytes + 4, 4), 0xddf2);
	assert_int_equal(csum_add(0, bytes, 7), 0xdcfb);
	assert_int_equal(csum_add(0, bytes, 0), 0);
}

static void a_replaced_word_gives_the_sum_of_the_new_bytes(void **state)
{
	uint8_t bytes[20];

	(void)state;
	srandom(4);
	for (unsigned round = 0; round < 10000; round++) {
		uint16_t before, from, to;

		for (unsigned i = 0; i < sizeof(bytes); i++)
			bytes[i] = (uint8_t)random();
		before = (uint16_t)~csum_add(0, bytes, sizeof(bytes));
		from = (uint16_t)(bytes[0] << 8 | bytes[1]);
		bytes[1] |= 3;
		to = (uint16_t)(bytes[0] << 8 | bytes[1]);
		assert_int_equal(csum_replace16(before, from, to),
			(uint16_t)~csum_add(0, bytes, sizeof(bytes)));
	}
}

#define START 34
#define FIELD 16

/* An Ethernet frame of @n_bytes with a TCP checksum left to the device. */
static void half_made(uint8_t *vnet, uint8_t *bytes, size_t n_bytes, uint32_t pseudo)
{
	const struct virtio_net_hdr h = {
		.flags = VIRTIO_NET_HDR_F_NEEDS_CSUM | VIRTIO_NET_HDR_F_DATA_VALID,
		.csum_start = START,
		.csum_offset = FIELD};

	for (size_t i = 0; i < n_bytes; i++)
		bytes[i] = (uint8_t)random();
	bytes[START + FIELD] = (uint8_t)(pseudo >> 8);
	bytes[START + FIELD + 1] = (uint8_t)pseudo;
	memcpy(vnet, &h, sizeof(h));
}

/* With the pseudo header the segment then sums up to 0xffff, as a receiver wants it. */
static void a_half_made_checksum_is_finished(void **state)
{
	uint8_t vnet[10], bytes[200];

	(void)state;
	srandom(5);
	for (size_t n = START + FIELD + 2; n <= sizeof(bytes); n++) {
		uint32_t pseudo = (uint32_t)random() & 0xffff;
		uint16_t field;
		struct virtio_net_hdr h;

		half_made(vnet, bytes, n, pseudo);
		csum_complete(vnet, bytes, n);
		memcpy(&h, vnet, sizeof(h));
		assert_int_equal(h.flags, 0);
		field = (uint16_t)(bytes[START + FIELD] << 8 |
				   bytes[START + FIELD + 1]);
		assert_true(field != 0);
		assert_int_equal(csum_add(pseudo, bytes + START, n - START), 0xffff);
	}
}

static void a_field_outside_the_frame_is_left_alone(void **state)
{
	uint8_t vnet[10], bytes[START + FIELD + 2], before[sizeof(bytes)];

	(void)state;
	for (size_t n = 0; n < sizeof(bytes); n++) {
		half_made(vnet, bytes, sizeof(bytes), 7);
		memcpy(before, bytes, sizeof(bytes));
		csum_complete(vnet, bytes, n);
		assert_memory_equal(before, bytes, sizeof(bytes));
		assert_int_equal(vnet[0], 0);
	}
}

static void a_verified_frame_is_verified_no_more(void **state)
{
	uint8_t vnet[10] = {VIRTIO_NET_HDR_F_DATA_VALID}, bytes[60] = {0};
	static const uint8_t zero[60];

	(void)state;
	csum_complete(vnet, bytes, sizeof(bytes));
	assert_int_equal(vnet[0], 0);
	assert_memory_equal(bytes, zero, sizeof(bytes));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_sum_is_that_of_the_rfc),
		cmocka_unit_test(a_replaced_word_gives_the_sum_of_the_new_bytes),
		cmocka_unit_test(a_half_made_checksum_is_finished),
		cmocka_unit_test(a_field_outside_the_frame_is_left_alone),
		cmocka_unit_test(a_verified_frame_is_verified_no_more),
	};

	return cmocka_run_group_tests_name("wire/csum", tests, NULL, NULL);
}
