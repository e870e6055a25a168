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
struct swhca_obj;
struct swhca_qp;
struct swhca_sched;

/* Limits that QUERY_HCA_CAP reports and the commands enforce; rates in kbit/s. */
#define SWHCA_NB_RATES		128u
#define SWHCA_MIN_RATE_KBPS	1u
#define SWHCA_MAX_RATE_KBPS	400000000u
#define SWHCA_NB_SCHEDS		4096u
#define SWHCA_MAX_SCHED_LEVELS	8u
#define SWHCA_MAX_BW_SHARE	100u

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

/** @return Nanoseconds until the pacer's time has come, 0: now. */
uint64_t swhca_pacer_wait_ns(const struct swhca_pacer *pacer, uint64_t now);
void swhca_pacer_charge(struct swhca_pacer *pacer, uint64_t now, uint64_t bytes);

/* Scheduling elements: sched.c */
/** The same for an element and all above it; NULL has no limit. */
uint64_t swhca_sched_wait_ns(const struct swhca_hca *hca, const struct swhca_sched *sched,
			     uint64_t now);
void swhca_sched_charge(const struct swhca_hca *hca, struct swhca_sched *sched, uint64_t now,
			uint64_t bytes);
void swhca_sched_release(struct swhca_hca *hca, struct swhca_obj *obj);
void swhca_sched_fini(struct swhca_hca *hca, struct swhca_sched *sched);
uint8_t swhca_sched_create(struct swhca_cmd *cmd);
uint8_t swhca_sched_modify(struct swhca_cmd *cmd, struct swhca_obj *obj);
uint8_t swhca_sched_query(struct swhca_cmd *cmd, const struct swhca_obj *obj);

/** @return Nanoseconds until a QP may execute its next WQE, 0: now. */
uint64_t swhca_qos_wait_ns(const struct swhca_qp *qp);
/** Account for payload that a QP has sent. */
void swhca_qos_charge(struct swhca_qp *qp, uint64_t bytes);
/** The same for what it answers to reads. */
uint64_t swhca_qos_resp_wait_ns(const struct swhca_qp *qp);
void swhca_qos_resp_charge(struct swhca_qp *qp, uint64_t bytes);

/* Commands. */
uint8_t swhca_cmd_set_pp_rate_limit(struct swhca_cmd *cmd);
/** Whether the entry of the rate table that a new QP names is there and may be used. */
uint8_t swhca_cmd_qp_rate_check(struct swhca_cmd *cmd, const uint8_t *qpc);

#endif /* SWHCA_QOS_H */
