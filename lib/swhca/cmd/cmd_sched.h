/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_CMD_SCHED_H
#define SWHCA_CMD_SCHED_H

/**
 * @file
 * Commands of scheduling elements.
 */

#include "cmd/cmd.h"

/* Limits that QUERY_HCA_CAP reports and the commands enforce. */
#define SWHCA_NB_SCHEDS		4096u
#define SWHCA_MAX_SCHED_LEVELS	8u
#define SWHCA_MAX_BW_SHARE	100u

uint8_t swhca_sched_create(struct swhca_cmd *cmd);
uint8_t swhca_sched_modify(struct swhca_cmd *cmd, struct swhca_obj *obj);
uint8_t swhca_sched_query(struct swhca_cmd *cmd, const struct swhca_obj *obj);
/** Remove queues from a group that is destroyed. */
void swhca_sched_release(struct swhca_hca *hca, struct swhca_obj *obj);

#endif /* SWHCA_CMD_SCHED_H */
