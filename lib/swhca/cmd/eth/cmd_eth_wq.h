/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_CMD_ETH_WQ_H
#define SWHCA_CMD_ETH_WQ_H

/**
 * @file
 * Common functions of the SQ and RQ commands.
 */

#include "cmd/cmd.h"
#include "eth/eth_queue.h"

/**
 * Initialize a queue from the context of its create command: CQ, PD, ring and record.
 *
 * @return
 *   Its status; swhca_ewq_fini() releases the resources in any case.
 */
uint8_t swhca_cmd_ewq_init(struct swhca_cmd *cmd, struct swhca_ewq *wq);
/**
 * Get the new state of a queue from a command.
 *
 * @param state
 *   Written on success.
 */
uint8_t swhca_cmd_ewq_next_state(struct swhca_cmd *cmd, const struct swhca_ewq *wq,
				 uint8_t *state);
/** Answer a query. */
void swhca_cmd_ewq_query(struct swhca_cmd *cmd, const struct swhca_ewq *wq);

#endif /* SWHCA_CMD_ETH_WQ_H */
