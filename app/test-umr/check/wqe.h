/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef CHECK_WQE_H
#define CHECK_WQE_H

/**
 * @file
 * Build work requests segment by segment, valid or invalid, without a queue.
 *
 * The builders of the driver are not used: they cannot build invalid requests, and their own bugs
 * would remain hidden.
 */

#include <stdbool.h>
#include <stdint.h>

#include <mlx5_prm_wqe.h>

struct check_wqe {
	uint32_t nb_ds;
	uint8_t opcode;
	uint8_t opmod;
	uint8_t fm_ce_se;
	uint32_t imm;		/* host byte order */
	uint8_t bytes[PRM_WQE_MAX_DS * PRM_WQE_DS_SIZE] __attribute__((aligned(16)));
};

/** An entry of a list. */
struct check_klm {
	uint64_t addr;
	uint32_t key;
	uint32_t len;
};

/** New configuration of a key. */
struct check_umr {
	uint32_t key;		/**< Key in the control segment. */
	uint8_t flags;		/**< MLX5_WQE_UMR_CTRL_FLAG_*; INLINE is added as needed. */
	uint64_t mask;		/**< mkey_mask; 0: CHECK_MASK_LAYOUT. */
	uint32_t access;	/**< MLX5_WQE_MKEY_CONTEXT_ACCESS_FLAGS_* */
	uint8_t tag;
	bool is_free;
	uint64_t len;
	const struct check_klm *klms; /**< Padded to groups of four. */
	uint32_t nb_klm;
	uint64_t first;		/**< With MLX5_WQE_UMR_CTRL_FLAG_TRNSLATION_OFFSET. */
	uint64_t list_addr;	/**< Address of the nb_klm entries if not inline. */
	uint32_t list_lkey;	/**< 0: entries are inline. */
	const uint8_t *bsf;	/**< PRM_BSF_SIZE bytes, or NULL. */
	bool is_crypto;		/**< The BSF is for encryption; otherwise for a signature. */
	bool sigerr;		/**< With a signature: parity of the expected error. */
	bool has_relaxed;	/**< Relaxed ordering of writes. */
};

/** mkey_mask of a layout: length, access, tag and not free. */
#define CHECK_MASK_LAYOUT                                                                          \
	((uint64_t)MLX5_WQE_UMR_CTRL_MKEY_MASK_FREE | MLX5_WQE_UMR_CTRL_MKEY_MASK_MKEY |           \
	 MLX5_WQE_UMR_CTRL_MKEY_MASK_LEN | MLX5_WQE_UMR_CTRL_MKEY_MASK_ACCESS_LOCAL_WRITE |        \
	 MLX5_WQE_UMR_CTRL_MKEY_MASK_ACCESS_REMOTE_READ |                                          \
	 MLX5_WQE_UMR_CTRL_MKEY_MASK_ACCESS_REMOTE_WRITE |                                         \
	 MLX5_WQE_UMR_CTRL_MKEY_MASK_ACCESS_ATOMIC)

/** All access rights. */
#define CHECK_ACCESS_ALL                                                                           \
	((uint32_t)MLX5_WQE_MKEY_CONTEXT_ACCESS_FLAGS_LOCAL_WRITE |                                \
	 MLX5_WQE_MKEY_CONTEXT_ACCESS_FLAGS_REMOTE_READ |                                          \
	 MLX5_WQE_MKEY_CONTEXT_ACCESS_FLAGS_REMOTE_WRITE |                                         \
	 MLX5_WQE_MKEY_CONTEXT_ACCESS_FLAGS_ATOMIC)

/** Start a WQE that generates a CQE. */
void check_wqe_init(struct check_wqe *wqe, uint8_t opcode, uint8_t fence);
/** Append a zeroed segment. */
void *check_wqe_add(struct check_wqe *wqe, uint32_t size);
void check_wqe_add_raddr(struct check_wqe *wqe, uint32_t rkey, uint64_t addr);
void check_wqe_add_data(struct check_wqe *wqe, uint32_t lkey, uint64_t addr, uint32_t len);
void check_wqe_add_atomic(struct check_wqe *wqe, uint64_t swap_add, uint64_t compare);

/** Build the configuration of a key. */
void check_wqe_umr(struct check_wqe *wqe, const struct check_umr *umr);
/** Build the invalidation of a key as the driver does; the key becomes free. */
void check_wqe_inval(struct check_wqe *wqe, uint32_t key);
void check_wqe_set_psv(struct check_wqe *wqe, uint32_t psv, uint64_t transient);

/** Write entries in memory format. */
void check_klms_write(void *dst, const struct check_klm *klms, uint32_t nb);

/** Write the control segment. @return Size in blocks of 64 bytes. */
uint32_t check_wqe_finish(struct check_wqe *wqe, uint16_t index, uint32_t qpn);

#endif /* CHECK_WQE_H */
