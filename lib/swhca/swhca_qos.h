/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_QOS_H
#define SWHCA_QOS_H

/**
 * @file
 * Rates: how fast a queue pair may send.
 *
 * A pacer is a clock that runs ahead by the time that each payload takes at its rate; who is ahead
 * of real time waits. The fabric lock is held in all of it.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mlx5_prm_qos.h"

struct swhca_cmd;
struct swhca_hca;
struct swhca_qp;

/* Limits that QUERY_HCA_CAP reports and the commands enforce; rates in kbit/s. */
#define SWHCA_NB_RATES		128u
#define SWHCA_MIN_RATE_KBPS	1u
#define SWHCA_MAX_RATE_KBPS	400000000u

struct swhca_pacer {
	uint64_t kbps;		/**< 0: no limit. */
	uint64_t burst_ns;	/**< How far ahead of real time it may run. */
	uint64_t ahead_ns;	/**< Until when what was sent takes at the rate. */
};

/** An entry of the rate table. */
struct swhca_rate {
	uint16_t uid;		/**< User context that may use it, or PRM_UID_SHARED. */
	struct swhca_pacer pacer;
};

/** Fill the capability page of QoS, or of doorbell areas. */
void swhca_qos_cap_fill(uint8_t *cap);
void swhca_vdpa_cap_fill(const struct swhca_hca *hca, uint8_t *cap);

/** @return Nanoseconds until a QP may execute its next WQE, 0: now. */
uint64_t swhca_qos_wait_ns(const struct swhca_qp *qp);
/** Account for payload that a QP has sent. */
void swhca_qos_charge(struct swhca_qp *qp, uint64_t bytes);

/* Commands. */
uint8_t swhca_cmd_set_pp_rate_limit(struct swhca_cmd *cmd);
/** Whether the entry of the rate table that a new QP names is there and may be used. */
uint8_t swhca_cmd_qp_rate_check(struct swhca_cmd *cmd, const uint8_t *qpc);

#endif /* SWHCA_QOS_H */
