/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_CMD_DCI_H
#define SWHCA_CMD_DCI_H

/**
 * @file
 * Stream parameters of initiators in commands of queue pairs.
 */

#include "cmd/cmd.h"
#include "queue/qp.h"

/** Check the stream parameters of a new QP, and allocate its streams. */
uint8_t swhca_cmd_dci_init(struct swhca_cmd *cmd, struct swhca_qp *qp);
/** RTS2RTS: check that the stream to be reset is in error. */
uint8_t swhca_cmd_dci_stream_check(struct swhca_cmd *cmd, const struct swhca_qp *qp);

#endif /* SWHCA_CMD_DCI_H */
