/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_UVERBS_QP_STATE_H
#define SWHCA_UVERBS_QP_STATE_H

/**
 * @file
 * Common definitions of the QP files: numbers of verbs that no UAPI header has, and the state
 * machine.
 */

#include <stdint.h>

/** enum ib_qp_state; verbs.h: IBV_QPS_* */
enum uqp_state {
	UQP_RESET,
	UQP_INIT,
	UQP_RTR,
	UQP_RTS,
	UQP_SQD,
	UQP_SQE,
	UQP_ERR,
};

/* enum ib_qp_attr_mask; verbs.h: IBV_QP_* */
#define QP_STATE		(1u << 0)
#define QP_CUR_STATE		(1u << 1)
#define QP_ACCESS_FLAGS		(1u << 3)
#define QP_PKEY_INDEX		(1u << 4)
#define QP_PORT			(1u << 5)
#define QP_QKEY			(1u << 6)
#define QP_AV			(1u << 7)
#define QP_PATH_MTU		(1u << 8)
#define QP_TIMEOUT		(1u << 9)
#define QP_RETRY_CNT		(1u << 10)
#define QP_RNR_RETRY		(1u << 11)
#define QP_RQ_PSN		(1u << 12)
#define QP_MAX_QP_RD_ATOMIC	(1u << 13)
#define QP_ALT_PATH		(1u << 14)
#define QP_MIN_RNR_TIMER	(1u << 15)
#define QP_SQ_PSN		(1u << 16)
#define QP_MAX_DEST_RD_ATOMIC	(1u << 17)
#define QP_PATH_MIG_STATE	(1u << 18)
#define QP_DEST_QPN		(1u << 20)

/** A transition of a QP of one type. */
struct uqp_transition {
	uint8_t from;		/**< enum uqp_state */
	uint8_t to;
	uint16_t op;		/**< Command of the transition. */
	uint32_t must;		/**< Required attributes (IBA 11.2.5.2). */
	uint32_t may;		/**< Optional attributes. */
	uint32_t opt_params;	/**< Supported bits of opt_param_mask. */
};

/** @return NULL if there is no such transition. */
const struct uqp_transition *swhca_uqp_transition_find(uint32_t type, uint8_t from, uint8_t to);

#endif /* SWHCA_UVERBS_QP_STATE_H */
