/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "ring/key_sig.h"
#include "ring/key_table.h"
#include "ring/log.h"

#define PAGE_MASK	(MLX5_UMR_SIG_KEYS_PAGE - 1)

/** Location of the pointer to a key; NULL if its page does not exist. The lock is held. */
static struct mlx5_umr_key_sig **
slot_of(struct mlx5_umr_sig_keys *keys, uint32_t index)
{
	struct mlx5_umr_key_sig **page;

	page = keys->pages[index >> MLX5_UMR_SIG_KEYS_LOG_PAGE & PAGE_MASK];
	return page == NULL ? NULL : &page[index & PAGE_MASK];
}

int
mlx5_umr_sig_keys_add(struct mlx5_umr_sig_keys *keys, uint32_t index,
		      struct mlx5_umr_key_sig *sig)
{
	struct mlx5_umr_key_sig ***page;
	int ret = 0;

	rte_spinlock_lock(&keys->lock);
	page = &keys->pages[index >> MLX5_UMR_SIG_KEYS_LOG_PAGE & PAGE_MASK];
	if (*page == NULL)
		*page = calloc(MLX5_UMR_SIG_KEYS_PAGE, sizeof(**page));
	if (*page == NULL)
		ret = -ENOMEM;
	else
		(*page)[index & PAGE_MASK] = sig;
	sig->keys = keys;
	rte_spinlock_unlock(&keys->lock);
	return ret;
}

void
mlx5_umr_sig_keys_remove(struct mlx5_umr_sig_keys *keys, uint32_t index)
{
	struct mlx5_umr_key_sig **slot;

	rte_spinlock_lock(&keys->lock);
	slot = slot_of(keys, index);
	if (slot != NULL)
		*slot = NULL;
	rte_spinlock_unlock(&keys->lock);
}

void
mlx5_umr_sig_keys_fini(struct mlx5_umr_sig_keys *keys)
{
	uint32_t i;

	for (i = 0; i < MLX5_UMR_SIG_KEYS_PAGE; i++) {
		free(keys->pages[i]);
		keys->pages[i] = NULL;
	}
}

void
mlx5_umr_sig_keys_take(struct mlx5_umr_sig_keys *keys, const volatile struct mlx5_cqe64 *cqe)
{
	struct mlx5_umr_key_sig **slot, *sig;
	struct mlx5_umr_sigerr err;
	unsigned int i;

	/* The driver owns it: the device no longer writes to it. */
	mlx5_umr_sigerr_read((const void *)(uintptr_t)cqe, &err);
	rte_spinlock_lock(&keys->lock);
	slot = slot_of(keys, err.mkey >> MLX5_UMR_KEY_INDEX_SHIFT);
	sig = slot != NULL ? *slot : NULL;
	if (sig != NULL) {
		for (i = 0; i < RTE_DIM(err.types); i++)
			err.types[i] = __atomic_load_n(&sig->types[i], __ATOMIC_RELAXED);
		sig->err = err;
		/* The lock protects against other writers; configuring the key takes no lock. */
		__atomic_store_n(&sig->nb_errors, sig->nb_errors + 1, __ATOMIC_RELAXED);
		__atomic_store_n(&sig->has_error, true, __ATOMIC_RELEASE);
	}
	rte_spinlock_unlock(&keys->lock);
	MLX5_UMR_DEV_LOG(DEBUG, keys->name, "key 0x%x: signature error 0x%x at offset %" PRIu64
			 "%s", err.mkey, err.syndrome, err.offset,
			 sig == NULL ? "; the key is gone" : "");
}

/*
 * Clear an error. The lock is held; readers of the flag hold none. @return Whether there was one.
 */
static bool
error_forget(struct mlx5_umr_key_sig *sig)
{
	bool has_error = sig->has_error;

	__atomic_store_n(&sig->has_error, false, __ATOMIC_RELAXED);
	return has_error;
}

int
mlx5_umr_key_sig_check(struct mlx5_umr_key_sig *sig, struct rte_umr_mkey_error *error)
{
	struct mlx5_umr_sigerr err;
	bool has_error;
	int ret;

	*error = (struct rte_umr_mkey_error){ .type = RTE_UMR_MKEY_ERROR_NONE };
	/* Usually there is none, and no lock is taken. */
	if (likely(!__atomic_load_n(&sig->has_error, __ATOMIC_ACQUIRE)))
		return 0;
	rte_spinlock_lock(&sig->keys->lock);
	/* If several threads call at once, one gets the error. */
	has_error = error_forget(sig);
	err = sig->err;
	rte_spinlock_unlock(&sig->keys->lock);
	if (!has_error)
		return 0;
	ret = mlx5_umr_sigerr_decode(&err, error);
	if (ret != 0)
		MLX5_UMR_DEV_LOG(ERR, sig->keys->name, "key 0x%x: signature error of syndrome "
				 "0x%x, type 0x%x, domain 0x%x, which this key cannot have",
				 err.mkey, err.syndrome, err.sig_type, err.domain);
	return ret;
}

void
mlx5_umr_key_sig_recycle(struct mlx5_umr_key_sig *sig)
{
	sig->is_set = false;
	sig->len = 0;
	rte_spinlock_lock(&sig->keys->lock);
	error_forget(sig);
	rte_spinlock_unlock(&sig->keys->lock);
}

void
mlx5_umr_key_sig_set(struct mlx5_umr_key_sig *key_sig, const struct rte_umr_sig *sig)
{
	/* A concurrent error may belong to the previous types or to these. */
	__atomic_store_n(&key_sig->types[MLX5_UMR_SIG_MEM], mlx5_umr_sig_type_of(&sig->mem),
			 __ATOMIC_RELAXED);
	__atomic_store_n(&key_sig->types[MLX5_UMR_SIG_WIRE], mlx5_umr_sig_type_of(&sig->wire),
			 __ATOMIC_RELAXED);
	key_sig->sig = *sig;
	mlx5_umr_sig_image_build(&key_sig->image, sig, key_sig->psv);
}

/**
 * Whether the key has the same transaction, and its PSV no error. Each BSF of a transaction starts
 * its signature anew (t_init), so that the PSV need not be set again.
 */
static bool
trans_stays(const struct mlx5_umr_key_sig *key_sig, const struct rte_umr_sig *sig,
	    uint32_t nb_errors)
{
	return key_sig->image.nb_psv != 0 && key_sig->image.is_trans &&
	       key_sig->armed_at == nb_errors &&
	       (sig == NULL || mlx5_umr_sig_compare(&key_sig->sig, sig).rest == 0);
}

void
mlx5_umr_sig_plan_make(const struct mlx5_umr_key_sig *key_sig, const struct rte_umr_sig *sig,
		       bool is_reset, struct mlx5_umr_sig_plan *plan)
{
	uint32_t nb_errors = __atomic_load_n(&key_sig->nb_errors, __ATOMIC_RELAXED);
	uint32_t epoch = __atomic_load_n(&key_sig->keys->epoch, __ATOMIC_RELAXED);
	bool is_stale = key_sig->epoch != epoch;
	bool is_set = !is_reset && (sig != NULL || key_sig->is_set);
	bool is_arming = !key_sig->is_quick || key_sig->armed_at != nb_errors || is_stale;

	*plan = (struct mlx5_umr_sig_plan){
		.sig = sig != NULL ? sig : &key_sig->sig,
		.is_set = is_set,
		.has_bsf = sig != NULL || (is_set && is_stale),
		.is_stale = is_stale,
		.is_arming = is_arming,
		.keeps_psv = !is_stale && trans_stays(key_sig, sig, nb_errors),
		.sigerr_bit = ((nb_errors + 1) & 1) != 0,
		.nb_errors = nb_errors,
		.epoch = epoch,
	};
	if (!plan->keeps_psv && (plan->has_bsf || (is_set && is_arming)))
		plan->nb_psv = mlx5_umr_sig_nb_psv(plan->sig);
}

void
mlx5_umr_sig_plan_commit(const struct mlx5_umr_sig_plan *plan, struct mlx5_umr_key_sig *key_sig)
{
	if (plan->sig != &key_sig->sig)
		mlx5_umr_key_sig_set(key_sig, plan->sig);
	key_sig->len = plan->len;
	key_sig->is_set = plan->is_set;
	key_sig->has_bsf = (key_sig->has_bsf || plan->has_bsf) && !plan->is_off;
	key_sig->is_quick = !mlx5_umr_sig_is_trans(&key_sig->sig);
	key_sig->armed_at = plan->nb_errors;
	/* The PSV is still to be set: the next transaction does it. */
	if (!key_sig->is_quick && plan->nb_psv == 0 && !plan->keeps_psv)
		key_sig->armed_at--;
	key_sig->epoch = plan->epoch;
}
