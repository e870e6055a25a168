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

#include "mem/mkey.h"
#include "object/hca.h"

/** Result of a WQE. */
enum swhca_wqe_end {
	SWHCA_WQE_DONE,		/**< Completed; a CQE if requested. */
	SWHCA_WQE_ERROR,	/**< Completed in error: a CQE, and the QP enters the error
				 *   state. */
	SWHCA_WQE_DROPPED,	/**< Like done, but its message is silently lost. */
	SWHCA_WQE_SENT,		/**< Sent: its answer comes later. */
	SWHCA_WQE_WAIT,		/**< Retry at qp->not_before_ns. */
};

/** Error of a WQE, as in the CQE. */
struct swhca_wqe_error {
	uint8_t syndrome;	/**< MLX5_CQE_SYNDROME_* */
	uint8_t vendor;		/**< SWHCA_VENDOR_* */
};

/*
 * Vendor syndromes. Those of adapters are known from published logs: 0x88 for remote access, 0x81
 * for an exceeded retry counter (openucx/ucx#6669), 0x52 for the local key of a send queue
 * (openucx/ucx#6414, FDio/csit#3988). There is no public list; the others only identify the model's
 * checks: 0xc0 + enum swhca_fault for a key.
 */
#define SWHCA_VENDOR_REMOTE_ACCESS	0x88u
#define SWHCA_VENDOR_LOCAL_KEY		0x52u
#define SWHCA_VENDOR_RETRY		0x81u
#define SWHCA_VENDOR_OPCODE		0x01u
#define SWHCA_VENDOR_FORMAT		0x02u
#define SWHCA_VENDOR_RING		0x03u
#define SWHCA_VENDOR_LENGTH		0x04u
#define SWHCA_VENDOR_UNMAPPED		0x05u
#define SWHCA_VENDOR_UMR_KEY		0x06u
#define SWHCA_VENDOR_UMR_MASK		0x07u
#define SWHCA_VENDOR_UMR_SIZE		0x08u
#define SWHCA_VENDOR_RNR		0x09u
#define SWHCA_VENDOR_SRQ		0x0au
#define SWHCA_VENDOR_ALIGN		0x0bu
#define SWHCA_VENDOR_PSV		0x0cu
#define SWHCA_VENDOR_BSF		0x0du
#define SWHCA_VENDOR_FLUSH		0xf9u
#define SWHCA_VENDOR_FAULT(fault)	(0xc0u + (unsigned int)(fault))

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
swhca_wqe_fail(struct swhca_wqe *wqe, uint8_t syndrome, unsigned int vendor)
{
	wqe->error = (struct swhca_wqe_error){ .syndrome = syndrome, .vendor = (uint8_t)vendor };
	return SWHCA_WQE_ERROR;
}

/** Vendor syndrome of a fault at a local key of a send queue. */
static inline unsigned int
swhca_vendor_local(const struct swhca_hca *hca, enum swhca_fault fault)
{
	return (fault == SWHCA_FAULT_NO_KEY || fault == SWHCA_FAULT_TAG) &&
		       !swhca_has_quirk(hca, SWHCA_QUIRK_LOCAL_VENDOR) ?
		       SWHCA_VENDOR_LOCAL_KEY : SWHCA_VENDOR_FAULT(fault);
}

/** Bytes of a data segment. PRM: a byte count of 0 means 2 GiB. */
static inline uint64_t
swhca_data_seg_len(const struct mlx5_wqe_data_seg *seg)
{
	return seg->byte_count == 0 ? UINT64_C(1) << 31 : be32toh(seg->byte_count);
}

#endif /* SWHCA_QUEUE_WQE_H */
