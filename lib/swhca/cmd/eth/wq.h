/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_CMD_ETH_WQ_H
#define SWHCA_CMD_ETH_WQ_H

/**
 * @file
 * What the commands of SQs and RQs have in common.
 */

#include "cmd/cmd.h"
#include "eth/queue.h"

/**
 * Take the context of a command that creates a queue: CQ, PD, ring and record of it.
 *
 * @return
 *   Its status; what was taken is released by swhca_ewq_fini() either way.
 */
uint8_t swhca_cmd_ewq_init(struct swhca_cmd *cmd, struct swhca_ewq *wq);
/**
 * The state that a command brings a queue to.
 *
 * @param state
 *   Written on success.
 */
uint8_t swhca_cmd_ewq_next_state(struct swhca_cmd *cmd, const struct swhca_ewq *wq,
				 uint8_t *state);
/** Answer a query. */
void swhca_cmd_ewq_query(struct swhca_cmd *cmd, const struct swhca_ewq *wq);

#endif /* SWHCA_CMD_ETH_WQ_H */
