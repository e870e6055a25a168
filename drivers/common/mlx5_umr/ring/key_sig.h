/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef MLX5_UMR_KEY_SIG_H
#define MLX5_UMR_KEY_SIG_H

/**
 * @file
 * State of signature keys, and their errors.
 *
 * A key reports one error: mkc.expected_sigerr_count, one bit, must differ from the number of
 * errors. The next UMR after the error's CQE sets the bit again ("arms" the key), and SET_PSV
 * renews the initial signatures (rdma-core 44, providers/mlx5/qp.c: upd_mkc_sig_err_cnt()). So a
 * key has at most one outstanding CQE, and a completion ring with an entry for each key is large
 * enough.
 *
 * The CQE goes to the queue that moved the data, which may differ from the one that configured the
 * key, and contains the key's number; the device has a table of keys. The lock of that table
 * protects the data of a key that an enqueue function and the poll of another lcore share.
 */

#include <stdbool.h>
#include <stdint.h>

#include <infiniband/mlx5dv.h>

#include <rte_common.h>
#include <rte_spinlock.h>

#include "wqe/sig.h"

struct mlx5_umr_sig_keys;

/** Signature of a key. The first cache line contains what each configuration reads. */
struct mlx5_umr_key_sig {
	/* Written by the lcore that configures the key. */
	uint64_t len;			/* bytes of its layout; 0: not set by its owner */
	uint32_t armed_at;		/* nb_errors when armed, and PSVs were set */
	uint32_t epoch;			/* of the device at the last configuration */
	bool is_set;			/* the key has it */
	bool has_bsf;			/* the device has it, possibly of a previous owner */
	/*
	 * An UMR has armed it since its creation, and its BSF does not depend on the layout (no
	 * transaction). For other keys, each layout arms the key and writes the BSF.
	 */
	bool is_quick;
	/*
	 * Shared, see above: written under the lock, with atomics, because they are read without
	 * it.
	 */
	bool has_error;			/* the application has not read err */
	uint32_t nb_errors;		/* number of signature error CQEs */
	/* Written by the lcore that configures the key. */
	struct rte_umr_sig sig;		/* the last one, also after a reset */
	struct mlx5_umr_sig_image image; /* of sig; without PSVs before the first one */
	/* Shared. */
	/* mlx5_umr_sig_type_of() sig, to decode errors. Atomic */
	uint8_t types[MLX5_UMR_SIG_NB_DOMAINS];
	struct mlx5_umr_sigerr err;
	/* Control path. */
	struct mlx5_umr_sig_keys *keys;	/* table that contains it */
	uint32_t psv[MLX5_UMR_SIG_NB_DOMAINS];
	struct mlx5dv_devx_obj *psv_objs[MLX5_UMR_SIG_NB_DOMAINS];
} __rte_cache_aligned;

static_assert(offsetof(struct mlx5_umr_key_sig, image) == 64, "a BSF is not in two lines");

/* A key number has 24 bits: pages of pointers, indexed by its high and its low half. */
#define MLX5_UMR_SIG_KEYS_LOG_PAGE	12u
#define MLX5_UMR_SIG_KEYS_PAGE		(1u << MLX5_UMR_SIG_KEYS_LOG_PAGE)

/** Signature keys of a device, by their number. A zeroed table is empty. */
struct mlx5_umr_sig_keys {
	rte_spinlock_t lock;
	/*
	 * Incremented when operations are flushed: their changes to keys are missing, so each key
	 * is configured completely the next time.
	 */
	uint32_t epoch;
	const char *name;	/* of the device, for the log */
	struct mlx5_umr_key_sig **pages[MLX5_UMR_SIG_KEYS_PAGE];
};

/** Add a key. @return 0 or -ENOMEM. */
int mlx5_umr_sig_keys_add(struct mlx5_umr_sig_keys *keys, uint32_t index,
			  struct mlx5_umr_key_sig *sig);
/** Remove a key: late CQEs for it are dropped. */
void mlx5_umr_sig_keys_remove(struct mlx5_umr_sig_keys *keys, uint32_t index);
/** Free the pages; the table is empty. */
void mlx5_umr_sig_keys_fini(struct mlx5_umr_sig_keys *keys);

/** Process a signature error CQE. Any lcore. */
void mlx5_umr_sig_keys_take(struct mlx5_umr_sig_keys *keys, const volatile struct mlx5_cqe64 *cqe);

/** Record that operations were flushed. Any lcore. */
static inline void
mlx5_umr_sig_keys_flushed(struct mlx5_umr_sig_keys *keys)
{
	__atomic_fetch_add(&keys->epoch, 1, __ATOMIC_RELAXED);
}

/**
 * Read and clear the error of a key. Any lcore; if several call at once, one gets the error.
 *
 * @param error
 *   Written; type is RTE_UMR_MKEY_ERROR_NONE if there is none.
 * @return
 *   0, or -EPROTO: the device reported an unknown error (logged).
 */
int mlx5_umr_key_sig_check(struct mlx5_umr_key_sig *sig, struct rte_umr_mkey_error *error);

/** Reset the state for a new owner of the key: no signature, no layout, no error. */
void mlx5_umr_key_sig_recycle(struct mlx5_umr_key_sig *sig);

/** Record a new signature. */
void mlx5_umr_key_sig_set(struct mlx5_umr_key_sig *key_sig, const struct rte_umr_sig *sig);
/** Record a signature that differs only in its tags, and update a copy of its BSF. */
static __rte_always_inline void
mlx5_umr_key_sig_retag(struct mlx5_umr_key_sig *key_sig, const struct rte_umr_sig *sig,
		       uint64_t *copy)
{
	key_sig->sig.mem = sig->mem;
	key_sig->sig.wire = sig->wire;
	mlx5_umr_sig_image_retag(&key_sig->image, sig, copy);
}

/** Plan of a configuration for the signature of a key. */
struct mlx5_umr_sig_plan {
	const struct rte_umr_sig *sig;	/* for the BSF and the PSVs */
	uint64_t len;		/* of the key; set by the caller */
	bool is_set;		/* the key has a signature afterwards */
	bool has_bsf;		/* the BSF is written */
	bool has_crypto;	/* a BSF of an encryption follows, or the key has one */
	bool is_stale;		/* operations were flushed since the key was configured */
	bool is_off;		/* the key uses no BSF afterwards */
	bool is_arming;		/* mkc.expected_sigerr_count is written */
	bool keeps_psv;		/* the PSV of a transaction is ready */
	/* Length of a transaction in bytes of data; 0: no transaction, or waiting for a layout. */
	uint32_t trans_len;
	bool sigerr_bit;	/* its value */
	uint32_t nb_psv;	/* SET_PSV WQEs after the UMR */
	uint32_t nb_errors;	/* errors so far */
	uint32_t epoch;
};

/**
 * Compute the plan; nothing is changed.
 *
 * @param sig
 *   New signature, or NULL to keep the existing one.
 * @param is_reset
 *   Remove the signature. sig is NULL.
 */
void mlx5_umr_sig_plan_make(const struct mlx5_umr_key_sig *key_sig, const struct rte_umr_sig *sig,
			    bool is_reset, struct mlx5_umr_sig_plan *plan);

/** Commit the plan after the operation was accepted. */
void mlx5_umr_sig_plan_commit(const struct mlx5_umr_sig_plan *plan,
			      struct mlx5_umr_key_sig *key_sig);

#endif /* MLX5_UMR_KEY_SIG_H */
