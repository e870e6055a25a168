/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_CMD_QOS_H
#define SWHCA_CMD_QOS_H

/**
 * @file
 * Commands about rates and scheduling elements, and what the device says of them.
 */

#include "cmd/cmd.h"

/* Limits that QUERY_HCA_CAP reports and the commands enforce; rates in kbit/s. */
#define SWHCA_MIN_RATE_KBPS	1u
#define SWHCA_MAX_RATE_KBPS	400000000u
#define SWHCA_NB_SCHEDS		4096u
#define SWHCA_MAX_SCHED_LEVELS	8u
#define SWHCA_MAX_BW_SHARE	100u

/** Fill the capability page of QoS, or of doorbell areas. */
void swhca_qos_cap_fill(uint8_t *cap);
void swhca_vdpa_cap_fill(const struct swhca_hca *hca, uint8_t *cap);

/** Whether the entry of the rate table that a new QP names is there and may be used. */
uint8_t swhca_cmd_qp_rate_check(struct swhca_cmd *cmd, const uint8_t *qpc);

/* Scheduling elements: sched.c */
uint8_t swhca_sched_create(struct swhca_cmd *cmd);
uint8_t swhca_sched_modify(struct swhca_cmd *cmd, struct swhca_obj *obj);
uint8_t swhca_sched_query(struct swhca_cmd *cmd, const struct swhca_obj *obj);
/** Queues leave a group that goes. */
void swhca_sched_release(struct swhca_hca *hca, struct swhca_obj *obj);

#endif /* SWHCA_CMD_QOS_H */
