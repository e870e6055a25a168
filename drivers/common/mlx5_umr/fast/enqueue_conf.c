/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Configure keys property by property: rights, a layout that fits the WQE, a signature and an
 * encryption, in any combination, as it is done for each request. What is seldom or wrong is the
 * business of plan/configure.c, whose rules these are: keys of pools for updates or of
 * fixed-size entries, relaxed ordering, long layouts, a signature that is taken away or one of a
 * transaction, and the first configuration of a key, behind an error of it, or behind a flush.
 *
 * This file is compiled once for each instruction set, as enqueue_key.c is.
 */

#include "ring/device.h"
#include "plan/configure.h"
#include "ring/enqueue.h"
#include "fast/isa.h"
#include "fast/mkey_op.h"
#include "wqe/simd/klm_long.h"
#include "ring/mkey.h"

/* Flags of keys that are usual, and of those the ones that a setter needs. */
#define FORMAT_FLAGS	(RTE_UMR_MKEY_POOL_F_SIG | RTE_UMR_MKEY_POOL_F_CRYPTO)
#define USUAL_FLAGS	(FORMAT_FLAGS | RTE_UMR_MKEY_POOL_F_REMOTE_INVALIDATE)
#define SETTER_SHIFT	2
static_assert(RTE_UMR_MKEY_SET_SIG == RTE_UMR_MKEY_POOL_F_SIG << SETTER_SHIFT &&
	      RTE_UMR_MKEY_SET_CRYPTO == RTE_UMR_MKEY_POOL_F_CRYPTO << SETTER_SHIFT,
	      "a setter is its flag, shifted");

#define BASE_MASK	((uint64_t)MLX5_WQE_UMR_CTRL_MKEY_MASK_FREE |                              \
			 MLX5_WQE_UMR_CTRL_MKEY_MASK_MKEY)
#define BSF_MASK	((uint64_t)MLX5_WQE_UMR_CTRL_MKEY_MASK_BSF_ENABLE)

/* What rights and layout change of a key, by their setters. */
static const uint64_t mkey_masks[] = {
	[0] = BASE_MASK,
	[RTE_UMR_MKEY_SET_ACCESS] = MLX5_UMR_LAYOUT_MKEY_MASK &
				    ~(uint64_t)MLX5_WQE_UMR_CTRL_MKEY_MASK_LEN,
	[RTE_UMR_MKEY_SET_LAYOUT] = BASE_MASK | MLX5_WQE_UMR_CTRL_MKEY_MASK_LEN,
	[RTE_UMR_MKEY_SET_ACCESS | RTE_UMR_MKEY_SET_LAYOUT] = MLX5_UMR_LAYOUT_MKEY_MASK,
};

/** What is known of a layout when a function is compiled. */
enum shape {
	NO_LAYOUT,
	SHORT_LIST,	/* one block */
	LONG_LIST,
	SHORT_PATTERN,	/* with its header */
	ANY_SHAPE,
};

/** An operation in the making; all of it in registers. */
struct op {
	struct mlx5_umr_queue *queue;
	struct rte_umr_mkey *mkey;
	const struct rte_umr_mkey_op *conf;
	uint32_t setters;
	uint32_t formats;			/* FORMAT_FLAGS of the key */
	struct mlx5_umr_key_sig *sig;		/* if it has a place for one */
	struct mlx5_umr_key_crypto *crypto;	/* the same */
	enum shape shape;
	bool is_quick;				/* only formats that are known to be good */
	bool needs_check;			/* one is not */
	bool has_new_tags;			/* of a signature that was there before */
	bool is_new_sig;			/* another one */
	bool is_new_crypto;			/* another one, not only another tweak */
	uint32_t epoch;				/* of the device */
	struct mlx5_umr_head head;
	uint64_t len_max;			/* with the formats that the key will have */
	uint32_t nb_klm;
	uint32_t nb_bsf;
	uint32_t nb_psv;
	bool has_crypto;			/* the key will be encrypted */
	struct mlx5_umr_quad short_list;
	struct mlx5_umr_long long_list;
	struct mlx5_umr_quad last;		/* its last block */
	struct mlx5_umr_short short_pattern;
	uint32_t block_len;			/* of a pattern */
};

static __rte_always_inline bool
can_sign(const struct op *op)
{
	return (op->formats & RTE_UMR_MKEY_POOL_F_SIG) != 0;
}

static __rte_always_inline bool
can_encrypt(const struct op *op)
{
	return (op->formats & RTE_UMR_MKEY_POOL_F_CRYPTO) != 0;
}

static __rte_always_inline bool
is_unusual(const struct mlx5_umr_queue *queue, const struct rte_umr_mkey_op *conf, uint64_t flags)
{
	const struct rte_umr_mkey *mkey = conf->mkey;
	const uint32_t setters_all = RTE_UMR_MKEY_SET_ACCESS | RTE_UMR_MKEY_SET_LAYOUT |
				     (mkey->flags & FORMAT_FLAGS) << SETTER_SHIFT;

	return ((conf->setters & ~setters_all) | mlx5_umr_op_reserved(conf) |
		(mkey->flags & ~USUAL_FLAGS)) != 0 ||
	       conf->access > MLX5_UMR_ACCESS_RIGHTS || flags > RTE_UMR_OP_F_ALL ||
	       mkey->dev_id != queue->fp.dev_id;
}

static_assert((MLX5_UMR_ACCESS_RIGHTS & (MLX5_UMR_ACCESS_RIGHTS + 1)) == 0, "no gap in the bits");
static_assert((RTE_UMR_OP_F_ALL & (RTE_UMR_OP_F_ALL + 1)) == 0, "no gap in the bits");

/** The encryption that is set. @return Whether it is good; its longest key. */
static __rte_always_inline bool
crypto_set(struct op *op)
{
	const struct mlx5_umr_crypto_caps *caps = &op->queue->dev->caps.crypto;
	const struct rte_umr_crypto *crypto = op->conf->crypto;

	if (crypto != NULL && op->crypto->state.is_set &&
	    likely(mlx5_umr_crypto_is_what(&op->crypto->what, crypto)))
		return true;
	op->needs_check = true;
	if (op->is_quick || !mlx5_umr_crypto_is_good(caps, op->mkey->dev_id, crypto))
		return false;
	op->len_max = mlx5_umr_crypto_len_max(caps, crypto->data_unit_size,
					      mlx5_umr_crypto_order(crypto), NULL);
	op->is_new_crypto = true;
	return true;
}

/** What the encryption of a key comes to, in front of the signature's part. */
static __rte_always_inline bool
crypto_plan(struct op *op)
{
	const struct mlx5_umr_crypto_state *state = &op->crypto->state;

	if (state->epoch != op->epoch)
		return false;
	op->len_max = state->len_max;
	if ((op->setters & RTE_UMR_MKEY_SET_CRYPTO) != 0) {
		op->nb_bsf = 1;
		op->has_crypto = true;
		return crypto_set(op);
	}
	op->has_crypto = state->is_set;
	if (state->is_set)
		return true;
	op->len_max = UINT64_MAX;
	/* What is left of an owner before goes. */
	if (state->has_format && !can_sign(op))
		op->head.mkey_mask |= BSF_MASK;
	return true;
}

/** The signature that is set; of an old one everything is known to be good. */
static __rte_always_inline bool
sig_set(struct op *op)
{
	const struct rte_umr_sig *sig = op->conf->sig;
	struct mlx5_umr_sig_diff diff;
	char why[1];

	if (sig == NULL)
		return false;
	diff = mlx5_umr_sig_compare(&op->sig->sig, sig);
	op->nb_psv = op->sig->image.nb_psv;
	op->has_new_tags = diff.tags != 0;
	if (likely(diff.rest == 0) && op->nb_psv != 0)
		return true;
	op->needs_check = true;
	if (op->is_quick || mlx5_umr_sig_is_trans(sig) ||
	    mlx5_umr_sig_check(&op->queue->dev->sig_caps, sig, why, sizeof(why)) != 0)
		return false;
	op->nb_psv = mlx5_umr_sig_nb_psv(sig);
	op->is_new_sig = true;
	return true;
}

/** Where the cipher will work. */
static __rte_always_inline enum prm_bsf_enc_order
order_of(const struct op *op)
{
	if (op->is_new_crypto)
		return mlx5_umr_crypto_order(op->conf->crypto);
	return (enum prm_bsf_enc_order)op->crypto->state.order;
}

/** Longest key with the signature and the encryption that it will have. */
static __rte_always_inline uint32_t
signed_len_max(const struct op *op)
{
	const struct mlx5_umr_crypto_caps *caps = &op->queue->dev->caps.crypto;
	uint16_t unit_size = op->crypto->state.unit_size;

	if (!op->is_new_sig && !op->is_new_crypto)
		return op->crypto->state.len_max_signed;
	if (op->is_new_crypto)
		unit_size = op->conf->crypto->data_unit_size;
	return mlx5_umr_crypto_len_max(caps, unit_size, order_of(op),
				       op->is_new_sig ? op->conf->sig : &op->sig->sig);
}

/** Whether the cipher would be between two signatures. */
static __rte_always_inline bool
is_between(const struct op *op, uint32_t nb_domains)
{
	const enum prm_bsf_enc_order order = order_of(op);

	return nb_domains > 1 && (order == PRM_BSF_ENC_RAW_WIRE || order == PRM_BSF_ENC_RAW_MEMORY);
}

/** What the signature of a key comes to; its encryption is planned. */
static __rte_always_inline bool
sig_plan(struct op *op)
{
	const struct mlx5_umr_key_sig *sig = op->sig;
	uint32_t nb_domains = sig->image.nb_psv;

	/* It is to be armed, or nobody knows what the device has; or it is a transaction. */
	if (!sig->is_quick || sig->epoch != op->epoch ||
	    sig->armed_at != __atomic_load_n(&sig->nb_errors, __ATOMIC_RELAXED))
		return false;
	if ((op->setters & RTE_UMR_MKEY_SET_SIG) != 0) {
		if (!sig_set(op))
			return false;
		nb_domains = op->nb_psv;
		op->nb_bsf = 1 + op->has_crypto;
	} else if ((op->setters & RTE_UMR_MKEY_SET_CRYPTO) != 0) {
		op->nb_bsf = 2;
		nb_domains = sig->is_set ? nb_domains : 0;
	} else if (!sig->is_set) {
		if (!can_encrypt(op) || (!op->has_crypto && sig->has_bsf))
			op->head.mkey_mask |= BSF_MASK;
		return true;
	}
	if (nb_domains == 0)
		return true;
	op->len_max = MLX5_UMR_BSF_MAX_LEN;
	if (!op->has_crypto)
		return true;
	op->len_max = signed_len_max(op);
	return !is_between(op, nb_domains);
}

/* Lists of any length that fits; out of line where there is more to decide. */
static __rte_noinline struct mlx5_umr_sum
list_sum(const struct rte_umr_seg *segs, uint32_t nb)
{
	struct mlx5_umr_sum sum;
	struct mlx5_umr_long list;
	struct mlx5_umr_quad last;
	struct mlx5_umr_len len;

	if (nb <= PRM_KLM_ALIGN) {
		last = mlx5_umr_quad_load(segs, nb);
		return mlx5_umr_quad_sum(&last, nb);
	}
	list = mlx5_umr_long_of(nb);
	last = mlx5_umr_long_load(&list, segs);
	sum.bad = !mlx5_umr_long_len(&list, segs, &last, &len);
	sum.len = mlx5_umr_len_get(&len);
	return sum;
}

static __rte_noinline void
list_store(uint8_t *dst, const struct rte_umr_seg *segs, uint32_t nb)
{
	struct mlx5_umr_long list;
	struct mlx5_umr_quad last;

	if (nb <= PRM_KLM_ALIGN) {
		last = mlx5_umr_quad_load(segs, nb);
		mlx5_umr_quad_store(dst, &last);
		return;
	}
	list = mlx5_umr_long_of(nb);
	last = mlx5_umr_long_load(&list, segs);
	mlx5_umr_long_store(dst, &list, segs, &last);
}

static __rte_always_inline bool
list_plan(struct op *op, uint32_t nb)
{
	const struct rte_umr_seg *segs = op->conf->segs;
	struct mlx5_umr_len len;
	bool is_good;

	op->nb_klm = op->shape == SHORT_LIST ? PRM_KLM_ALIGN : mlx5_umr_klm_align(nb);
	if (nb - 1 >= op->mkey->max_entries ||
	    (op->shape != SHORT_LIST && nb > PRM_UMR_INLINE_KLM_MAX))
		return false;
	if (op->shape == SHORT_LIST) {
		op->short_list = mlx5_umr_quad_load(segs, nb);
		is_good = mlx5_umr_quad_len(&op->short_list, segs, nb, &len);
	} else if (op->shape == LONG_LIST) {
		op->long_list = mlx5_umr_long_of(nb);
		op->last = mlx5_umr_long_load(&op->long_list, segs);
		is_good = mlx5_umr_long_len(&op->long_list, segs, &op->last, &len);
	} else {
		struct mlx5_umr_sum sum = list_sum(segs, nb);

		op->head.len = sum.len;
		return sum.bad == 0;
	}
	op->head.len = mlx5_umr_len_get(&len);
	return is_good;
}

static __rte_always_inline bool
pattern_plan(struct op *op, uint32_t nb)
{
	const struct rte_umr_mkey_op *conf = op->conf;
	struct mlx5_umr_block_len len;
	bool is_good;

	/* The repeat block header takes the place of one entry. */
	op->nb_klm = op->shape == SHORT_PATTERN ? PRM_KLM_ALIGN : mlx5_umr_klm_align(nb + 1);
	if (nb - 1 >= op->queue->max_interleaved || nb >= op->mkey->max_entries ||
	    conf->repeat == 0 || conf->layout != RTE_UMR_LAYOUT_INTERLEAVED)
		return false;
	if (op->shape == SHORT_PATTERN) {
		op->short_pattern = mlx5_umr_short_load(conf->interleaved, nb);
		is_good = mlx5_umr_short_len(&op->short_pattern, nb, &len);
	} else {
		is_good = mlx5_umr_entries_len(conf->interleaved, nb, &len);
	}
	op->block_len = mlx5_umr_block_len_get(&len);
	op->head.len = (uint64_t)op->block_len * conf->repeat;
	return is_good;
}

static __rte_always_inline bool
entries_plan(struct op *op, uint32_t nb)
{
	switch (op->shape) {
	case SHORT_LIST:
	case LONG_LIST:
		return list_plan(op, nb);
	case SHORT_PATTERN:
		return pattern_plan(op, nb);
	default:
		return op->conf->layout == RTE_UMR_LAYOUT_LIST ? list_plan(op, nb) :
								 pattern_plan(op, nb);
	}
}

/** The layout, and whether the key can have that length; formats are planned. */
static __rte_always_inline bool
layout_plan(struct op *op)
{
	const uint32_t nb = op->conf->nb_entries;
	uint64_t len;

	if (op->shape == NO_LAYOUT || (op->setters & RTE_UMR_MKEY_SET_LAYOUT) == 0) {
		len = can_sign(op) ? op->sig->len : 0;
		return len <= op->len_max &&
		       (!can_encrypt(op) || op->crypto->state.len <= op->len_max);
	}
	if (!entries_plan(op, nb))
		return false;
	return op->head.len <= op->len_max &&
	       op->nb_klm + op->nb_bsf * MLX5_UMR_BSF_DS <= MLX5_UMR_MAX_TAIL_DS;
}

/** All of it. @return Whether the operation is a usual one, and good. */
static __rte_always_inline bool
op_plan(struct op *op)
{
	const struct mlx5_umr_mkey_priv *priv;

	op->head.mkey_mask = mkey_masks[op->setters & (RTE_DIM(mkey_masks) - 1)];
	if ((op->setters & RTE_UMR_MKEY_SET_ACCESS) != 0)
		op->head.mkc_dw0 = op->conf->access << PRM_MKC_LW.lsb;
	if (op->formats == 0)
		return layout_plan(op);
	priv = rte_umr_mkey_priv(op->mkey);
	op->epoch = __atomic_load_n(&op->queue->dev->sig_keys.epoch, __ATOMIC_RELAXED);
	if ((op->formats & RTE_UMR_MKEY_POOL_F_SIG) != 0)
		op->sig = priv->sig;
	if ((op->formats & RTE_UMR_MKEY_POOL_F_CRYPTO) != 0)
		op->crypto = priv->crypto;
	if (can_encrypt(op) && !crypto_plan(op))
		return false;
	if (can_sign(op) && !sig_plan(op))
		return false;
	if (op->nb_bsf != 0) {
		op->head.mkey_mask |= BSF_MASK;
		op->head.mkc_dw3 = MLX5_UMR_MKC_BSF_EN;
	}
	return layout_plan(op);
}

/** What the key becomes; the signature before it is built, out of what is noted. */
static __rte_always_inline void
op_note(const struct op *op)
{
	const struct mlx5_umr_crypto_caps *caps = &op->queue->dev->caps.crypto;
	const bool has_layout = (op->setters & RTE_UMR_MKEY_SET_LAYOUT) != 0;

	if (can_sign(op)) {
		if (op->is_new_sig)
			mlx5_umr_key_sig_set(op->sig, op->conf->sig);
		else if (op->has_new_tags)
			mlx5_umr_key_sig_retag(op->sig, op->conf->sig);
		if ((op->setters & RTE_UMR_MKEY_SET_SIG) != 0)
			op->sig->is_set = true;
		if (has_layout)
			op->sig->len = op->head.len;
		op->sig->has_bsf = op->nb_bsf != 0 || (op->sig->has_bsf &&
						       (op->sig->is_set || op->has_crypto));
	}
	if (can_encrypt(op)) {
		if (op->is_new_crypto)
			mlx5_umr_key_crypto_set(op->crypto, caps, op->conf->crypto, can_sign(op));
		if (!op->is_quick && can_sign(op) && op->has_crypto)
			mlx5_umr_key_crypto_sign(op->crypto, caps, &op->sig->sig);
		if (has_layout)
			op->crypto->state.len = op->head.len;
	}
}

/** Formats of the key; another tweak is noted. */
static __rte_always_inline void
formats_store(const struct op *op, uint8_t *dst)
{
	const struct mlx5_umr_crypto_caps *caps = &op->queue->dev->caps.crypto;
	struct mlx5_umr_crypto_bsf bsf;

	if (can_sign(op))
		dst = mlx5_umr_sig_bsf_copy(dst, op->sig->is_set ? op->sig->image.bsf :
								   mlx5_umr_no_sig_bsf,
					    op->has_crypto);
	if (!op->has_crypto)
		return;
	bsf = op->crypto->bsf;
	if ((op->setters & RTE_UMR_MKEY_SET_CRYPTO) != 0 && !op->is_new_crypto) {
		mlx5_umr_crypto_bsf_retweak(&bsf, caps, op->conf->crypto);
		op->crypto->bsf.word[2] = bsf.word[2];
		op->crypto->bsf.word[3] = bsf.word[3];
		op->crypto->bsf.word[5] = bsf.word[5];
	}
	mlx5_umr_crypto_bsf_store(dst, &bsf);
}

static __rte_always_inline void
pattern_store(const struct op *op, uint8_t *dst)
{
	const struct rte_umr_mkey_op *conf = op->conf;

	/* struct mlx5_wqe_umr_repeat_block_seg: byte_count, op, repeat_count, num_ent. */
	mlx5_umr_store_2dw(dst, op->block_len, PRM_UMR_REPEAT_BLOCK_OP);
	mlx5_umr_store_2dw(dst + 8, conf->repeat, conf->nb_entries);
	dst += PRM_KLM_SIZE;
	if (op->shape == SHORT_PATTERN)
		mlx5_umr_short_store(dst, &op->short_pattern, conf->nb_entries);
	else
		mlx5_umr_entries_store(dst, conf->interleaved, conf->nb_entries);
}

/** Entries of the layout, if there is one. */
static __rte_always_inline void
entries_store(const struct op *op, uint8_t *dst)
{
	const struct rte_umr_mkey_op *conf = op->conf;

	if (op->shape == NO_LAYOUT || op->nb_klm == 0)
		return;
	if (op->shape == SHORT_LIST)
		mlx5_umr_quad_store(dst, &op->short_list);
	else if (op->shape == LONG_LIST)
		mlx5_umr_long_store(dst, &op->long_list, conf->segs, &op->last);
	else if (op->shape == ANY_SHAPE && conf->layout == RTE_UMR_LAYOUT_LIST)
		list_store(dst, conf->segs, conf->nb_entries);
	else
		pattern_store(op, dst);
}

/** The UMR, and behind it, when it has taken effect, the PSVs. */
static __rte_always_inline void
op_build(const struct op *op, const struct mlx5_umr_slot *slot, uint32_t nb_wqebb, uint64_t flags)
{
	const uint32_t bsf_ds = op->nb_bsf * MLX5_UMR_BSF_DS;
	struct mlx5_umr_ctrl ctrl = mlx5_umr_ctrl_of(op->queue, slot, op->mkey->key, flags);
	uint8_t *dst;

	dst = mlx5_umr_head_build(slot->wqe, &ctrl, &op->head, MLX5_WQE_UMR_CTRL_FLAG_INLINE,
				  op->nb_klm, bsf_ds, op->nb_klm + bsf_ds);
	entries_store(op, dst);
	dst += (size_t)op->nb_klm * PRM_KLM_SIZE;
	if (op->nb_bsf == 0)
		return;
	formats_store(op, dst);
	dst += (size_t)bsf_ds * PRM_WQE_DS_SIZE;
	if (op->nb_psv == 0)
		return;
	ctrl.pi += nb_wqebb - op->nb_psv;
	ctrl.imm = 0;
	ctrl.fm_ce_se = op->queue->fm_umr;
	mlx5_umr_set_psv_build(dst, &ctrl, &op->sig->image.psvs[0]);
	if (op->nb_psv == 1)
		return;
	ctrl.pi++;
	mlx5_umr_set_psv_build(dst + PRM_WQE_BB_SIZE, &ctrl, &op->sig->image.psvs[1]);
}

/**
 * Do it. Setters, formats and shape are constants where this is inlined, but for one time.
 *
 * @param anew
 *   What does it if the key gets other formats than before; NULL: this.
 */
static __rte_always_inline int
configure_as(struct mlx5_umr_queue *queue, const struct rte_umr_mkey_op *conf, uint64_t flags,
	     uint32_t setters, uint32_t formats, enum shape shape, rte_umr_mkey_configure_t anew)
{
	struct op op = {
		.queue = queue,
		.mkey = conf->mkey,
		.conf = conf,
		.setters = setters,
		.formats = formats,
		.shape = shape,
		.is_quick = anew != NULL,
		.len_max = UINT64_MAX,
	};
	struct mlx5_umr_slot slot;
	uint32_t nb_wqebb;

	if (unlikely(!op_plan(&op))) {
		if (op.needs_check && anew != NULL)
			return anew(queue, conf, flags);
		return mlx5_umr_mkey_configure_general(queue, conf, flags);
	}
	nb_wqebb = MLX5_UMR_HDR_WQEBB + op.nb_klm / PRM_WQE_DS_PER_BB +
		   op.nb_bsf * MLX5_UMR_BSF_WQEBB + op.nb_psv * MLX5_UMR_SET_PSV_WQEBB;
	if (unlikely(!mlx5_umr_slot_get(queue, nb_wqebb, &slot)))
		return mlx5_umr_reject_state(queue);
	op_note(&op);
	op_build(&op, &slot, nb_wqebb, flags);
	/* Submit and the error path find the WQEs behind the first one. */
	if (op.nb_psv != 0)
		queue->multi_pi = slot.pi;
	return mlx5_umr_op_commit(queue, &slot, nb_wqebb, RTE_UMR_OP_MKEY_CONFIGURE, 0,
				  queue->fm_umr, flags);
}

static __rte_noinline int
any(void *queue, const struct rte_umr_mkey_op *conf, uint64_t flags)
{
	return configure_as(queue, conf, flags, conf->setters, conf->mkey->flags & FORMAT_FLAGS,
			    ANY_SHAPE, NULL);
}

/* A function for constants: setters, formats of the key, and shape. */
#define CONFIGURE(name, setters, formats, shape)                                                   \
	static __rte_noinline int                                                                  \
	name(void *queue, const struct rte_umr_mkey_op *conf, uint64_t flags)                      \
	{                                                                                          \
		return configure_as(queue, conf, flags, setters, formats, shape, any);             \
	}

/* Functions for short lists, and for others. */
#define CONFIGURE_LIST(name, setters, formats)                                                     \
	CONFIGURE(name##_long, setters, formats, LONG_LIST)                                        \
	CONFIGURE(name##_short, setters, formats, SHORT_LIST)                                      \
	static __rte_always_inline int                                                             \
	name(void *queue, const struct rte_umr_mkey_op *conf, uint64_t flags)                      \
	{                                                                                          \
		if (conf->nb_entries > PRM_KLM_ALIGN)                                              \
			return name##_long(queue, conf, flags);                                    \
		return name##_short(queue, conf, flags);                                           \
	}

/* Rights and a layout, and all formats that the key can have. */
#define ACCESS_LAYOUT		RTE_UMR_MKEY_SET_ACCESS_LAYOUT
#define ALL_SETTERS(formats)	(ACCESS_LAYOUT | (formats) << SETTER_SHIFT)

/* Keys without formats: rights and a list, and what else there is. */
CONFIGURE_LIST(list_plain, ACCESS_LAYOUT, 0)
CONFIGURE(pattern_plain_short, ACCESS_LAYOUT, 0, SHORT_PATTERN)
CONFIGURE(access_plain, conf->setters & RTE_UMR_MKEY_SET_ACCESS, 0, NO_LAYOUT)
CONFIGURE(any_plain, conf->setters, 0, ANY_SHAPE)
/* Keys with formats: all of them are set, or none. */
CONFIGURE_LIST(list_signed, ALL_SETTERS(RTE_UMR_MKEY_POOL_F_SIG), RTE_UMR_MKEY_POOL_F_SIG)
CONFIGURE_LIST(list_encrypted, ALL_SETTERS(RTE_UMR_MKEY_POOL_F_CRYPTO), RTE_UMR_MKEY_POOL_F_CRYPTO)
CONFIGURE_LIST(list_signed_encrypted, ALL_SETTERS(FORMAT_FLAGS), FORMAT_FLAGS)
CONFIGURE(list_keep_signed_short, ACCESS_LAYOUT, RTE_UMR_MKEY_POOL_F_SIG, SHORT_LIST)
CONFIGURE(list_keep_encrypted_short, ACCESS_LAYOUT, RTE_UMR_MKEY_POOL_F_CRYPTO, SHORT_LIST)

static int
configure_plain(struct mlx5_umr_queue *queue, const struct rte_umr_mkey_op *conf, uint64_t flags)
{
	if ((conf->setters & RTE_UMR_MKEY_SET_LAYOUT) == 0)
		return access_plain(queue, conf, flags);
	if (conf->setters == ACCESS_LAYOUT && conf->layout == RTE_UMR_LAYOUT_INTERLEAVED &&
	    conf->nb_entries <= MLX5_UMR_SHORT_ENTRIES)
		return pattern_plain_short(queue, conf, flags);
	return any_plain(queue, conf, flags);
}

/* Not what is most usual. */
static __rte_noinline int
configure_other(struct mlx5_umr_queue *queue, const struct rte_umr_mkey_op *conf, uint64_t flags)
{
	const uint32_t formats = conf->mkey->flags & FORMAT_FLAGS;

	if (unlikely(is_unusual(queue, conf, flags)))
		return mlx5_umr_mkey_configure_general(queue, conf, flags);
	if (formats == 0)
		return configure_plain(queue, conf, flags);
	if (conf->setters != ACCESS_LAYOUT || conf->layout != RTE_UMR_LAYOUT_LIST ||
	    conf->nb_entries > PRM_KLM_ALIGN)
		return any(queue, conf, flags);
	switch (formats) {
	case RTE_UMR_MKEY_POOL_F_SIG:
		return list_keep_signed_short(queue, conf, flags);
	case RTE_UMR_MKEY_POOL_F_CRYPTO:
		return list_keep_encrypted_short(queue, conf, flags);
	default:
		return any(queue, conf, flags);
	}
}

int
ISA(mlx5_umr_mkey_configure)(void *q, const struct rte_umr_mkey_op *conf, uint64_t flags)
{
	const struct rte_umr_mkey *mkey = conf->mkey;
	const uint32_t formats = mkey->flags & (uint32_t)~RTE_UMR_MKEY_POOL_F_REMOTE_INVALIDATE;
	const struct mlx5_umr_queue *queue = q;

	if (((mlx5_umr_op_what(conf) ^ MLX5_UMR_WHAT(ALL_SETTERS(formats), RTE_UMR_LAYOUT_LIST)) |
	     conf->reserved_2 | conf->reserved_3) != 0 ||
	    conf->access > MLX5_UMR_ACCESS_RIGHTS || flags > RTE_UMR_OP_F_ALL ||
	    mkey->dev_id != queue->fp.dev_id)
		return configure_other(q, conf, flags);
	switch (formats) {
	case 0:
		return list_plain(q, conf, flags);
	case RTE_UMR_MKEY_POOL_F_SIG:
		return list_signed(q, conf, flags);
	case RTE_UMR_MKEY_POOL_F_CRYPTO:
		return list_encrypted(q, conf, flags);
	case FORMAT_FLAGS:
		return list_signed_encrypted(q, conf, flags);
	default:
		return mlx5_umr_mkey_configure_general(q, conf, flags);
	}
}

static_assert(RTE_UMR_LAYOUT_LIST == 0, "no layout but a list is 0");
