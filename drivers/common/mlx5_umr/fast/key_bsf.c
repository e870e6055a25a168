/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Configure keys that have BSFs, as done for each request: a list that fits the WQE, and the
 * signature and the encryption that the key already has, possibly with other tags or another tweak.
 * plan/configure.c handles everything else and implements the rules: this file only compares. In a
 * burst, such operations are built in a run.
 */

#include "fast/key_bsf.h"
#include "fast/key_kind.h"
#include "fast/run.h"
#include "plan/configure.h"
#include "ring/device.h"
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
	uint32_t epoch;				/* of the device */
	struct mlx5_umr_key_sig *sig;		/* if supported */
	struct mlx5_umr_key_crypto *crypto;	/* if supported */
	bool has_new_tags;
	bool is_trans;				/* of the key's signature */
	uint8_t trans_field;			/* the same */
	uint32_t nb_errors;			/* of the key's signature */
	uint64_t len_max;
	uint64_t len;
	uint32_t nb_psv;
};

/** Location of the WQEs of an operation. */
struct bsf_place {
	uint8_t *wqe;
	const uint8_t *end;		/* of the free blocks */
	mlx5_umr_prefix_t prefix;	/* without a size */
	mlx5_umr_prefix_t next_prefix;	/* the same with the fence after an UMR */
};

/** Octowords of BSFs that are written: a constant, like those that it depends on. */
static __rte_always_inline uint32_t
bsf_ds_of(const struct bsf_op *bsf)
{
	return bsf->is_set ? (uint32_t)(bsf->can_sign + bsf->can_encrypt) * MLX5_UMR_BSF_DS : 0;
}

/** Whether the signature of the key does not change, and the device is known to have it. */
static __rte_always_inline bool
sig_stays(struct bsf_op *bsf)
{
	const struct mlx5_umr_key_sig *sig = bsf->sig;
	struct mlx5_umr_sig_diff diff;

	bsf->nb_errors = __atomic_load_n(&sig->nb_errors, __ATOMIC_RELAXED);
	bsf->is_trans = sig->image.is_trans;
	bsf->trans_field = sig->image.trans_field;
	if (sig->epoch != bsf->epoch || sig->image.nb_psv == 0 || sig->armed_at != bsf->nb_errors)
		return false;
	/* Each layout of a transaction writes its BSF, and arms the key. */
	if (bsf->is_trans ? !bsf->is_set : !sig->is_quick)
		return false;
	bsf->len_max = MLX5_UMR_BSF_MAX_LEN;
	if (!bsf->is_set)
		return sig->is_set;
	if (bsf->op->sig == NULL)
		return false;
	diff = mlx5_umr_sig_compare(&sig->sig, bsf->op->sig);
	bsf->has_new_tags = diff.tags != 0;
	bsf->nb_psv = bsf->is_trans ? 0 : sig->image.nb_psv;
	return diff.rest == 0;
}

/** The same for the encryption, which must have been checked with the current signature. */
static __rte_always_inline bool
crypto_stays(struct bsf_op *bsf)
{
	const struct mlx5_umr_key_crypto *crypto = bsf->crypto;

	if (!crypto->state.is_set || crypto->state.epoch != bsf->epoch ||
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
	struct mlx5_umr_mkey_priv *priv = rte_umr_mkey_priv(bsf->op->mkey);

	/* As mlx5_umr_mkey_sig() and _crypto(), with flags that may be constant. */
	bsf->sig = (struct mlx5_umr_key_sig *)(priv + 1);
	bsf->crypto = (struct mlx5_umr_key_crypto *)(bsf->sig + bsf->can_sign);
	return (!bsf->can_sign || sig_stays(bsf)) && (!bsf->can_encrypt || crypto_stays(bsf));
}

/** Record the new state of the key, except for tags and tweak. */
static __rte_always_inline void
op_note(const struct bsf_op *bsf)
{
	if (bsf->can_sign) {
		bsf->sig->len = bsf->len;
		if (bsf->is_set)
			bsf->sig->is_set = bsf->sig->has_bsf = true;
	}
	if (bsf->can_encrypt)
		bsf->crypto->state.len = bsf->len;
	bsf->op->mkey->is_laid = true;
}

/** Write the head of the UMR. */
static __rte_always_inline void
head_store(const struct bsf_op *bsf, const struct bsf_place *place,
	   const struct mlx5_umr_size *size, mlx5_umr_len_t len)
{
	const bool is_arming = bsf->can_sign && bsf->is_trans;
	const uint32_t sigerr_bit = is_arming ? (bsf->nb_errors + 1) & 1 : 0;
	const mlx5_umr_2x64 umr = {
		RTE_BE64((uint64_t)bsf_ds_of(bsf)),
		bsf->is_set ? RTE_BE64(MLX5_WQE_UMR_CTRL_MKEY_MASK_BSF_ENABLE) : 0,
	};
	const mlx5_umr_2x64 arming = { 0, is_arming ? RTE_BE64(PRM_UMR_MKEY_MASK_SIGERR) : 0 };

	mlx5_umr_layout_head_store(place->wqe,
				   mlx5_umr_prefix_sized(place->prefix,
							 size->nb_ds + bsf_ds_of(bsf)),
				   size->umr | umr | arming, &bsf->op->mkey->key, bsf->op->access,
				   len);
	if (bsf->is_set)
		mlx5_umr_head_set_dw3(place->wqe,
				      MLX5_UMR_MKC_BSF_EN |
					      sigerr_bit << PRM_MKC_EXPECTED_SIGERR_COUNT.lsb);
}

/** Write the PSVs after the UMR of nb blocks, when it has taken effect. */
static __rte_always_inline void
psvs_store(const struct bsf_op *bsf, uint8_t *dst, mlx5_umr_prefix_t prefix, uint32_t nb)
{
	prefix = mlx5_umr_prefix_next(prefix, nb);
	mlx5_umr_set_psv_store(dst, prefix, &bsf->sig->image.psvs[0]);
	if (bsf->nb_psv == 1)
		return;
	prefix = mlx5_umr_prefix_next(prefix, MLX5_UMR_SET_PSV_WQEBB);
	mlx5_umr_set_psv_store(dst + PRM_WQE_BB_SIZE, prefix, &bsf->sig->image.psvs[1]);
}

/** Write the BSFs of the key, and the PSVs of its signature. */
static __rte_always_inline void
bsfs_store(const struct bsf_op *bsf, const struct bsf_place *place, uint32_t nb_layout)
{
	uint8_t *dst = place->wqe + (size_t)nb_layout * PRM_WQE_BB_SIZE;
	uint8_t *end;

	if (!bsf->is_set)
		return;
	if (bsf->can_sign) {
		end = mlx5_umr_sig_bsf_copy(dst, bsf->sig->image.bsf, bsf->can_encrypt);
		if (bsf->has_new_tags)
			mlx5_umr_key_sig_retag(bsf->sig, bsf->op->sig, (uint64_t *)dst);
		if (bsf->is_trans)
			mlx5_umr_sig_bsf_set_len(dst, (uint32_t)bsf->len - bsf->trans_field);
		dst = end;
	}
	if (bsf->can_encrypt) {
		mlx5_umr_crypto_bsf_renew(dst, &bsf->crypto->bsf, &bsf->queue->dev->caps.crypto,
					  bsf->op->crypto);
		dst += PRM_BSF_SIZE;
	}
	if (bsf->nb_psv != 0)
		psvs_store(bsf, dst, place->next_prefix,
			   nb_layout + bsf_ds_of(bsf) / PRM_WQE_DS_PER_BB);
}

/**
 * Build an operation. The kind of key and the setters are constants here, and so are the blocks of
 * the list, or 0 for any number.
 *
 * @return
 *   Blocks, or 0 if there is no room, or it is one for the general function: nothing has changed.
 */
static __rte_always_inline uint32_t
bsf_build(struct bsf_op *bsf, const struct bsf_place *place, const uint32_t nb_blocks)
{
	uint8_t *dst = place->wqe + MLX5_UMR_HDR_WQEBB * PRM_WQE_BB_SIZE;
	const uint32_t max = nb_blocks != 0 ? nb_blocks * PRM_KLM_ALIGN :
					      MLX5_UMR_MAX_TAIL_DS - bsf_ds_of(bsf);
	const uint32_t nb = bsf->op->nb_entries;
	const struct mlx5_umr_size *size;
	mlx5_umr_len_t len;
	uint32_t nb_wqebb;

	if (unlikely(nb - 1 >= max || nb > bsf->op->mkey->max_entries || !bsfs_stay(bsf)))
		return 0;
	size = mlx5_umr_inline_size(nb_blocks != 0 ? max : nb);
	nb_wqebb = size->nb_wqebb + bsf_ds_of(bsf) / PRM_WQE_DS_PER_BB + bsf->nb_psv;
	if (unlikely(place->wqe + (size_t)nb_wqebb * PRM_WQE_BB_SIZE > place->end ||
		     !mlx5_umr_klms_store(dst, bsf->op->segs, nb, nb_blocks, &len) ||
		     len[1] > bsf->len_max ||
		     (bsf->can_sign && bsf->is_trans && len[1] <= bsf->trans_field)))
		return 0;
	bsf->len = len[1];
	op_note(bsf);
	head_store(bsf, place, size, len);
	bsfs_store(bsf, place, size->nb_wqebb);
	return nb_wqebb;
}

static_assert(MLX5_UMR_SET_PSV_WQEBB == 1, "a block for each");

static __rte_always_inline uint32_t
epoch_of(const struct mlx5_umr_queue *queue)
{
	return __atomic_load_n(&queue->dev->sig_keys.epoch, __ATOMIC_RELAXED);
}

/** Build and commit one operation. */
static __rte_always_inline int
configure_as(struct mlx5_umr_queue *queue, const struct rte_umr_mkey_op *op, uint64_t flags,
	     const bool can_sign, const bool can_encrypt, const bool is_set)
{
	struct bsf_op bsf = {
		.queue = queue, .op = op, .epoch = epoch_of(queue),
		.can_sign = can_sign, .can_encrypt = can_encrypt, .is_set = is_set,
	};
	struct mlx5_umr_slot slot;
	struct bsf_place place;
	uint32_t nb_wqebb = 0;

	if (likely(mlx5_umr_slot_get(queue, 0, &slot))) {
		place = (struct bsf_place){
			.wqe = slot.wqe,
			.end = slot.wqe + (size_t)mlx5_umr_sq_wqebb_avail(queue) * PRM_WQE_BB_SIZE,
			.prefix = mlx5_umr_prefix_of(queue->qpn_ds,
						     mlx5_umr_fence_mode_umr(queue, flags),
						     slot.pi),
			.next_prefix = mlx5_umr_prefix_of(queue->qpn_ds, queue->fm_umr, slot.pi),
		};
		nb_wqebb = bsf_build(&bsf, &place, 0);
	}
	if (unlikely(nb_wqebb == 0))
		return mlx5_umr_mkey_configure_general(queue, op, flags);
	if (bsf.nb_psv != 0)
		queue->multi_pi = slot.pi;
	return mlx5_umr_op_commit(queue, &slot, nb_wqebb, RTE_UMR_OP_MKEY_CONFIGURE, 0,
				  queue->fm_umr, flags);
}

/* What sets the BSFs of a key, all of them. */
#define WHAT_SETS(bsfs)	(MLX5_UMR_PLAIN_LIST | MLX5_UMR_WHAT((bsfs) << SETTER_SHIFT, 0))

/* A copy for each kind of key is 7 to 17 % faster than one for all. */
#define CONFIGURE(name, can_sign, can_encrypt)                                                     \
	static __rte_noinline int                                                                  \
	name(struct mlx5_umr_queue *queue, const struct rte_umr_mkey_op *op, uint64_t flags)       \
	{                                                                                          \
		return configure_as(queue, op, flags, can_sign, can_encrypt, true);                \
	}

CONFIGURE(configure_sig, true, false)
CONFIGURE(configure_crypto, false, true)
CONFIGURE(configure_both, true, true)

/** Layout and access only: the BSFs of the key do not change. */
static __rte_noinline int
configure_kept(struct mlx5_umr_queue *queue, const struct rte_umr_mkey_op *op, uint64_t flags)
{
	return configure_as(queue, op, flags, (op->mkey->flags & RTE_UMR_MKEY_POOL_F_SIG) != 0,
			    (op->mkey->flags & RTE_UMR_MKEY_POOL_F_CRYPTO) != 0, false);
}

/* It only calls in tail position, so it needs no stack frame. */
int
mlx5_umr_mkey_configure_bsf(struct mlx5_umr_queue *queue, const struct rte_umr_mkey_op *op,
			    uint64_t flags)
{
	const uint32_t bsfs = op->mkey->flags & ~(uint32_t)RTE_UMR_MKEY_POOL_F_REMOTE_INVALIDATE;

	if (unlikely(op->access > MLX5_UMR_ACCESS_MKC || op->mkey->dev_id != queue->fp.dev_id ||
		     (bsfs & ~(uint32_t)MLX5_UMR_BSF_FLAGS) != 0))
		return mlx5_umr_mkey_configure_general(queue, op, flags);
	if (mlx5_umr_op_is(op, MLX5_UMR_PLAIN_LIST))
		return configure_kept(queue, op, flags);
	if (!mlx5_umr_op_is(op, WHAT_SETS(bsfs)))
		return mlx5_umr_mkey_configure_general(queue, op, flags);
	switch (bsfs) {
	case RTE_UMR_MKEY_POOL_F_SIG:
		return configure_sig(queue, op, flags);
	case RTE_UMR_MKEY_POOL_F_CRYPTO:
		return configure_crypto(queue, op, flags);
	default:
		return configure_both(queue, op, flags);
	}
}

/** Prefetch a key and the lines of its BSFs that each operation reads. */
static __rte_always_inline void
key_prefetch(const struct rte_umr_mkey *mkey, const uint32_t bsfs)
{
	const struct mlx5_umr_mkey_priv *priv = rte_umr_mkey_priv(mkey);
	const struct mlx5_umr_key_sig *sig = (const struct mlx5_umr_key_sig *)(priv + 1);
	const struct mlx5_umr_key_crypto *crypto = (const struct mlx5_umr_key_crypto *)sig;

	rte_prefetch0(mkey);
	if ((bsfs & RTE_UMR_MKEY_POOL_F_SIG) != 0) {
		rte_prefetch0(sig);
		rte_prefetch0(&sig->image);
		rte_prefetch0(&sig->image.nb_psv);
		crypto = (const struct mlx5_umr_key_crypto *)(sig + 1);
	}
	if ((bsfs & RTE_UMR_MKEY_POOL_F_CRYPTO) != 0) {
		rte_prefetch0(crypto);
		rte_prefetch0(&crypto->bsf);
	}
}

/** A run of operations that set all BSFs of keys of one kind, which is constant. */
static __rte_always_inline uint16_t
bsf_run(struct mlx5_umr_queue *queue, const struct rte_umr_mkey_op *ops, uint16_t nb_ops,
	uint64_t flags, const uint32_t bsfs, const uint32_t nb_blocks)
{
	struct mlx5_umr_run_start start;
	struct mlx5_umr_run run = mlx5_umr_run_begin(queue, nb_ops, &mlx5_umr_inline_sizes[1],
						     false, RTE_UMR_OP_MKEY_CONFIGURE, bsfs, flags,
						     &start);
	const struct rte_umr_mkey_op *end = ops + run.max;
	const uint32_t epoch = epoch_of(queue);
	const uint8_t *multi = NULL;
	uint32_t nb_wqebb;

	for (uint32_t i = 0; i < MLX5_UMR_KEYS_AHEAD && ops + i < end; i++)
		key_prefetch(ops[i].mkey, bsfs);
	for (; ops != end; ops++) {
		const struct bsf_place place = {
			.wqe = run.wqe, .end = run.wqe_end, .prefix = run.prefix,
			.next_prefix = run.prefix,
		};
		struct bsf_op bsf = {
			.queue = queue, .op = ops, .is_set = true, .epoch = epoch,
			.can_sign = (bsfs & RTE_UMR_MKEY_POOL_F_SIG) != 0,
			.can_encrypt = (bsfs & RTE_UMR_MKEY_POOL_F_CRYPTO) != 0,
		};

		if (ops + MLX5_UMR_KEYS_AHEAD < end)
			key_prefetch(ops[MLX5_UMR_KEYS_AHEAD].mkey, bsfs);
		if (unlikely(!mlx5_umr_run_takes(&run, ops, WHAT_SETS(bsfs))))
			break;
		nb_wqebb = bsf_build(&bsf, &place, nb_blocks);
		if (unlikely(nb_wqebb == 0))
			break;
		if (bsf.nb_psv != 0)
			multi = run.wqe;
		mlx5_umr_run_advance(&run, nb_wqebb);
	}
	/* Submit and the error path use this to find the WQEs after the first one. */
	if (multi != NULL)
		queue->multi_pi = queue->sq_pi + (mlx5_umr_idx_t)(multi - (uint8_t *)start.wqe) /
						 PRM_WQE_BB_SIZE;
	return mlx5_umr_run_end(&run, &start);
}

/* A known number of blocks gains a twelfth; with both BSFs, 4 %. */
MLX5_UMR_RUN(sig_run_1, bsf_run, RTE_UMR_MKEY_POOL_F_SIG, 1)
MLX5_UMR_RUN(sig_run_any, bsf_run, RTE_UMR_MKEY_POOL_F_SIG, 0)
MLX5_UMR_RUN(crypto_run_1, bsf_run, RTE_UMR_MKEY_POOL_F_CRYPTO, 1)
MLX5_UMR_RUN(crypto_run_any, bsf_run, RTE_UMR_MKEY_POOL_F_CRYPTO, 0)
MLX5_UMR_RUN(both_run, bsf_run, MLX5_UMR_BSF_FLAGS, 0)

uint16_t
mlx5_umr_mkey_bsf_run(struct mlx5_umr_queue *queue, const struct rte_umr_mkey_op *ops,
		      uint16_t nb_ops, uint64_t flags)
{
	const bool is_short = ops->nb_entries <= PRM_KLM_ALIGN;

	if (mlx5_umr_op_is(ops, WHAT_SETS(RTE_UMR_MKEY_POOL_F_CRYPTO)))
		return (is_short ? crypto_run_1 : crypto_run_any)(queue, ops, nb_ops, flags);
	if (mlx5_umr_op_is(ops, WHAT_SETS(RTE_UMR_MKEY_POOL_F_SIG)))
		return (is_short ? sig_run_1 : sig_run_any)(queue, ops, nb_ops, flags);
	if (mlx5_umr_op_is(ops, WHAT_SETS(MLX5_UMR_BSF_FLAGS)))
		return both_run(queue, ops, nb_ops, flags);
	return 0;
}
