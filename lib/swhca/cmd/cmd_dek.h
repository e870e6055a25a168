/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_CMD_DEK_H
#define SWHCA_CMD_DEK_H

/**
 * @file
 * Commands and capabilities of data encryption keys.
 */

#include "cmd/cmd.h"

uint8_t swhca_dek_create(struct swhca_cmd *cmd);
uint8_t swhca_dek_query(struct swhca_cmd *cmd, const struct swhca_obj *obj);
/** Fill the capability page of crypto. */
void swhca_crypto_cap_fill(const struct swhca_hca *hca, uint8_t *page);

#endif /* SWHCA_CMD_DEK_H */
