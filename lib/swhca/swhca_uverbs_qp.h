/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_UVERBS_QP_H
#define SWHCA_UVERBS_QP_H

/**
 * @file
 * Numbers of verbs that the files about QPs share and that no UAPI header has.
 */

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

#endif /* SWHCA_UVERBS_QP_H */
