/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_CMD_QP_SCATTER_H
#define SWHCA_CMD_QP_SCATTER_H

/**
 * @file
 * Scatter to CQE of a new queue pair.
 */

#include "cmd/cmd.h"
#include "queue/qp.h"

/** Check the scatter to CQE parameters of a new QP. */
uint8_t swhca_cmd_qp_scatter_check(struct swhca_cmd *cmd, const struct swhca_qp *qp);

#endif /* SWHCA_CMD_QP_SCATTER_H */
