/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_CMD_QOS_H
#define SWHCA_CMD_QOS_H

/**
 * @file
 * Commands of rates, and capabilities of rates and doorbell areas.
 */

#include "cmd/cmd.h"

/* Limits that QUERY_HCA_CAP reports and the commands enforce; rates in kbit/s. */
#define SWHCA_MIN_RATE_KBPS	1u
#define SWHCA_MAX_RATE_KBPS	400000000u

/** Fill the capability page of QoS, or of doorbell areas. */
void swhca_qos_cap_fill(uint8_t *cap);
void swhca_vdpa_cap_fill(const struct swhca_hca *hca, uint8_t *cap);

/** Check that the rate table entry of a new QP exists and may be used. */
uint8_t swhca_cmd_qp_rate_check(struct swhca_cmd *cmd, const uint8_t *qpc);

#endif /* SWHCA_CMD_QOS_H */
