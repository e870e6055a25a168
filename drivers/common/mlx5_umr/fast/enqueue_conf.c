/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Configure keys that have BSFs, as done for each request: a list that fits the WQE, and the
 * signature and the encryption that the key already has, possibly with other tags or another tweak.
 * plan/configure.c handles everything else and implements the rules: this file only compares.
 *
 * This file is compiled once for each instruction set, like enqueue_key.c.
 */

#include "ring/device.h"
#include "plan/configure.h"
#include "ring/enqueue.h"
#include "fast/isa.h"
#include "fast/mkey_op.h"
#include "wqe/simd/head.h"
#include "ring/mkey.h"

/* The setter of a BSF is the flag of keys that support it, shifted. */
#define SETTER_SHIFT	2
static_assert(RTE_UMR_MKEY_SET_SIG == RTE_UMR_MKEY_POOL_F_SIG << SETTER_SHIFT &&
	      RTE_UMR_MKEY_SET_CRYPTO == RTE_UMR_MKEY_POOL_F_CRYPTO << SETTER_SHIFT,
	      "a setter is its flag, shifted");

/** A key and its setters; kept in registers, or as constants in the code. */
struct bsf_op {
	struct mlx5_umr_queue *queue;
	const struct rte_umr_mkey_op *op;
	bool can_sign;				/* its pool supports signatures */
	bool can_encrypt;
	bool is_set;				/* all supported properties are set, or none */
	struct mlx5_umr_key_sig *sig;		/* if supported */
	struct mlx5_umr_key_crypto *crypto;	/* if supported */
	bool has_new_tags;
	uint64_t len_max;
	uint64_t len;
	uint32_t nb_klm;
	uint32_t bsf_ds;			/* octowords of BSFs that are written */
	uint32_t nb_psv;
};

/** Whether the signature of the key does not change, and the device is known to have it. */
static __rte_always_inline bool
sig_stays(struct bsf_op *bsf, uint32_t epoch)
{
	const struct mlx5_umr_key_sig *sig = bsf->sig;
	struct mlx5_umr_sig_diff diff;

	if (!sig->is_quick || sig->epoch != epoch || sig->image.nb_psv == 0 ||
	    sig->armed_at != __atomic_load_n(&sig->nb_errors, __ATOMIC_RELAXED))
		return false;
	bsf->len_max = MLX5_UMR_BSF_MAX_LEN;
	if (!bsf->is_set)
		return sig->is_set;
	if (bsf->op->sig == NULL)
		return false;
	diff = mlx5_umr_sig_compare(&sig->sig, bsf->op->sig);
	bsf->has_new_tags = diff.tags != 0;
	bsf->nb_psv = sig->image.nb_psv;
	return diff.rest == 0;
}

/** The same for the encryption, which must have been checked with the current signature. */
static __rte_always_inline bool
crypto_stays(struct bsf_op *bsf, uint32_t epoch)
{
	const struct mlx5_umr_key_crypto *crypto = bsf->crypto;

	if (!crypto->state.is_set || crypto->state.epoch != epoch ||
	    (bsf->can_sign && !bsf->sig->is_set))
		return false;
	bsf->len_max = bsf->can_sign ? crypto->state.len_max_signed : crypto->state.len_max;
	return !bsf->is_set || (bsf->op->crypto != NULL &&
				mlx5_umr_crypto_is_what(&crypto->what, bsf->op->crypto));
}

/** Whether only tags and tweak are new. */
static __rte_always_inline bool
bsfs_stay(struct bsf_op *bsf)
{
	const struct mlx5_umr_mkey_priv *priv = rte_umr_mkey_priv(bsf->op->mkey);
	const uint32_t epoch = __atomic_load_n(&bsf->queue->dev->sig_keys.epoch, __ATOMIC_RELAXED);

	bsf->sig = priv->sig;
	bsf->crypto = priv->crypto;
	return (!bsf->can_sign || sig_stays(bsf, epoch)) &&
	       (!bsf->can_encrypt || crypto_stays(bsf, epoch));
}

/** Record the new state of the key. */
static __rte_always_inline void
op_note(const struct bsf_op *bsf)
{
	if (bsf->can_sign) {
		if (bsf->has_new_tags)
			mlx5_umr_key_sig_retag(bsf->sig, bsf->op->sig);
		bsf->sig->len = bsf->len;
		if (bsf->is_set)
			bsf->sig->is_set = bsf->sig->has_bsf = true;
	}
	if (bsf->can_encrypt) {
		bsf->crypto->state.len = bsf->len;
		if (bsf->is_set)
			mlx5_umr_crypto_bsf_retweak(&bsf->crypto->bsf,
						    &bsf->queue->dev->caps.crypto,
						    bsf->op->crypto);
	}
}

/** Write the head of the UMR. */
static __rte_always_inline void
head_store(const struct bsf_op *bsf, const struct mlx5_umr_slot *slot, mlx5_umr_len_t len,
	   uint64_t flags)
{
	const uint32_t nb_ds = MLX5_UMR_HDR_DS + bsf->nb_klm + bsf->bsf_ds;
	const mlx5_umr_prefix_t prefix = mlx5_umr_prefix_of(
		bsf->queue->qpn_ds | nb_ds, mlx5_umr_fence_mode_umr(bsf->queue, flags), slot->pi);
	const uint64_t umr[2] = {
		mlx5_umr_be64((uint64_t)MLX5_WQE_UMR_CTRL_FLAG_INLINE << 56 |
			      (uint64_t)bsf->nb_klm << 16 | bsf->bsf_ds),
		mlx5_umr_be64(MLX5_UMR_LAYOUT_MKEY_MASK |
			      (bsf->is_set ? MLX5_WQE_UMR_CTRL_MKEY_MASK_BSF_ENABLE : 0)),
	};

	mlx5_umr_layout_head_store(slot->wqe, prefix, umr, &bsf->op->mkey->key, bsf->op->access,
				   len);
	if (bsf->is_set)
		mlx5_umr_head_set_dw3(slot->wqe, MLX5_UMR_MKC_BSF_EN);
}

/** Write the BSFs of the key, and after the UMR, when it has taken effect, the PSVs. */
static __rte_always_inline void
bsfs_store(const struct bsf_op *bsf, uint8_t *dst, mlx5_umr_idx_t pi)
{
	const struct mlx5_umr_queue *queue = bsf->queue;
	struct mlx5_umr_ctrl ctrl = {
		.pi = pi, .qpn_ds = queue->qpn_ds, .fm_ce_se = queue->fm_umr,
	};

	if (!bsf->is_set)
		return;
	if (bsf->can_sign)
		dst = mlx5_umr_sig_bsf_copy(dst, bsf->sig->image.bsf, bsf->can_encrypt);
	if (bsf->can_encrypt) {
		mlx5_umr_crypto_bsf_store(dst, &bsf->crypto->bsf);
		dst += PRM_BSF_SIZE;
	}
	if (bsf->nb_psv == 0)
		return;
	mlx5_umr_set_psv_build(dst, &ctrl, &bsf->sig->image.psvs[0]);
	if (bsf->nb_psv == 1)
		return;
	ctrl.pi++;
	mlx5_umr_set_psv_build(dst + PRM_WQE_BB_SIZE, &ctrl, &bsf->sig->image.psvs[1]);
}

/** Build and commit. The kind of key and the setters are constants here. */
static __rte_always_inline int
configure_as(struct mlx5_umr_queue *queue, const struct rte_umr_mkey_op *op, uint64_t flags,
	     const bool can_sign, const bool can_encrypt, const bool is_set)
{
	const uint32_t nb = op->nb_entries;
	struct bsf_op bsf = {
		.queue = queue, .op = op,
		.can_sign = can_sign, .can_encrypt = can_encrypt, .is_set = is_set,
		.nb_klm = mlx5_umr_klm_align(nb),
		.bsf_ds = is_set ? (can_sign + can_encrypt) * MLX5_UMR_BSF_DS : 0,
	};
	struct mlx5_umr_slot slot;
	mlx5_umr_len_t len;
	uint32_t nb_umr;
	uint8_t *dst;

	if (unlikely(nb - 1 >= op->mkey->max_entries || nb > PRM_UMR_INLINE_KLM_MAX ||
		     bsf.nb_klm + bsf.bsf_ds > MLX5_UMR_MAX_TAIL_DS || !bsfs_stay(&bsf)))
		return mlx5_umr_mkey_configure_general(queue, op, flags);
	nb_umr = MLX5_UMR_HDR_WQEBB + (bsf.nb_klm + bsf.bsf_ds) / PRM_WQE_DS_PER_BB;
	if (unlikely(!mlx5_umr_slot_get(queue, nb_umr + bsf.nb_psv, &slot)))
		return mlx5_umr_mkey_configure_general(queue, op, flags);
	dst = slot.wqe + MLX5_UMR_HDR_WQEBB * PRM_WQE_BB_SIZE;
	if (unlikely(!mlx5_umr_klms_store(dst, op->segs, nb, 0, &len) || len[1] > bsf.len_max))
		return mlx5_umr_mkey_configure_general(queue, op, flags);
	bsf.len = len[1];
	op_note(&bsf);
	op->mkey->is_laid = true;
	head_store(&bsf, &slot, len, flags);
	bsfs_store(&bsf, dst + (size_t)bsf.nb_klm * PRM_KLM_SIZE, slot.pi + nb_umr);
	/* Submit and the error path use this to find the WQEs after the first one. */
	if (bsf.nb_psv != 0)
		queue->multi_pi = slot.pi;
	return mlx5_umr_op_commit(queue, &slot, nb_umr + bsf.nb_psv, RTE_UMR_OP_MKEY_CONFIGURE, 0,
				  queue->fm_umr, flags);
}

static_assert(MLX5_UMR_SET_PSV_WQEBB == 1, "a block for each");

/* Flags and reserved fields have been checked. */
int
ISA(mlx5_umr_mkey_configure_bsf)(void *q, const struct rte_umr_mkey_op *op, uint64_t flags)
{
	const struct rte_umr_mkey *mkey = op->mkey;
	const uint32_t bsfs = mkey->flags & (uint32_t)~RTE_UMR_MKEY_POOL_F_REMOTE_INVALIDATE;
	struct mlx5_umr_queue *queue = q;
	const uint64_t what = mlx5_umr_op_what(op);

	if (unlikely(op->access > MLX5_UMR_ACCESS_MKC || mkey->dev_id != queue->fp.dev_id ||
		     (bsfs & ~MLX5_UMR_BSF_FLAGS) != 0))
		return mlx5_umr_mkey_configure_general(queue, op, flags);
	if (what == MLX5_UMR_PLAIN_LIST)
		return configure_as(queue, op, flags, (bsfs & RTE_UMR_MKEY_POOL_F_SIG) != 0,
				    (bsfs & RTE_UMR_MKEY_POOL_F_CRYPTO) != 0, false);
	if (what != (MLX5_UMR_PLAIN_LIST | MLX5_UMR_WHAT(bsfs << SETTER_SHIFT, 0)))
		return mlx5_umr_mkey_configure_general(queue, op, flags);
	switch (bsfs) {
	case RTE_UMR_MKEY_POOL_F_SIG:
		return configure_as(queue, op, flags, true, false, true);
	case RTE_UMR_MKEY_POOL_F_CRYPTO:
		return configure_as(queue, op, flags, false, true, true);
	default:
		return configure_as(queue, op, flags, true, true, true);
	}
}
