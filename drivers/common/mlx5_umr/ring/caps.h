/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef MLX5_UMR_CAPS_H
#define MLX5_UMR_CAPS_H

/**
 * @file
 * What a device can do.
 */

#include <stdbool.h>
#include <stdint.h>

#include "wqe/crypto.h"

/** What QUERY_HCA_CAP tells. */
struct mlx5_umr_caps {
	uint8_t log_max_qp_sz;		/* WQEBBs of a ring */
	uint8_t log_max_qp;
	uint8_t log_max_cq;
	uint8_t log_max_cq_sz;
	uint8_t log_max_mkey;
	uint8_t log_max_klm;		/* entries of a key */
	uint8_t log_max_msg;		/* bytes of a message */
	uint8_t log_max_ra_req_qp;	/* reads that a queue may have in flight */
	uint8_t log_max_ra_res_qp;	/* reads of the peer that it answers at a time */
	uint8_t max_indirection;
	uint8_t umr_fence;		/* PRM_CAP_UMR_FENCE_* */
	uint64_t relaxed_mkey_mask;	/* what of PRM_UMR_MKEY_MASK_RELAXED_ORDERING_* UMR has */
	uint16_t max_wqe_sz_sq;
	uint16_t max_wqe_sz_rq;
	bool has_rc;
	uint16_t bf_size;		/* bytes of half a doorbell register; 0: no BlueField */
	bool has_scatter_cqe;		/* messages can come in CQEs */
	bool has_send_inv;		/* keys can be invalidated by the peer */
	bool has_umr_strided;
	bool has_fixed_size;		/* keys of entries of one size */
	bool has_sig;			/* block signatures, whose errors tell domain and type */
	bool has_sig_block_4048;
	bool has_sig_crc32c;
	bool has_sig_crc64_xp10;
	bool is_umr_disabled;
	bool has_dc;
	uint8_t log_max_srq_sz;		/* receives that targets share */
	uint8_t log_max_ra_req_dc;	/* reads that an initiator may have in flight */
	uint16_t max_wqe_sz_sq_dc;
	bool has_ts_default;		/* time stamps have a default format besides free running */
	bool has_relaxed_ordering;	/* of writes of the device */
	struct mlx5_umr_crypto_caps crypto;
};

#endif /* MLX5_UMR_CAPS_H */
