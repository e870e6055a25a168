/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_ETH_OFFLOAD_H
#define SWHCA_ETH_OFFLOAD_H

/**
 * @file
 * What an SQ does to what software sends before it leaves: VLAN tags, checksums, large sends cut
 * into frames.
 */

#include <stddef.h>
#include <stdint.h>

struct swhca_hca;

/** What the Ethernet segment of a WQE asks for. */
struct swhca_offload {
	uint8_t cs_flags;	/**< PRM_WQE_ETH_CS_* */
	uint16_t vlan_type;	/**< EtherType of a tag that is to be inserted; 0: none is. */
	uint16_t tci;
	uint16_t mss;		/**< Large send: payload bytes of a frame; 0: none is one. */
	size_t hdr_len;		/**< Large send: bytes of its headers, up to the payload. */
};

/** Room in front of a frame for the tag that may be inserted. */
#define SWHCA_OFFLOAD_HEADROOM	4u

/**
 * Send what a WQE holds.
 *
 * @param data
 *   len bytes, with SWHCA_OFFLOAD_HEADROOM bytes in front of them; it is changed.
 * @return
 *   0, -EINVAL: headers that cannot be followed, or -EMSGSIZE: a frame that is too long, or short.
 */
int swhca_offload_send(struct swhca_hca *hca, uint8_t *data, size_t len,
		       const struct swhca_offload *how);

#endif /* SWHCA_ETH_OFFLOAD_H */
