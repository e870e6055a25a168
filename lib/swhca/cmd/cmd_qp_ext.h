/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_CMD_QP_EXT_H
#define SWHCA_CMD_QP_EXT_H

/**
 * @file
 * Mailbox extensions in commands of queue pairs.
 */

#include "cmd/cmd.h"
#include "queue/qp.h"

/** Check the parameters of a transition selected by bits 95..32 of its mask. */
uint8_t swhca_cmd_qp_ext_check(struct swhca_cmd *cmd, const struct swhca_qp *qp);
void swhca_cmd_qp_ext_apply(const struct swhca_cmd *cmd, struct swhca_qp *qp);
/** Reset those that are not stored in the context. */
void swhca_cmd_qp_ext_reset(struct swhca_qp *qp);

#endif /* SWHCA_CMD_QP_EXT_H */
