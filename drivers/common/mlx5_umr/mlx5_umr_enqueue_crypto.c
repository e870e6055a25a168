/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * The configuration that storage does for each request: rights, a list and an encryption with
 * another tweak. What is unusual about it, or wrong, is the business of mlx5_umr_configure.c.
 */

#include "mlx5_umr.h"
#include "mlx5_umr_configure.h"
#include "mlx5_umr_key_crypto.h"
#include "mlx5_umr_mkey.h"

#define USUAL_SETTERS                                                                              \
	(RTE_UMR_MKEY_SET_ACCESS | RTE_UMR_MKEY_SET_LAYOUT | RTE_UMR_MKEY_SET_CRYPTO)
/* KLM slots that are left beside the format. */
#define MAX_KLM	(MLX5_UMR_MAX_TAIL_DS - MLX5_UMR_BSF_DS)

/** Whether it is that, and nothing has to be refused but for its lengths. */
static inline bool
is_usual(const struct mlx5_umr_queue *queue, const struct rte_umr_mkey *mkey,
	 const struct rte_umr_mkey_conf *conf, uint64_t flags)
{
	return conf->setters == USUAL_SETTERS && conf->layout == RTE_UMR_LAYOUT_LIST &&
	       (mkey->flags & ~RTE_UMR_MKEY_POOL_F_REMOTE_INVALIDATE) ==
		       RTE_UMR_MKEY_POOL_F_CRYPTO &&
	       mkey->dev_id == queue->dev_id && conf->reserved == 0 &&
	       conf->access <= MLX5_UMR_ACCESS_RIGHTS && (flags & ~RTE_UMR_OP_F_ALL) == 0 &&
	       conf->nb_entries - 1 < RTE_MIN(mkey->max_entries, MAX_KLM) &&
	       mlx5_umr_crypto_is_good(&queue->dev->caps.crypto, mkey->dev_id, conf->crypto);
}

/** The head of an UMR with a format behind its KLMs. */
static inline struct mlx5_umr_shape
crypto_shape(uint32_t nb_klm)
{
	return (struct mlx5_umr_shape){
		.umr = {
			rte_cpu_to_be_64((uint64_t)MLX5_WQE_UMR_CTRL_FLAG_INLINE << 56 |
					 (uint64_t)nb_klm << 16 | MLX5_UMR_BSF_DS),
			RTE_BE64(MLX5_UMR_LAYOUT_MKEY_MASK |
				 (uint64_t)MLX5_WQE_UMR_CTRL_MKEY_MASK_BSF_ENABLE),
		},
		.ds = rte_cpu_to_be_64((uint64_t)(MLX5_UMR_HDR_DS + nb_klm + MLX5_UMR_BSF_DS)),
		.nb_wqebb = MLX5_UMR_HDR_WQEBB + nb_klm / PRM_WQE_DS_PER_BB + MLX5_UMR_BSF_WQEBB,
	};
}

/** bsf_en in the key context of a layout. */
static inline void
bsf_enable(uint8_t *wqe)
{
	uint32_t *mkc = (uint32_t *)(wqe + PRM_WQE_BB_SIZE);

	mkc[PRM_MKC_BSF_EN.dw] = RTE_BE32(UINT32_C(1) << PRM_MKC_BSF_EN.lsb);
}

/** What the key has become. */
static inline void
state_note(struct mlx5_umr_queue *queue, const struct rte_umr_mkey *mkey,
	   const struct rte_umr_crypto *crypto, const uint8_t *bsf, uint64_t len)
{
	const struct mlx5_umr_mkey_priv *priv = mkey->driver_private;
	struct mlx5_umr_key_crypto *state = priv->crypto;

	state->is_set = true;
	state->order = mlx5_umr_crypto_order(crypto);
	state->unit_size = crypto->data_unit_size;
	state->has_format = true;
	state->epoch = __atomic_load_n(&queue->dev->sig_keys.epoch, __ATOMIC_RELAXED);
	state->len = len;
	memcpy(state->bsf, bsf, sizeof(state->bsf));
}

/** Sum and check of the lengths of a list. */
static inline struct mlx5_umr_sum
list_sum(const struct rte_umr_seg *segs, uint32_t nb)
{
	struct mlx5_umr_sum sum = { 0 }, part;
	struct mlx5_umr_quad quad;
	uint32_t nb_quad;

	for (; nb != 0; nb -= nb_quad, segs += nb_quad) {
		nb_quad = RTE_MIN(nb, PRM_KLM_ALIGN);
		quad = mlx5_umr_quad_load(segs, nb_quad);
		part = mlx5_umr_quad_sum(&quad, nb_quad);
		sum.len += part.len;
		sum.bad |= part.bad;
	}
	return sum;
}

/** Store it, filled up to a block. @return What is behind it. */
static inline uint8_t *
list_store(uint8_t *dst, const struct rte_umr_seg *segs, uint32_t nb)
{
	struct mlx5_umr_quad quad;

	for (; nb > PRM_KLM_ALIGN; nb -= PRM_KLM_ALIGN, segs += PRM_KLM_ALIGN) {
		mlx5_umr_klm_block_store(dst, segs);
		dst += PRM_WQE_BB_SIZE;
	}
	quad = mlx5_umr_quad_load(segs, nb);
	mlx5_umr_quad_store(dst, &quad);
	return dst + PRM_WQE_BB_SIZE;
}

int
mlx5_umr_crypto_list(struct mlx5_umr_queue *queue, struct rte_umr_mkey *mkey,
		     const struct rte_umr_mkey_conf *conf, uint64_t flags)
{
	const struct mlx5_umr_crypto_caps *caps = &queue->dev->caps.crypto;
	const struct mlx5_umr_shape shape = crypto_shape(mlx5_umr_klm_align(conf->nb_entries));
	struct mlx5_umr_slot slot;
	struct mlx5_umr_ctrl ctrl;
	struct mlx5_umr_sum sum;
	uint8_t *dst;

	if (!is_usual(queue, mkey, conf, flags))
		return MLX5_UMR_CRYPTO_UNUSUAL;
	sum = list_sum(conf->segs, conf->nb_entries);
	if (unlikely(sum.bad != 0 ||
		     sum.len > mlx5_umr_crypto_len_max(caps, conf->crypto->data_unit_size)))
		return MLX5_UMR_CRYPTO_UNUSUAL;
	if (unlikely(!mlx5_umr_slot_get(queue, shape.nb_wqebb, &slot)))
		return mlx5_umr_refuse_state(queue);
	ctrl = mlx5_umr_ctrl_of(queue, &slot, mkey->key, flags);
	dst = mlx5_umr_layout_hdr_build(slot.wqe, &ctrl, conf->access, &shape, sum.len);
	bsf_enable(slot.wqe);
	dst = list_store(dst, conf->segs, conf->nb_entries);
	mlx5_umr_crypto_bsf_build(dst, caps, conf->crypto, false);
	state_note(queue, mkey, conf->crypto, dst, sum.len);
	return mlx5_umr_op_commit(queue, &slot, shape.nb_wqebb, RTE_UMR_OP_MKEY_CONFIGURE, 0,
				  queue->fm_umr, flags);
}
