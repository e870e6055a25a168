/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_CMD_AV_MAP_H
#define SWHCA_CMD_AV_MAP_H

/**
 * @file
 * Mappings of addresses to the congestion control of QPs.
 */

#include "cmd/cmd.h"

#define SWHCA_NB_AV_QP_MAPPINGS		4096u

uint8_t swhca_av_map_create(struct swhca_cmd *cmd);
uint8_t swhca_av_map_query(struct swhca_cmd *cmd, const struct swhca_obj *obj);

#endif /* SWHCA_CMD_AV_MAP_H */
