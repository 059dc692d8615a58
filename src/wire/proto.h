/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wire/proto.h - what a frame carries: the IP header behind up to two VLAN tags
 */
#ifndef FW_WIRE_PROTO_H
#define FW_WIRE_PROTO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum proto_ip { PROTO_NOT_IP, PROTO_IPV4, PROTO_IPV6 };

struct proto {
	enum proto_ip ip;
	uint16_t ip_offset; /* from the start of the frame; the header is all there */
};

/**
 * proto_parse() - Find the IP header
 *
 * Return: PROTO_NOT_IP as well when the header is cut short. Reads nothing beyond
 * @n_bytes.
 */
struct proto proto_parse(const uint8_t *bytes, size_t n_bytes);

/* Congestion bits of an IP header (RFC 3168). */
enum proto_ecn { PROTO_NOT_ECT, PROTO_ECT_1, PROTO_ECT_0, PROTO_CE };

/** proto_ecn() - The congestion bits; PROTO_NOT_ECT for what is not IP. */
enum proto_ecn proto_ecn(const struct proto *p, const uint8_t *bytes);

/** proto_set_ce() - Set "congestion experienced", and keep an IPv4 checksum right. */
void proto_set_ce(const struct proto *p, uint8_t *bytes);

#endif
