/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef MLX5_UMR_CONFIGURE_H
#define MLX5_UMR_CONFIGURE_H

/**
 * @file
 * Configuration of keys off the fast path: operations that the fast path rejects or does not
 * support.
 *
 * An operation is planned first: every property adds its part to a plan, or rejects the operation.
 * Nothing is written before the plan is complete. Then it is built, as one to four WQEs:
 *
 *     UMR               control 16, UMR control 48, key context 64,
 *                       KLMs or the pointer to them, BSFs
 *     UMR               only the BSFs, if the KLMs are not in the WQE: the device
 *                       accepts no BSFs after a pointer
 *     SET_PSV, SET_PSV  the initial values of a signature
 */

#include <stdint.h>

#include <rte_umr.h>

#include "ring/slot.h"
#include "plan/key_crypto.h"
#include "ring/key_sig.h"
#include "plan/layout.h"
#include "wqe/sig.h"

/** Maximum BSFs of a key: one for a signature, one for an encryption. */
#define MLX5_UMR_MAX_BSF	2u
/** Octowords of a WQE that are available for KLMs and BSFs. */
#define MLX5_UMR_MAX_TAIL_DS	PRM_UMR_INLINE_KLM_MAX
/** Maximum blocks of BSFs in a separate UMR. */
#define MLX5_UMR_MAX_BSF_WQEBB                                                                     \
	(MLX5_UMR_HDR_WQEBB + MLX5_UMR_MAX_BSF * PRM_BSF_SIZE / PRM_WQE_BB_SIZE)

/* Key context, dword 3. */
#define MLX5_UMR_MKC_BSF_EN	(UINT32_C(1) << PRM_MKC_BSF_EN.lsb)

/** Plan of an operation. */
struct mlx5_umr_plan {
	struct mlx5_umr_queue *queue;
	struct rte_umr_mkey *mkey;
	uint64_t flags;
	struct mlx5_umr_head head;
	struct mlx5_umr_layout layout;	/* nb_klm is 0 if none is set */
	struct mlx5_umr_sig_plan sig;	/* for a key that can have a signature */
	struct mlx5_umr_crypto_state crypto; /* new encryption of the key, if supported */
	const struct rte_umr_crypto *new_crypto; /* NULL: none is set */
	bool has_crypto_bsf;	/* its BSF is written */
	uint8_t op;		/* enum rte_umr_op_type */
	/* Update only entries from klm_offset on, which the device counts in octowords. */
	bool is_update;
	uint8_t umr_flags;	/* in addition to the flag for KLMs in the WQE */
	uint32_t klm_offset;
	uint8_t nb_bsf;
	bool has_base;		/* the start address of the key is set */
	uint64_t base_addr;
	/* Location, known when the plan is complete. */
	bool is_in_memory;	/* KLMs are not in the WQE */
	uint8_t *klms;
	uint32_t klm_end;	/* chunk after them */
	uint32_t nb_wqebb;
	struct mlx5_umr_slot slot;
};

/** Checked flags, with enum rte_umr_op_type in the upper bits: one argument for both. */
#define MLX5_UMR_HOW(flags, type)	((flags) | (uint64_t)(type) << 56)
#define MLX5_UMR_HOW_TYPE(how)		((uint8_t)((how) >> 56))
static_assert(RTE_UMR_OP_F_ALL >> 56 == 0, "room for a type");

/*
 * The fast path calls these, without a stack frame, for operations that it does not handle: those
 * to be rejected, and those with special keys or access.
 */
int mlx5_umr_mkey_configure_general(void *queue, const struct rte_umr_mkey_op *op, uint64_t flags);
int mlx5_umr_mkey_list_general(void *queue, struct rte_umr_mkey *mkey, uint32_t access,
			       const struct rte_umr_seg *segs, uint32_t nb_segs, uint64_t how);
int mlx5_umr_mkey_interleaved_general(void *queue, struct rte_umr_mkey *mkey, uint32_t access,
				      uint32_t repeat, const struct rte_umr_interleaved *entries,
				      uint32_t nb_entries, uint64_t how);

/**
 * Compute the blocks of the operation and the location of its KLMs. @return 0 or a negative errno
 * (counted).
 */
int mlx5_umr_plan_place(struct mlx5_umr_plan *plan);
/** Build the planned and placed operation. @return The index of the operation. */
int mlx5_umr_plan_enqueue(const struct mlx5_umr_plan *plan);

/** rte_umr_mkey_invalidate() of the driver. */
int mlx5_umr_mkey_invalidate(void *queue, struct rte_umr_mkey *mkey, uint64_t flags);

/** rte_umr_mkey_update() of the driver. */
int mlx5_umr_mkey_update(void *queue, struct rte_umr_mkey *mkey, uint32_t first,
			 const struct rte_umr_seg *segs, uint32_t nb_segs, uint64_t flags);

/**
 * Plan the signature, after the layout. Does nothing for keys without signatures.
 *
 * @return
 *   0 or a negative errno (logged, counted).
 */
int mlx5_umr_plan_sig(struct mlx5_umr_plan *plan, const struct rte_umr_mkey_op *conf);
/** Record the new signature of the key after the operation was accepted. */
void mlx5_umr_plan_sig_note(const struct mlx5_umr_plan *plan);

/** rte_umr_mkey_check() of the driver. */
int mlx5_umr_mkey_check(struct rte_umr_mkey *mkey, struct rte_umr_mkey_error *error);

/** Checks common to all operations on keys. @return 0 or a negative errno (logged, counted). */
int mlx5_umr_mkey_common_check(struct mlx5_umr_queue *queue, const struct rte_umr_mkey *mkey,
			       uint64_t flags);

/**
 * Record the layout of a key whose entries can be replaced. From then on the layout is a copy of
 * the recorded octowords.
 */
void mlx5_umr_mkey_note_layout(const struct rte_umr_mkey *mkey, struct mlx5_umr_layout *layout);

#endif /* MLX5_UMR_CONFIGURE_H */
