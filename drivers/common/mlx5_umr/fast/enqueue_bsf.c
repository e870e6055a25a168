/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Configure keys that have BSFs, as done for each request: a list that fits the WQE, and the
 * signature and the encryption that the key already has, possibly with other tags or another tweak.
 * plan/configure.c handles everything else and implements the rules: this file only compares. In a
 * burst, such operations are built in a run.
 *
 * This file is compiled once for each instruction set, like enqueue_key.c.
 */

#include "ring/device.h"
#include "plan/configure.h"
#include "ring/mkey.h"
#include "fast/isa.h"
#include "fast/mkey_op.h"
#include "fast/run.h"

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
	bool is_trans;				/* of the key's signature */
	uint8_t trans_field;			/* the same */
	uint32_t nb_errors;			/* of the key's signature */
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

	bsf->nb_errors = __atomic_load_n(&sig->nb_errors, __ATOMIC_RELAXED);
	bsf->is_trans = sig->image.is_trans;
	bsf->trans_field = sig->image.trans_field;
	if (sig->epoch != epoch || sig->image.nb_psv == 0)
		return false;
	/* Each layout of a transaction writes its BSF, and arms the key. */
	if (bsf->is_trans ? !bsf->is_set :
				    !sig->is_quick || sig->armed_at != bsf->nb_errors)
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
		bsf->sig->armed_at = bsf->nb_errors;
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

/** Write the head of the UMR, with that index and fence. */
static __rte_always_inline void
head_store(const struct bsf_op *bsf, uint8_t *wqe, mlx5_umr_idx_t pi, uint8_t fm,
	   mlx5_umr_len_t len)
{
	const uint32_t nb_ds = MLX5_UMR_HDR_DS + bsf->nb_klm + bsf->bsf_ds;
	const mlx5_umr_prefix_t prefix = mlx5_umr_prefix_of(bsf->queue->qpn_ds | nb_ds, fm, pi);
	const bool is_arming = bsf->can_sign && bsf->is_trans;
	const uint32_t sigerr_bit = is_arming ? (bsf->nb_errors + 1) & 1 : 0;
	const mlx5_umr_2x64 umr = {
		mlx5_umr_be64((uint64_t)MLX5_WQE_UMR_CTRL_FLAG_INLINE << 56 |
			      (uint64_t)bsf->nb_klm << 16 | bsf->bsf_ds),
		mlx5_umr_be64(MLX5_UMR_LAYOUT_MKEY_MASK |
			      (bsf->is_set ? MLX5_WQE_UMR_CTRL_MKEY_MASK_BSF_ENABLE : 0) |
			      (is_arming ? PRM_UMR_MKEY_MASK_SIGERR : 0)),
	};

	mlx5_umr_layout_head_store(wqe, prefix, umr, &bsf->op->mkey->key, bsf->op->access, len);
	if (bsf->is_set)
		mlx5_umr_head_set_dw3(wqe, MLX5_UMR_MKC_BSF_EN |
					   sigerr_bit << PRM_MKC_EXPECTED_SIGERR_COUNT.lsb);
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
	if (bsf->can_sign) {
		uint8_t *end = mlx5_umr_sig_bsf_copy(dst, bsf->sig->image.bsf, bsf->can_encrypt);

		if (bsf->is_trans)
			mlx5_umr_sig_bsf_set_len(dst, (uint32_t)bsf->len - bsf->trans_field);
		dst = end;
	}
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

/**
 * Build an operation, at wqe, which has that index and fence. The kind of key and the setters are
 * constants here.
 *
 * @return
 *   Blocks, or 0 if it is more than nb_free, or one for the general function: nothing has changed.
 */
static __rte_always_inline uint32_t
bsf_build(struct bsf_op *bsf, uint8_t *wqe, mlx5_umr_idx_t pi, uint32_t nb_free, uint8_t fm)
{
	uint8_t *dst = wqe + MLX5_UMR_HDR_WQEBB * PRM_WQE_BB_SIZE;
	const uint32_t nb = bsf->op->nb_entries;
	mlx5_umr_len_t len;
	uint32_t nb_umr;

	bsf->nb_klm = mlx5_umr_klm_align(nb);
	bsf->bsf_ds = bsf->is_set ? (bsf->can_sign + bsf->can_encrypt) * MLX5_UMR_BSF_DS : 0;
	if (unlikely(nb - 1 >= bsf->op->mkey->max_entries || nb > PRM_UMR_INLINE_KLM_MAX ||
		     bsf->nb_klm + bsf->bsf_ds > MLX5_UMR_MAX_TAIL_DS || !bsfs_stay(bsf)))
		return 0;
	nb_umr = MLX5_UMR_HDR_WQEBB + (bsf->nb_klm + bsf->bsf_ds) / PRM_WQE_DS_PER_BB;
	if (unlikely(nb_umr + bsf->nb_psv > nb_free ||
		     !mlx5_umr_klms_store(dst, bsf->op->segs, nb, 0, &len) ||
		     len[1] > bsf->len_max ||
		     (bsf->can_sign && bsf->is_trans && len[1] <= bsf->trans_field)))
		return 0;
	bsf->len = len[1];
	op_note(bsf);
	bsf->op->mkey->is_laid = true;
	head_store(bsf, wqe, pi, fm, len);
	bsfs_store(bsf, dst + (size_t)bsf->nb_klm * PRM_KLM_SIZE, pi + nb_umr);
	return nb_umr + bsf->nb_psv;
}

static_assert(MLX5_UMR_SET_PSV_WQEBB == 1, "a block for each");

/** Build and commit one operation. */
static __rte_always_inline int
configure_as(struct mlx5_umr_queue *queue, const struct rte_umr_mkey_op *op, uint64_t flags,
	     const bool can_sign, const bool can_encrypt, const bool is_set)
{
	struct bsf_op bsf = {
		.queue = queue, .op = op,
		.can_sign = can_sign, .can_encrypt = can_encrypt, .is_set = is_set,
	};
	struct mlx5_umr_slot slot;
	uint32_t nb_wqebb = 0;

	if (likely(mlx5_umr_slot_get(queue, 0, &slot)))
		nb_wqebb = bsf_build(&bsf, slot.wqe, slot.pi, mlx5_umr_sq_wqebb_avail(queue),
				     mlx5_umr_fence_mode_umr(queue, flags));
	if (unlikely(nb_wqebb == 0))
		return mlx5_umr_mkey_configure_general(queue, op, flags);
	/* Submit and the error path use this to find the WQEs after the first one. */
	if (bsf.nb_psv != 0)
		queue->multi_pi = slot.pi;
	return mlx5_umr_op_commit(queue, &slot, nb_wqebb, RTE_UMR_OP_MKEY_CONFIGURE, 0,
				  queue->fm_umr, flags);
}

/** BSFs of an operation's key, or one for the general function. */
static __rte_always_inline uint32_t
bsfs_of(const struct mlx5_umr_queue *queue, const struct rte_umr_mkey_op *op)
{
	const struct rte_umr_mkey *mkey = op->mkey;
	const uint32_t bsfs = mkey->flags & (uint32_t)~RTE_UMR_MKEY_POOL_F_REMOTE_INVALIDATE;

	if (unlikely(op->access > MLX5_UMR_ACCESS_MKC || mkey->dev_id != queue->fp.dev_id))
		return UINT32_MAX;
	return bsfs;
}

/* What sets the BSFs of a key, all of them. */
#define WHAT_SETS(bsfs)	(MLX5_UMR_PLAIN_LIST | MLX5_UMR_WHAT((bsfs) << SETTER_SHIFT, 0))

/* A copy for each kind of key is a third faster than one for all. */
#define CONFIGURE(name, can_sign, can_encrypt)                                                     \
	static __rte_noinline int                                                                  \
	name(struct mlx5_umr_queue *queue, const struct rte_umr_mkey_op *op, uint64_t flags)       \
	{                                                                                          \
		return configure_as(queue, op, flags, can_sign, can_encrypt, true);                \
	}

CONFIGURE(configure_sig, true, false)
CONFIGURE(configure_crypto, false, true)
CONFIGURE(configure_both, true, true)

/* Flags and reserved fields have been checked. */
int
ISA(mlx5_umr_mkey_configure_bsf)(void *q, const struct rte_umr_mkey_op *op, uint64_t flags)
{
	struct mlx5_umr_queue *queue = q;
	const uint32_t bsfs = bsfs_of(queue, op);

	if (unlikely((bsfs & ~MLX5_UMR_BSF_FLAGS) != 0))
		return mlx5_umr_mkey_configure_general(queue, op, flags);
	if (mlx5_umr_op_is(op, MLX5_UMR_PLAIN_LIST))
		return configure_as(queue, op, flags, (bsfs & RTE_UMR_MKEY_POOL_F_SIG) != 0,
				    (bsfs & RTE_UMR_MKEY_POOL_F_CRYPTO) != 0, false);
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

/* Prefetch distance of the data of a key, whose address has been prefetched with the key. */
#define BSFS_AHEAD	6

/** Prefetch the lines of a key's BSFs that each operation reads. Other keys have other data. */
static __rte_always_inline void
bsfs_prefetch(const struct rte_umr_mkey *mkey, uint32_t dev_flags, const uint32_t bsfs)
{
	const struct mlx5_umr_mkey_priv *priv;
	const struct mlx5_umr_key_sig *sig;
	const struct mlx5_umr_key_crypto *crypto;

	if (unlikely(mlx5_umr_mkey_dev_flags(mkey) != dev_flags))
		return;
	priv = rte_umr_mkey_priv(mkey);
	rte_prefetch0(priv);
	sig = (const struct mlx5_umr_key_sig *)(priv + 1);
	crypto = (const struct mlx5_umr_key_crypto *)sig;
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

/** Prefetch what the next operations of a run need of their keys. */
static __rte_always_inline void
run_prefetch(const struct rte_umr_mkey_op *ops, const struct rte_umr_mkey_op *end,
	     uint32_t dev_flags, const uint32_t bsfs)
{
	const struct rte_umr_mkey *mkey;

	if (ops + MLX5_UMR_KEYS_AHEAD < end) {
		mkey = ops[MLX5_UMR_KEYS_AHEAD].mkey;
		rte_prefetch0(mkey);
		rte_prefetch0(rte_umr_mkey_priv_slot(mkey));
	}
	if (ops + BSFS_AHEAD < end)
		bsfs_prefetch(ops[BSFS_AHEAD].mkey, dev_flags, bsfs);
}

/** A run of operations that set all BSFs of keys of one kind, which is constant. */
static __rte_always_inline uint16_t
bsf_run(struct mlx5_umr_queue *queue, const struct rte_umr_mkey_op *ops, uint16_t nb_ops,
	uint64_t flags, const uint32_t bsfs)
{
	struct mlx5_umr_run_start start;
	struct mlx5_umr_run run = mlx5_umr_run_begin(queue, nb_ops, &mlx5_umr_inline_sizes[1],
						     false, RTE_UMR_OP_MKEY_CONFIGURE, flags,
						     &start);
	const struct rte_umr_mkey_op *end = ops + run.max;
	const uint32_t dev_flags = run.dev_flags | MLX5_UMR_DEV_FLAG(bsfs);
	mlx5_umr_idx_t pi = queue->sq_pi;
	uint32_t nb_wqebb;

	mlx5_umr_keys_prefetch(ops, end);
	for (uint32_t i = 0; i < BSFS_AHEAD && ops + i < end; i++)
		bsfs_prefetch(ops[i].mkey, dev_flags, bsfs);
	for (; ops != end; ops++) {
		struct bsf_op bsf = {
			.queue = queue, .op = ops, .is_set = true,
			.can_sign = (bsfs & RTE_UMR_MKEY_POOL_F_SIG) != 0,
			.can_encrypt = (bsfs & RTE_UMR_MKEY_POOL_F_CRYPTO) != 0,
		};

		run_prefetch(ops, end, dev_flags, bsfs);
		if (unlikely(!mlx5_umr_op_is(ops, WHAT_SETS(bsfs)) ||
			     (ops->reserved | ops->reserved_2) != 0 ||
			     bsfs_of(queue, ops) != bsfs))
			break;
		nb_wqebb = bsf_build(&bsf, run.wqe, pi,
				     (uint32_t)(run.wqe_end - run.wqe) / PRM_WQE_BB_SIZE,
				     queue->fm_umr);
		if (unlikely(nb_wqebb == 0))
			break;
		if (bsf.nb_psv != 0)
			queue->multi_pi = pi;
		run.slot->word = mlx5_umr_op_word(pi, RTE_UMR_OP_MKEY_CONFIGURE, 0);
		run.slot++;
		run.wqe += nb_wqebb * PRM_WQE_BB_SIZE;
		pi += nb_wqebb;
	}
	return mlx5_umr_run_end(&run, &start);
}

#define RUN(name, bsfs)                                                                            \
	static __rte_noinline uint16_t                                                             \
	name(struct mlx5_umr_queue *queue, const struct rte_umr_mkey_op *ops, uint16_t nb_ops,     \
	     uint64_t flags)                                                                       \
	{                                                                                          \
		return bsf_run(queue, ops, nb_ops, flags, bsfs);                                   \
	}

RUN(sig_run, RTE_UMR_MKEY_POOL_F_SIG)
RUN(crypto_run, RTE_UMR_MKEY_POOL_F_CRYPTO)
RUN(both_run, MLX5_UMR_BSF_FLAGS)

uint16_t
ISA(mlx5_umr_mkey_bsf_run)(struct mlx5_umr_queue *queue, const struct rte_umr_mkey_op *ops,
			   uint16_t nb_ops, uint64_t flags)
{
	if (mlx5_umr_op_is(ops, WHAT_SETS(RTE_UMR_MKEY_POOL_F_CRYPTO)))
		return crypto_run(queue, ops, nb_ops, flags);
	if (mlx5_umr_op_is(ops, WHAT_SETS(RTE_UMR_MKEY_POOL_F_SIG)))
		return sig_run(queue, ops, nb_ops, flags);
	if (mlx5_umr_op_is(ops, WHAT_SETS(MLX5_UMR_BSF_FLAGS)))
		return both_run(queue, ops, nb_ops, flags);
	return 0;
}
