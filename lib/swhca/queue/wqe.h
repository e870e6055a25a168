/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_QUEUE_WQE_H
#define SWHCA_QUEUE_WQE_H

/**
 * @file
 * A send WQE during execution, and how it ends.
 */

#include <endian.h>
#include <stdbool.h>
#include <stdint.h>

#include "mlx5_prm_wqe.h"
#include "mem/cause.h"

/** Result of a WQE. */
enum swhca_wqe_end {
	SWHCA_WQE_DONE,		/**< Completed; a CQE if requested. */
	SWHCA_WQE_ERROR,	/**< Completed in error: a CQE, and the QP enters the error
				 *   state. */
	SWHCA_WQE_DROPPED,	/**< Like done, but its message is silently lost. */
	SWHCA_WQE_SENT,		/**< Sent: its answer comes later. */
	SWHCA_WQE_WAIT,		/**< Retry at qp->not_before_ns. */
};

/** Maximum payload bytes of a CQE. */
#define SWHCA_SCATTER_MAX 64u

/** Payload delivered in a CQE; len 0: none. */
struct swhca_scatter {
	uint32_t len;
	uint32_t room;		/**< Payload bytes of the CQE: 32 or 64. */
	uint8_t data[SWHCA_SCATTER_MAX];
};

/** A send WQE during execution. */
struct swhca_wqe {
	const uint8_t *data;	/**< Linear copy, nb_ds octowords. */
	uint32_t nb_ds;
	uint32_t ds;		/**< Octowords consumed: offset of the next segment. */
	uint8_t opcode;
	uint8_t opmod;
	uint8_t fm_ce_se;
	uint16_t index;		/**< Index of its first WQEBB. */
	uint32_t imm;		/**< As in memory. */
	uint32_t byte_cnt;	/**< For the CQE. */
	const struct mlx5_wqe_av *av;	/**< For service types with an address vector in the WQE. */
	bool is_base_av;		/**< Ends before the GRH part. */
	uint32_t srqn;			/**< XRC: target shared queue. */
	struct swhca_wqe_error error;
	struct swhca_scatter scatter;	/**< Last: only len is set if unused. */
};

/** Note an error. @return SWHCA_WQE_ERROR. */
static inline enum swhca_wqe_end
swhca_wqe_fail(struct swhca_wqe *wqe, enum swhca_cause cause)
{
	wqe->error = swhca_cause_error(cause);
	return SWHCA_WQE_ERROR;
}

/** Bytes of a data segment. PRM: a byte count of 0 means 2 GiB. */
static inline uint64_t
swhca_data_seg_len(const struct mlx5_wqe_data_seg *seg)
{
	return seg->byte_count == 0 ? UINT64_C(1) << 31 : be32toh(seg->byte_count);
}

#endif /* SWHCA_QUEUE_WQE_H */
