/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <mlx5_prm.h>

#include "ctrl/devx.h"
#include "ctrl/dev.h"
#include "ctrl/queue.h"
#include "plan/key_crypto.h"
#include "ring/key_sig.h"
#include "ring/log.h"
#include "ring/key_table.h"
#include "ring/mkey.h"
#include "ring/queue.h"
#include "ctrl/mr.h"
#include "wqe/sig.h"
#include "wqe/wqe.h"

/* Keys of that many entries never need memory for lists: all that an operation has fits a WQE. */
#define SHORT_KEY	40u
static_assert(SHORT_KEY + PRM_KLM_ALIGN + 2 * MLX5_UMR_BSF_DS <= PRM_UMR_INLINE_KLM_MAX,
	      "entries, their alignment in an update, and both BSFs");

/** Octowords of the BSFs of a key: that of a signature, followed by that of an encryption. */
static uint32_t
mkey_bsf_ow(const struct rte_umr_mkey *mkey)
{
	uint32_t nb_bsf = 0;

	nb_bsf += (mkey->flags & RTE_UMR_MKEY_POOL_F_SIG) != 0;
	nb_bsf += (mkey->flags & RTE_UMR_MKEY_POOL_F_CRYPTO) != 0;
	return nb_bsf * MLX5_UMR_BSF_DS;
}

static int
klms_alloc(const struct rte_umr_dev *umr_dev, const struct rte_umr_mkey *mkey,
	   struct mlx5_umr_mkey_priv *priv, uint32_t nb_klm)
{
	if ((mkey->flags & RTE_UMR_MKEY_POOL_F_UPDATE) == 0)
		return 0;
	priv->klms = aligned_alloc(PRM_WQE_BB_SIZE, (size_t)nb_klm * PRM_KLM_SIZE);
	if (priv->klms != NULL)
		return 0;
	MLX5_UMR_DEV_LOG(ERR, umr_dev->name, "no memory for the %u entries of a key", nb_klm);
	return -ENOMEM;
}

uint32_t
mlx5_umr_mkey_priv_size(uint32_t flags)
{
	size_t size = sizeof(struct mlx5_umr_mkey_priv);

	if ((flags & RTE_UMR_MKEY_POOL_F_SIG) != 0)
		size += sizeof(struct mlx5_umr_key_sig);
	if ((flags & RTE_UMR_MKEY_POOL_F_CRYPTO) != 0)
		size += sizeof(struct mlx5_umr_key_crypto);
	return (uint32_t)size;
}

/** Signature of a key; NULL if not supported. */
static struct mlx5_umr_key_sig *
sig_of(const struct rte_umr_mkey *mkey)
{
	return (mkey->flags & RTE_UMR_MKEY_POOL_F_SIG) == 0 ? NULL : mlx5_umr_mkey_sig(mkey);
}

/** Destroy the PSVs of a signature, which may be incomplete. */
static int
psvs_destroy(const struct mlx5_umr_device *dev, struct mlx5_umr_key_sig *sig)
{
	int error = 0, ret;
	unsigned int i;

	if (sig == NULL)
		return 0;
	for (i = 0; i < RTE_DIM(sig->psv_objs); i++) {
		ret = mlx5_umr_devx_destroy(dev, sig->psv_objs[i], "PSV");
		if (ret != 0)
			error = ret;
	}
	return error;
}

static int
psvs_create(struct mlx5_umr_device *dev, uint32_t pdn, struct mlx5_umr_key_sig *sig)
{
	unsigned int i;
	int ret;

	if (sig == NULL)
		return 0;
	for (i = 0; i < RTE_DIM(sig->psv_objs); i++) {
		ret = mlx5_umr_devx_psv_create(dev, pdn, &sig->psv_objs[i], &sig->psv[i]);
		if (ret != 0) {
			psvs_destroy(dev, sig);
			return ret;
		}
	}
	return 0;
}

static int
key_obj_create(struct mlx5_umr_device *dev, const struct mlx5_umr_mkey_attr *attr,
	       struct mlx5_umr_mkey_priv *priv, struct mlx5_umr_key_sig *sig, uint32_t *index)
{
	int ret;

	ret = mlx5_umr_devx_mkey_create(dev, attr, &priv->obj, index);
	if (ret != 0 || sig == NULL)
		return ret;
	ret = mlx5_umr_sig_keys_add(&dev->sig_keys, *index, sig);
	if (ret != 0)
		mlx5_umr_devx_destroy(dev, priv->obj, "mkey");
	return ret;
}

/*
 * Allocate memory for lists of all queues that have the default size of it, with the first key that
 * may need it. Queues that are set up later have it from the start.
 */
static int
lists_alloc(struct rte_umr_dev *umr_dev)
{
	struct mlx5_umr_device *dev = umr_dev->dev_private;
	int ret;

	for (uint16_t i = 0; i < umr_dev->nb_queues; i++) {
		if (umr_dev->queues[i] == NULL)
			continue;
		ret = mlx5_umr_queue_lists_alloc(container_of(umr_dev->queues[i],
							      struct mlx5_umr_queue, fp));
		if (ret != 0)
			return ret;
	}
	dev->has_long_keys = true;
	return 0;
}

int
mlx5_umr_mkey_create(struct rte_umr_dev *umr_dev, const struct rte_umr_pd *pd,
		     struct rte_umr_mkey *mkey)
{
	struct mlx5_umr_device *dev = umr_dev->dev_private;
	const struct mlx5_umr_mkey_attr attr = {
		.pdn = mlx5_umr_pd_num(dev, pd),
		.nb_klm = mlx5_umr_klm_align(mkey->max_entries),
		.has_remote_inv = (mkey->flags & RTE_UMR_MKEY_POOL_F_REMOTE_INVALIDATE) != 0,
		.log_entry_size = mkey->log_entry_size,
		.bsf_ow = mkey_bsf_ow(mkey),
		.has_crypto = (mkey->flags & RTE_UMR_MKEY_POOL_F_CRYPTO) != 0,
	};
	struct mlx5_umr_mkey_priv *priv = rte_umr_mkey_priv(mkey);
	struct mlx5_umr_key_sig *sig = sig_of(mkey);
	uint32_t index;
	int ret;

	if (mkey->max_entries > SHORT_KEY && !dev->has_long_keys) {
		ret = lists_alloc(umr_dev);
		if (ret != 0)
			return ret;
	}
	ret = klms_alloc(umr_dev, mkey, priv, attr.nb_klm);
	if (ret != 0)
		return ret;
	ret = psvs_create(dev, attr.pdn, sig);
	if (ret != 0)
		goto free_klms;
	ret = key_obj_create(dev, &attr, priv, sig, &index);
	if (ret != 0)
		goto destroy_psvs;
	mkey->key = index << MLX5_UMR_KEY_INDEX_SHIFT;
	ret = mlx5_umr_key_table_set(dev->keys, mkey->key, mlx5_umr_key_of_mkey(mkey));
	if (ret == 0)
		return 0;

	MLX5_UMR_DEV_LOG(ERR, umr_dev->name, "no memory for key 0x%x in the table of keys",
			 mkey->key);
	if (sig != NULL)
		mlx5_umr_sig_keys_remove(&dev->sig_keys, index);
	mlx5_umr_devx_destroy(dev, priv->obj, "mkey");
destroy_psvs:
	psvs_destroy(dev, sig);
free_klms:
	free(priv->klms);
	return ret;
}

int
mlx5_umr_mkey_destroy(struct rte_umr_dev *umr_dev, struct rte_umr_mkey *mkey)
{
	struct mlx5_umr_device *dev = umr_dev->dev_private;
	struct mlx5_umr_mkey_priv *priv = rte_umr_mkey_priv(mkey);
	struct mlx5_umr_key_sig *sig = sig_of(mkey);
	int error, ret;

	mlx5_umr_key_table_clear(dev->keys, mkey->key);
	if (sig != NULL)
		mlx5_umr_sig_keys_remove(&dev->sig_keys, mkey->key >> MLX5_UMR_KEY_INDEX_SHIFT);
	/* Destroy the key before its PSVs. */
	error = mlx5_umr_devx_destroy(dev, priv->obj, "mkey");
	ret = psvs_destroy(dev, sig);
	free(priv->klms);
	return error != 0 ? error : ret;
}

void
mlx5_umr_mkey_recycle(struct rte_umr_dev *umr_dev, struct rte_umr_mkey *mkey)
{
	struct mlx5_umr_mkey_priv *priv = rte_umr_mkey_priv(mkey);

	RTE_SET_USED(umr_dev);
	/* The list belongs to the last owner. */
	priv->nb_entries = 0;
	if ((mkey->flags & RTE_UMR_MKEY_POOL_F_SIG) != 0)
		mlx5_umr_key_sig_recycle(mlx5_umr_mkey_sig(mkey));
	if ((mkey->flags & RTE_UMR_MKEY_POOL_F_CRYPTO) != 0)
		mlx5_umr_key_crypto_recycle(mlx5_umr_mkey_crypto(mkey));
}

static uint32_t
access_from_mkc(const void *mkc)
{
	return (prm_get(mkc, PRM_MKC_LW) ? RTE_UMR_ACCESS_LOCAL_WRITE : 0) |
	       (prm_get(mkc, PRM_MKC_RR) ? RTE_UMR_ACCESS_REMOTE_READ : 0) |
	       (prm_get(mkc, PRM_MKC_RW) ? RTE_UMR_ACCESS_REMOTE_WRITE : 0) |
	       (prm_get(mkc, PRM_MKC_A) ? RTE_UMR_ACCESS_REMOTE_ATOMIC : 0) |
	       (prm_get(mkc, PRM_MKC_RELAXED_ORDERING_WRITE) ? RTE_UMR_ACCESS_RELAXED_ORDERING : 0);
}

int
mlx5_umr_mkey_query(struct rte_umr_dev *umr_dev, const struct rte_umr_mkey *mkey,
		    struct rte_umr_mkey_attr *attr)
{
	const uint32_t index = mkey->key >> MLX5_UMR_KEY_INDEX_SHIFT;
	const struct mlx5_umr_mkey_priv *priv = rte_umr_mkey_priv(mkey);
	uint32_t mkc[PRM_MKC_SIZE / sizeof(uint32_t)];
	int ret;

	ret = mlx5_umr_devx_mkey_query(umr_dev->dev_private, priv->obj, index, mkc);
	if (ret != 0)
		return ret;
	*attr = (struct rte_umr_mkey_attr){
		.key = index << MLX5_UMR_KEY_INDEX_SHIFT | prm_get_u8(mkc, PRM_MKC_MKEY_7_0),
		.is_free = prm_get(mkc, PRM_MKC_FREE),
		.is_fixed_size = prm_get(mkc, PRM_MKC_ACCESS_MODE_1_0) == PRM_MKC_ACCESS_MODE_KSM,
		.has_signature = sig_of(mkey) != NULL && prm_get(mkc, PRM_MKC_BSF_EN),
		.has_crypto = prm_get(mkc, PRM_MKC_CRYPTO_EN) != 0,
		.can_remote_invalidate = prm_get(mkc, PRM_MKC_EN_RINVAL),
		.access = access_from_mkc(mkc),
		.addr = prm_get(mkc, PRM_MKC_START_ADDR),
		.len = prm_get(mkc, PRM_MKC_LEN),
		.nb_entries = prm_get_u32(mkc, PRM_MKC_TRANSLATIONS_OCTWORD_SIZE),
		.pd = prm_get_u32(mkc, PRM_MKC_PD),
	};
	return 0;
}
