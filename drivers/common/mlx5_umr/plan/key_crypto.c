/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <string.h>

#include "ring/device.h"
#include "plan/configure.h"
#include "plan/key_crypto.h"
#include "ring/mkey.h"

#define WHY_SIZE 128u

/** Encryption of a key; NULL if not supported. */
static struct mlx5_umr_key_crypto *
crypto_of(const struct rte_umr_mkey *mkey)
{
	return (mkey->flags & RTE_UMR_MKEY_POOL_F_CRYPTO) == 0 ? NULL : mlx5_umr_mkey_crypto(mkey);
}

/** Log the reason why an encryption is rejected. */
static int
reject(const struct mlx5_umr_plan *plan, int error, const char *why)
{
	return REJECT(plan->queue, CRYPTO, error, "key 0x%x: encryption: %s", plan->mkey->key, why);
}

static int
set_crypto(struct mlx5_umr_plan *plan, const struct rte_umr_crypto *crypto)
{
	const struct mlx5_umr_crypto_caps *caps = &plan->queue->dev->caps.crypto;
	struct mlx5_umr_crypto_state *next = &plan->crypto;
	char why[WHY_SIZE];
	int ret;

	if (crypto == NULL)
		return reject(plan, -EINVAL, "crypto is NULL");
	ret = mlx5_umr_crypto_check(caps, plan->mkey->dev_id, crypto, why, sizeof(why));
	if (ret != 0)
		return reject(plan, ret, why);
	next->is_set = true;
	next->order = mlx5_umr_crypto_order(crypto);
	next->unit_size = crypto->data_unit_size;
	plan->new_crypto = crypto;
	return 0;
}

/** Check the limits if the key is encrypted after the operation. */
static int
fit_check(const struct mlx5_umr_plan *plan)
{
	const struct mlx5_umr_crypto_caps *caps = &plan->queue->dev->caps.crypto;
	const struct rte_umr_sig *sig = plan->sig.is_set ? plan->sig.sig : NULL;
	const struct mlx5_umr_crypto_state *next = &plan->crypto;
	char why[WHY_SIZE];
	int ret;

	ret = mlx5_umr_crypto_sig_check(next->order, sig, why, sizeof(why));
	if (ret == 0)
		ret = mlx5_umr_crypto_len_check(caps, next->unit_size, next->order, sig, next->len,
						why, sizeof(why));
	return ret == 0 ? 0 : reject(plan, ret, why);
}

static void
bsf_add(struct mlx5_umr_plan *plan)
{
	plan->has_crypto_bsf = true;
	plan->nb_bsf++;
	plan->crypto.has_bsf = true;
	plan->head.mkey_mask |= MLX5_WQE_UMR_CTRL_MKEY_MASK_BSF_ENABLE;
	plan->head.mkc_dw3 |= MLX5_UMR_MKC_BSF_EN;
}

int
mlx5_umr_plan_crypto(struct mlx5_umr_plan *plan, const struct rte_umr_mkey_op *conf)
{
	const struct mlx5_umr_key_crypto *key_crypto = crypto_of(plan->mkey);
	bool is_new = (conf->setters & RTE_UMR_MKEY_SET_CRYPTO) != 0, is_stale;
	int ret;

	if (key_crypto == NULL)
		return 0;
	plan->crypto = key_crypto->state;
	plan->crypto.epoch = __atomic_load_n(&plan->queue->dev->sig_keys.epoch, __ATOMIC_RELAXED);
	is_stale = key_crypto->state.epoch != plan->crypto.epoch;
	if (plan->layout.nb_klm != 0)
		plan->crypto.len = plan->layout.len;
	if (is_new) {
		ret = set_crypto(plan, conf->crypto);
		if (ret != 0)
			return ret;
	}
	if (plan->crypto.is_set) {
		ret = fit_check(plan);
		/* Also after the BSF of a signature: both are written together. */
		if (ret == 0 && (is_new || is_stale || plan->nb_bsf != 0))
			bsf_add(plan);
		return ret;
	}
	/*
	 * Remove the BSF of a previous owner: otherwise a key without encryption could not be used.
	 * If the key can have a signature, configure_sig.c decides.
	 */
	if (plan->crypto.has_bsf && (plan->mkey->flags & RTE_UMR_MKEY_POOL_F_SIG) == 0)
		plan->head.mkey_mask |= MLX5_WQE_UMR_CTRL_MKEY_MASK_BSF_ENABLE;
	return 0;
}

void
mlx5_umr_key_crypto_set(struct mlx5_umr_key_crypto *key_crypto,
			const struct mlx5_umr_crypto_caps *caps,
			const struct rte_umr_crypto *crypto, bool has_sig)
{
	struct mlx5_umr_crypto_state *state = &key_crypto->state;

	state->is_set = true;
	state->order = mlx5_umr_crypto_order(crypto);
	state->unit_size = crypto->data_unit_size;
	state->len_max = mlx5_umr_crypto_len_max(caps, state->unit_size, state->order, NULL);
	state->has_bsf = true;
	key_crypto->what = mlx5_umr_crypto_what_of(crypto);
	key_crypto->bsf = mlx5_umr_crypto_bsf_make(caps, crypto, has_sig);
}

void
mlx5_umr_key_crypto_sign(struct mlx5_umr_key_crypto *key_crypto,
			 const struct mlx5_umr_crypto_caps *caps, const struct rte_umr_sig *sig)
{
	struct mlx5_umr_crypto_state *state = &key_crypto->state;

	state->len_max_signed = mlx5_umr_crypto_len_max(caps, state->unit_size, state->order, sig);
}

void
mlx5_umr_key_crypto_commit(const struct mlx5_umr_plan *plan)
{
	const struct mlx5_umr_crypto_caps *caps = &plan->queue->dev->caps.crypto;
	bool has_sig = (plan->mkey->flags & RTE_UMR_MKEY_POOL_F_SIG) != 0;
	struct mlx5_umr_key_crypto *crypto = crypto_of(plan->mkey);

	if (crypto == NULL)
		return;
	crypto->state = plan->crypto;
	if (plan->new_crypto != NULL)
		mlx5_umr_key_crypto_set(crypto, caps, plan->new_crypto, has_sig);
	if (has_sig && crypto->state.is_set)
		mlx5_umr_key_crypto_sign(crypto, caps, &mlx5_umr_mkey_sig(plan->mkey)->sig);
}
