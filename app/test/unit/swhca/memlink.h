/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef MEMLINK_H
#define MEMLINK_H

/**
 * @file
 * A link in memory: packets of a device arrive immediately at the device of its fabric that has the
 * destination address.
 */

#include "object/hca_state.h"
#include "wire/link/link_ops.h"

/** The address of an InfiniBand port is its LID, that of RoCE is its first GID. */
struct swhca_link *memlink_create(struct swhca_hca *hca);

/** Deliver a packet to a device unchanged; len is from BTH to ICRC. */
void memlink_inject(struct swhca_hca *to, const struct swhca_packet_ip *ip, const uint8_t *data,
		    uint32_t len);

#endif /* MEMLINK_H */
