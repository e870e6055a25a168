/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_ETH_FRAME_H
#define SWHCA_ETH_FRAME_H

/**
 * @file
 * What is in an Ethernet frame: headers up to TCP and UDP, and their checksums.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mlx5_prm_eth.h"

/** Bytes of the header of a frame, of a VLAN tag, and of the check sequence that none has here. */
#define SWHCA_ETH_HDR_LEN	14u
#define SWHCA_VLAN_TAG_LEN	4u
#define SWHCA_ETH_FCS_LEN	4u
/** Longest frame on the wire, without its check sequence. */
#define SWHCA_MAX_FRAME		10240u
/** Shortest one: software that sends less means the rest to be padded (IEEE 802.3, 4.2.3.3). */
#define SWHCA_MIN_FRAME		60u

/** Where the headers of a frame are; offsets are in bytes, 0 means that there is none. */
struct swhca_frame {
	const uint8_t *data;
	size_t len;
	uint16_t ether_type;	/**< Behind VLAN tags. */
	bool has_vlan;
	uint16_t tci;		/**< Of the first tag. */
	uint8_t ip_version;	/**< 4, 6, or 0. */
	uint8_t ip_protocol;
	bool is_fragment;
	size_t l3;
	size_t l4;		/**< Of TCP and UDP alone, and not of fragments. */
	size_t end;		/**< Of the IP packet: padding follows. */
};

/** Find the headers; one that is not there or makes no sense is none. len is at least 14. */
void swhca_frame_parse(struct swhca_frame *frame, const void *data, size_t len);

/**
 * What flow tables match (fte_match_set_lyr_2_4): the outer headers of a frame.
 *
 * @param match
 *   PRM_MATCH_OUTER_SIZE bytes; all of it is written.
 */
void swhca_frame_match(const struct swhca_frame *frame, uint8_t *match);

/** One's complement sum of bytes, big endian, not inverted (RFC 1071). */
uint16_t swhca_frame_sum(const uint8_t *data, size_t len);

/** Whether the checksums are right; without such a header they are not. */
bool swhca_frame_l3_is_ok(const struct swhca_frame *frame);
bool swhca_frame_l4_is_ok(const struct swhca_frame *frame);

/** Write the checksums of the headers that there are. data is that of the frame. */
void swhca_frame_set_l3(const struct swhca_frame *frame, uint8_t *data);
void swhca_frame_set_l4(const struct swhca_frame *frame, uint8_t *data);

/**
 * Hash for receive side scaling.
 *
 * @param tirc
 *   Context of a TIR: function, key, fields.
 * @param type
 *   Written: what of the frame went into it, as a CQE says (PRM_CQE_RSS_TYPE_*).
 */
uint32_t swhca_frame_hash(const struct swhca_frame *frame, const uint8_t *tirc, uint8_t *type);

#endif /* SWHCA_ETH_FRAME_H */
