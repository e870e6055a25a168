/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef MLX5_UMR_CAPS_H
#define MLX5_UMR_CAPS_H

/**
 * @file
 * Capabilities of a device.
 */

#include <stdbool.h>
#include <stdint.h>

#include "wqe/crypto.h"

/** Results of QUERY_HCA_CAP. */
struct mlx5_umr_caps {
	uint8_t log_max_qp_sz;		/* WQEBBs of a ring */
	uint8_t log_max_qp;
	uint8_t log_max_cq;
	uint8_t log_max_cq_sz;
	uint8_t log_max_mkey;
	uint8_t log_max_klm;		/* entries of a key */
	uint8_t log_max_msg;		/* bytes of a message */
	uint8_t log_max_ra_req_qp;	/* outstanding reads of a queue */
	uint8_t log_max_ra_res_qp;	/* outstanding reads of the peer */
	uint8_t max_indirection;
	uint8_t umr_fence;		/* PRM_CAP_UMR_FENCE_* */
	/* bits of PRM_UMR_MKEY_MASK_RELAXED_ORDERING_* that UMR supports */
	uint64_t relaxed_mkey_mask;
	uint16_t max_wqe_sz_sq;
	uint16_t max_wqe_sz_rq;
	bool has_rc;
	uint16_t bf_size;		/* bytes of half a doorbell register; 0: no BlueField */
	bool has_scatter_cqe;		/* messages can be received in CQEs */
	bool has_send_inv;		/* the peer can invalidate keys */
	bool has_umr_strided;
	bool has_fixed_size;		/* keys with entries of one size */
	bool has_sig;			/* block signatures, whose errors report domain and type */
	bool has_sig_block_4048;
	bool has_sig_crc32c;
	bool has_sig_crc64_xp10;
	bool is_umr_disabled;
	bool has_dc;
	uint8_t log_max_srq_sz;		/* receives that targets share */
	uint8_t log_max_ra_req_dc;	/* outstanding reads of an initiator */
	uint16_t max_wqe_sz_sq_dc;
	/* timestamps have a default format in addition to free running */
	bool has_ts_default;
	bool has_relaxed_ordering;	/* for writes of the device */
	struct mlx5_umr_crypto_caps crypto;
};

#endif /* MLX5_UMR_CAPS_H */
