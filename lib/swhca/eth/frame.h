/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_ETH_FRAME_H
#define SWHCA_ETH_FRAME_H

/**
 * @file
 * Parser of Ethernet frames: headers up to TCP and UDP, and their checksums.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mlx5_prm_eth.h"

/** Sizes of the frame header, of a VLAN tag, and of the check sequence, which frames here lack. */
#define SWHCA_ETH_HDR_LEN	14u
#define SWHCA_VLAN_TAG_LEN	4u
#define SWHCA_ETH_FCS_LEN	4u
/** Maximum frame on the wire, without its check sequence. */
#define SWHCA_MAX_FRAME		10240u
/** Minimum frame: shorter ones are padded (IEEE 802.3, 4.2.3.3). */
#define SWHCA_MIN_FRAME		60u

/** Header offsets of a frame in bytes; 0: no such header. */
struct swhca_frame {
	const uint8_t *data;
	size_t len;
	uint16_t ether_type;	/**< After VLAN tags. */
	bool has_vlan;
	uint16_t tci;		/**< TCI of the first tag. */
	uint8_t ip_version;	/**< 4, 6, or 0. */
	uint8_t ip_protocol;
	bool is_fragment;
	size_t l3;
	size_t l4;		/**< TCP and UDP only, without fragments. */
	size_t end;		/**< End of the IP packet, before padding. */
};

/** Find the headers; a missing or invalid one is 0. len is at least 14. */
void swhca_frame_parse(struct swhca_frame *frame, const void *data, size_t len);

/**
 * Get the outer headers in the format that flow tables match (fte_match_set_lyr_2_4).
 *
 * @param match
 *   PRM_MATCH_OUTER_SIZE bytes; all of it is written.
 */
void swhca_frame_match(const struct swhca_frame *frame, uint8_t *match);

/** One's complement sum of bytes, big endian, not inverted (RFC 1071). */
uint16_t swhca_frame_sum(const uint8_t *data, size_t len);

/** Check the checksum; false without such a header. */
bool swhca_frame_l3_is_ok(const struct swhca_frame *frame);
bool swhca_frame_l4_is_ok(const struct swhca_frame *frame);

/** Write the checksum if the header exists. data is the data of the frame. */
void swhca_frame_set_l3(const struct swhca_frame *frame, uint8_t *data);
void swhca_frame_set_l4(const struct swhca_frame *frame, uint8_t *data);

/**
 * Hash for receive side scaling.
 *
 * @param tirc
 *   Context of a TIR: function, key, fields.
 * @param type
 *   Written: hashed fields of the frame, in CQE format (PRM_CQE_RSS_TYPE_*).
 */
uint32_t swhca_frame_hash(const struct swhca_frame *frame, const uint8_t *tirc, uint8_t *type);

#endif /* SWHCA_ETH_FRAME_H */
