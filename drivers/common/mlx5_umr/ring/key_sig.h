/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef MLX5_UMR_KEY_SIG_H
#define MLX5_UMR_KEY_SIG_H

/**
 * @file
 * State of keys with signatures, and their errors.
 *
 * A key tells one error: mkc.expected_sigerr_count, one bit, must differ from how many there were.
 * The next UMR behind the error's CQE sets the bit again ("arms" the key), and SET_PSV renews the
 * initial signatures (rdma-core 44, providers/mlx5/qp.c: upd_mkc_sig_err_cnt()). So there is never
 * more than one CQE of a key on its way, and a completion ring with an entry for each key is
 * large enough.
 *
 * The CQE comes to the queue that moved the data, which need not be the one that configured the
 * key, and names the key by its number; the device has a table of them. What an enqueue function
 * and the poll of another lcore share of a key is behind the lock of that table.
 */

#include <stdbool.h>
#include <stdint.h>

#include <infiniband/mlx5dv.h>

#include <rte_common.h>
#include <rte_spinlock.h>

#include "wqe/sig.h"

struct mlx5_umr_sig_keys;

/** Signature of a key. The first cache line is what each configuration looks at. */
struct mlx5_umr_key_sig {
	/* Written by the lcore that configures the key. */
	uint64_t len;			/* bytes of its layout; 0: its owner has set none */
	uint32_t armed_at;		/* nb_errors when it was armed */
	uint32_t epoch;			/* of the device, when it was last configured */
	bool is_set;			/* the key has it */
	bool has_bsf;			/* the device has it, maybe of an owner before */
	/*
	 * An UMR has armed it since it was created, and its BSF does not depend on the layout: not
	 * that of a transaction. Others are armed and get their BSF by each layout.
	 */
	bool is_quick;
	/* Shared, see above: written behind the lock; by atomics, as they are read without it. */
	bool has_error;			/* err was not read by the application */
	uint32_t nb_errors;		/* signature error CQEs that were seen */
	/* Written by the lcore that configures the key. */
	struct rte_umr_sig sig;		/* the last one, also when it has been reset */
	struct mlx5_umr_sig_image image; /* of sig; without psvs as long as there was none */
	/* Shared. */
	/* mlx5_umr_sig_type_of() sig; errors are decoded by them. Atomic */
	uint8_t types[MLX5_UMR_SIG_NB_DOMAINS];
	struct mlx5_umr_sigerr err;
	/* Control path. */
	struct mlx5_umr_sig_keys *keys;	/* the table that it is in */
	uint32_t psv[MLX5_UMR_SIG_NB_DOMAINS];
	struct mlx5dv_devx_obj *psv_objs[MLX5_UMR_SIG_NB_DOMAINS];
} __rte_cache_aligned;

static_assert(offsetof(struct mlx5_umr_key_sig, image) == 64, "a BSF is not in two lines");

/* A key number has 24 bits: pages of pointers, by its high and its low half. */
#define MLX5_UMR_SIG_KEYS_LOG_PAGE	12u
#define MLX5_UMR_SIG_KEYS_PAGE		(1u << MLX5_UMR_SIG_KEYS_LOG_PAGE)

/** Keys with signatures of a device, by their number. A zeroed one is empty. */
struct mlx5_umr_sig_keys {
	rte_spinlock_t lock;
	/*
	 * Grows when operations are flushed: what they were to do to keys has not been done, so
	 * each key is configured in full the next time.
	 */
	uint32_t epoch;
	struct mlx5_umr_key_sig **pages[MLX5_UMR_SIG_KEYS_PAGE];
};

/** Make a key known. @return 0 or -ENOMEM. */
int mlx5_umr_sig_keys_add(struct mlx5_umr_sig_keys *keys, uint32_t index,
			  struct mlx5_umr_key_sig *sig);
/** Forget a key: what a late CQE says of it is dropped. */
void mlx5_umr_sig_keys_remove(struct mlx5_umr_sig_keys *keys, uint32_t index);
/** Free the pages; the table is empty. */
void mlx5_umr_sig_keys_fini(struct mlx5_umr_sig_keys *keys);

/** Take a signature error CQE. Any lcore. */
void mlx5_umr_sig_keys_take(struct mlx5_umr_sig_keys *keys, const volatile struct mlx5_cqe64 *cqe);

/** Operations were flushed. Any lcore. */
static inline void
mlx5_umr_sig_keys_flushed(struct mlx5_umr_sig_keys *keys)
{
	__atomic_fetch_add(&keys->epoch, 1, __ATOMIC_RELAXED);
}

/**
 * Tell the error of a key and forget it. Any lcore; of those that ask at once, one is told.
 *
 * @param error
 *   Written; type is RTE_UMR_MKEY_ERROR_NONE if there is none.
 * @return
 *   0, or -EPROTO: the device told something that is not known (logged).
 */
int mlx5_umr_key_sig_check(struct mlx5_umr_key_sig *sig, struct rte_umr_mkey_error *error);

/** A new owner has taken the key from its pool: no signature, no layout, no error. */
void mlx5_umr_key_sig_recycle(struct mlx5_umr_key_sig *sig);

/** Note another signature. */
void mlx5_umr_key_sig_set(struct mlx5_umr_key_sig *key_sig, const struct rte_umr_sig *sig);
/** Note one that differs in its tags only. */
void mlx5_umr_key_sig_retag(struct mlx5_umr_key_sig *key_sig, const struct rte_umr_sig *sig);

/** What one configuration of a key does about its signature. */
struct mlx5_umr_sig_plan {
	const struct rte_umr_sig *sig;	/* of the BSF and the PSVs */
	uint64_t len;		/* of the key; by the caller */
	bool is_set;		/* the key has a signature behind it */
	bool has_bsf;		/* the BSF is written */
	bool has_crypto;	/* a BSF of an encryption follows, or the key has one */
	bool is_stale;		/* operations were flushed since the key was configured */
	bool is_off;		/* the key uses no BSF behind it */
	bool is_arming;		/* mkc.expected_sigerr_count is written */
	/* A transaction over that many bytes of data; 0: it is none, or waits for a layout. */
	uint32_t trans_len;
	bool sigerr_bit;	/* its value */
	uint32_t nb_psv;	/* SET_PSV WQEs behind the UMR */
	uint32_t nb_errors;	/* seen until now */
	uint32_t epoch;
};

/**
 * Decide it; nothing is changed.
 *
 * @param sig
 *   New signature, or NULL to keep the one that there is.
 * @param is_reset
 *   Take the signature away. sig is NULL.
 */
void mlx5_umr_sig_plan_make(const struct mlx5_umr_key_sig *key_sig, const struct rte_umr_sig *sig,
			    bool is_reset, struct mlx5_umr_sig_plan *plan);

/** The operation was accepted. */
void mlx5_umr_sig_plan_commit(const struct mlx5_umr_sig_plan *plan,
			      struct mlx5_umr_key_sig *key_sig);

#endif /* MLX5_UMR_KEY_SIG_H */
