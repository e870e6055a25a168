/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_CMD_ETH_H
#define SWHCA_CMD_ETH_H

/**
 * @file
 * Ethernet as commands see it: what functions of other files need.
 */

#include "cmd/cmd.h"

/** Whether a function has Ethernet queues: one of a driver, with a port for them. */
static inline bool
swhca_cmd_has_eth(const struct swhca_hca *hca)
{
	return hca->conf.has_driver && hca->conf.link_layer == SWHCA_LINK_ETH;
}

/* Capabilities: general ones, and the pages of offloads and of flow tables. */
void swhca_eth_general_cap_fill(const struct swhca_hca *hca, uint8_t *cap);
void swhca_eth_offload_cap_fill(const struct swhca_hca *hca, uint8_t *cap);
void swhca_eth_flow_cap_fill(const struct swhca_hca *hca, uint8_t *cap);

/** Reject what is not of a function with Ethernet queues, or is of another vport. */
uint8_t swhca_cmd_flow_check(struct swhca_cmd *cmd);
struct swhca_flow_table;
/** The table that a command names. @return Its status. */
uint8_t swhca_cmd_flow_table_find(struct swhca_cmd *cmd, struct swhca_flow_table **table);
/** Reject what would be one group or entry too many. */
uint8_t swhca_cmd_flow_room_check(struct swhca_cmd *cmd);

#endif /* SWHCA_CMD_ETH_H */
