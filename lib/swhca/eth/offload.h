/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_ETH_OFFLOAD_H
#define SWHCA_ETH_OFFLOAD_H

/**
 * @file
 * Transmit offloads of an SQ: VLAN insertion, checksums, segmentation of large sends.
 */

#include <stddef.h>
#include <stdint.h>

struct swhca_hca;

/** Offloads requested by the Ethernet segment of a WQE. */
struct swhca_offload {
	uint8_t cs_flags;	/**< PRM_WQE_ETH_CS_* */
	uint16_t vlan_type;	/**< EtherType of a tag to insert; 0: none. */
	uint16_t tci;
	uint16_t mss;		/**< Large send: payload bytes of a frame; 0: not a large send. */
	size_t hdr_len;		/**< Large send: bytes of headers before the payload. */
};

/** Space before a frame for an inserted tag. */
#define SWHCA_OFFLOAD_HEADROOM	4u

/**
 * Send the frame or large send of a WQE.
 *
 * @param data
 *   len bytes, preceded by SWHCA_OFFLOAD_HEADROOM bytes; modified.
 * @return
 *   0, -EINVAL: invalid headers, or -EMSGSIZE: a frame that is too long or short.
 */
int swhca_offload_send(struct swhca_hca *hca, uint8_t *data, size_t len,
		       const struct swhca_offload *how);

#endif /* SWHCA_ETH_OFFLOAD_H */
