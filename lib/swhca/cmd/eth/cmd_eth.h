/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_CMD_ETH_H
#define SWHCA_CMD_ETH_H

/**
 * @file
 * Ethernet commands: functions for other files.
 */

#include "cmd/cmd.h"

/** Check whether a function has Ethernet queues: a driver owns it, and its port is Ethernet. */
static inline bool
swhca_cmd_has_eth(const struct swhca_hca *hca)
{
	return hca->conf.has_driver && hca->conf.link_layer == SWHCA_LINK_ETH;
}

/* Capabilities: general ones, and the pages of offloads and of flow tables. */
void swhca_eth_general_cap_fill(const struct swhca_hca *hca, uint8_t *cap);
void swhca_eth_offload_cap_fill(const struct swhca_hca *hca, uint8_t *cap);
void swhca_eth_flow_cap_fill(const struct swhca_hca *hca, uint8_t *cap);

/** Reject commands for a function without Ethernet queues, or for another vport. */
uint8_t swhca_cmd_flow_check(struct swhca_cmd *cmd);
struct swhca_flow_table;
/** Find the flow table of a command. @return Its status. */
uint8_t swhca_cmd_flow_table_find(struct swhca_cmd *cmd, struct swhca_flow_table **table);
/** Reject a group or entry beyond the limit. */
uint8_t swhca_cmd_flow_room_check(struct swhca_cmd *cmd);

#endif /* SWHCA_CMD_ETH_H */
