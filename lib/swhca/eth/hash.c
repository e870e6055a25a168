/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Receive side scaling: hash of the addresses of a frame, to distribute flows. */

#include <string.h>

#include "eth/frame.h"

/* Addresses of IPv6 and two ports. */
#define MAX_INPUT (2 * 16 + 2 * 2)

struct hash_input {
	uint8_t bytes[MAX_INPUT];
	size_t len;
};

static void
input_add(struct hash_input *input, const uint8_t *bytes, size_t len)
{
	memcpy(input->bytes + input->len, bytes, len);
	input->len += len;
}

/* Toeplitz: each bit that is set adds the 32 bits of the key that begin there. */
static uint32_t
toeplitz(const uint8_t *key, const struct hash_input *input)
{
	uint64_t window = 0;
	uint32_t hash = 0;
	unsigned int bit;
	size_t i;

	for (i = 0; i < 8; i++)
		window = window << 8 | key[i];
	for (i = 0; i < input->len; i++) {
		for (bit = 0; bit < 8; bit++) {
			if (input->bytes[i] & 0x80u >> bit)
				hash ^= (uint32_t)(window >> 32);
			window <<= 1;
		}
		/* Shift in the next 8 bits. */
		if (i + 8 < PRM_TIRC_TOEPLITZ_KEY_SIZE)
			window |= key[i + 8];
	}
	return hash;
}

/* XOR of all bytes, inverted. */
static uint32_t
xor8(const struct hash_input *input)
{
	uint8_t value = 0;
	size_t i;

	for (i = 0; i < input->len; i++)
		value ^= input->bytes[i];
	return (uint8_t)~value;
}

/*
 * Add the selected part of a pair of addresses or ports. A symmetric hash is equal for both
 * directions of a flow: the lower one comes first. The order in hardware is not public.
 */
static void
pair_add(struct hash_input *input, const uint8_t *src, size_t len, bool has_src, bool has_dst,
	 bool is_symmetric)
{
	const uint8_t *dst = src + len;

	if (has_src && has_dst && is_symmetric && memcmp(src, dst, len) > 0) {
		input_add(input, dst, len);
		input_add(input, src, len);
		return;
	}
	if (has_src)
		input_add(input, src, len);
	if (has_dst)
		input_add(input, dst, len);
}

uint32_t
swhca_frame_hash(const struct swhca_frame *frame, const uint8_t *tirc, uint8_t *type)
{
	uint32_t fields = prm_get_u32(tirc, PRM_TIRC_HASH_FIELDS_OUTER);
	bool is_symmetric = prm_get(tirc, PRM_TIRC_RX_HASH_SYMMETRIC) != 0;
	uint8_t l4_protocol = fields & PRM_HASH_L4_UDP ? 17 : 6;
	uint8_t ip_version = fields & PRM_HASH_L3_IPV6 ? 6 : 4;
	struct hash_input input = { .len = 0 };

	*type = 0;
	if (frame->ip_version != ip_version || prm_get(tirc, PRM_TIRC_RX_HASH_FN) ==
						       PRM_RX_HASH_FN_NONE)
		return 0;
	if (fields & (PRM_HASH_SRC_IP | PRM_HASH_DST_IP)) {
		*type |= ip_version == 6 ? PRM_CQE_RSS_TYPE_IPV6 : PRM_CQE_RSS_TYPE_IPV4;
		pair_add(&input, frame->data + frame->l3 + (ip_version == 6 ? 8 : 12),
			 ip_version == 6 ? 16 : 4, fields & PRM_HASH_SRC_IP,
			 fields & PRM_HASH_DST_IP, is_symmetric);
	}
	if (frame->l4 != 0 && frame->ip_protocol == l4_protocol &&
	    (fields & (PRM_HASH_SPORT | PRM_HASH_DPORT))) {
		*type |= l4_protocol == 6 ? PRM_CQE_RSS_TYPE_TCP : PRM_CQE_RSS_TYPE_UDP;
		pair_add(&input, frame->data + frame->l4, 2, fields & PRM_HASH_SPORT,
			 fields & PRM_HASH_DPORT, is_symmetric);
	}
	if (prm_get(tirc, PRM_TIRC_RX_HASH_FN) == PRM_RX_HASH_FN_XOR8)
		return xor8(&input);
	return toeplitz(tirc + PRM_TIRC_TOEPLITZ_KEY_BYTE, &input);
}
