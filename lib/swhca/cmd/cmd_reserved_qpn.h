/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_CMD_RESERVED_QPN_H
#define SWHCA_CMD_RESERVED_QPN_H

/**
 * @file
 * Queue pair numbers reserved from allocation: general objects of type PRM_OBJ_TYPE_RESERVED_QPN.
 */

#include "cmd/cmd.h"

/** Lowest of them, and their number. */
#define SWHCA_FIRST_RESERVED_QPN	0x80000u
#define SWHCA_LOG_MAX_RESERVED_QPN	10u

uint8_t swhca_reserved_qpn_create(struct swhca_cmd *cmd);
uint8_t swhca_reserved_qpn_query(struct swhca_cmd *cmd, const struct swhca_obj *obj);

#endif /* SWHCA_CMD_RESERVED_QPN_H */
