/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Frames of net devices: an input is 4 bytes of what a TIR hashes, and a frame. Whatever it says
 * of itself, nothing beyond its end is looked at or written, and a checksum that is filled in is
 * right.
 */

#include "fuzz.h"
#include "eth/frame.h"

static void
sums_look(uint8_t *bytes, size_t len)
{
	struct swhca_frame frame;

	swhca_frame_parse(&frame, bytes, len);
	swhca_frame_set_l4(&frame, bytes);
	swhca_frame_set_l3(&frame, bytes);
	FUZZ_NEED(frame.ip_version == 0 || swhca_frame_l3_is_ok(&frame));
	FUZZ_NEED(frame.l4 == 0 || swhca_frame_l4_is_ok(&frame));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input in = { .data = data, .left = size };
	uint8_t match[PRM_MATCH_OUTER_SIZE], tirc[PRM_TIRC_SIZE] = { 0 }, type;
	struct swhca_frame frame;
	uint8_t fields[4], *exact;
	size_t len;

	fuzz_bytes(&in, fields, sizeof(fields));
	len = in.left < SWHCA_ETH_HDR_LEN ? SWHCA_ETH_HDR_LEN : in.left;
	if (len > SWHCA_MAX_FRAME)
		return 0;
	/* Of its own, so that a sanitizer sees a byte too far. */
	exact = malloc(len);
	FUZZ_NEED(exact != NULL);
	fuzz_bytes(&in, exact, len);
	memcpy(tirc + PRM_FIELD_BYTE(PRM_TIRC_HASH_FIELDS_OUTER), fields, sizeof(fields));
	memset(tirc + PRM_TIRC_TOEPLITZ_KEY_BYTE, 0x6d, PRM_TIRC_TOEPLITZ_KEY_SIZE);
	prm_set(tirc, PRM_TIRC_RX_HASH_FN, fields[1] % 3);
	prm_set(tirc, PRM_TIRC_RX_HASH_SYMMETRIC, fields[2] & 1);
	swhca_frame_parse(&frame, exact, len);
	FUZZ_NEED(frame.l3 < len && frame.l4 < len && frame.end <= len);
	FUZZ_NEED(frame.l4 == 0 || frame.l4 > frame.l3);
	swhca_frame_match(&frame, match);
	(void)swhca_frame_hash(&frame, tirc, &type);
	(void)swhca_frame_l3_is_ok(&frame);
	(void)swhca_frame_l4_is_ok(&frame);
	sums_look(exact, len);
	free(exact);
	return 0;
}
