/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_CMD_QP_SCATTER_H
#define SWHCA_CMD_QP_SCATTER_H

/**
 * @file
 * What a new queue pair says of payload in its completions.
 */

#include "cmd/cmd.h"
#include "queue/qp.h"

/** Whether a new QP may have its payload in CQEs as it asks. */
uint8_t swhca_cmd_qp_scatter_check(struct swhca_cmd *cmd, const struct swhca_qp *qp);

#endif /* SWHCA_CMD_QP_SCATTER_H */
