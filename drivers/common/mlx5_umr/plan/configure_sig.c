/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Handling of a key's signature by a configuration, with the rules of rdma-core 44
 * (providers/mlx5/qp.c, umr_wqe_finalize()):
 *
 *     signature    a new one writes the BSF and sets bsf_en; otherwise both do not change
 *     none         bsf_en is cleared, unless there is an encryption, whose BSF follows this one:
 *                  both are written when one of them is new or removed
 *     arming       the error bit is written initially and after an error; an unchanged signature
 *                  sets its PSVs again, because they contain the syndrome of that error
 *     transaction  its BSF contains the length of the data, so each layout writes it; it is not
 *                  written before the first layout; PSVs are set initially and after an error
 */

#include <errno.h>
#include <inttypes.h>

#include "ring/device.h"
#include "plan/configure.h"
#include "ring/key_sig.h"
#include "ring/log.h"
#include "ring/mkey.h"

#define MLX5_UMR_WHY_SIZE 128

static int
sig_check(const struct mlx5_umr_plan *plan, const struct rte_umr_mkey_op *conf)
{
	struct mlx5_umr_queue *queue = plan->queue;
	char why[MLX5_UMR_WHY_SIZE];
	int ret;

	if ((conf->setters & RTE_UMR_MKEY_SET_SIG) == 0)
		return 0;
	if (conf->sig == NULL)
		return REJECT(queue, SIGNATURE, -EINVAL,
			      "key 0x%x: setters 0x%x has SET_SIG, sig is NULL", plan->mkey->key,
			      conf->setters);
	ret = mlx5_umr_sig_check(&queue->dev->sig_caps, conf->sig, why, sizeof(why));
	if (ret != 0)
		return REJECT(queue, SIGNATURE, ret, "key 0x%x: signature: %s", plan->mkey->key,
			      why);
	return 0;
}

static int
trans_plan(struct mlx5_umr_plan *plan)
{
	struct mlx5_umr_sig_plan *sig_plan = &plan->sig;
	uint32_t field;

	if (!sig_plan->is_set || !mlx5_umr_sig_is_trans(sig_plan->sig))
		return 0;
	if (sig_plan->len == 0) {
		sig_plan->has_bsf = false;
		sig_plan->nb_psv = 0;
		return 0;
	}
	field = rte_umr_sig_size((enum rte_umr_sig_type)sig_plan->sig->mem.type);
	if (sig_plan->len <= field)
		return REJECT(plan->queue, SIGNATURE, -ERANGE,
			      "key 0x%x: %" PRIu64 " bytes with a signature "
			      "of %u behind all the data, at least 1 more",
			      plan->mkey->key, sig_plan->len, field);
	sig_plan->trans_len = (uint32_t)(sig_plan->len - field);
	sig_plan->has_bsf |= plan->layout.nb_klm != 0;
	if (sig_plan->has_bsf && !sig_plan->keeps_psv)
		sig_plan->nb_psv = mlx5_umr_sig_nb_psv(sig_plan->sig);
	return 0;
}

/**
 * Plan the BSFs with an encryption: a key that can also have a signature never gets the BSF of an
 * encryption alone.
 */
static void
crypto_join(struct mlx5_umr_plan *plan, const struct rte_umr_mkey_op *conf)
{
	bool is_new = (conf->setters & RTE_UMR_MKEY_SET_CRYPTO) != 0;
	bool is_reset = (conf->setters & RTE_UMR_MKEY_RESET_SIG) != 0;

	if ((plan->mkey->flags & RTE_UMR_MKEY_POOL_F_CRYPTO) == 0) {
		plan->sig.is_off = !plan->sig.is_set;
		return;
	}
	plan->sig.has_crypto = is_new || mlx5_umr_mkey_crypto(plan->mkey)->state.is_set;
	if (plan->sig.has_crypto)
		plan->sig.has_bsf |= is_new || is_reset || plan->sig.is_stale;
	else
		/* The operation that removed a BSF may have been flushed. */
		plan->sig.is_off = !plan->sig.is_set &&
				   (mlx5_umr_mkey_sig(plan->mkey)->has_bsf || plan->sig.is_stale);
}

static void
sig_apply(struct mlx5_umr_plan *plan)
{
	const struct mlx5_umr_sig_plan *sig_plan = &plan->sig;
	struct mlx5_umr_head *head = &plan->head;

	if (sig_plan->has_bsf) {
		plan->nb_bsf = 1;
		head->mkc_dw3 |= MLX5_UMR_MKC_BSF_EN;
	}
	if (sig_plan->has_bsf || sig_plan->is_off)
		head->mkey_mask |= MLX5_WQE_UMR_CTRL_MKEY_MASK_BSF_ENABLE;
	if (sig_plan->is_arming) {
		head->mkc_dw3 |= (uint32_t)sig_plan->sigerr_bit
				 << PRM_MKC_EXPECTED_SIGERR_COUNT.lsb;
		head->mkey_mask |= PRM_UMR_MKEY_MASK_SIGERR;
	}
}

int
mlx5_umr_plan_sig(struct mlx5_umr_plan *plan, const struct rte_umr_mkey_op *conf)
{
	const struct mlx5_umr_key_sig *sig;
	uint64_t len;
	int ret;

	if ((plan->mkey->flags & RTE_UMR_MKEY_POOL_F_SIG) == 0)
		return 0;
	ret = sig_check(plan, conf);
	if (ret != 0)
		return ret;
	sig = mlx5_umr_mkey_sig(plan->mkey);
	mlx5_umr_sig_plan_make(sig,
			       (conf->setters & RTE_UMR_MKEY_SET_SIG) != 0 ? conf->sig : NULL,
			       (conf->setters & RTE_UMR_MKEY_RESET_SIG) != 0, &plan->sig);
	len = plan->layout.nb_klm != 0 ? plan->layout.len : sig->len;
	/* raw_data_size of a BSF has 32 bits. */
	if (plan->sig.is_set && len > UINT32_MAX)
		return REJECT(plan->queue, SIGNATURE, -ERANGE,
			      "key 0x%x: %" PRIu64 " bytes with a signature, at most %u",
			      plan->mkey->key, len, UINT32_MAX);
	plan->sig.len = len;
	ret = trans_plan(plan);
	if (ret != 0)
		return ret;
	crypto_join(plan, conf);
	sig_apply(plan);
	return 0;
}

void
mlx5_umr_plan_sig_note(const struct mlx5_umr_plan *plan)
{
	if ((plan->mkey->flags & RTE_UMR_MKEY_POOL_F_SIG) != 0)
		mlx5_umr_sig_plan_commit(&plan->sig, mlx5_umr_mkey_sig(plan->mkey));
}

int
mlx5_umr_mkey_check(struct rte_umr_mkey *mkey, struct rte_umr_mkey_error *error)
{
	if (unlikely((mkey->flags & RTE_UMR_MKEY_POOL_F_SIG) == 0)) {
		MLX5_UMR_DEV_LOG(ERR, rte_umr_dev_label(mkey->dev_id), "key 0x%x: its pool was "
				 "created without RTE_UMR_MKEY_POOL_F_SIG", mkey->key);
		return -ENOTSUP;
	}
	return mlx5_umr_key_sig_check(mlx5_umr_mkey_sig(mkey), error);
}
